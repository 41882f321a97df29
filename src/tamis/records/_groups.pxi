# Paths of rows, and the groups of rows that may begin records: see candidates.py.

cpdef enum:  # what a tag is for paths
    TABLE_CELL = 1
    HEADING = 2

cdef enum:
    TEXT_TAG = 0  # of a row that is no element: see tags.py

# Odd numbers whose bits look random: sums of products with them are hashes.
cdef extern from *:
    """
    #define NAME_FACTOR 0xE7037ED1A0B428DBULL
    #define PARENT_FACTOR 0xA0761D6478BD642FULL
    """
    const uint64_t NAME_FACTOR
    const uint64_t PARENT_FACTOR


def hash_paths(const uint64_t[::1] symbols, const int32_t[::1] parent, uint64_t step):
    """Return a key for the path of each row: its symbol, and its parent's key times a step."""
    cdef Py_ssize_t row
    keys = np.empty(parent.shape[0], np.uint64)
    cdef uint64_t[::1] key = keys
    with nogil:
        for row in range(parent.shape[0]):
            key[row] = symbols[row]
            if parent[row] >= 0:
                key[row] += step * key[parent[row]]
    return keys


def name_rows(
    page,
    const int64_t[::1] before,
    const uint64_t[::1] symbol,
    const uint64_t[::1] tag_symbol,
    const uint8_t[::1] traits,
    int64_t max_cells,
):
    """Return the symbol of the class of each row with cells, and one of its tag and name.

    `before` is the number of cells before each row, `symbol` that of its class, if it has one. The
    name of a table cell without a class is its number in its row, unless it has headings or more
    than `max_cells` cells.
    """
    cdef const uint8_t[::1] tag = page.tag
    cdef const int32_t[::1] parent = page.parent, end = page.end
    cdef Py_ssize_t size = tag.shape[0], row
    cdef int64_t inside
    cdef uint64_t name
    classes, names = np.zeros(size, np.uint64), np.empty(size, np.uint64)
    cdef uint64_t[::1] class_symbol = classes, named = names
    cdef int32_t[::1] headings = np.zeros(size + 1, np.int32)  # before each row
    cdef int32_t[::1] table_cells = np.zeros(size, np.int32)  # of each row so far
    with nogil:
        for row in range(size):
            headings[row + 1] = headings[row] + (traits[tag[row]] & HEADING != 0)
        for row in range(size):
            inside = before[end[row]] - before[row]
            if inside:
                class_symbol[row] = symbol[row]
            name = class_symbol[row]
            if traits[tag[row]] & TABLE_CELL and parent[row] >= 0:
                table_cells[parent[row]] += 1
                if name == 0 and inside <= max_cells and headings[end[row]] == headings[row]:
                    name = <uint64_t> table_cells[parent[row]] << 32
            named[row] = tag_symbol[tag[row]] + name * NAME_FACTOR
    return classes, names


cdef struct Rules:  # the parameters of the search: see SearchRules in candidates.py
    double min_records
    double max_record_share
    double min_cells_per_record
    double common_factor
    double cells_exponent


cdef inline double scale_by_cells(double cells_per_record, const Rules* rules) noexcept nogil:
    """Return the factor for the weight of records: 0 for one cell per record, near 1 for many."""
    cdef double factor = 1 - 1 / max(cells_per_record, 1.0)
    if rules.cells_exponent == 1.5:  # several times as fast as any power
        return factor * sqrt(factor)
    return factor ** rules.cells_exponent


cdef class Groups:
    """Groups of rows that may begin the records of a region.

    `row` has each row twice, for the two groups that it is in, and `stop` where its record ends at
    the latest: at the next row of its group, or with its parent. `number` is the group of each.
    Group `i` has the `members` from `offset[i]` on, as indices into `row`. `max_score` is the
    greatest score that its region can have, -1 if there can be none, and `factor` what the weight
    of its records is multiplied with.
    """

    cdef readonly object row, stop, number, members, offset, max_score, factor
    cdef readonly Py_ssize_t count
    cdef const int64_t[::1] rows, stops, listed, offsets  # the same as row, stop, members, offset

    def __init__(self, cells, page, path_key, class_symbol, weight_before, rules):
        self.row, keys, limits, is_alone = _list_rows(cells, page, path_key, class_symbol)
        self.number, self.count = group_equal(keys)
        self.stop = find_stops(self.row, self.number, self.count, limits, len(page))
        self.members, self.offset = list_members(self.number, self.count)
        weight, inside = _weigh_records(self.row, self.stop, cells.cells_before, weight_before)
        sums = sum_groups(self.number, self.count, weight, inside, is_alone)
        self.max_score, self.factor = _bound_scores(sums, rules)
        self.rows, self.stops = self.row, self.stop
        self.listed, self.offsets = self.members, self.offset


def _list_rows(cells, page, const uint64_t[::1] path_key, const uint64_t[::1] class_symbol):
    """Return the elements with cells, twice, with the keys of their groups, their limits, and which
    are alone with cells in their parents. The outermost element is left out.

    A group is of one path, or of one path, parent and class.
    """
    cdef const int64_t[::1] before = cells.cells_before
    cdef const uint8_t[::1] tag = page.tag
    cdef const int32_t[::1] parent = page.parent, end = page.end
    cdef Py_ssize_t size = tag.shape[0], count = 0, row, index
    cdef bint is_outermost = True
    cdef int32_t[::1] filled = np.zeros(size, np.int32)  # the children of each row with cells
    cdef int64_t[::1] listed = np.empty(size, np.int64)
    with nogil:
        for row in range(size):
            if before[end[row]] == before[row]:
                continue
            if is_outermost or parent[row] < 0:
                is_outermost = False
                continue
            filled[parent[row]] += 1
            if tag[row] != TEXT_TAG:
                listed[count] = row
                count += 1
    rows, keys = np.empty(2 * count, np.int64), np.empty(2 * count, np.uint64)
    limits, are_alone = np.empty(2 * count, np.int32), np.empty(2 * count, np.uint8)
    cdef int64_t[::1] listed_row = rows
    cdef uint64_t[::1] key = keys
    cdef int32_t[::1] limit = limits
    cdef uint8_t[::1] is_alone = are_alone
    with nogil:
        for index in range(count):
            row = listed[index]
            listed_row[index] = listed_row[count + index] = row
            key[index] = path_key[row]
            key[count + index] = (
                path_key[row]
                + <uint64_t> (parent[row] + 1) * PARENT_FACTOR
                + class_symbol[row] * NAME_FACTOR
            )
            limit[index] = limit[count + index] = end[parent[row]]
            is_alone[index] = is_alone[count + index] = filled[parent[row]] == 1
    return rows, keys, limits, are_alone


def _weigh_records(
    const int64_t[::1] row,
    const int64_t[::1] stop,
    const int64_t[::1] cells_before,
    const double[::1] weight_before,
):
    """Return the weight of the cells in each range of rows, and their number."""
    cdef Py_ssize_t index
    cdef int64_t first, last
    weights, counts = np.empty(row.shape[0]), np.empty(row.shape[0], np.int64)
    cdef double[::1] weight = weights
    cdef int64_t[::1] count = counts
    with nogil:
        for index in range(row.shape[0]):
            first, last = cells_before[row[index]], cells_before[stop[index]]
            weight[index] = weight_before[last] - weight_before[first]
            count[index] = last - first
    return weights, counts


def _bound_scores(const double[:, ::1] sums, rules):
    """Return the greatest score of each group, and its factor for few cells per record.

    `sums` are those of `sum_groups`. A group can have no region, -1, if it has too few rows, if all
    of them are alone in their parents, or if one of them has most of the weight.
    """
    cdef Rules given = rules
    cdef Py_ssize_t count = sums.shape[1], number
    scores, factors = np.full(count, -1.0), np.zeros(count)
    cdef double[::1] score = scores, factor = factors
    with nogil:
        for number in range(count):
            if (
                sums[0, number] >= given.min_records
                and sums[4, number] > 0
                and sums[2, number] <= given.max_record_share * sums[1, number]
            ):
                factor[number] = scale_by_cells(sums[3, number] / sums[0, number], &given)
                score[number] = sums[1, number] * factor[number]
    return scores, factors


def find_stops(
    const int64_t[::1] rows,
    const int64_t[::1] group,
    Py_ssize_t group_count,
    const int32_t[::1] limit,
    int64_t end,
):
    """Return where records stop: at the next row of their group, or at the limit before it.

    The last record of a group has only its limit and the end of the page.
    """
    cdef Py_ssize_t index
    stops = np.empty(rows.shape[0], np.int64)
    cdef int64_t[::1] stop = stops
    cdef int64_t[::1] next_row = np.full(group_count, end, np.int64)
    with nogil:
        for index in range(rows.shape[0] - 1, -1, -1):
            stop[index] = min(next_row[group[index]], <int64_t> limit[index])
            next_row[group[index]] = rows[index]
    return stops


def sum_groups(
    const int64_t[::1] group,
    Py_ssize_t group_count,
    const double[::1] weight,
    const int64_t[::1] cells,
    is_alone,
):
    """Return for each group: its size, sum of weights, greatest weight, cells, rows not alone.

    They are the five rows of an array. `is_alone` says which rows are alone in their parents.
    """
    cdef const uint8_t[::1] alone = is_alone.view(np.uint8)
    cdef Py_ssize_t index, number
    totals = np.zeros((5, group_count))
    cdef double[:, ::1] total = totals
    with nogil:
        for index in range(group.shape[0]):
            number = group[index]
            total[0, number] += 1
            total[1, number] += weight[index]
            total[2, number] = max(total[2, number], weight[index])
            total[3, number] += cells[index]
            total[4, number] += not alone[index]
    return totals


def list_members(const int64_t[::1] group, Py_ssize_t group_count):
    """Return the members of all groups, one group after the other, and where each group begins."""
    cdef Py_ssize_t index
    members, offsets = np.empty(group.shape[0], np.int64), np.zeros(group_count + 1, np.int64)
    cdef int64_t[::1] member = members, offset = offsets
    cdef int64_t[::1] filled = np.zeros(group_count, np.int64)
    with nogil:
        for index in range(group.shape[0]):
            offset[group[index] + 1] += 1
        for index in range(group_count):
            offset[index + 1] += offset[index]
        for index in range(group.shape[0]):
            member[offset[group[index]] + filled[group[index]]] = index
            filled[group[index]] += 1
    return members, offsets
