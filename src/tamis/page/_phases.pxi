# What comes before, between and after the parts of a page: the root, the head, comments, the
# document type, and text (13.2.6.4.1 to 13.2.6.4.6, 13.2.6.4.19 to 13.2.6.4.22).


cdef void enter_html(Reader* r) noexcept nogil:
    """Open html, if it is not open."""
    if r.phase <= BEFORE_HTML:
        r.html_row = r.stack[0].row = insert_implied(r, TAG_HTML)
        r.phase = BEFORE_HEAD


cdef void enter_head(Reader* r) noexcept nogil:
    """Open the head, if it was not open."""
    enter_html(r)
    if r.phase == BEFORE_HEAD:
        r.stack[0].row = insert_implied(r, TAG_HEAD)
        r.phase = IN_HEAD


cdef void leave_head(Reader* r) noexcept nogil:
    """Close the head, which the current token may be the end tag of."""
    cdef int row
    enter_head(r)
    if r.phase != IN_HEAD:
        return
    if r.depth:
        close_to(r, 1)
    row = r.stack[0].row
    end_text(r)
    if r.end_key == _tag_keys[TAG_HEAD]:
        r.kept_end = True
        close_row(r, row, offset_of(r, r.pos))
    else:
        write_end_tag(r, row)
        close_row(r, row, r.size)
    r.end_key = 0
    r.stack[0].row = r.html_row
    r.phase = AFTER_HEAD


cdef void enter_body(Reader* r) noexcept nogil:
    """Open the body, if it is not open."""
    if r.phase < INSIDE_BODY:
        leave_head(r)
        r.stack[0].row = insert_implied(r, TAG_BODY)
    r.phase = INSIDE_BODY


# Tags


cdef void open_root(Reader* r, int code) noexcept nogil:
    """Do what a start tag of html or body does, of which there is one each."""
    cdef int mode = r.stack[r.depth].mode
    r.root_attributes += r.attribute_count
    if mode == IN_COLUMN_GROUP or r.root_attributes > MAX_ATTRIBUTES:
        if not give_up(r, RARE_TAG):
            ignore_tag(r)
        return
    if r.templates:
        if mode == IN_TEMPLATE:
            set_template_mode(r)
        ignore_tag(r)
    elif code == TAG_HTML and r.phase <= BEFORE_HTML:
        r.html_row = r.stack[0].row = insert_element(r, code, 0)
        r.phase = BEFORE_HEAD
    elif code == TAG_BODY and r.phase < INSIDE_BODY:
        leave_head(r)
        r.stack[0].row = insert_element(r, code, 0)
        r.phase = INSIDE_BODY
    else:
        if code == TAG_BODY:
            r.phase = INSIDE_BODY
        if r.attribute_count:
            add_late_attributes(r, r.html_row if code == TAG_HTML else r.stack[0].row)
        ignore_tag(r)


cdef void open_before_body(Reader* r, int code, int kind) noexcept nogil:
    """Do what a start tag does that comes before the body is open, or after its end."""
    if r.phase == BEFORE_HEAD or r.phase <= BEFORE_HTML:
        enter_html(r)
        if code == TAG_HEAD:
            r.stack[0].row = insert_element(r, code, 0)
            r.phase = IN_HEAD
            return
        enter_head(r)
    if r.phase == IN_HEAD:
        if code == TAG_HEAD or code == TAG_NOSCRIPT and r.depth:
            ignore_tag(r)
            return
        if r.depth and not (
            kind & VOID and kind & HEAD and code != TAG_BASE
            or code == TAG_STYLE
            or code == TAG_NOFRAMES
        ):
            close_to(r, 1)  # a noscript, which holds nothing else in the head
        if kind & HEAD and not kind & HARD:
            open_in_head(r, code, kind)
            return
    if r.phase == AFTER_HEAD:
        if code == TAG_HEAD:
            ignore_tag(r)
            return
        if kind & HEAD and not kind & HARD and code != TAG_NOSCRIPT:
            open_late_in_head(r, code, kind)
            return
    enter_body(r)
    if kind & IGNORED_TAG:
        ignore_tag(r)
    elif not r.hard:
        open_in_body(r, code, kind)


cdef void open_in_head(Reader* r, int code, int kind) noexcept nogil:
    """Add an element to the head."""
    cdef Key key = r.key
    cdef int row
    if kind & RAW:
        read_raw_element(r, code, kind)
        return
    row = insert_element(r, code, 0)
    if kind & VOID or r.hard:
        return
    push(r, code, key, kind, row)
    if not r.hard:
        note_opened(r, code, kind)


cdef void close_before_body(Reader* r, int code, Key key, int kind) noexcept nogil:
    """Do what an end tag does that comes before the body is open."""
    cdef bint opens_body = code == TAG_BODY or code == TAG_HTML or code == TAG_BR
    if r.phase <= BEFORE_HEAD:
        if not opens_body and code != TAG_HEAD:
            return
        enter_head(r)
    if r.phase == IN_HEAD:
        if r.depth and code == TAG_NOSCRIPT:
            close_to(r, 1)
            return
        if r.depth and code != TAG_BR:
            return
        if code == TAG_HEAD:
            leave_head(r)
            return
    if opens_body:
        r.end_key = 0
        enter_body(r)
        if not r.hard:
            close_in_body(r, code, key, kind)


cdef void read_start_tag(Reader* r) noexcept nogil:
    """Read a start tag and do what it does."""
    cdef int code = read_name(r, r.pos + 1), kind = _parsing[code]
    r.token = r.pos
    r.end_key = 0
    if not read_attributes(r):
        cut(r, r.token, r.n)
        r.pos = r.n
        return
    if code == TAG_OTHER:
        count_name(r, r.key)
    r.skips_newline = False
    r.tokens += 1
    if (r.depth >= MAX_OPEN or kind & FORMATTING) and is_too_much(r, code, kind):
        ignore_tag(r)
        return
    r.nodes += 1 + r.attribute_count + (r.depth >> 8)  # deep down everything takes longer
    if r.nodes > r.max_nodes:
        stop_reading(r, MANY_NODES)
        return
    if code == TAG_IFRAME and r.stack[r.depth].code == TAG_NOSCRIPT and is_unclosed_iframe(r):
        keep_from_parser(r, r.token, r.pos)
        ignore_tag(r)
        return
    if code == TAG_FONT or code == TAG_INPUT:
        mark_tag(r, code)
    if not is_html(r, code):
        if not kind & BREAKOUT and not (code == TAG_FONT and r.marked):
            open_foreign(r, code, r.stack[r.depth].kind & FOREIGN)
            return
        break_out(r)
    if code == TAG_HTML or code == TAG_BODY:
        open_root(r, code)
    elif r.phase != INSIDE_BODY and not r.templates:
        open_before_body(r, code, kind)
    elif not kind & IGNORED_TAG:
        open_in_body(r, code, kind)
    elif r.stack[r.depth].mode == IN_BODY or r.stack[r.depth].mode == IN_CELL:
        ignore_tag(r)
    elif not give_up(r, RARE_TAG):
        ignore_tag(r)


cdef bint is_too_much(Reader* r, int code, int kind) noexcept nogil:
    """Say whether a start tag is to be left out; its end tag is then left out as well."""
    cdef bint html = is_html(r, code)
    if (
        html
        and kind & FORMATTING
        and (r.format_count - r.format_mark >= MAX_FORMATTING or r.format_count >= FORMATS - 16)
    ):
        r.unclosed += 1
    elif r.depth < MAX_OPEN or html and kind & (VOID | RAW) or not html and r.self_closing:
        return False
    else:
        r.deep += 1
    r.left_out[code] += 1
    r.leaving_out = True
    return True


cdef bint was_left_out(Reader* r, int code) noexcept nogil:
    """Say whether an end tag belongs to a start tag that was left out."""
    if r.left_out[code]:
        r.left_out[code] -= 1
        return True
    if r.depth < MAX_OPEN // 2:
        r.leaving_out = False
        memset(r.left_out, 0, sizeof(r.left_out))
    return False


cdef void mark_tag(Reader* r, int code) noexcept nogil:
    """Note what rules ask of attributes: whether a font has a look, or an input is hidden."""
    cdef Attribute* kind
    if code == TAG_FONT:
        r.marked = (
            find_attribute(r, KEY_COLOR) != NULL
            or find_attribute(r, KEY_FACE) != NULL
            or find_attribute(r, KEY_SIZE) != NULL
        )
    else:
        kind = find_attribute(r, KEY_TYPE)
        r.marked = kind != NULL and is_word(r, kind.value, kind.value_stop, b"hidden")


cdef void read_end_tag(Reader* r) noexcept nogil:
    """Read an end tag and do what it does."""
    cdef int code = read_name(r, r.pos + 2), kind = _parsing[code], depth = r.depth
    cdef Key key = r.key
    r.token = r.pos
    if not read_attributes(r):
        cut(r, r.token, r.n)
        r.pos = r.n
        return
    if code == TAG_OTHER:
        count_name(r, key)
    r.skips_newline = False
    r.tokens += 1
    if r.leaving_out and was_left_out(r, code):
        ignore_tag(r)
        return
    r.end_key = key if is_plain_end(r) else 0
    if r.phase == INITIAL:
        r.phase = BEFORE_HTML
    if r.phase < INSIDE_BODY and not r.templates:
        close_before_body(r, code, key, kind)
    else:
        if r.phase > INSIDE_BODY and not r.stack[r.depth].kind & FOREIGN:
            r.phase = INSIDE_BODY if code != TAG_HTML else AFTER_BODY
        close_in_body(r, code, key, kind)
    if r.hard:
        return
    if depth == r.depth:
        r.nodes += 1 + (depth >> 8)
        if r.in_text and not r.kept_end:
            r.end_key = 0
            ignore_tag(r)
            return
    cut_end_tag(r)


# Text


cdef void read_text_token(Reader* r) noexcept nogil:
    """Read a run of text and put it where it belongs."""
    cdef Py_ssize_t stop = find_markup(r, r.pos)
    r.token = r.pos
    r.nodes += 1
    r.tokens += 1
    if r.skips_newline:
        r.skips_newline = False
        skip_newline(r)
        r.token = r.pos
    if r.pos >= stop:
        return
    if not is_html(r, 0):
        read_text(r, stop, False)
        return
    if r.phase < INSIDE_BODY and not r.templates and not read_early_text(r, stop):
        return
    if r.stack[r.depth].kind & FOSTERING or r.stack[r.depth].mode == IN_COLUMN_GROUP:
        if find_non_space(r, stop) < stop:
            r.fostered += stop - r.pos
            r.fostered_texts += 1
            if give_up(r, FOSTERED):
                return
        read_text(r, stop, False)
        return
    if r.phase > INSIDE_BODY and not r.templates and find_non_space(r, stop) < stop:
        r.phase = INSIDE_BODY
    reopen(r)
    if not r.hard:
        read_text(r, stop, False)


cdef Py_ssize_t find_non_space(Reader* r, Py_ssize_t stop) noexcept nogil:
    """Return the offset of the first byte from `pos` on that is not white space, or `stop`.

    It matters whether text is white space, so references to white space are hard.
    """
    cdef Py_ssize_t pos = r.pos
    while pos < stop and is_space(r.src[pos]):
        pos += 1
    if pos + 1 < stop and r.src[pos] == 38:
        if r.src[pos + 1] == 35 or r.src[pos + 1] == 84 or r.src[pos + 1] == 78:
            if give_up(r, REFERENCE):  # by number, &Tab; or &NewLine;
                return r.n
    return pos


cdef bint read_early_text(Reader* r, Py_ssize_t stop) noexcept nogil:
    """Read text before the body is open; False if it is white space only."""
    cdef Py_ssize_t pos = find_non_space(r, stop)
    if r.hard:
        return False
    if r.phase <= BEFORE_HEAD:
        cut(r, r.pos, pos)
        r.pos = pos
    elif pos > r.pos:
        read_text(r, pos, False)
    r.token = pos
    if r.hard or pos == stop:
        return False
    enter_body(r)
    return not r.hard


# Comments and declarations


cdef void read_declaration(Reader* r) noexcept nogil:
    """Read a comment, a document type or what is read as a comment."""
    cdef Py_ssize_t start = r.pos, stop, content = start + 2
    r.token = start
    r.skips_newline = False
    if begins_with(r, start, b"<!--"):
        content = start + 4
        stop = find_comment_end(r, content)
    elif r.stack[r.depth].kind & FOREIGN and begins_with(r, start, b"<![cdata["):
        if not give_up(r, FOREIGN_TEXT):
            r.pos = start + 9
            ignore_tag(r)
        return
    elif r.src[start + 1] == 63 and is_instruction(r, start) and give_up(r, RARE_TAG):
        return
    else:
        stop = find_byte(r, 62, content) + 1
    r.tokens += 1
    if stop > r.n:
        if not give_up(r, UNFINISHED):
            cut(r, start, r.n)
            r.pos = r.n
        return
    r.pos = stop
    r.nodes += 1
    if begins_with(r, start, b"<!doctype"):
        if r.phase == INITIAL:
            read_doctype(r)
        else:
            ignore_tag(r)
    elif r.src[start + 1] == 47 and stop == start + 3:
        ignore_tag(r)  # </>
    elif r.phase > INSIDE_BODY and not r.stack[r.depth].kind & FOREIGN:
        keep_late_comment(r)
    else:
        end_text(r)
        cut(r, start, stop)
        write_comment(r, start, stop)


cdef bint is_instruction(Reader* r, Py_ssize_t start) noexcept nogil:
    """Say whether `<?` begins a processing instruction; XML's own are read as comments."""
    cdef int c = r.src[start + 2] if start + 2 < r.n else 0
    if begins_with(r, start + 2, b"xml") and start + 5 < r.n:
        c = r.src[start + 5]
        return not (is_space(c) or c == 63 or c == 62)
    return is_letter(c) or c == 95


cdef Py_ssize_t find_comment_end(Reader* r, Py_ssize_t start) noexcept nogil:
    """Return where the comment ends whose content begins at an offset; beyond the end if nowhere."""
    cdef Py_ssize_t pos = start
    if pos < r.n and r.src[pos] == 62:
        return pos + 1
    while True:
        pos = find_byte(r, 62, pos)
        if pos >= r.n:
            return r.n + 1
        if r.src[pos - 1] == 45 and r.src[pos - 2] == 45:
            return pos + 1
        if pos - 3 >= start and memcmp(r.src + pos - 3, b"--!", 3) == 0:
            return pos + 1
        pos += 1


cdef void keep_late_comment(Reader* r) noexcept nogil:
    """Keep a comment for the end: what comes after it may still belong to the body."""
    if r.late_count >= MAX_LATE_COMMENTS:
        if not give_up(r, LATE_COMMENTS):
            cut(r, r.token, r.pos)
        return
    r.late[2 * r.late_count] = r.token
    r.late[2 * r.late_count + 1] = r.pos
    r.late_outside[r.late_count] = r.phase == AFTER_AFTER_BODY
    r.late_count += 1
    cut(r, r.token, r.pos)


cdef void write_late_comments(Reader* r, bint outside) noexcept nogil:
    """Write the comments that came after the body, or after html."""
    cdef int i
    for i in range(r.late_count):
        if r.late_outside[i] == outside:
            write_comment(r, r.late[2 * i], r.late[2 * i + 1])


cdef void write_comment(Reader* r, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Write the comment, or what is read as one, between two offsets of the input."""
    cdef Py_ssize_t content = start + (1 if r.src[start + 1] == 63 else 2), end = stop - 1
    if begins_with(r, start, b"<!--"):
        content = start + 4
        end = stop - (4 if r.src[stop - 2] == 33 else 3)
    put(r, b"<!--", 4)
    put_lines(r, content, end)
    put(r, b"-->", 3)


cdef void put_lines(Reader* r, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Write a part of the input with its line breaks normalised."""
    cdef Py_ssize_t i
    if stop <= start:
        return
    if memchr(r.src + start, 13, stop - start) == NULL:
        put(r, r.src + start, stop - start)
        return
    for i in range(start, stop):
        if r.src[i] != 13:
            put(r, r.src + i, 1)
        elif i + 1 >= r.n or r.src[i + 1] != 10:
            put(r, b"\n", 1)


cdef void read_doctype(Reader* r) noexcept nogil:
    """Read a document type: its name is serialised, the rest decides about quirks (13.2.6.4.1)."""
    cdef Py_ssize_t pos = skip_spaces(r, r.token + 9), stop = r.pos - 1
    r.phase = BEFORE_HTML
    if not begins_with(r, pos, b"html") or not ends_name(r.src[pos + 4]) or r.src[pos + 4] == 47:
        if not give_up(r, DOCTYPE):
            cut(r, r.token, r.pos)
        return
    cut(r, r.token, r.pos)
    put_text(r, b"<!DOCTYPE html>")
    pos = skip_spaces(r, pos + 4)
    r.quirks = False
    if pos == stop or begins_with(r, pos, b"system \"about:legacy-compat\""):
        return
    r.unsure_quirks = True
    if begins_with(r, pos, b"public"):
        read_public_identifier(r, skip_spaces(r, pos + 6), stop)


cdef void read_public_identifier(Reader* r, Py_ssize_t pos, Py_ssize_t stop) noexcept nogil:
    """Decide about quirks by a public identifier, if it is one of the usual ones."""
    cdef Py_ssize_t end
    cdef bint has_system
    if pos >= stop or r.src[pos] != 34:
        return
    pos += 1
    end = find_byte(r, 34, pos)
    if end >= stop:
        return
    has_system = skip_spaces(r, end + 1) < stop
    if has_system and r.src[skip_spaces(r, end + 1)] != 34:
        return
    if begins_with(r, pos, b"-//w3c//dtd xhtml 1.") or begins_with(
        r, pos, b"-//w3c//dtd html 4.01//"
    ):
        r.unsure_quirks = False
    elif begins_with(r, pos, b"-//w3c//dtd html 4.01 transitional//") or begins_with(
        r, pos, b"-//w3c//dtd html 4.01 frameset//"
    ):
        r.unsure_quirks = False
        r.quirks = not has_system
    elif begins_with(r, pos, b"-//w3c//dtd html 4.0 transitional//"):
        r.unsure_quirks = False
        r.quirks = True


cdef Py_ssize_t skip_spaces(Reader* r, Py_ssize_t pos) noexcept nogil:
    """Return the offset of the next byte that is not white space."""
    while pos < r.n and is_space(r.src[pos]):
        pos += 1
    return pos
