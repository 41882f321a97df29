# C types of guard.py, for when it is compiled; the sizes are those of traits.py.

cimport cython

from tamis.page.kernel.cutter cimport Cutter

cdef int BODY_TAG, COLGROUP_TAG, FONT_TAG, HEAD_TAG, HTML_TAG, IFRAME_TAG, NOSCRIPT_TAG
cdef int OTHER, PLAINTEXT_TAG, SCRIPT_TAG, STYLE_TAG, TEXTAREA_TAG
cdef int BODY, CELL, COLUMNS, FRAMESET, TEMPLATE
cdef int BREAKOUT, FOREIGN, FORMATTING, FOSTERING, PRUNED, RAW, VOID
cdef int FORMATS, NEARBY, ROOM, SPARE, STYLES

@cython.final
cdef class Guard(Cutter):
    cdef int max_open, max_formatting
    cdef int left_out[256]
    cdef bint leaving_out, begun
    cdef int styles[2048]
    cdef int style_count
    cdef long long root_attributes, deep, misnested

    cdef void read(self) noexcept nogil
    cdef Py_ssize_t next_markup(self, Py_ssize_t pos) noexcept nogil
    cdef void declaration(self) noexcept nogil
    cdef Py_ssize_t comment_end(self, Py_ssize_t start) noexcept nogil
    cdef Py_ssize_t section_end(self, Py_ssize_t pos) noexcept nogil
    cdef void doctype(self, Py_ssize_t pos, Py_ssize_t stop) noexcept nogil
    cdef void start_tag(self) noexcept nogil
    cdef void open_root(self, int code) noexcept nogil
    cdef bint is_too_much(self, int code, unsigned long long key, int kind) noexcept nogil
    cdef bint swallows(self, Py_ssize_t name) noexcept nogil
    cdef void raw_text(self, Py_ssize_t start, Py_ssize_t name, int code, int kind) noexcept nogil
    cdef void end_tag(self) noexcept nogil
    cdef void text(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef void odd_text(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef bint is_blank(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t space_end(self, Py_ssize_t pos, Py_ssize_t stop) noexcept nogil
