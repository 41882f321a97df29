# Hashes that compiled modules share: FNV-1a of 64 bits, and numbers for equal keys.
#
# Inline functions only: each module that cimports them has them compiled in.

from libc.stdint cimport int32_t, uint64_t
from libc.string cimport memset

cdef extern from *:
    """
    #define FNV_SEED 0xCBF29CE484222325ULL
    #define FNV_PRIME 0x100000001B3ULL
    #define SLOT_MULTIPLIER 0xD6E8FEB86659FD93ULL
    """
    const uint64_t FNV_SEED
    const uint64_t FNV_PRIME
    const uint64_t SLOT_MULTIPLIER  # spreads keys that differ in a few bits over all slots


cdef inline uint64_t add_to_hash(uint64_t key, uint64_t value) noexcept nogil:
    """Return the hash of a sequence that goes on with a value."""
    return (key ^ value) * FNV_PRIME


cdef inline Py_ssize_t slot_count(Py_ssize_t key_count) noexcept nogil:
    """Return the length of the table that `number_keys` needs: a power of two."""
    cdef Py_ssize_t count = 4
    while count <= 2 * key_count:
        count *= 2
    return count


cdef inline Py_ssize_t number_keys(
    const uint64_t* keys, Py_ssize_t count, int32_t* table, int32_t* numbers
) noexcept nogil:
    """Give equal keys equal numbers, from 0 in the order of their first keys.

    Return how many different keys there are. `table` has `slot_count(count)` entries, which are
    overwritten.
    """
    cdef Py_ssize_t last_slot = slot_count(count) - 1
    cdef Py_ssize_t index, slot
    cdef int32_t number_count = 0
    memset(table, 0xFF, (last_slot + 1) * sizeof(int32_t))  # all -1
    for index in range(count):
        slot = ((keys[index] * SLOT_MULTIPLIER) >> 32) & <uint64_t> last_slot
        while table[slot] >= 0 and keys[table[slot]] != keys[index]:
            slot = (slot + 1) & last_slot
        if table[slot] < 0:
            table[slot] = <int32_t> index
            numbers[index] = number_count
            number_count += 1
        else:
            numbers[index] = numbers[table[slot]]
    return number_count
