# C types of writer.py, for when it is compiled.

from tamis.page.kernel.lexer cimport Lexer

cdef int BREAK_CELL, BREAK_LINE, BREAK_PARAGRAPH, BREAK_SPACE
cdef int IDEOGRAPHS_END, SINGLE, TABLE_SIZE, WORD

# An array's memory. Whoever holds the pointer also holds the array.
cdef inline unsigned char* memory(object array):
    return <unsigned char*> <size_t> array.ctypes.data

cdef class Writer(Lexer):
    cdef object classes_kept, buffer
    cdef const unsigned char* classes
    cdef unsigned char* out
    cdef Py_ssize_t size
    cdef int written, pending, code, width

    cdef object written_text(self)
    cdef int read_character(self) noexcept nogil
    cdef void read_entity(self) noexcept nogil
    cdef void space(self, int preformatted) noexcept nogil
    cdef void write_pending(self) noexcept nogil
    cdef inline void write_byte(self, int byte) noexcept nogil
    cdef void write_character(self) noexcept nogil
    cdef int write_words(self) noexcept nogil
