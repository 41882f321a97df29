# C types of trees.py, for when it is compiled.

cimport cython
from libc.stdint cimport int32_t, uint32_t

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

    FOR_SEVERAL_PROCESSORS
    static void cross_out_columns(
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
    void cross_out_columns(
        const float* features, Py_ssize_t count, const int32_t* row, const float* limit,
        const uint32_t* out, uint32_t* leaves,
    ) noexcept nogil
    void add_first_leaves(
        uint32_t* leaves, Py_ssize_t count, const float* value, double* sums,
    ) noexcept nogil

# Cross out the leaves of all columns by a row of nodes.
cdef inline void cross_out(
    const float[:, ::1] features, const float[:, ::1] threshold, const int32_t[:, ::1] feature,
    const uint32_t[:, ::1] crossed, Py_ssize_t nodes, uint32_t[::1] leaves,
) noexcept nogil:
    cross_out_columns(
        &features[0, 0], features.shape[1], &feature[nodes, 0], &threshold[nodes, 0],
        &crossed[nodes, 0], &leaves[0],
    )

# Add the value of the first leaf that is left in each set, and make the set whole again.
cdef inline void add_first(
    uint32_t[::1] leaves, const float[:, ::1] value, Py_ssize_t tree, double[:, ::1] sums,
    Py_ssize_t output,
) noexcept nogil:
    add_first_leaves(&leaves[0], leaves.shape[0], &value[tree, 0], &sums[output, 0])

@cython.locals(tree=cython.Py_ssize_t, nodes=cython.Py_ssize_t)
cdef add_leaves(
    const float[:, ::1] features, const float[:, ::1] threshold, const int32_t[:, ::1] feature,
    const uint32_t[:, ::1] crossed, const float[:, ::1] value, const int32_t[::1] trees,
    uint32_t[::1] leaves, double[:, ::1] sums,
)
