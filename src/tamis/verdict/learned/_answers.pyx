# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""Answers: what follows from the probabilities of blocks, one formula each.

Stacked features are the probabilities of a block's surroundings, for the second forests. Candidate
features say what the answers of both experts are like, to tell which one fits the page; confidence
features say what the final answer is like. `_units.pxi` has the loops over units and sections.
Names of features come from the enums, as in `_features.pxd`. Some say "belief" for probability and
"cut" for threshold, because model files have them.
"""

from libc.math cimport log1p
from libc.stdint cimport int32_t, int64_t, uint8_t
from libc.string cimport memset

from tamis.verdict.learned._context cimport (
    LEVEL_OF_TAG,
    LEVELS,
    NO_LEVEL,
    FeatureContext,
    Memory,
    Sums,
    add_sums,
    at_least_one,
    link_density,
)
from tamis.verdict.learned._features cimport (
    STEP,
    WINDOW,
    ENDS_SENTENCE,
    HIDDEN,
    IN_ELEMENT,
    LEVEL,
    STEP_COUNT,
    TITLE_COVER,
    TITLE_MATCH,
    TITLE_SHARE,
    WINDOW_COUNT,
    WITH_HEADLINE_SHARE,
    Features,
    Headline,
)
from tamis.verdict.learned._forest cimport (
    EXPERTS,
    NEARLY_ZERO,
    RULES,
    Choice,
    Expert,
    choose_informative,
    sort_descending,
)

import numpy as np

from tamis.page import find_bytes, tags

cdef uint8_t PRE = tags.CODE["pre"]

include "_units.pxi"

cpdef enum:
    STACKED_BELIEF
    STACKED_RANK
    STACKED_AT_STEP  # one per step
    STACKED_WITHIN_WINDOW = STACKED_AT_STEP + STEP_COUNT  # one per window
    STACKED_LEVEL = STACKED_WITHIN_WINDOW + WINDOW_COUNT  # one per level
    STACKED_BELIEF_PATH = STACKED_LEVEL + LEVELS
    STACKED_BELIEF_NAMED_PATH
    STACKED_BELIEF_RECORD
    STACKED_BELIEF_RECORDS
    STACKED_BELIEF_OUTER_RECORDS
    STACKED_BELIEF_BEFORE
    STACKED_BELIEF_AFTER
    STACKED_BELIEF_SHARE
    STACKED_BELIEF_BEST
    STACKED_FEATURE_COUNT

cpdef enum:
    # The shape of the answers: neither the length of an article nor the level of probabilities.
    CANDIDATE_AGREEMENT
    CANDIDATE_RUNS
    CANDIDATE_DENSE
    CANDIDATE_DENSE_TERMS
    CANDIDATE_GAP
    CANDIDATE_LONG_GAP
    CANDIDATE_HEADLINE_LINKS
    CANDIDATE_HEADLINE_LEVEL
    CANDIDATE_ARTICLE_LONG
    CANDIDATE_ARTICLE_LINKS
    CANDIDATE_OTHER_LONG
    CANDIDATE_OTHER_LINKS
    CANDIDATE_ARTICLE_WITH_HEADLINE
    CANDIDATE_RUN_SHARE
    CANDIDATE_RUN_TERMS_PER_BLOCK
    CANDIDATE_RUN_DENSE
    CANDIDATE_RUN_ENDS
    CANDIDATE_RUN_HEADINGS
    CANDIDATE_RUN_LINKS
    CANDIDATE_RUN_MARKS
    CANDIDATE_RUN_GAP
    CANDIDATE_RUN_BODY_COVER
    CANDIDATE_RUN_BODY_SHARE
    CANDIDATE_REST_SHARE
    CANDIDATE_REST_LINKS
    CANDIDATE_REST_HEADINGS
    CANDIDATE_REST_ENDS
    CANDIDATE_REST_LONG
    CANDIDATE_HEADLINE_MATCH
    CANDIDATE_HEADLINE_FOLLOW
    CANDIDATE_HEADLINE_REPEATS
    # How probable and how long the answer of each expert is.
    CANDIDATE_ARTICLE_F1
    CANDIDATE_ARTICLE_KEPT
    CANDIDATE_ARTICLE_LOG_TERMS
    CANDIDATE_ARTICLE_MEAN_BELIEF
    CANDIDATE_ARTICLE_BEST_BELIEF
    CANDIDATE_ARTICLE_CUT
    CANDIDATE_ARTICLE_RUN_BELIEF
    CANDIDATE_ARTICLE_REST_BELIEF
    CANDIDATE_OTHER_F1
    CANDIDATE_OTHER_KEPT
    CANDIDATE_OTHER_LOG_TERMS
    CANDIDATE_OTHER_MEAN_BELIEF
    CANDIDATE_OTHER_BEST_BELIEF
    CANDIDATE_OTHER_CUT
    CANDIDATE_OTHER_RUN_BELIEF
    CANDIDATE_OTHER_REST_BELIEF
    CANDIDATE_FEATURE_COUNT

cpdef enum:
    CONFIDENCE_EXPECTED_F1
    CONFIDENCE_EXPECTED_PRECISION
    CONFIDENCE_EXPECTED_RECALL
    CONFIDENCE_KEPT_SHARE
    CONFIDENCE_EXPECTED_TERMS
    CONFIDENCE_BEST
    CONFIDENCE_CUT
    CONFIDENCE_DOUBTFUL
    CONFIDENCE_KEPT_BLOCKS
    CONFIDENCE_ARTICLE
    CONFIDENCE_FEATURE_COUNT

cpdef enum:
    REASON_INFORMATIVE
    REASON_IMPROBABLE
    REASON_IN_NAV
    REASON_IN_HEADER
    REASON_IN_FOOTER
    REASON_IN_ASIDE
    REASON_LINKS
    REASON_HIDDEN
    REASON_NO_FRAME
    REASON_CONTROL
    REASON_EMPTY

cdef enum:
    ARTICLE = 0  # the experts
    OTHER = 1
    MAX_RUN_GAP = 4  # blocks between two of an answer, for them to be of one run
    MAX_GAP = 50  # blocks between the headline and an answer
    NO_GAP = -60  # if there is no headline
    NO_HEADLINE_LEVEL = 10
    MAX_WEIGHT_TERMS = 500  # of a block, that count as its weight in means
    # The first ancestor groups of feature_tables.py.
    IN_NAV = IN_ELEMENT
    IN_HEADER = IN_ELEMENT + 1
    IN_FOOTER = IN_ELEMENT + 2
    IN_ASIDE = IN_ELEMENT + 3

# Stacked features: means of the probabilities of a block's surroundings, weighted by terms.

cdef struct Mean:
    double total  # of weighted probabilities
    double weight


cdef inline Mean _mean_between(
    const Mean* before, Py_ssize_t start, Py_ssize_t stop
) noexcept nogil:
    cdef Mean mean
    mean.total = before[stop].total - before[start].total
    mean.weight = before[stop].weight - before[start].weight
    return mean


cdef inline void _add_mean(Mean* mean, Mean more) noexcept nogil:
    mean.total += more.total
    mean.weight += more.weight


cdef inline double _mean_value(Mean mean) noexcept nogil:
    return mean.total / mean.weight


cdef inline Mean _mean_inside(
    FeatureContext context, const Mean* before, Py_ssize_t row
) noexcept nogil:
    """Return the mean over the blocks inside an element."""
    return _mean_between(
        before, context.blocks_before[row], context.blocks_before[context.end[row]]
    )


def write_stacked_features(Features features, const double[::1] probability, float[:, ::1] matrix):
    """Write the stacked features of the blocks, given their probabilities by a first forest."""
    cdef FeatureContext context = features.context
    cdef Memory memory = Memory()
    cdef Py_ssize_t size = context.size
    cdef Py_ssize_t group_count = max(size, context.record_group_count)
    cdef Mean* before = <Mean*> memory.take(size + 1, sizeof(Mean))
    cdef Mean* groups = <Mean*> memory.take(group_count, sizeof(Mean))
    cdef int32_t* order = <int32_t*> memory.take(2 * size, sizeof(int32_t))
    if probability.shape[0] != size:
        raise ValueError("give one probability per block")
    if matrix.shape[0] != STACKED_FEATURE_COUNT or matrix.shape[1] != size:
        raise ValueError("give a matrix with one row per stacked feature, one column per block")
    cdef const double* probabilities = &probability[0]
    with nogil:
        _sum_probabilities(context, probabilities, before)
        _write_ranks(context, probabilities, before, order, matrix)
        _write_steps(context, probabilities, matrix)
        _write_windows_and_levels(context, before, matrix)
        _write_path_means(context, context.paths, before, groups, STACKED_BELIEF_PATH, matrix)
        _write_path_means(
            context, context.named_paths, before, groups, STACKED_BELIEF_NAMED_PATH, matrix
        )
        _write_record_means(context, probabilities, before, groups, matrix)


cdef void _sum_probabilities(
    FeatureContext context, const double* probability, Mean* before
) noexcept nogil:
    """Sum weighted probabilities, and weights, over the blocks before each block, and all."""
    cdef Py_ssize_t block
    cdef double weight
    for block in range(context.size):
        weight = min(context.sums[block].terms, MAX_WEIGHT_TERMS) + 0.5
        before[block + 1].total = before[block].total + probability[block] * weight
        before[block + 1].weight = before[block].weight + weight


cdef void _write_ranks(
    FeatureContext context,
    const double* probability,
    const Mean* before,
    int32_t* order,
    float[:, ::1] out,
) noexcept nogil:
    """Write each probability, its rank, its position in the sum, the mean and the greatest."""
    cdef Py_ssize_t block, rank, size = context.size
    cdef double total = max(before[size].total, NEARLY_ZERO)
    for block in range(size):
        order[block] = <int32_t> block
    sort_descending(probability, order, size, order + size)
    for rank in range(size):
        out[STACKED_RANK, order[rank]] = 1.0 * rank / size
    for block in range(size):
        out[STACKED_BELIEF, block] = probability[block]
        out[STACKED_BELIEF_BEFORE, block] = before[block].total / total
        out[STACKED_BELIEF_AFTER, block] = 1.0 - before[block + 1].total / total
        out[STACKED_BELIEF_SHARE, block] = total / before[size].weight
        out[STACKED_BELIEF_BEST, block] = probability[order[0]]


cdef void _write_steps(
    FeatureContext context, const double* probability, float[:, ::1] out
) noexcept nogil:
    cdef Py_ssize_t index, block, other
    for index in range(STEP_COUNT):
        for block in range(context.size):
            other = block + STEP[index]
            out[STACKED_AT_STEP + index, block] = (
                probability[other] if 0 <= other < context.size else -1
            )


cdef void _write_windows_and_levels(
    FeatureContext context, const Mean* before, float[:, ::1] out
) noexcept nogil:
    cdef Py_ssize_t index, block, start, stop
    for index in range(WINDOW_COUNT):
        for block in range(context.size):
            start = max(block - WINDOW[index], 0)
            stop = min(block + WINDOW[index] + 1, context.size)
            out[STACKED_WITHIN_WINDOW + index, block] = _mean_value(
                _mean_between(before, start, stop)
            )
    for index in range(LEVELS):
        for block in range(context.size):
            out[STACKED_LEVEL + index, block] = _mean_value(
                _mean_inside(context, before, context.levels[index * context.size + block])
            )


cdef void _write_path_means(
    FeatureContext context,
    const int32_t* paths,
    const Mean* before,
    Mean* groups,
    Py_ssize_t feature,
    float[:, ::1] out,
) noexcept nogil:
    """Write the mean over the blocks on the path of each block."""
    cdef Py_ssize_t block
    memset(groups, 0, context.size * sizeof(Mean))
    for block in range(context.size):
        _add_mean(&groups[paths[block]], _mean_between(before, block, block + 1))
    for block in range(context.size):
        out[feature, block] = _mean_value(groups[paths[block]])


cdef void _write_record_means(
    FeatureContext context,
    const double* probability,
    const Mean* before,
    Mean* groups,
    float[:, ::1] out,
) noexcept nogil:
    """Write the means over each block's record, over those like it, and over the outer ones."""
    cdef Py_ssize_t block, record
    cdef const int32_t* rows = context.record_rows
    cdef const int32_t* group = context.record_group
    memset(groups, 0, context.record_group_count * sizeof(Mean))
    for record in range(context.record_count):
        _add_mean(&groups[group[record]], _mean_inside(context, before, rows[record]))
    for block in range(context.size):
        record = context.inner_record[block]
        if record < 0:
            out[STACKED_BELIEF_RECORD, block] = probability[block]
            out[STACKED_BELIEF_RECORDS, block] = probability[block]
            out[STACKED_BELIEF_OUTER_RECORDS, block] = probability[block]
            continue
        out[STACKED_BELIEF_RECORD, block] = _mean_value(
            _mean_inside(context, before, rows[record])
        )
        out[STACKED_BELIEF_RECORDS, block] = _mean_value(groups[group[record]])
        record = context.outer_record[block]
        out[STACKED_BELIEF_OUTER_RECORDS, block] = _mean_value(groups[group[record]])


# Candidate features: an answer that is one run of sentences below a headline that matches the
# page's title is that of an article, however short it is and whatever is around it.

cdef struct Answer:
    # Sums over the blocks of an answer. Those of features are weighted by terms.
    double count
    Sums sums
    double ends
    double with_headline
    double title_share
    double probability[EXPERTS]


cdef struct Run:
    # The run of the article's answer with the most terms; -1 where there is none.
    Py_ssize_t count  # of runs
    Py_ssize_t first_block  # of the answer with text
    Py_ssize_t first_long  # of running text
    Py_ssize_t last_block
    Py_ssize_t start  # first and last block of the run
    Py_ssize_t stop


def compute_type_features(Features features, const double[:, ::1] probabilities):
    """Return what the type of a page is derived from: page features, then candidate features.

    `probabilities` has one row for the expert on articles and one for the expert on other pages.
    """
    cdef FeatureContext context = features.context
    cdef const double[::1] page = features.page_features
    cdef const double[::1] terms = context.terms
    cdef Py_ssize_t size = context.size, page_count = page.shape[0], index
    values = np.empty(page_count + CANDIDATE_FEATURE_COUNT, dtype=np.float32)
    cdef float[::1] out = values
    cdef Memory memory = Memory()
    cdef int32_t* order = <int32_t*> memory.take(2 * size, sizeof(int32_t))
    cdef uint8_t* informative = <uint8_t*> memory.take(EXPERTS * size, sizeof(uint8_t))
    cdef Choice choices[EXPERTS]
    cdef Expert expert
    cdef Headline headline = features.page_headline
    if probabilities.shape[0] != EXPERTS or probabilities.shape[1] != size:
        raise ValueError("give one row of probabilities per expert, one column per block")
    expert.weight = 1
    expert.power_terms = <double*> memory.take(size, sizeof(double))
    with nogil:
        for index in range(page_count):
            out[index] = page[index]
        for index in range(EXPERTS):
            expert.probability = &probabilities[index, 0]
            choices[index] = choose_informative(
                &expert, 1, expert.probability, &terms[0], size, RULES.usual_power, order,
                informative + index * size,
            )
        _write_candidates(
            context, features.out, &headline, probabilities, choices, informative, out[page_count:]
        )
    return values


cdef void _write_candidates(
    FeatureContext context,
    float[:, ::1] features,
    const Headline* headline,
    const double[:, ::1] probabilities,
    const Choice* choices,
    const uint8_t* informative,
    float[:] out,
) noexcept nogil:
    cdef const uint8_t* article = informative
    cdef const uint8_t* other = informative + context.size
    cdef Answer in_article, in_other, in_both, in_run, in_rest
    cdef Run run = _find_run(context, article)
    cdef Py_ssize_t block
    cdef bint is_in_run
    _clear_answer(&in_article)
    _clear_answer(&in_other)
    _clear_answer(&in_both)
    _clear_answer(&in_run)
    _clear_answer(&in_rest)
    for block in range(context.size):
        is_in_run = article[block] and run.start <= block <= run.stop
        if article[block]:
            _add_block(&in_article, context, features, probabilities, block)
        if other[block]:
            _add_block(&in_other, context, features, probabilities, block)
        if article[block] and other[block]:
            _add_block(&in_both, context, features, probabilities, block)
        if is_in_run:
            _add_block(&in_run, context, features, probabilities, block)
        if other[block] and not is_in_run:
            _add_block(&in_rest, context, features, probabilities, block)
    _write_shape(context, headline, &run, &in_article, &in_other, &in_both, features, out)
    _write_run(context, headline, &run, &in_run, &in_article, out)
    out[CANDIDATE_RUN_BODY_COVER] = _best_cover(article, &run, features)
    _write_rest(&in_rest, &in_other, out)
    _write_expert(
        context, ARTICLE, &choices[ARTICLE], &in_article, &in_run, &in_rest,
        out[CANDIDATE_ARTICLE_F1:],
    )
    _write_expert(
        context, OTHER, &choices[OTHER], &in_other, &in_run, &in_rest, out[CANDIDATE_OTHER_F1:]
    )


cdef inline void _clear_answer(Answer* answer) noexcept nogil:
    memset(answer, 0, sizeof(Answer))


cdef inline void _add_block(
    Answer* answer,
    FeatureContext context,
    float[:, ::1] features,
    const double[:, ::1] probabilities,
    Py_ssize_t block,
) noexcept nogil:
    cdef double terms = context.sums[block].terms
    answer.count += 1
    add_sums(&answer.sums, &context.sums[block])
    answer.ends += features[ENDS_SENTENCE, block] * terms
    answer.with_headline += features[WITH_HEADLINE_SHARE, block] * terms
    answer.title_share += features[TITLE_SHARE, block] * terms
    answer.probability[ARTICLE] += probabilities[ARTICLE, block] * terms
    answer.probability[OTHER] += probabilities[OTHER, block] * terms


cdef Run _find_run(FeatureContext context, const uint8_t* informative) noexcept nogil:
    """Find the run of informative blocks with the most terms."""
    cdef Run run
    cdef Py_ssize_t block, first = -1, last = -1
    cdef double terms = 0, most_terms = -1
    run.count = 0
    run.first_block = run.first_long = run.last_block = run.start = run.stop = -1
    for block in range(context.size):
        if not informative[block] or context.sums[block].terms == 0:
            continue
        if run.first_block < 0:
            run.first_block = block
        if run.first_long < 0 and context.sums[block].long_terms > 0:
            run.first_long = block
        if last < 0 or block - last > MAX_RUN_GAP:
            run.count += 1
            first = block
            terms = 0
        terms += context.sums[block].terms
        last = run.last_block = block
        if terms > most_terms:
            most_terms = terms
            run.start, run.stop = first, block
    return run


cdef double _best_cover(
    const uint8_t* informative, const Run* run, float[:, ::1] features
) noexcept nogil:
    """Return the best cover of the title in the run's blocks that are not like the title itself."""
    cdef double best = 0
    cdef Py_ssize_t block
    for block in range(max(run.start, 0), run.stop + 1):
        if informative[block] and features[TITLE_MATCH, block] < 0.5:
            best = max(best, features[TITLE_COVER, block])
    return best


cdef double _span_terms(
    FeatureContext context, Py_ssize_t first, Py_ssize_t last
) noexcept nogil:
    """Return the terms of the blocks from one to another; at least 1."""
    if first < 0:
        return 1
    return at_least_one(context.before[last + 1].terms - context.before[first].terms)


cdef double _gap(Py_ssize_t block, const Headline* headline) noexcept nogil:
    """Return how many blocks after the headline a block is."""
    if block < 0 or headline.block < 0:
        return NO_GAP
    return max(-MAX_GAP, min(block - headline.block, MAX_GAP))


cdef void _write_shape(
    FeatureContext context,
    const Headline* headline,
    const Run* run,
    const Answer* article,
    const Answer* other,
    const Answer* both,
    float[:, ::1] features,
    float[:] out,
) noexcept nogil:
    cdef Py_ssize_t block_count = run.last_block - run.first_block + 1
    out[CANDIDATE_AGREEMENT] = both.sums.terms / at_least_one(other.sums.terms)
    out[CANDIDATE_RUNS] = run.count
    out[CANDIDATE_DENSE] = article.count / max(block_count, 1)
    out[CANDIDATE_DENSE_TERMS] = (
        article.sums.terms / _span_terms(context, run.first_block, run.last_block)
    )
    out[CANDIDATE_GAP] = _gap(run.first_block, headline)
    out[CANDIDATE_LONG_GAP] = _gap(run.first_long, headline)
    out[CANDIDATE_HEADLINE_LINKS] = -1
    out[CANDIDATE_HEADLINE_LEVEL] = NO_HEADLINE_LEVEL
    if headline.block >= 0:
        out[CANDIDATE_HEADLINE_LINKS] = link_density(&context.sums[headline.block])
        out[CANDIDATE_HEADLINE_LEVEL] = features[LEVEL, headline.block]
    out[CANDIDATE_HEADLINE_MATCH] = headline.match
    out[CANDIDATE_HEADLINE_FOLLOW] = headline.follow
    out[CANDIDATE_HEADLINE_REPEATS] = headline.repeats
    out[CANDIDATE_ARTICLE_LONG] = article.sums.long_terms / at_least_one(article.sums.terms)
    out[CANDIDATE_ARTICLE_LINKS] = link_density(&article.sums)
    out[CANDIDATE_OTHER_LONG] = other.sums.long_terms / at_least_one(other.sums.terms)
    out[CANDIDATE_OTHER_LINKS] = link_density(&other.sums)
    out[CANDIDATE_ARTICLE_WITH_HEADLINE] = (
        article.with_headline / at_least_one(article.sums.terms)
    )


cdef void _write_run(
    FeatureContext context,
    const Headline* headline,
    const Run* run,
    const Answer* in_run,
    const Answer* article,
    float[:] out,
) noexcept nogil:
    """Write what the run of the article's answer is like."""
    cdef double terms = in_run.sums.terms, some_terms = at_least_one(in_run.sums.terms)
    out[CANDIDATE_RUN_SHARE] = terms / at_least_one(article.sums.terms)
    out[CANDIDATE_RUN_TERMS_PER_BLOCK] = terms / at_least_one(in_run.count)
    out[CANDIDATE_RUN_DENSE] = terms / _span_terms(context, run.start, run.stop)
    out[CANDIDATE_RUN_ENDS] = in_run.ends / some_terms
    out[CANDIDATE_RUN_HEADINGS] = in_run.sums.headings / at_least_one(in_run.count)
    out[CANDIDATE_RUN_LINKS] = link_density(&in_run.sums)
    out[CANDIDATE_RUN_MARKS] = in_run.sums.marks / some_terms
    out[CANDIDATE_RUN_GAP] = _gap(run.start, headline)
    out[CANDIDATE_RUN_BODY_SHARE] = in_run.title_share / some_terms


cdef void _write_rest(const Answer* rest, const Answer* other, float[:] out) noexcept nogil:
    """Write what the other expert's answer is like outside of that run."""
    cdef double some_terms = at_least_one(rest.sums.terms)
    out[CANDIDATE_REST_SHARE] = rest.sums.terms / at_least_one(other.sums.terms)
    out[CANDIDATE_REST_LINKS] = link_density(&rest.sums)
    out[CANDIDATE_REST_HEADINGS] = rest.sums.headings / at_least_one(rest.count)
    out[CANDIDATE_REST_ENDS] = rest.ends / some_terms
    out[CANDIDATE_REST_LONG] = rest.sums.long_terms / some_terms


cdef void _write_expert(
    FeatureContext context,
    Py_ssize_t expert,
    const Choice* choice,
    const Answer* answer,
    const Answer* run,
    const Answer* rest,
    float[:] out,
) noexcept nogil:
    """Write how probable and how long the answer of an expert is; `out` begins with its F1."""
    cdef Py_ssize_t first = CANDIDATE_ARTICLE_F1
    out[CANDIDATE_ARTICLE_F1 - first] = choice.expected_f1
    out[CANDIDATE_ARTICLE_KEPT - first] = answer.sums.terms / context.all_terms
    out[CANDIDATE_ARTICLE_LOG_TERMS - first] = log1p(answer.sums.terms)
    out[CANDIDATE_ARTICLE_MEAN_BELIEF - first] = choice.expected_terms / context.all_terms
    out[CANDIDATE_ARTICLE_BEST_BELIEF - first] = choice.best_probability
    out[CANDIDATE_ARTICLE_CUT - first] = choice.threshold
    out[CANDIDATE_ARTICLE_RUN_BELIEF - first] = (
        run.probability[expert] / at_least_one(run.sums.terms)
    )
    out[CANDIDATE_ARTICLE_REST_BELIEF - first] = (
        rest.probability[expert] / at_least_one(rest.sums.terms)
    )


# What the answer itself is like, and the reasons for it.

def compute_confidence_features(
    FeatureContext context,
    const double[::1] score,
    informative,
    tuple choice,
    double article,
    const double[::1] types,
    const float[::1] type_values,
):
    """Return what the confidence in an answer is derived from.

    `choice` has the numbers that `choose` returned, `article` is the weight of that expert.
    """
    cdef Choice numbers
    (
        numbers.best_probability,
        numbers.expected_terms,
        numbers.threshold,
        numbers.expected_f1,
        numbers.expected_precision,
        numbers.expected_recall,
    ) = choice
    cdef const uint8_t[::1] is_informative = informative.view(np.uint8)
    if score.shape[0] != context.size or is_informative.shape[0] != context.size:
        raise ValueError("give one score and one decision per block")
    cdef Py_ssize_t block, index, type_count = types.shape[0]
    cdef double kept_terms = 0, kept_blocks = 0, doubtful_terms = 0
    values = np.empty(CONFIDENCE_FEATURE_COUNT + type_count + type_values.shape[0], np.float32)
    cdef float[::1] out = values
    for block in range(context.size):
        if is_informative[block]:
            kept_terms += context.sums[block].terms
            kept_blocks += 1
        if abs(score[block] - 0.5) < 0.25:
            doubtful_terms += context.sums[block].terms
    out[CONFIDENCE_EXPECTED_F1] = numbers.expected_f1
    out[CONFIDENCE_EXPECTED_PRECISION] = numbers.expected_precision
    out[CONFIDENCE_EXPECTED_RECALL] = numbers.expected_recall
    out[CONFIDENCE_KEPT_SHARE] = kept_terms / context.all_terms
    out[CONFIDENCE_EXPECTED_TERMS] = log1p(numbers.expected_terms)
    out[CONFIDENCE_BEST] = numbers.best_probability
    out[CONFIDENCE_CUT] = numbers.threshold
    out[CONFIDENCE_DOUBTFUL] = doubtful_terms / context.all_terms
    out[CONFIDENCE_KEPT_BLOCKS] = kept_blocks / context.size
    out[CONFIDENCE_ARTICLE] = article
    for index in range(type_count):
        out[CONFIDENCE_FEATURE_COUNT + index] = types[index]
    for index in range(type_values.shape[0]):
        out[CONFIDENCE_FEATURE_COUNT + type_count + index] = type_values[index]
    return values


def choose_reason_codes(Features features, informative):
    """Return the reason code of each block; for noise, what stands out most about it."""
    cdef FeatureContext context = features.context
    cdef const uint8_t[::1] is_informative = informative.view(np.uint8)
    if is_informative.shape[0] != context.size:
        raise ValueError("give one decision per block")
    codes = np.empty(context.size, dtype=np.uint8)
    cdef uint8_t[::1] out = codes
    cdef Py_ssize_t block
    for block in range(context.size):
        if context.sums[block].terms == 0:
            out[block] = REASON_EMPTY
        elif is_informative[block]:
            out[block] = REASON_INFORMATIVE
        elif features.out[IN_NAV, block] > 0:
            out[block] = REASON_IN_NAV
        elif features.out[IN_HEADER, block] > 0:
            out[block] = REASON_IN_HEADER
        elif features.out[IN_FOOTER, block] > 0:
            out[block] = REASON_IN_FOOTER
        elif features.out[IN_ASIDE, block] > 0:
            out[block] = REASON_IN_ASIDE
        elif features.out[HIDDEN, block] > 0.5:
            out[block] = REASON_HIDDEN
        elif link_density(&context.sums[block]) > 0.5:
            out[block] = REASON_LINKS
        else:
            out[block] = REASON_IMPROBABLE
    return codes
