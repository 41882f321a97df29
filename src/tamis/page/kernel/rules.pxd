# C types of rules.py, for when it is compiled.

from tamis.page.kernel.tables cimport Tables

cdef int A_TAG, ADDRESS_TAG, ANNOTATION_TAG, BODY_TAG, BR_TAG, BUTTON_TAG, COLGROUP_TAG, DD_TAG
cdef int DIV_TAG, DT_TAG, FORM_TAG, FRAMESET_TAG, HR_TAG, HTML_TAG, INPUT_TAG, LI_TAG
cdef int MALIGNMARK_TAG, MGLYPH_TAG, NOBR_TAG, OPTGROUP_TAG, OPTION_TAG, P_TAG, RB_TAG, RTC_TAG
cdef int RUBY_TAG, SELECT_TAG, SVG_TAG, TABLE_TAG, TEMPLATE_TAG
cdef int BODY, CAPTION, CELL, COLUMNS, FRAMESET, TEMPLATE
cdef int BLOCK_END, CLOSES_P, ENDS_FRAMES, FOREIGN, FORMATTING, FOSTERING, HEAD, HEADING
cdef int HTML_POINT, IMPLIED, LIST_SCOPE, MARKER, MATH, MATH_POINT, ODD, RAW, REOPENS, SCOPE
cdef int SPECIAL, SVG, TABLE_PART, TABLE_SCOPE, VOID

cdef class Rules(Tables):
    cdef bint frames, standards, after, marked

    cdef bint in_html(self, int code) noexcept nogil
    cdef void open_foreign(self, int code, unsigned long long key, int language) noexcept nogil
    cdef void break_out(self) noexcept nogil
    cdef void open_body(self) noexcept nogil
    cdef bint open_html(
        self, int code, unsigned long long key, int kind, Py_ssize_t tag, int size
    ) noexcept nogil
    cdef void opened(self, int code, int kind, Py_ssize_t tag, int size) noexcept nogil
    cdef bint open_odd(self, int code, int kind) noexcept nogil
    cdef void open_implied(self, int code) noexcept nogil
    cdef void close_item(self, int code) noexcept nogil
    cdef bint open_frameset(self) noexcept nogil
    cdef void close_link(self) noexcept nogil
    cdef void close_tag(self, int code, unsigned long long key, int kind) noexcept nogil
    cdef void close_html(self, int code, unsigned long long key, int kind) noexcept nogil
    cdef void close_to(self, int place, int kind) noexcept nogil
    cdef void close_or_add(self, int code) noexcept nogil
    cdef void close_heading(self) noexcept nogil
    cdef void close_form(self) noexcept nogil
