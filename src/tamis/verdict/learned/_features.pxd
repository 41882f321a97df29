# C types of the features of a page, for what is computed from them together with probabilities.

from tamis.verdict.learned._context cimport (
    ANCESTOR_GROUP_COUNT,
    COUNTED_GROUP_COUNT,
    LEVELS,
    NAME_GROUP_COUNT,
    FeatureContext,
)

cdef enum:
    OWN_NAME_COUNT = 6  # lengths of the tables of feature_tables.py
    LANDMARK_COUNT = 6
    STEP_COUNT = 4
    WINDOW_COUNT = 3

cdef Py_ssize_t STEP[STEP_COUNT]  # STEPS and WINDOWS of feature_tables.py
cdef Py_ssize_t WINDOW[WINDOW_COUNT]


# What is written for each step to a neighbour, and for each window around a block.
cdef enum StepMeasure:
    STEP_TERMS
    STEP_LINK_DENSITY
    STEP_KIND
    STEP_MEASURES  # how many there are


cdef enum WindowMeasure:
    WINDOW_TERMS
    WINDOW_LINK_DENSITY
    WINDOW_MARKS_PER_TERM
    WINDOW_LONG
    WINDOW_HEADINGS
    WINDOW_MEASURES


# The features of blocks: one row of the matrix each. A feature has the name of its member in lower
# case; a member with a comment "one per …" is the first of a family, whose names are in
# feature_names.py. A new feature is a line here and a formula in _features.pyx or in
# _surroundings.pxi. Models find their features by name. The enum has no name of its own because
# Cython takes no members of a named one as indices.
cpdef enum:
    # Text: what a block owns.
    TERMS
    MARKS
    LINK_DENSITY
    MARKS_PER_TERM
    SHARE
    OF_LONGEST
    KIND
    LEVEL
    WHOLE
    DEPTH
    HIDDEN
    N_ELEMENTS  # one per group of COUNTED_TAGS
    # Characters: digits, signs, how the text of a block ends, whether it is repeated.
    DIGITS = N_ELEMENTS + COUNTED_GROUP_COUNT
    MONEY
    ASKS
    SIGNS
    STOPS
    ENDS_SENTENCE
    ENDS_COLON
    SAME
    FIRST_OF_SAME
    # Title: how the words of a block match the page's title, and where the headline is.
    TITLE_MATCH
    TITLE_COVER
    TITLE_SHARE
    WITH_HEADLINE
    WITH_HEADLINE_SHARE
    AFTER_HEADLINE
    HEADINGS_SINCE_HEADLINE
    LONG_SINCE_HEADLINE
    # Names: words in the class and id of a block, and of the elements around it.
    OWN_NAME  # one per group of OWN_NAME_GROUPS
    IN_NAME = OWN_NAME + OWN_NAME_COUNT  # one per group of NAME_GROUPS
    # Position: in which elements a block lies, how far it is from headings and landmarks.
    IN_ELEMENT = IN_NAME + NAME_GROUP_COUNT  # one per group of ANCESTOR_GROUPS
    PLACE = IN_ELEMENT + ANCESTOR_GROUP_COUNT
    FROM_END
    TEXT_BEFORE
    LONG_BEFORE
    LONG_AFTER
    AFTER_LANDMARK  # one per landmark
    AFTER_HEADING = AFTER_LANDMARK + LANDMARK_COUNT
    AFTER_LONG
    BEFORE_LANDMARK  # one per landmark
    BEFORE_HEADING = BEFORE_LANDMARK + LANDMARK_COUNT
    BEFORE_LONG
    AFTER_H1
    HEADING_LEVEL
    NEXT_LEVEL
    WITH_H1
    WITH_H1_SHARE
    WITH_LONGEST
    WITH_LONGEST_SHARE
    # Containers: what the elements around a block hold; each is one per level.
    LEVEL_LONG_SHARE
    LEVEL_SHARE = LEVEL_LONG_SHARE + LEVELS
    LEVEL_BLOCKS = LEVEL_SHARE + LEVELS
    LEVEL_TERMS_PER_BLOCK = LEVEL_BLOCKS + LEVELS
    LEVEL_LINK_DENSITY = LEVEL_TERMS_PER_BLOCK + LEVELS
    LEVEL_MARKS_PER_TERM = LEVEL_LINK_DENSITY + LEVELS
    LEVEL_KIND = LEVEL_MARKS_PER_TERM + LEVELS
    LEVEL_HEADINGS = LEVEL_KIND + LEVELS
    LEVEL_PART = LEVEL_HEADINGS + LEVELS
    # The element that gathers the most running text.
    IN_BEST = LEVEL_PART + LEVELS
    AROUND_BEST
    BEST_SHARE
    SIDE_OF_BEST
    # Repetition: blocks with equal paths, and records.
    PATH_COUNT
    PATH_TERMS
    PATH_SHARE
    PATH_LINK_DENSITY
    PATH_LONG_SHARE
    NAMED_PATH_COUNT
    NAMED_PATH_TERMS
    NAMED_PATH_SHARE
    NAMED_PATH_LINK_DENSITY
    NAMED_PATH_LONG_SHARE
    RECORD_COUNT
    RECORD_SHARE
    RECORD_LONG_SHARE
    RECORD_TERMS_EACH
    RECORD_BLOCKS_EACH
    RECORD_LINK_DENSITY
    RECORD_HEADINGS_EACH
    RECORD_OBJECTS_EACH
    RECORD_NUMBER
    RECORD_PART
    OUTER_RECORD_COUNT
    OUTER_RECORD_SHARE
    OUTER_RECORD_LONG_SHARE
    OUTER_RECORD_TERMS_EACH
    OUTER_RECORD_BLOCKS_EACH
    OUTER_RECORD_LINK_DENSITY
    OUTER_RECORD_HEADINGS_EACH
    OUTER_RECORD_OBJECTS_EACH
    OUTER_RECORD_NUMBER
    OUTER_RECORD_PART
    LIKE_LAST
    LIKE_NEXT
    # Neighbours: the blocks before and after a block.
    AT_STEP  # one per step and measure
    WITHIN_WINDOW = AT_STEP + STEP_COUNT * STEP_MEASURES  # one per window and measure
    BLOCK_FEATURE_COUNT = WITHIN_WINDOW + WINDOW_COUNT * WINDOW_MEASURES


cdef struct Headline:
    Py_ssize_t block  # that is the page's headline, -1 if there is none
    double match  # how well the best block matches the title
    double follow  # share of the page's running text that is close after it
    double repeats  # number of blocks that match


cdef class Features:
    cdef readonly FeatureContext context
    cdef readonly object tokens
    cdef readonly object buffer
    cdef readonly object matrix
    cdef readonly object page_features
    cdef readonly bint plain
    cdef float[:, ::1] out  # the buffer
    cdef Headline page_headline
