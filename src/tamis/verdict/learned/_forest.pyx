# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Forests give sums for columns of features; a threshold divides the blocks by probabilities.

The sums are the hot loop of the learned method. Trees are not walked but crossed out (Lucchese et
al., "QuickScorer", SIGIR 2015): each node whose test fails crosses the leaves on its left out of a
set of at most 32, and the first leaf that is left is the one that a walk would reach. There is
nothing to branch on, so that a processor takes several columns at once.
"""

from libc.math cimport pow
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from tamis.verdict.learned._context cimport Memory

import numpy as np

# C, because Cython has no way to compile a function for several processors. With the vector
# instructions of those since 2013 it takes two thirds of the time; which one runs is decided when
# the module is loaded.
cdef extern from *:
    """
    #include <stdint.h>
    #if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__)
    #define FOR_SEVERAL_PROCESSORS __attribute__((target_clones("avx2", "default")))
    #else
    #define FOR_SEVERAL_PROCESSORS
    #endif

    /* Sets of leaves of the columns: cross out what a row of four nodes excludes. */
    FOR_SEVERAL_PROCESSORS
    static void cross_out(
        const float *features, Py_ssize_t count, const int32_t *row, const float *limit,
        const uint32_t *out, uint32_t *leaves
    ) {
        const float *a = features + row[0] * count, *b = features + row[1] * count;
        const float *c = features + row[2] * count, *d = features + row[3] * count;
        const float la = limit[0], lb = limit[1], lc = limit[2], ld = limit[3];
        const uint32_t oa = out[0], ob = out[1], oc = out[2], od = out[3];
        for (Py_ssize_t i = 0; i < count; i++) {
            leaves[i] &= ~(
                (oa & -(uint32_t)(a[i] > la)) | (ob & -(uint32_t)(b[i] > lb))
                | (oc & -(uint32_t)(c[i] > lc)) | (od & -(uint32_t)(d[i] > ld))
            );
        }
    }

    /* Add the value of the first leaf that is left in each set, and make the set whole again. */
    FOR_SEVERAL_PROCESSORS
    static void add_first_leaves(
        uint32_t *leaves, Py_ssize_t count, const float *value, double *sums
    ) {
        for (Py_ssize_t i = 0; i < count; i++) {
            uint32_t first = leaves[i] & -leaves[i];
            sums[i] += value[(int32_t)(first * 0x077CB531u >> 27)];
            leaves[i] = 0xFFFFFFFFu;
        }
    }
    """
    void cross_out(
        const float* features, Py_ssize_t count, const int32_t* row, const float* limit,
        const uint32_t* out, uint32_t* leaves,
    ) noexcept nogil
    void add_first_leaves(
        uint32_t* leaves, Py_ssize_t count, const float* value, double* sums,
    ) noexcept nogil

LEAVES = 32  # of a tree, at most: the bits of a set
NODES = 4  # that cross out in one go: a row of nodes; trees are filled up to whole rows
_SLOT_FACTOR = 0x077CB531  # de Bruijn's: the first five bits of its product with a bit are its own


def leaf_slots():
    """Return the column of `Forest.value` for each leaf of a tree."""
    leaves = np.left_shift(np.uint32(1), np.arange(LEAVES, dtype=np.uint32))
    return leaves * np.uint32(_SLOT_FACTOR) >> np.uint32(27)


cdef class Trees:
    """The columns of a forest, which has checked them, ready to be evaluated.

    A node has a feature, a threshold, and the leaves that are crossed out when it is exceeded.
    There are four to a row; `trees` has the first row of each tree, and the end of the last.
    `value` has one row per tree with the values of its leaves, each in its slot.
    """

    cdef tuple columns
    cdef const float[:, ::1] threshold
    cdef const int32_t[:, ::1] feature
    cdef const uint32_t[:, ::1] crossed
    cdef const float[:, ::1] value
    cdef const int32_t[::1] trees
    cdef Py_ssize_t outputs
    cdef const int32_t[::1] used  # the features that the nodes test

    def __init__(self, threshold, feature, crossed, value, trees, outputs):
        self.columns = (threshold, feature, crossed, value, trees, outputs)
        self.threshold, self.feature, self.crossed = threshold, feature, crossed
        self.value, self.trees, self.outputs = value, trees, outputs
        self.used = np.flatnonzero(np.bincount(feature.ravel())).astype(np.int32)

    def __reduce__(self):
        return Trees, self.columns

    def sums(self, const float[:, ::1] features):
        """Return the sums of the trees, one row per output, one column per column of features.

        The trees add to the outputs in turn.
        """
        cdef Py_ssize_t count = features.shape[1]
        sums = np.zeros((self.outputs, count))
        if not count or not self.value.shape[0]:
            return sums
        self._check(features)
        cdef double[:, ::1] out = sums
        cdef uint32_t* leaves = <uint32_t*> malloc(count * sizeof(uint32_t))
        if leaves == NULL:
            raise MemoryError()
        with nogil:
            self._add(&features[0, 0], count, leaves, out)
            free(leaves)
        return sums

    def sums_of(self, const float[:, ::1] features, const int64_t[::1] columns):
        """Return the sums for some columns of features."""
        cdef Py_ssize_t index, column, row
        self._check(features)
        for index in range(columns.shape[0]):
            if not 0 <= columns[index] < features.shape[1]:
                raise IndexError(f"there is no column {columns[index]}")
        taken = np.empty((features.shape[0], columns.shape[0]), dtype=np.float32)
        cdef float[:, ::1] out = taken
        with nogil:
            for index in range(self.used.shape[0]):
                row = self.used[index]
                for column in range(columns.shape[0]):
                    out[row, column] = features[row, columns[column]]
        return self.sums(taken)

    cdef int _check(self, const float[:, ::1] features) except -1:
        """Raise ValueError if there are fewer features than the trees test."""
        if self.used.shape[0] and self.used[self.used.shape[0] - 1] >= features.shape[0]:
            raise ValueError(f"{features.shape[0]} rows of features are too few for the forest")
        return 0

    cdef void _add(
        self, const float* features, Py_ssize_t count, uint32_t* leaves, double[:, ::1] sums
    ) noexcept nogil:
        cdef Py_ssize_t tree, nodes, index
        for index in range(count):
            leaves[index] = 0xFFFFFFFFU
        for tree in range(self.value.shape[0]):
            for nodes in range(self.trees[tree], self.trees[tree + 1]):
                cross_out(
                    features,
                    count,
                    &self.feature[nodes, 0],
                    &self.threshold[nodes, 0],
                    &self.crossed[nodes, 0],
                    leaves,
                )
            add_first_leaves(leaves, count, &self.value[tree, 0], &sums[tree % self.outputs, 0])


# The choice: the threshold of greatest expected F1.

cdef enum:
    SHORT_RUN = 8  # blocks that are sorted by insertion

# The rules of the choice. A probability counts as a power of itself: false positives cost a little
# more than the expected F1 says, because the errors of one page go together.
USUAL_POWER = 1.2
POWERS = {None: USUAL_POWER, "precision": 2.5, "recall": 0.7}
MIN_PROBABILITY = 0.05  # of an informative block
# A page is a shell without content if it has at least MIN_SHELL_TERMS terms, but the probability of
# no block reaches MIN_BEST_PROBABILITY, or fewer than MIN_EXPECTED_TERMS terms of content are
# expected. On a page of fewer terms the most probable blocks are taken.
MIN_SHELL_TERMS = 150.0
MIN_BEST_PROBABILITY = 0.3
MIN_EXPECTED_TERMS = 8.0
ONE_TEXT_SHARE = 0.9  # with such a share of its terms in one block a page is no shell

RULES = Rules(
    USUAL_POWER,
    MIN_PROBABILITY,
    MIN_SHELL_TERMS,
    MIN_BEST_PROBABILITY,
    MIN_EXPECTED_TERMS,
    ONE_TEXT_SHARE,
)


def choose(
    const double[:, ::1] by_expert,
    const double[::1] weights,
    const double[::1] score,
    const double[::1] terms,
    double power,
):
    """Return which blocks are informative, and the numbers of the choice as a tuple.

    `choose_blocks` in threshold.py says how they are chosen.
    """
    cdef Py_ssize_t size = score.shape[0], index
    informative = np.zeros(size, dtype=np.bool_)
    cdef Choice choice
    cdef Expert experts[EXPERTS]
    cdef Memory memory = Memory()
    cdef int32_t* order = <int32_t*> memory.take(2 * size, sizeof(int32_t))
    cdef uint8_t[::1] out = informative.view(np.uint8)
    if weights.shape[0] > EXPERTS or by_expert.shape[0] != weights.shape[0]:
        raise ValueError(f"give one row of probabilities per expert, and at most {EXPERTS}")
    if by_expert.shape[1] != size or terms.shape[0] != size:
        raise ValueError("give a probability by each expert, a score and terms for every block")
    if not size:
        return informative, (0.0, 0.0, 1.0, 0.0, 0.0, 0.0)
    for index in range(weights.shape[0]):
        experts[index].probability = &by_expert[index, 0]
        experts[index].power_terms = <double*> memory.take(size, sizeof(double))
        experts[index].weight = weights[index]
    with nogil:
        choice = choose_informative(
            experts, weights.shape[0], &score[0], &terms[0], size, power, order, &out[0]
        )
    return informative, (
        choice.best_probability,
        choice.expected_terms,
        choice.threshold,
        choice.expected_f1,
        choice.expected_precision,
        choice.expected_recall,
    )


cdef Choice choose_informative(
    Expert* experts,
    Py_ssize_t expert_count,
    const double* score,
    const double* terms,
    Py_ssize_t size,
    double power,
    int32_t* order,
    uint8_t* informative,
) noexcept nogil:
    """Choose the informative blocks; `order` has space for two numbers per block."""
    cdef Choice choice
    cdef double all_terms = 0, longest = 0
    cdef Py_ssize_t block, count
    cdef bint is_improbable, is_one_text
    choice.best_probability = choice.expected_terms = 0
    for block in range(size):
        all_terms += terms[block]
        longest = max(longest, terms[block])
        choice.expected_terms += score[block] * terms[block]
        choice.best_probability = max(choice.best_probability, score[block])
    choice.threshold = 1
    choice.expected_f1 = choice.expected_precision = choice.expected_recall = 0
    is_improbable = (
        choice.best_probability < RULES.min_best_probability
        or choice.expected_terms < RULES.min_expected_terms
    )
    is_one_text = longest >= RULES.one_text_share * all_terms
    if not all_terms or (is_improbable and all_terms >= RULES.min_shell_terms and not is_one_text):
        memset(informative, 0, size)  # a shell without content
        return choice
    count = _find_candidates(score, terms, size, order)
    sort_descending(score, order, count, order + size)
    _find_threshold(experts, expert_count, score, terms, size, power, order, count, &choice)
    for block in range(size):
        informative[block] = score[block] >= choice.threshold
    return choice


cdef Py_ssize_t _find_candidates(
    const double* score, const double* terms, Py_ssize_t size, int32_t* candidates
) noexcept nogil:
    """Write the blocks with text that are not too improbable, or else the best with text."""
    cdef Py_ssize_t block, count = 0
    cdef double best = -1
    for block in range(size):
        if terms[block] > 0:
            best = max(best, score[block])
    best = min(best, RULES.min_probability)
    for block in range(size):
        if terms[block] > 0 and score[block] >= best:
            candidates[count] = <int32_t> block
            count += 1
    return count


cdef void _find_threshold(
    Expert* experts,
    Py_ssize_t expert_count,
    const double* score,
    const double* terms,
    Py_ssize_t size,
    double power,
    const int32_t* order,
    Py_ssize_t count,
    Choice* choice,
) noexcept nogil:
    """Find the threshold of greatest expected F1 through candidates in the order of their scores.

    For the threshold, but not for what is expected, a probability counts as a power of itself.
    """
    cdef Py_ssize_t index, block, number
    cdef double taken_terms = 0, value, greatest = -1
    cdef Expert* expert
    for number in range(expert_count):
        _sum_expert(&experts[number], terms, size, power, order, count)
    for index in range(count):
        block = order[index]
        taken_terms += terms[block]
        value = 0
        for number in range(expert_count):
            expert = &experts[number]
            if expert.weight:
                expert.powers += expert.power_terms[index]
                expert.expected += expert.probability[block] * terms[block]
                value += expert.weight * 2 * expert.powers / (taken_terms + expert.all_powers)
        if index + 1 < count and score[order[index + 1]] == score[block]:
            continue  # equal blocks go together
        if value > greatest:
            greatest = value
            choice.threshold = score[block]
            _expect(experts, expert_count, taken_terms, choice)


cdef void _sum_expert(
    Expert* expert,
    const double* terms,
    Py_ssize_t size,
    double power,
    const int32_t* order,
    Py_ssize_t count,
) noexcept nogil:
    cdef Py_ssize_t index, block
    expert.all_powers = expert.all_expected = expert.powers = expert.expected = 0
    if not expert.weight:
        return
    for index in range(count):
        block = order[index]
        expert.power_terms[index] = pow(expert.probability[block], power) * terms[block]
        expert.all_powers += expert.power_terms[index]
    for block in range(size):
        expert.all_expected += expert.probability[block] * terms[block]


cdef void _expect(
    const Expert* experts, Py_ssize_t expert_count, double taken_terms, Choice* choice
) noexcept nogil:
    """Write the F1, precision and recall that are expected of the blocks that are taken."""
    cdef Py_ssize_t number
    cdef double weight, hits, wanted
    choice.expected_f1 = choice.expected_precision = choice.expected_recall = 0
    for number in range(expert_count):
        weight, hits = experts[number].weight, experts[number].expected
        wanted = experts[number].all_expected
        choice.expected_f1 += weight * 2 * hits / max(taken_terms + wanted, NEARLY_ZERO)
        choice.expected_precision += weight * hits / max(taken_terms, NEARLY_ZERO)
        choice.expected_recall += weight * hits / max(wanted, NEARLY_ZERO)


cdef void sort_descending(
    const double* keys, int32_t* order, Py_ssize_t count, int32_t* space
) noexcept nogil:
    """Sort indices by falling keys; indices of equal keys keep their order (merge sort)."""
    cdef Py_ssize_t start = 0, middle, stop, width = SHORT_RUN
    while start < count:
        stop = min(start + width, count)
        _insert_sorted(keys, order, start, stop)
        start = stop
    while width < count:
        start = 0
        while start < count:
            middle, stop = min(start + width, count), min(start + 2 * width, count)
            _merge(keys, order, start, middle, stop, space)
            start = stop
        width *= 2


cdef inline void _insert_sorted(
    const double* keys, int32_t* order, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    cdef Py_ssize_t index, slot
    cdef int32_t moved
    for index in range(start + 1, stop):
        moved = order[index]
        slot = index
        while slot > start and keys[order[slot - 1]] < keys[moved]:
            order[slot] = order[slot - 1]
            slot -= 1
        order[slot] = moved


cdef inline void _merge(
    const double* keys,
    int32_t* order,
    Py_ssize_t start,
    Py_ssize_t middle,
    Py_ssize_t stop,
    int32_t* space,
) noexcept nogil:
    cdef Py_ssize_t left = 0, right = middle, index, left_count = middle - start
    if middle == stop or keys[order[middle - 1]] >= keys[order[middle]]:
        return  # in order already
    for index in range(left_count):
        space[index] = order[start + index]
    for index in range(start, stop):
        if left == left_count:
            return
        if right < stop and keys[order[right]] > keys[space[left]]:
            order[index] = order[right]
            right += 1
        else:
            order[index] = space[left]
            left += 1
