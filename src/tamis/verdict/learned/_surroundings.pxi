# Features of the surroundings of blocks: position, containers, repetition and neighbours. Part of
# `_features.pyx`, which has the others and the matrix.

cdef enum:
    MAX_DISTANCE = 300  # blocks

STEP[:] = STEPS
WINDOW[:] = WINDOWS


cdef void write_surroundings(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write all features of this module; those of names and ancestors are written already."""
    _write_distances(context, out)
    _write_order(context, out)
    _write_landmarks(context, out)
    _write_containers(context, out)
    _write_best(context, out)
    _write_paths(context, context.paths, PATH_COUNT, out)
    _write_paths(context, context.named_paths, NAMED_PATH_COUNT, out)
    _write_records(context, context.inner_record, RECORD_COUNT, out)
    _write_records(context, context.outer_record, OUTER_RECORD_COUNT, out)
    _write_likeness(context, out)
    _write_steps(context, out)
    _write_windows(context, out)


# Position: the order of blocks, and distances to headings and landmarks.

cdef void _write_distances(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write how far each block is from the last landmark, heading or long text, and the next."""
    cdef Py_ssize_t landmark, block
    cdef int distance
    for landmark in range(LANDMARK_COUNT + 2):  # headings and long texts are the last two
        distance = MAX_DISTANCE
        for block in range(context.size):
            distance = 0 if _is_marked(context, landmark, block, out) else distance + 1
            out[AFTER_LANDMARK + landmark, block] = min(distance, MAX_DISTANCE)
        distance = MAX_DISTANCE
        for block in range(context.size - 1, -1, -1):
            distance = 0 if _is_marked(context, landmark, block, out) else distance + 1
            out[BEFORE_LANDMARK + landmark, block] = min(distance, MAX_DISTANCE)


cdef inline bint _is_marked(
    FeatureContext context, Py_ssize_t landmark, Py_ssize_t block, float[:, ::1] out
) noexcept nogil:
    if landmark < LANDMARK_COUNT:
        return out[IN_ELEMENT + landmark, block] > 0
    if landmark == LANDMARK_COUNT:
        return context.sums[block].headings > 0
    return context.sums[block].long_terms > 0


cdef void _write_order(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write the number of each block, and the text before and after it."""
    cdef Py_ssize_t block, size = context.size
    cdef const Sums* low
    cdef const Sums* high
    for block in range(size):
        low, high = &context.before[block], &context.before[block + 1]
        out[PLACE, block] = min(block, 500)
        out[FROM_END, block] = min(size - block, 500)
        out[TEXT_BEFORE, block] = (low.terms + high.terms) / 2 / context.all_terms
        out[LONG_BEFORE, block] = low.long_terms / context.all_long
        out[LONG_AFTER, block] = 1.0 - high.long_terms / context.all_long


cdef void _write_landmarks(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write where each block stands to the first h1, the last heading and the longest text."""
    cdef Py_ssize_t block, heading, h1 = -1, longest = 0, size = context.size
    for block in range(size - 1, -1, -1):
        if LEVEL_OF_TAG[context.block_tag[block]] == 1:
            h1 = block
    for block in range(size):
        if context.sums[block].long_terms > context.sums[longest].long_terms:
            longest = block
        out[AFTER_H1, block] = max(-100, min(block - h1, 200)) if h1 >= 0 else -101
        heading = block - <Py_ssize_t> out[AFTER_HEADING, block]
        out[HEADING_LEVEL, block] = NO_LEVEL
        if heading >= 0 and out[AFTER_HEADING, block] < MAX_DISTANCE:
            out[HEADING_LEVEL, block] = LEVEL_OF_TAG[context.block_tag[heading]]
        out[NEXT_LEVEL, block] = NO_LEVEL
        if block + 1 < size:
            out[NEXT_LEVEL, block] = LEVEL_OF_TAG[context.block_tag[block + 1]]
        out[WITH_H1, block] = out[WITH_H1_SHARE, block] = -1
    if h1 >= 0:
        write_kinship(context, h1, WITH_H1, out)
    write_kinship(context, longest, WITH_LONGEST, out)


cdef void write_kinship(
    FeatureContext context, Py_ssize_t relative, Py_ssize_t feature, float[:, ::1] out
) noexcept nogil:
    """Write how many elements around a certain block are not around each, and the share that is."""
    cdef Py_ssize_t block
    cdef int32_t anchor, row
    cdef int depth = 0, shared
    row = context.first[relative]
    while row > 0:
        depth += 1
        row = context.parent[row]
    for block in range(context.size):
        anchor = context.first[block]
        shared = depth
        row = context.first[relative]
        while row > 0 and not row <= anchor < context.end[row]:
            shared -= 1
            row = context.parent[row]
        out[feature, block] = depth - shared
        out[feature + 1, block] = 1.0 * shared / max(depth, 1)


# Containers: how much of the page's text the elements around a block hold, and what kind of text.

cdef void _write_containers(FeatureContext context, float[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t level, block, count
    cdef int32_t row
    cdef Sums held
    for level in range(LEVELS):
        for block in range(context.size):
            row = context.levels[level * context.size + block]
            held = sums_inside(context, row)
            count = context.blocks_before[context.end[row]] - context.blocks_before[row]
            out[LEVEL_LONG_SHARE + level, block] = held.long_terms / context.all_long
            out[LEVEL_SHARE + level, block] = held.terms / context.all_terms
            out[LEVEL_BLOCKS + level, block] = min(count, 300)
            out[LEVEL_TERMS_PER_BLOCK + level, block] = held.terms / max(count, 1)
            out[LEVEL_LINK_DENSITY + level, block] = link_density(&held)
            out[LEVEL_MARKS_PER_TERM + level, block] = marks_per_term(&held)
            out[LEVEL_KIND + level, block] = KIND_OF_TAG[context.tag[row]]
            out[LEVEL_HEADINGS + level, block] = held.headings / max(count, 1)
            out[LEVEL_PART + level, block] = context.sums[block].terms / at_least_one(held.terms)


cdef inline int32_t _parent(FeatureContext context, int32_t row) noexcept nogil:
    """Return the row above a row; above the root it is the root."""
    return context.parent[row] if row else 0


cdef void _write_best(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write where blocks stand to the element that gathers the most running text."""
    cdef Py_ssize_t block
    cdef int32_t row, outer, best = _find_best(context)
    cdef double share = sums_inside(context, best).terms / context.all_terms
    cdef bint is_inside
    outer = _parent(context, best)
    for block in range(context.size):
        row = context.first[block]
        is_inside = best <= row < context.end[best]
        out[IN_BEST, block] = is_inside
        out[AROUND_BEST, block] = outer <= row < context.end[outer]
        out[BEST_SHARE, block] = share
        out[SIDE_OF_BEST, block] = 0 if is_inside else (-1 if row < best else 1)


cdef int32_t _find_best(FeatureContext context) noexcept nogil:
    """Return the element that gathers the most running text.

    Each block gives its weight to the element around it and half of that to the next, as
    Readability does.
    """
    cdef double* scores = context.row_scores
    cdef Py_ssize_t block
    cdef int32_t row, best = 0
    cdef double weight, value, greatest = -1
    cdef Sums held
    cdef int steps
    for block in range(context.size):
        held = context.sums[block]
        if held.chars >= 25:
            weight = 1.0 + held.marks + at_most(held.chars / 100.0, 3.0)
            weight *= 1 - held.linked / held.chars
            row = _parent(context, context.first[block])
            scores[row] += weight
            scores[_parent(context, row)] += weight / 2
    for steps in range(2):
        for block in range(context.size):
            row = _parent(context, context.first[block])
            if steps:
                row = _parent(context, row)
            held = sums_inside(context, row)
            value = scores[row] * (1 - link_density(&held))
            if value > greatest:
                greatest = value
                best = row
    return best


# Repetition: blocks with equal paths, and records, which are siblings of one signature.

cdef void _write_paths(
    FeatureContext context, const int32_t* paths, Py_ssize_t feature, float[:, ::1] out
) noexcept nogil:
    """Write what the blocks on one path are like together: the five features from one on."""
    cdef Py_ssize_t block
    cdef Group* groups = context.groups
    cdef Group* group
    clear_groups(groups, context.size)
    for block in range(context.size):
        group = &groups[paths[block]]
        group.count += 1
        add_sums(&group.sums, &context.sums[block])
    for block in range(context.size):
        group = &groups[paths[block]]
        out[feature, block] = at_most(group.count, 300)
        out[feature + PATH_TERMS - PATH_COUNT, block] = group.sums.terms / group.count
        out[feature + PATH_SHARE - PATH_COUNT, block] = group.sums.terms / context.all_terms
        out[feature + PATH_LINK_DENSITY - PATH_COUNT, block] = link_density(&group.sums)
        out[feature + PATH_LONG_SHARE - PATH_COUNT, block] = (
            group.sums.long_terms / context.all_long
        )


cdef void _sum_record_groups(FeatureContext context) noexcept nogil:
    """Sum what the records of each group hold, in `context.groups`."""
    cdef Py_ssize_t record
    cdef int32_t row
    cdef Sums held
    cdef Group* group
    clear_groups(context.groups, context.record_group_count)
    for record in range(context.record_count):
        row = context.record_rows[record]
        held = sums_inside(context, row)
        group = &context.groups[context.record_group[record]]
        if group.count == 0:
            group.first = record
        group.count += 1
        group.block_count += context.blocks_before[context.end[row]] - context.blocks_before[row]
        add_sums(&group.sums, &held)


cdef void _write_records(
    FeatureContext context, const int32_t* record_around, Py_ssize_t feature, float[:, ::1] out
) noexcept nogil:
    """Write what the record around each block and those like it are like: ten features."""
    cdef Py_ssize_t block, record, offset
    cdef double record_terms
    cdef Group* group
    _sum_record_groups(context)
    for block in range(context.size):
        record = record_around[block]
        if record < 0:
            for offset in range(RECORD_PART - RECORD_COUNT + 1):
                out[feature + offset, block] = 0
            continue
        group = &context.groups[context.record_group[record]]
        record_terms = sums_inside(context, context.record_rows[record]).terms
        offset = feature - RECORD_COUNT
        out[offset + RECORD_COUNT, block] = at_most(group.count, 300)
        out[offset + RECORD_SHARE, block] = group.sums.terms / context.all_terms
        out[offset + RECORD_LONG_SHARE, block] = group.sums.long_terms / context.all_long
        out[offset + RECORD_TERMS_EACH, block] = group.sums.terms / group.count
        out[offset + RECORD_BLOCKS_EACH, block] = group.block_count / group.count
        out[offset + RECORD_LINK_DENSITY, block] = link_density(&group.sums)
        out[offset + RECORD_HEADINGS_EACH, block] = group.sums.headings / group.count
        out[offset + RECORD_OBJECTS_EACH, block] = group.sums.objects / group.count
        out[offset + RECORD_NUMBER, block] = min(record - group.first, 300)
        out[offset + RECORD_PART, block] = context.sums[block].terms / at_least_one(record_terms)


cdef void _write_likeness(FeatureContext context, float[:, ::1] out) noexcept nogil:
    """Write whether each block is on the path of the last one, and on that of the next."""
    cdef const int32_t* paths = context.paths
    cdef Py_ssize_t block, size = context.size
    for block in range(size):
        out[LIKE_LAST, block] = block > 0 and paths[block] == paths[block - 1]
        out[LIKE_NEXT, block] = block + 1 < size and paths[block] == paths[block + 1]


# Neighbours: the blocks before and after a block.

cdef void _write_steps(FeatureContext context, float[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t index, block, other, feature
    for index in range(STEP_COUNT):
        feature = AT_STEP + index * STEP_MEASURES
        for block in range(context.size):
            other = block + STEP[index]
            if other < 0 or other >= context.size:
                out[feature + STEP_TERMS, block] = -1
                out[feature + STEP_LINK_DENSITY, block] = -1
                out[feature + STEP_KIND, block] = -1
                continue
            out[feature + STEP_TERMS, block] = at_most(context.sums[other].terms, 500)
            out[feature + STEP_LINK_DENSITY, block] = link_density(&context.sums[other])
            out[feature + STEP_KIND, block] = KIND_OF_TAG[context.block_tag[other]]


cdef void _write_windows(FeatureContext context, float[:, ::1] out) noexcept nogil:
    cdef Py_ssize_t index, block, start, stop, feature
    cdef Sums held
    for index in range(WINDOW_COUNT):
        feature = WITHIN_WINDOW + index * WINDOW_MEASURES
        for block in range(context.size):
            start = max(block - WINDOW[index], 0)
            stop = min(block + WINDOW[index] + 1, context.size)
            held = sums_between(context, start, stop)
            out[feature + WINDOW_TERMS, block] = held.terms / (stop - start)
            out[feature + WINDOW_LINK_DENSITY, block] = link_density(&held)
            out[feature + WINDOW_MARKS_PER_TERM, block] = marks_per_term(&held)
            out[feature + WINDOW_LONG, block] = held.long_terms / context.all_long
            out[feature + WINDOW_HEADINGS, block] = held.headings / (stop - start)
