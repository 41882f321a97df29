# C types of cutter.py, for when it is compiled; the sizes are those of traits.py.

from libc.string cimport memcpy

from tamis.page.kernel.rules cimport Rules

cdef int ANNOTATION_TAG, FONT_TAG, INPUT_TAG
cdef int APPENDS, ATTRIBUTES, LARGE, NAMES, OUTLINE, SHORT
cdef int BODY, TEMPLATE
cdef unsigned long long SEED

# An array's memory. Whoever holds the pointer also holds the array.
cdef inline unsigned char* memory(object array):
    return <unsigned char*> <size_t> array.ctypes.data

cdef inline void copy_bytes(
    unsigned char* target, Py_ssize_t at, const unsigned char* source, Py_ssize_t start,
    Py_ssize_t stop
) noexcept nogil:
    memcpy(target + at, source + start, stop - start)

cdef class Cutter(Rules):
    cdef object light
    cdef unsigned char* out
    cdef Py_ssize_t size, copied, text_end
    cdef int max_attributes, max_names
    cdef unsigned long long known[4096]
    cdef int known_count
    cdef bint large
    cdef long long attributes_seen, appended, growth
    cdef long long crowded, strange, broken

    cdef void cut(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef void cut_again(
        self, Py_ssize_t size, Py_ssize_t copied, Py_ssize_t start, Py_ssize_t stop
    ) noexcept nogil
    cdef void cut_tag(
        self, Py_ssize_t size, Py_ssize_t copied, Py_ssize_t start
    ) noexcept nogil
    cdef int attributes(self, int code) noexcept nogil
    cdef bint is_outline(self) noexcept nogil
    cdef bint is_known(self, unsigned long long key) noexcept nogil
    cdef void look_at(self, int code) noexcept nogil
    cdef void append(
        self, int* lengths, int place, Py_ssize_t start, Py_ssize_t stop, bint blank
    ) noexcept nogil
    cdef void foretell(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
