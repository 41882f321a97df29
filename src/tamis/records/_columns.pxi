# The cells of records put into columns: see `Region` in regions.py.

cdef struct Cell:  # of a record
    int64_t record
    int64_t cell
    int64_t column
    int64_t times  # how often its record has its column
    bint is_included


cdef class Aligner:
    """Puts the cells of records into columns, and scores what repeats.

    Record `i` reaches from the row `start[i]` up to `stop[i]`. The cells of siblings after a
    record's element belong to it if at least half of the records have such a cell. A cell that goes
    on into the next record belongs to neither.

    The agreement of a cell is the share of the other records that have its column, over how often
    its own record has it. A single record is like itself. The score is the weight of all cells that
    belong: a cell counts less if few records have its column, and less if its record has the column
    several times (then it is more than one record). All cells count less if records have few.

    One candidate is worked on at a time, in memory that all share.
    """

    cdef const int64_t[::1] before, first_row, last_row, element  # of cells
    cdef const double[::1] weight
    cdef const int32_t[::1] parent, depth, end  # of rows
    cdef const uint8_t[::1] tag
    cdef const uint64_t[::1] path, power, tag_symbol
    cdef Rules rules
    cdef set scored  # the candidates that were scored, by their cells
    # The candidate that is worked on.
    cdef int64_t[::1] start, stop
    cdef Py_ssize_t count  # of records
    cdef Cell* listed  # the cells of its records
    cdef Py_ssize_t size, capacity, column_count
    cdef uint64_t[::1] keys
    cdef int32_t[::1] numbers
    cdef int64_t[::1] record_count, last_record, counter  # per column
    cdef double[::1] shares, weights  # of the cells that belong
    cdef double cells_per_record, score_of_region

    def __init__(self, cells, page, paths, tag_symbol, rules):
        self.before, self.element, self.weight = cells.cells_before, cells.element, cells.weight
        self.first_row, self.last_row = cells.first_row, cells.last_row
        self.parent, self.depth, self.end, self.tag = page.parent, page.depth, page.end, page.tag
        self.path, self.power, self.tag_symbol = paths.key, paths.power, tag_symbol
        self.rules, self.scored = rules, set()

    def __dealloc__(self):
        free(self.listed)

    def score(self, Groups groups, Py_ssize_t group):
        """Return the score of a group's region, -1 if it has none or was scored before.

        Elements inside each other can have the same cells: the outer ones stand for both.
        """
        cdef Py_ssize_t first = groups.offsets[group], index
        cdef int64_t first_cells = 0, last_cells = 0, first_cell
        self._reserve_records(groups.offsets[group + 1] - first)
        for index in range(self.count):
            self.start[index] = groups.rows[groups.listed[first + index]]
            self.stop[index] = groups.stops[groups.listed[first + index]]
            first_cells += self.before[self.start[index]]
            last_cells += self.before[self.stop[index]]
        first_cell = self.before[self.start[0]]
        key = (self.count, first_cell, first_cells, last_cells)
        if key in self.scored:
            return -1.0
        self.scored.add(key)
        self._align()
        return self.score_of_region

    def align(self, const int64_t[::1] start, const int64_t[::1] stop):
        """Return the record, the number and the column of each cell that belongs to some records.

        Beside them: in how many records each column is, how many cells a record has in common with
        others, on average, and the score, -1 if these are too few.
        """
        cdef Py_ssize_t index, kept = 0
        self._reserve_records(start.shape[0])
        self.start[: self.count], self.stop[: self.count] = start, stop
        self._align()
        included = np.empty((3, self.size), np.int64)
        cdef int64_t[:, ::1] copied = included
        for index in range(self.size):
            if self.listed[index].is_included:
                copied[0, kept] = self.listed[index].record
                copied[1, kept] = self.listed[index].cell
                copied[2, kept] = self.listed[index].column
                kept += 1
        record_count = np.array(self.record_count[: self.column_count])
        return *included[:, :kept], record_count, self.cells_per_record, self.score_of_region

    cdef int _reserve_records(self, Py_ssize_t count) except -1:
        """Make room for the rows of so many records."""
        self.count = count
        if self.start is None or self.start.shape[0] < count:
            self.start, self.stop = np.empty((2, 2 * count), np.int64)
        return 0

    cdef int _reserve_cells(self, Py_ssize_t size) except -1:
        """Make room for so many cells."""
        self.size = size
        if size <= self.capacity and self.listed != NULL:
            return 0
        self.capacity = 2 * size + 64
        free(self.listed)
        self.listed = <Cell*> malloc(self.capacity * sizeof(Cell))
        if self.listed == NULL:
            raise MemoryError
        self.keys = np.empty(self.capacity, np.uint64)
        self.numbers = np.empty(self.capacity + slot_count(self.capacity), np.int32)
        self.record_count, self.last_record, self.counter = np.empty((3, self.capacity), np.int64)
        self.shares, self.weights = np.empty((2, self.capacity))
        return 0

    cdef int _align(self) except -1:
        """Align the cells of the records in `start` and `stop`, and score them."""
        cdef Py_ssize_t index, size = 0
        for index in range(self.count):
            size += self.before[self.stop[index]] - self.before[self.start[index]]
        self._reserve_cells(size)
        with nogil:
            self._list_cells()
            self._number_columns()
            self._count_columns()
            self._include_siblings()
            self._exclude_open_lines()
            self._score_cells()
        return 0

    cdef void _list_cells(self) noexcept nogil:
        """List the cells of each record; those in its element are included."""
        cdef Py_ssize_t record, index = 0
        cdef int64_t cell, inside
        for record in range(self.count):
            inside = self.before[self.end[self.start[record]]]
            for cell in range(self.before[self.start[record]], self.before[self.stop[record]]):
                self.listed[index].record = record
                self.listed[index].cell = cell
                self.listed[index].is_included = cell < inside
                index += 1

    cdef void _number_columns(self) noexcept nogil:
        """Give cells on equal paths equal columns.

        The path is that below the child of the region that a cell is in: the row on the record's
        level that the cell's first row is or lies in. Of this only the tag counts: its class often
        tells no more than odd or even. Cells whose element is above that level have the key 0: text
        beside the records' elements is a column of its own.
        """
        cdef Py_ssize_t index
        cdef int64_t child, node
        cdef int32_t level
        cdef uint64_t below
        for index in range(self.size):
            self.keys[index] = 0
            node = self.element[self.listed[index].cell]
            level = self.depth[self.start[self.listed[index].record]]
            if self.depth[node] < level:
                continue
            child = self.first_row[self.listed[index].cell]
            while self.depth[child] > level:
                child = self.parent[child]
            below = self.path[node] - self.power[self.depth[node] - level] * self.path[child]
            self.keys[index] = below * NAME_FACTOR + self.tag_symbol[self.tag[child]]
        self.column_count = number_keys(
            &self.keys[0], self.size, &self.numbers[self.size], &self.numbers[0]
        )
        for index in range(self.size):
            self.listed[index].column = self.numbers[index]

    cdef void _count_columns(self) noexcept nogil:
        """Count how often the record of each cell has its column, and the records per column."""
        cdef Py_ssize_t start = 0, stop, index
        cdef int64_t column
        self.record_count[: self.column_count] = 0
        self.counter[: self.column_count] = 0  # of the cells of one record
        while start < self.size:
            stop = start
            while stop < self.size and self.listed[stop].record == self.listed[start].record:
                column = self.listed[stop].column
                self.record_count[column] += self.counter[column] == 0
                self.counter[column] += 1
                stop += 1
            for index in range(start, stop):
                self.listed[index].times = self.counter[self.listed[index].column]
            for index in range(start, stop):
                self.counter[self.listed[index].column] = 0
            start = stop

    cdef void _include_siblings(self) noexcept nogil:
        """Include the cells after records' elements whose column half of the records have there."""
        cdef Py_ssize_t index
        cdef int64_t column
        self.last_record[: self.column_count] = -1  # that was counted for a column
        for index in range(self.size):  # the counters are 0 here
            column = self.listed[index].column
            if self.listed[index].is_included:
                continue
            if self.last_record[column] != self.listed[index].record:
                self.last_record[column] = self.listed[index].record
                self.counter[column] += 1
        for index in range(self.size):
            if not self.listed[index].is_included:
                self.listed[index].is_included = (
                    2 * self.counter[self.listed[index].column] >= self.count
                )

    cdef void _exclude_open_lines(self) noexcept nogil:
        """Exclude the last cell of each record whose line goes on into the next record."""
        cdef Py_ssize_t record, index = 0
        for record in range(self.count):
            index += self.before[self.stop[record]] - self.before[self.start[record]]
            if index > 0 and self.last_row[self.before[self.stop[record]] - 1] >= self.stop[record]:
                self.listed[index - 1].is_included = False

    cdef void _score_cells(self) noexcept nogil:
        """Compute the score, and how many cells a record has in common with others."""
        cdef Py_ssize_t index, kept = 0
        cdef double others, agreement
        cdef Cell cell
        for index in range(self.size):
            cell = self.listed[index]
            if not cell.is_included:
                continue
            others = <double> self.record_count[cell.column]
            if self.count > 1:
                others = (others - 1) / <double> (self.count - 1)
            agreement = others / <double> cell.times
            self.shares[kept] = agreement
            self.weights[kept] = self.weight[cell.cell] * min(
                1 / <double> cell.times, self.rules.common_factor * agreement
            )
            kept += 1
        self.cells_per_record = sum_pairwise(&self.shares[0], kept) / <double> self.count
        self.score_of_region = sum_pairwise(&self.weights[0], kept)
        self.score_of_region *= scale_by_cells(self.cells_per_record, &self.rules)
        if self.cells_per_record < self.rules.min_cells_per_record:
            self.score_of_region = -1


cdef double sum_pairwise(const double* values, Py_ssize_t count) noexcept nogil:
    """Return the sum of values, halves first, as numpy adds: thirds of a record make whole ones.

    Added one after the other, a menu of one cell per record can come to a bit more than one.
    """
    cdef double[8] lanes
    cdef double total = 0
    cdef Py_ssize_t index, lane, half, stop = count - count % 8
    if count > 128:
        half = count // 2 - count // 2 % 8
        return sum_pairwise(values, half) + sum_pairwise(values + half, count - half)
    if count >= 8:
        for lane in range(8):
            lanes[lane] = values[lane]
        for index in range(8, stop, 8):
            for lane in range(8):
                lanes[lane] += values[index + lane]
        total = ((lanes[0] + lanes[1]) + (lanes[2] + lanes[3])) + (
            (lanes[4] + lanes[5]) + (lanes[6] + lanes[7])
        )
    else:
        stop = 0
    for index in range(stop, count):
        total += values[index]
    return total
