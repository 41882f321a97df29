# C types of stack.py, for when it is compiled; the sizes are those of traits.py.

from tamis.page.kernel.lexer cimport Lexer

cdef int P_TAG, TEMPLATE_TAG
cdef int BODY, BUTTON_SCOPE, FOREIGN, FORMATS, IMPLIED, MODE, ROOM, SCOPE, SPECIAL

cdef class Stack(Lexer):
    cdef int room, depth, form, templates
    cdef int codes[640]
    cdef int kinds[640]
    cdef int modes[640]
    cdef int anchors[640]
    cdef int paragraphs[640]
    cdef int formats[640]
    cdef int runs[640]
    cdef int fosters[640]
    cdef unsigned long long names[640]
    cdef int format_places[1024]

    cdef bint push(self, int code, unsigned long long key, int kind) noexcept nogil
    cdef void inherit(self, int place) noexcept nogil
    cdef void pop_to(self, int place) noexcept nogil
    cdef void remove(self, int place) noexcept nogil
    cdef void copy(self, int source, int target) noexcept nogil
    cdef int find_open(self, int code, int walls) noexcept nogil
    cdef void imply_ends(self, int but) noexcept nogil
    cdef void close_other(self, unsigned long long key) noexcept nogil
