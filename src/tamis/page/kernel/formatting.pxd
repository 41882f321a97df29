# C types of formatting.py, for when it is compiled; the sizes are those of traits.py.

from tamis.page.kernel.stack cimport Stack

cdef int FOREIGN, FORMATS, FOSTERING, SCOPE, SPECIAL
cdef unsigned long long MASK, SEED

cdef class Formatting(Stack):
    cdef int format_codes[1024]
    cdef int format_tags[1024]
    cdef int format_sizes[1024]
    cdef unsigned long long format_signs[1024]
    cdef int format_count, format_mark
    cdef long long nodes

    cdef void mark(self) noexcept nogil
    cdef void clear_to_mark(self) noexcept nogil
    cdef void remember(self, int code, Py_ssize_t tag, int size) noexcept nogil
    cdef void forget_like_last(self) noexcept nogil
    cdef unsigned long long sign(self, int format) noexcept nogil
    cdef void forget(self, int format) noexcept nogil
    cdef void shift(self, int source, int target) noexcept nogil
    cdef int last_format(self, int code) noexcept nogil
    cdef void reopen(self) noexcept nogil
    cdef void insert(self, int place, int code, int format) noexcept nogil
    cdef void adopt(self, int code) noexcept nogil
    cdef void adopt_block(self, int format, int block) noexcept nogil
    cdef void enlist(self, int format, int code, int tag, int size) noexcept nogil
