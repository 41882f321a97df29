# The choice of blocks by their probabilities, for the features that depend on it.

from libc.stdint cimport int32_t, uint8_t

cdef enum:
    EXPERTS = 2

cdef extern from *:
    """
    #define NEARLY_ZERO 1e-9
    """
    const double NEARLY_ZERO


cdef struct Rules:
    double usual_power
    double min_probability
    double min_shell_terms
    double min_best_probability
    double min_expected_terms
    double one_text_share


cdef struct Choice:
    double best_probability  # of all blocks
    double expected_terms  # of content, in informative blocks or not
    double threshold
    double expected_f1
    double expected_precision
    double expected_recall


cdef struct Expert:
    const double* probability  # of each block
    double* power_terms  # space: powers of the probabilities of candidates, times their terms
    double weight  # the probability that the page is one for the expert
    double all_powers  # sums over all candidates, of powers of probabilities times terms
    double all_expected  # sums over all blocks, of probabilities times terms
    double powers  # the same sums over the blocks above the threshold
    double expected


cdef Rules RULES

cdef Choice choose_informative(
    Expert* experts,
    Py_ssize_t expert_count,
    const double* score,
    const double* terms,
    Py_ssize_t size,
    double power,
    int32_t* order,
    uint8_t* informative,
) noexcept nogil

cdef void sort_descending(
    const double* keys, int32_t* order, Py_ssize_t count, int32_t* space
) noexcept nogil
