from tamis.verdict.learned._context cimport FeatureContext
from tamis.verdict.learned._features cimport STEP_COUNT, WINDOW_COUNT

cdef Py_ssize_t STEP[STEP_COUNT]  # STEPS and WINDOWS of feature_tables.py
cdef Py_ssize_t WINDOW[WINDOW_COUNT]

cdef void write_surroundings(FeatureContext context, float[:, ::1] out) noexcept nogil
cdef void write_kinship(
    FeatureContext context, Py_ssize_t relative, Py_ssize_t feature, float[:, ::1] out
) noexcept nogil
