# What tags do in the body of a page (13.2.6.4.7 to 13.2.6.4.18) and in foreign content (13.2.6.5).


cdef int insert_element(Reader* r, int code, int language) noexcept nogil:
    """Write the start tag that was read last and add its row."""
    cdef int row
    end_text(r)
    if not r.plain or language:
        copy_until(r, r.token)
    row = open_row(r, code, offset_of(r, r.token))
    write_start_tag(r, language)
    if r.hard:
        return row
    note_attributes(r, code, row)
    r.flags[row] = derive_flags(r, code)
    r.head[row] = r.stop[row] = <int> offset_of(r, r.pos)
    return row


cdef int insert_implied(Reader* r, int code) noexcept nogil:
    """Write a start tag that the input does not have, and add its row."""
    cdef int row
    end_text(r)
    copy_until(r, r.token)
    row = open_row(r, code, r.size)
    put(r, b"<", 1)
    put(r, _tag_names[code], _tag_lengths[code])
    put(r, b">", 1)
    r.hides = r.shows = r.opens = False
    r.flags[row] = derive_flags(r, code)
    r.head[row] = r.stop[row] = <int> r.size
    r.nodes += 1
    return row


cdef void open_implied(Reader* r, int code) noexcept nogil:
    """Open an element whose start tag is missing."""
    cdef int row = insert_implied(r, code)
    push(r, code, _tag_keys[code], _parsing[code], row)


cdef inline void ignore_tag(Reader* r) noexcept nogil:
    """Leave out the tag that was read last; the texts around it become one."""
    if r.in_text:
        r.appended += offset_of(r, r.token) - r.text_begin
    cut(r, r.token, r.pos)


cdef bint is_html(Reader* r, int code) noexcept nogil:
    """Say whether a start tag, or text for code 0, is read by the rules of HTML here."""
    cdef int kind = r.stack[r.depth].kind
    if not kind & FOREIGN or kind & HTML_POINT:
        return True
    return kind & MATH_POINT != 0 and code != TAG_MGLYPH and code != TAG_MALIGNMARK


# Start tags


cdef void open_foreign(Reader* r, int code, int language) noexcept nogil:
    """Open an element of SVG or MathML."""
    cdef Key key = r.key
    cdef int kind = language, traits = _parsing[code], row
    if code == TAG_ANNOTATION and give_up(r, RARE_TAG):
        return
    if language == SVG and traits & HTML_POINT or language == MATH and traits & MATH_POINT:
        kind |= traits & (HTML_POINT | MATH_POINT) | SPECIAL | SCOPE
    row = insert_element(r, code, language)
    push(r, code, key, kind, row)
    if r.hard:
        return
    if r.self_closing:
        r.token = r.pos
        close_to(r, r.depth)
    elif _reading[code] & RAW:
        read_foreign_raw_text(r)


cdef void read_foreign_raw_text(Reader* r) noexcept nogil:
    """Read an element that is raw text in HTML: serialised, it is raw text here, too."""
    cdef Py_ssize_t stop = find_byte(r, 60, r.pos), start = r.token + 1
    r.token = r.pos
    if not is_word(r, stop, min(stop + 2, r.n), b"</") or not is_name(
        r, stop + 2, start, r.name_stop
    ):
        give_up(r, FOREIGN_TEXT)
    elif memchr(r.src + r.pos, 38, stop - r.pos) != NULL:
        give_up(r, FOREIGN_TEXT)
    elif stop > r.pos:
        read_text(r, stop, True)


cdef void break_out(Reader* r) noexcept nogil:
    """Close SVG and MathML up to where HTML may stand."""
    while r.stack[r.depth].kind & FOREIGN:
        if r.stack[r.depth].kind & (HTML_POINT | MATH_POINT):
            return
        close_to(r, r.depth)


cdef void open_in_body(Reader* r, int code, int kind) noexcept nogil:
    """Do what a start tag does in a body, a table or a template."""
    cdef Key key = r.key
    cdef int mode = r.stack[r.depth].mode, row
    if kind & HARD:
        if not give_up(r, FRAMESET_TAG if kind & HEAD else RARE_TAG):
            ignore_tag(r)
        return
    if (
        kind & TABLE_PART or mode != IN_BODY and mode != IN_CELL and mode != IN_CAPTION
    ) and not fit_table(r, code, kind):
        if not r.hard:
            ignore_tag(r)
        return
    if kind & OWN_RULE and not prepare_own_rule(r, code, kind):
        if not r.hard:
            ignore_tag(r)
        return
    if kind & CLOSES_P and r.stack[r.depth].paragraph:
        if code != TAG_TABLE:
            close_to(r, r.stack[r.depth].paragraph)
        elif r.unsure_quirks and give_up(r, QUIRKS):
            return
        elif not r.quirks:
            close_to(r, r.stack[r.depth].paragraph)
    if kind & HEADING and r.stack[r.depth].kind & HEADING:
        close_to(r, r.depth)
    if kind & REOPENS:
        reopen(r)
    if r.hard:
        return
    if kind & FOREIGN:
        open_foreign(r, code, kind & FOREIGN)
        return
    if kind & RAW:
        read_raw_element(r, code, kind)
        return
    row = insert_element(r, code, 0)
    if kind & VOID or r.hard:
        return
    push(r, code, key, kind, row)
    if not r.hard:
        note_opened(r, code, kind)


cdef void note_opened(Reader* r, int code, int kind) noexcept nogil:
    """Note what is to be remembered of an element that was just opened."""
    if kind & FORMATTING:
        remember(r, code)
    elif kind & MARKER:
        add_marker(r)
    if code == TAG_TEMPLATE:
        r.templates += 1
    elif code == TAG_PRE or code == TAG_LISTING:
        r.skips_newline = True
    elif code == TAG_FORM and not r.templates:
        r.form = r.depth
        if r.stack[r.depth - 1].kind & FOSTERING:
            r.token = r.pos
            close_to(r, r.depth)  # in a table a form stays empty


cdef bint prepare_own_rule(Reader* r, int code, int kind) noexcept nogil:
    """Do what comes before an element of a rule of its own; False if its tag is ignored."""
    cdef int index
    if code == TAG_A:
        close_link(r)
    elif kind & IMPLIED:
        close_before_item(r, code)
    elif code == TAG_BUTTON:
        close_if_open(r, find_open(r, TAG_BUTTON, SCOPE))
    elif code == TAG_NOBR:
        reopen(r)
        if not r.hard and find_open(r, TAG_NOBR, SCOPE):
            close_formatting(r, TAG_NOBR, r.key)
    elif code == TAG_FORM:
        return not r.form or r.templates != 0
    elif code == TAG_HR:
        close_if_open(r, r.stack[r.depth].paragraph)
        if find_open(r, TAG_SELECT, SCOPE):
            close_implied(r, 0)
    else:  # input, select: one closes a select, and a second select does nothing else
        index = find_open(r, TAG_SELECT, SCOPE)
        close_if_open(r, index)
        return not index or code == TAG_INPUT
    return True


cdef void close_link(Reader* r) noexcept nogil:
    """Close an open link, for a link cannot stand in a link."""
    cdef int format = find_format(r, TAG_A), index
    if format < 0:
        return
    index = r.formats[format].index
    close_formatting(r, TAG_A, _tag_keys[TAG_A])
    if r.hard or not index:
        return
    if find_format(r, TAG_A) == format and r.formats[format].index == index:
        if index != r.depth:
            if give_up(r, REMOVED):
                return
            expect_surplus(r, index)
        close_to(r, index)
        forget(r, format)


cdef void close_before_item(Reader* r, int code) noexcept nogil:
    """Close what a list item, an option or a part of a ruby closes."""
    if code == TAG_LI or code == TAG_DD or code == TAG_DT:
        close_item(r, code)
    elif code == TAG_OPTION or code == TAG_OPTGROUP:
        if find_open(r, TAG_SELECT, SCOPE):
            close_implied(r, TAG_OPTGROUP if code == TAG_OPTION else 0)
        elif r.stack[r.depth].code == TAG_OPTION:
            close_to(r, r.depth)
    elif code != TAG_P and find_open(r, TAG_RUBY, SCOPE):
        close_implied(r, 0 if code == TAG_RB or code == TAG_RTC else TAG_RTC)


cdef void close_item(Reader* r, int code) noexcept nogil:
    """Close the item of the same list, which may hold divisions and paragraphs only."""
    cdef int index = r.depth, other
    while index > 0:
        other = r.stack[index].code
        if not r.stack[index].kind & FOREIGN and (
            other == code or code != TAG_LI and (other == TAG_DD or other == TAG_DT)
        ):
            close_to(r, index)
            return
        if r.stack[index].kind & SPECIAL and not (
            other == TAG_ADDRESS or other == TAG_DIV or other == TAG_P
        ):
            return
        index -= 1


# Raw text


cdef void read_raw_element(Reader* r, int code, int kind) noexcept nogil:
    """Read an element whose content is text up to its own end tag; leave out scripts and styles."""
    cdef Py_ssize_t start = r.token, name_stop = r.name_stop, body = r.pos, stop
    cdef Key key = r.key
    cdef bint raw = code != TAG_TITLE and code != TAG_TEXTAREA
    cdef int row
    if code == TAG_TEXTAREA and has_lost_formatting(r) and give_up(r, LOST_IN_TEXTAREA):
        return
    row = insert_element(r, code, 0)
    push(r, code, key, kind, row)
    if r.hard:
        return
    stop = find_raw_end(r, body, start + 1, name_stop, code == TAG_SCRIPT)
    if code == TAG_STYLE and r.style_count < MAX_STYLES:
        r.styles[2 * r.style_count] = body
        r.styles[2 * r.style_count + 1] = stop
        r.style_count += 1
    r.token = body
    if kind & PRUNED and not has_data_type(r.src + start, body - start):
        if not r.plain and has_data_type(r.out + r.start[row], r.head[row] - r.start[row]):
            keep_from_parser(r, body, stop)  # its type is written with a reference
        cut(r, body, stop)
    else:
        if code == TAG_TEXTAREA:
            skip_newline(r)
        if r.pos < stop:
            read_text(r, stop, raw)
    if r.hard:
        return
    r.pos = r.token = stop
    r.nodes += 1
    read_raw_end_tag(r)


cdef void keep_from_parser(Reader* r, Py_ssize_t start, Py_ssize_t stop) noexcept nogil:
    """Note that a parser that reads a hard page must not see a part of the input."""
    if r.cut_count < MAX_CUTS:
        r.cuts[2 * r.cut_count] = start
        r.cuts[2 * r.cut_count + 1] = stop
        r.cut_count += 1


cdef void read_raw_end_tag(Reader* r) noexcept nogil:
    """Read the end tag of raw text, or the end of the page."""
    if r.pos < r.n:
        read_name(r, r.pos + 2)
        if not read_attributes(r):
            r.pos = r.n
        elif is_plain_end(r):
            r.end_key = r.key
    close_to(r, r.depth)
    cut_end_tag(r)


cdef bint is_unclosed_iframe(Reader* r) noexcept nogil:
    """Say whether the iframe whose tag was read last is not closed in its noscript.

    To a browser that runs scripts a noscript ends at its end tag whatever is in it; by the rules
    for one that does not, such an iframe would take the rest of the page as its text.
    """
    cdef Py_ssize_t pos = r.pos, stop = min(r.n - 10, pos + 2000), name_stop = r.name_stop
    while pos < stop:
        if r.src[pos] == 60 and r.src[pos + 1] == 47:
            if is_name(r, pos + 2, name_stop - 6, name_stop):
                return False
            if begins_with(r, pos + 2, b"noscript"):
                return True
        pos += 1
    return False


cdef void skip_newline(Reader* r) noexcept nogil:
    """Leave out a line break right after the start of preformatted text."""
    cdef Py_ssize_t pos = r.pos
    if pos < r.n and r.src[pos] == 38 and pos + 1 < r.n and r.src[pos + 1] == 35:
        if give_up(r, REFERENCE):
            return
    if pos < r.n and r.src[pos] == 13:
        pos += 1
        if pos < r.n and r.src[pos] == 10:
            pos += 1
    elif pos < r.n and r.src[pos] == 10:
        pos += 1
    if pos > r.pos:
        cut(r, r.pos, pos)
        r.pos = pos


# Tables


cdef bint fit_table(Reader* r, int code, int kind) noexcept nogil:
    """Make room in a table or a template; False if a tag is out of place there, or hard."""
    cdef int mode = r.stack[r.depth].mode, index
    if kind & TABLE_PART:
        return fit_table_part(r, kind & MODE)
    if mode == IN_TEMPLATE:
        if not kind & HEAD or code == TAG_NOSCRIPT:
            set_template_mode(r)
    elif mode == IN_COLUMN_GROUP:
        if code == TAG_TEMPLATE:
            return True
        if r.stack[r.depth].code != TAG_COLGROUP:
            return False
        close_to(r, r.depth)
        return fit_table(r, code, kind)
    elif code == TAG_TABLE:
        index = find_open(r, TAG_TABLE, TABLE_SCOPE)
        close_if_open(r, index)
        return index != 0
    elif code == TAG_FORM:
        return not r.form and not r.templates
    elif r.stack[r.depth].kind & FOSTERING and not (
        kind & PRUNED or code == TAG_TEMPLATE or code == TAG_INPUT and r.marked
    ):
        return not give_up(r, FOSTERED)
    return True


cdef bint fit_table_part(Reader* r, int inside) noexcept nogil:
    """Open and close parts of a table so that another part fits in; False if none can.

    The part is known by the mode inside it, which is 0 for `col`.
    """
    cdef int mode, anchor
    while not r.hard:
        mode = r.stack[r.depth].mode
        anchor = r.stack[r.depth].anchor
        if mode == IN_BODY:
            return False
        if mode == IN_TEMPLATE:
            give_up(r, TEMPLATE_PARTS)
            return False
        elif mode == IN_CELL or mode == IN_CAPTION:
            close_to(r, anchor)
            clear_to_marker(r)
        elif mode == IN_COLUMN_GROUP:
            if not inside:
                return True
            if r.stack[r.depth].code != TAG_COLGROUP:
                return False
            close_to(r, r.depth)
        else:
            while r.depth > anchor:
                close_to(r, r.depth)
            if belongs_in(mode, inside):
                return True
            if mode == IN_TABLE:
                open_implied(r, TAG_TBODY if inside else TAG_COLGROUP)
            elif mode == IN_TABLE_BODY and inside == IN_CELL:
                open_implied(r, TAG_TR)
            else:
                close_to(r, anchor)
    return False


cdef bint belongs_in(int mode, int inside) noexcept nogil:
    """Say whether a part stands directly in a table, a table body or a row."""
    if mode == IN_TABLE:
        return inside != 0 and inside != IN_CELL and inside != IN_ROW
    return inside == (IN_ROW if mode == IN_TABLE_BODY else IN_CELL)


cdef void set_template_mode(Reader* r) noexcept nogil:
    """Settle, by the first tag in it, that a template holds what a body holds."""
    cdef int i, anchor = r.stack[r.depth].anchor
    for i in range(anchor, r.depth + 1):
        r.stack[i].mode = IN_BODY
    r.stack[anchor].kind = r.stack[anchor].kind & ~MODE | IN_BODY


# End tags


cdef inline bint is_plain_end(Reader* r) noexcept nogil:
    """Say whether the end tag that was read last is written as serialising would write it."""
    return not r.capitals and r.pos == r.name_stop + 1


cdef void cut_end_tag(Reader* r) noexcept nogil:
    """Leave out the end tag that was read last, unless it closed its element as it is."""
    r.end_key = 0
    if r.kept_end:
        r.kept_end = False
    else:
        cut(r, r.token, r.pos)


cdef void close_in_body(Reader* r, int code, Key key, int kind) noexcept nogil:
    """Do what an end tag does in a body, a table, a template or foreign content."""
    cdef int mode
    if r.stack[r.depth].kind & FOREIGN and close_foreign(r, code, key):
        return
    mode = r.stack[r.depth].mode
    if code == TAG_TEMPLATE:
        if r.templates:
            close_to(r, find_open(r, TAG_TEMPLATE, 0))
            clear_to_marker(r)
    elif mode != IN_TEMPLATE:
        if mode == IN_COLUMN_GROUP and code != TAG_COLGROUP and code != TAG_COL:
            if r.stack[r.depth].code != TAG_COLGROUP:
                return
            close_to(r, r.depth)
        close_html(r, code, key, kind)


cdef bint close_foreign(Reader* r, int code, Key key) noexcept nogil:
    """Close an element of SVG or MathML; False if the end tag is one of HTML."""
    cdef int index = r.depth
    if code == TAG_BR or code == TAG_P:
        r.end_key = 0
        break_out(r)
        return False
    while r.stack[index].kind & FOREIGN:
        if r.stack[index].key == key:
            if find_spelling(_svg_elements, key) != NULL:
                r.end_key = 0
            close_to(r, index)
            return True
        index -= 1
    return False


cdef void close_html(Reader* r, int code, Key key, int kind) noexcept nogil:
    """Close what an end tag closes by the rules of HTML."""
    cdef int mode = r.stack[r.depth].mode, index
    if kind & FORMATTING:
        close_formatting(r, code, key)
    elif code == TAG_P or code == TAG_BR:
        close_or_add(r, code)
    elif kind & TABLE_PART or code == TAG_TABLE:
        index = find_open(r, code, TABLE_SCOPE)
        if index:
            close_to(r, index)
            if mode == IN_CELL or mode == IN_CAPTION:
                clear_to_marker(r)
    elif kind & HEADING:
        close_heading(r)
    elif code == TAG_FORM:
        close_form(r)
    elif code == TAG_LI:
        close_if_open(r, find_open(r, code, SCOPE | LIST_SCOPE))
    elif kind & BLOCK_END or code == TAG_DD or code == TAG_DT:
        index = find_open(r, code, SCOPE)
        if index:
            close_to(r, index)
            if kind & MARKER:
                clear_to_marker(r)
    elif code == TAG_BODY or code == TAG_HTML:
        leave_body(r, code)
    else:
        close_any_other(r, key)


cdef void close_or_add(Reader* r, int code) noexcept nogil:
    """Close a paragraph; where none is open the end tag makes an empty one, or a line break."""
    cdef int row
    if code == TAG_P and r.stack[r.depth].paragraph:
        close_to(r, r.stack[r.depth].paragraph)
        return
    r.end_key = 0
    if r.stack[r.depth].kind & FOSTERING and give_up(r, FOSTERED):
        return
    if code == TAG_BR:
        reopen(r)
        if not r.hard:
            insert_implied(r, code)
        return
    open_implied(r, code)
    if not r.hard:
        close_to(r, r.depth)


cdef void close_heading(Reader* r) noexcept nogil:
    """Close the innermost heading, of whatever level."""
    cdef int index = r.depth
    while index > 0:
        if r.stack[index].kind & HEADING:
            close_to(r, index)
            return
        if r.stack[index].kind & SCOPE:
            return
        index -= 1


cdef void close_form(Reader* r) noexcept nogil:
    """Close the form; give up if what was opened in it would stay open."""
    cdef int index = r.form
    if r.templates:
        close_if_open(r, find_open(r, TAG_FORM, SCOPE))
        return
    r.form = 0
    if index <= 0 or find_open(r, TAG_FORM, SCOPE) != index:
        return
    close_implied(r, 0)
    if index != r.depth:
        if give_up(r, REMOVED):
            return
        expect_surplus(r, index)
    close_to(r, index)


cdef void leave_body(Reader* r, int code) noexcept nogil:
    """Note the end of the body, unless it is in a table or the like; nothing is closed yet."""
    cdef int index = r.depth
    while index > 0:
        if r.stack[index].kind & SCOPE:
            return
        index -= 1
    if not r.templates:
        r.phase = AFTER_BODY if code == TAG_BODY else AFTER_AFTER_BODY
