# C types of scanner.py, for when it is compiled.

cimport cython

from tamis.page.kernel.lexer cimport as_ints
from tamis.page.kernel.writer cimport Writer

cdef int ANNOTATION_TAG, BR_TAG, DIALOG_TAG, PLAINTEXT_TAG, SCRIPT_TAG, SVG_TAG, TEMPLATE_TAG
cdef int BREAK, BREAK_LINE, BREAK_PARAGRAPH, FLAGS, FLAGS_SHIFT
cdef int HTML_POINT, MATH_POINT, RAW, VOID
cdef int HIDDEN, INVISIBLE, MATH, PREFORMATTED, SVG
cdef int IGNORED, PUNCTUATION, SINGLE, SPACE, WORD
cdef unsigned int SEED32, PRIME32

# An array's memory. Whoever holds the pointer also holds the array.
cdef inline int* cells_of(object block):
    return <int*> <size_t> block.ctypes.data

cdef inline int* column(int* cells, int number, Py_ssize_t room):
    return cells + number * room

@cython.final
cdef class Scanner(Writer):
    cdef object points_kept, block
    cdef const int* points
    cdef Py_ssize_t room
    cdef int* cells
    cdef int* tag
    cdef int* flags
    cdef int* depth
    cdef int* parent
    cdef int* end
    cdef int* start
    cdef int* head
    cdef int* stop
    cdef int* text_start
    cdef int* text_stop
    cdef int* class_start
    cdef int* class_stop
    cdef int* class_key
    cdef int* id_start
    cdef int* id_stop
    cdef int* chars
    cdef int* terms
    cdef int* marks
    cdef int rows, current
    cdef bint hides, shows, opens, in_word

    cdef object point(self)
    cdef object grow(self)
    cdef void read(self) noexcept nogil
    cdef void declaration(self) noexcept nogil
    cdef int add_row(self, int code, int flags) noexcept nogil
    cdef inline void separate(self, int code) noexcept nogil
    cdef void start_tag(self) noexcept nogil
    cdef int own_flags(self, int code, int above) noexcept nogil
    cdef void attribute(self, int row) noexcept nogil
    cdef void odd_attribute(self, int code) noexcept nogil
    cdef bint value_is(self, const unsigned char* word, Py_ssize_t length) noexcept nogil
    cdef bint value_holds(self, const unsigned char* word, Py_ssize_t length) noexcept nogil
    cdef int value_key(self) noexcept nogil
    cdef Py_ssize_t last_end(self, Py_ssize_t start, Py_ssize_t stop) noexcept nogil
    cdef void end_tag(self) noexcept nogil
    cdef inline void close(self, int row) noexcept nogil
    cdef void text(self, Py_ssize_t stop, bint raw) noexcept nogil
    cdef void words(self, int row) noexcept nogil
    cdef inline void count(self, int row, int kind) noexcept nogil
