# C types of tables.py, for when it is compiled.

from tamis.page.kernel.formatting cimport Formatting

cdef int COLGROUP_TAG, FORM_TAG, FRAME_TAG, FRAMESET_TAG, INPUT_TAG, NOFRAMES_TAG, NOSCRIPT_TAG
cdef int TABLE_TAG, TBODY_TAG, TEMPLATE_TAG, TR_TAG
cdef int BODY, CAPTION, CELL, COLUMNS, FRAMESET, MODE, ROW, TABLE, TABLE_BODY, TEMPLATE
cdef int FOSTERING, HEAD, PRUNED, TABLE_PART, TABLE_SCOPE

cdef bint fits(int mode, int inside) noexcept nogil
cdef bint fits_template(int mode, int inside) noexcept nogil
cdef int template_mode(int inside) noexcept nogil

cdef class Tables(Formatting):
    cdef bint body

    cdef bint fit_table(self, int code, int kind) noexcept nogil
    cdef bint fit_part(self, int inside) noexcept nogil
    cdef void set_mode(self, int mode) noexcept nogil
    cdef void imply(self, int code) noexcept nogil
    cdef void separate(self, int code, int kind) noexcept nogil
    cdef int foster_place(self) noexcept nogil
