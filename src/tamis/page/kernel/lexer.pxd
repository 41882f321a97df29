# C types of lexer.py, for when it is compiled.

from libc.string cimport memchr

cdef int OTHER
cdef unsigned long long SEED, PRIME, MASK

cdef inline Py_ssize_t find_byte(
    const unsigned char* src, int byte, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    cdef const unsigned char* found = <const unsigned char*> memchr(src + start, byte, stop - start)
    return stop if found == NULL else found - src

cdef inline const int* as_ints(bytes table):
    return <const int*> <const unsigned char*> table

cdef inline const unsigned long long* as_keys(bytes table):
    return <const unsigned long long*> <const unsigned char*> table

cdef class Lexer:
    cdef object source, tables
    cdef const unsigned char* src
    cdef Py_ssize_t n, pos
    cdef const unsigned char* slots
    cdef const unsigned long long* keys
    cdef const int* traits
    cdef unsigned long long key
    cdef Py_ssize_t name_start, name_stop, value_start, value_stop
    cdef bint self_closing

    cdef Py_ssize_t find(self, int byte, Py_ssize_t pos) noexcept nogil
    cdef int read_name(self, Py_ssize_t pos) noexcept nogil
    cdef unsigned long long hash(
        self, unsigned long long key, Py_ssize_t start, Py_ssize_t stop
    ) noexcept nogil
    cdef bint next_attribute(self) noexcept nogil
    cdef void read_value(self, Py_ssize_t pos) noexcept nogil
    cdef bint is_word(
        self, Py_ssize_t start, Py_ssize_t stop, const unsigned char* word, Py_ssize_t length
    ) noexcept nogil
    cdef bint holds_word(
        self, Py_ssize_t start, Py_ssize_t stop, const unsigned char* word, Py_ssize_t length
    ) noexcept nogil
    cdef bint is_name(self, Py_ssize_t pos, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef Py_ssize_t raw_end(
        self, Py_ssize_t pos, Py_ssize_t start, Py_ssize_t stop, bint script
    ) noexcept nogil
