# cython: language_level=3, boundscheck=False, wraparound=False, cdivision=True
# cython: initializedcheck=False
"""One pass over the selected rows of a page, and what its renderers do with every row.

`walk` goes through the rows in document order and tells a writer of the elements that open and
close, of the texts, and of the white space between them. `HtmlWriter` and `MarkdownWriter` do what
is done with every row; what needs more than that is done by methods that their subclasses define in
Python, in `html.py` and `markdown.py`. Plain text is made of slices of the page's text instead; see
`_text.pxi`.
"""

from libc.stdint cimport int32_t, uint8_t

import numpy as np

from cpython.unicode cimport Py_UNICODE_ISALNUM, Py_UNICODE_ISSPACE

from tamis.page import tags

cdef enum:
    STRIDE = 64  # rows or slices between two checks of the time

cdef enum:  # white space between two texts, the stronger the greater
    NO_GAP = 0
    SPACE_GAP = 1
    TAB_GAP = 2
    LINE_GAP = 3
    PARAGRAPH_GAP = 4
    CODE_GAP = 5  # that of preformatted text, as it is

cdef tuple GAPS = ("", " ", "\t", "\n", "\n\n")
cdef uint8_t TEXT = tags.TEXT
cdef uint8_t BR = tags.CODE["br"]
cdef uint8_t PREFORMATTED_FLAG = tags.PREFORMATTED
cdef uint8_t LINK_FLAG = tags.LINK


# The walk -----------------------------------------------------------------------------------------


cdef class Writer:
    """Takes what a walk comes to."""

    cdef int open_element(self, int row) except -1:
        """Take the start of an element."""
        raise NotImplementedError

    cdef int close_element(self, int row) except -1:
        """Take the end of the element that was opened last."""
        raise NotImplementedError

    cdef int add_gap(self, int row, str gap) except -1:
        """Take the white space between the text or image before a row and what follows."""
        raise NotImplementedError

    cdef int add_text(self, int row, str text) except -1:
        """Take a text."""
        raise NotImplementedError

    cdef int add_formula(self, int row, str formula) except -1:
        """Take a formula, which stands for the whole element of a row."""
        raise NotImplementedError


cdef class _Columns:
    """The columns of a page that a walk looks at, and the selected rows."""

    cdef str text
    cdef bytes source
    cdef dict formulas
    cdef const uint8_t[::1] tag, flags, leaf, included
    cdef const int32_t[::1] parent, end, start, stop, text_start, text_stop

    def __init__(self, page, leaves, included, formulas):
        self.text, self.source, self.formulas = page.text, page.source, formulas
        self.tag, self.flags = page.tag, page.flags
        self.leaf, self.included = leaves.view(np.uint8), included.view(np.uint8)
        self.parent, self.end = page.parent, page.end
        self.start, self.stop = page.start, page.stop
        self.text_start, self.text_stop = page.text_start, page.text_stop


def walk(page, leaves, included, dict formulas, Writer writer, budget):
    """Lead a writer through the included rows of a page, of which some are leaves.

    Leaves are texts, images and formulas, which are given by their rows. White space between two of
    them comes before the elements that open between them: emphasis never begins with a space.
    """
    cdef _Columns columns = _Columns(page, leaves, included, formulas)
    cdef Py_ssize_t size = columns.tag.shape[0], depth = 0
    cdef uint8_t[::1] gaps = np.zeros(size, dtype=np.uint8)
    cdef dict code_gaps = {}
    cdef int32_t[::1] opened = np.empty(int(page.depth.max(initial=0)) + 2, dtype=np.int32)
    cdef int row, steps = 0
    budget.check()
    _find_gaps(columns, gaps, code_gaps)
    for row in range(<int> size):
        if not columns.included[row]:
            continue
        steps += 1
        if steps % STRIDE == 0:
            budget.check()
        while depth > 0 and columns.end[opened[depth - 1]] <= row:
            depth -= 1
            writer.close_element(opened[depth])
        if gaps[row] == CODE_GAP:
            writer.add_gap(row, code_gaps[row])
        elif gaps[row] != NO_GAP:
            writer.add_gap(row, <str> GAPS[gaps[row]])
        if columns.tag[row] == TEXT:
            writer.add_text(row, columns.text[columns.text_start[row] : columns.text_stop[row]])
        elif formulas and row in formulas:
            writer.add_formula(row, formulas[row])
        else:
            opened[depth] = row
            depth += 1
            writer.open_element(row)
    while depth > 0:
        depth -= 1
        writer.close_element(opened[depth])
    budget.check()


cdef int _find_gaps(_Columns columns, uint8_t[::1] gaps, dict code_gaps) except -1:
    """Find the white space between leaves, by the row before which it stands.

    That row is the outermost element that opens between the two, or the leaf itself. Inside
    preformatted text it is the leaf, and the white space is that of the source. Images are not in
    the page's text, so the white space beside them is derived from line breaks.
    """
    cdef int previous = -1, previous_text = -1, row, stop, breaks = 0
    cdef bint is_text
    cdef str gap
    for row in range(<int> columns.tag.shape[0]):
        breaks += columns.tag[row] == BR
        if not columns.leaf[row]:
            continue
        is_text = columns.tag[row] == TEXT
        stop = columns.text_stop[previous_text] if previous_text >= 0 else 0
        if is_text and columns.flags[row] & PREFORMATTED_FLAG:
            gap = _find_code_gap(columns, row, stop)
            if gap:
                code_gaps[row] = gap
                gaps[row] = CODE_GAP
        elif previous >= 0:
            gaps[_first_between(columns, previous, row)] = (
                _find_separator(columns.text, stop, columns.text_start[row])
                if is_text and previous == previous_text
                else PARAGRAPH_GAP if breaks > 1
                else LINE_GAP if breaks
                else NO_GAP if columns.formulas and _touches(columns, previous, row)
                else SPACE_GAP
            )
        previous = row
        breaks = 0
        if is_text:
            previous_text = row
    return 0


cdef bint _touches(_Columns columns, int previous, int row) except -1:
    """Say whether a formula has no white space between it and the row before or after it.

    Tags between them do not count.
    """
    cdef const unsigned char* source = columns.source
    cdef Py_ssize_t offset = columns.stop[previous], stop = columns.start[row]
    cdef bint in_tag = False
    if previous not in columns.formulas and row not in columns.formulas:
        return False
    while offset < stop:
        if source[offset] == 60:
            in_tag = True
        elif source[offset] == 62:
            in_tag = False
        elif not in_tag and source[offset] <= 32:
            return False
        offset += 1
    if previous not in columns.formulas and source[columns.stop[previous] - 1] <= 32:
        return False
    return row in columns.formulas or source[stop] > 32


cdef int _find_separator(str text, Py_ssize_t start, Py_ssize_t stop) except -1:
    """Return the strongest white space between two offsets of a text."""
    cdef Py_ssize_t index
    cdef int strongest = NO_GAP
    if start >= stop:
        return NO_GAP
    for index in range(start, stop):
        if text[index] == u"\n":
            if index + 1 < stop and text[index + 1] == u"\n":
                return PARAGRAPH_GAP
            strongest = LINE_GAP
        elif text[index] == u"\t" and strongest < TAB_GAP:
            strongest = TAB_GAP
    if strongest == NO_GAP:
        if Py_UNICODE_ISSPACE(text[start]) or Py_UNICODE_ISSPACE(text[stop - 1]):
            return SPACE_GAP
    return strongest


cdef int _first_between(_Columns columns, int previous, int row) noexcept:
    """Return the outermost element around a row that opens after another row, or the row."""
    while columns.parent[row] > previous:
        row = columns.parent[row]
    return row


cdef str _find_code_gap(_Columns columns, int row, Py_ssize_t previous_stop):
    """Return the white space between the selected text before and a preformatted text.

    At the beginning of the element it is the element's own, without what separates it from the text
    before it.
    """
    cdef int root = row
    cdef Py_ssize_t begin
    cdef str gap
    cdef bytes code
    while columns.parent[root] >= 0 and columns.flags[columns.parent[root]] & PREFORMATTED_FLAG:
        root = columns.parent[root]
    begin = columns.text_start[root]
    gap = columns.text[max(previous_stop, begin) : columns.text_start[row]]
    if previous_stop <= begin:
        if gap and not gap.isspace():
            # A button was left out, and with it what separates it from the code.
            code = columns.source[columns.start[row] : columns.stop[row]]
            return code[: len(code) - len(code.lstrip())].decode()
        if begin:
            gap = _remove_separator(gap)
    return gap[len(gap.rstrip()) :]


cdef str _remove_separator(str gap):
    """Return a gap without what separates two texts."""
    if gap.startswith("\n\n"):
        return gap[2:]
    return gap[1:] if gap.startswith(("\n", "\t", " ")) else gap


include "_text.pxi"


# HTML ---------------------------------------------------------------------------------------------


cdef class HtmlWriter(Writer):
    """Writes tags and text.

    Elements are called as `names` says, by the number that `name_of` has for their row; number 0
    has no tag. A line break between two texts becomes a `<br>`, unless a block begins or ends
    between them. A subclass has `start_tag(row, name)`, which is asked for the start tags of
    elements that `has_attributes` names; an empty one leaves the element without tags.
    """

    cdef list parts
    cdef tuple names, start_tags, end_tags
    cdef const uint8_t[::1] name_of, flags, is_block, has_attributes
    cdef uint8_t img
    cdef Py_ssize_t gap  # index of the white space since the last text or image, -1 without
    cdef bint has_block_edge  # whether a block began or ended since then
    cdef set bare_rows  # elements without tags

    def __init__(self, page, names, name_of, is_block, has_attributes):
        self.parts = []
        self.names = names
        self.start_tags = tuple([f"<{name}>" for name in names])
        self.end_tags = tuple([f"</{name}>" for name in names])
        self.name_of, self.flags = name_of, page.flags
        self.is_block, self.has_attributes = is_block, has_attributes
        self.img = names.index("img")
        self.gap = -1
        self.bare_rows = set()

    def start_tag(self, row, name):
        """Return the start tag of an element with its attributes."""
        raise NotImplementedError

    def result(self):
        """Return what was written."""
        return "".join(self.parts).strip()

    cdef int add_gap(self, int row, str gap) except -1:
        self.gap = len(self.parts)
        self.parts.append(gap)
        return 0

    cdef int add_text(self, int row, str text) except -1:
        self._settle_gap(row)
        self.parts.append(escape_html(text))
        return 0

    cdef int add_formula(self, int row, str formula) except -1:
        return self.add_text(row, formula)

    cdef int open_element(self, int row) except -1:
        cdef uint8_t name = self.name_of[row]
        cdef str tag
        self.has_block_edge |= self.is_block[name]
        if name == self.img:
            self._settle_gap(row)
        if not name:
            return 0
        if self.has_attributes[name]:
            tag = self.start_tag(row, self.names[name])
            if not tag:
                self.bare_rows.add(row)
        else:
            tag = self.start_tags[name]
        self.parts.append(tag)
        return 0

    cdef int close_element(self, int row) except -1:
        cdef uint8_t name = self.name_of[row]
        self.has_block_edge |= self.is_block[name]
        if name and name != self.img and not (self.bare_rows and row in self.bare_rows):
            self.parts.append(self.end_tags[name])
        return 0

    cdef int _settle_gap(self, int row) except -1:
        """Decide on the white space between the text or image in a row and the one before it."""
        cdef str gap
        if self.gap >= 0 and not self.flags[row] & PREFORMATTED_FLAG:
            gap = self.parts[self.gap]
            if not self.has_block_edge:
                self.parts[self.gap] = gap.replace("\n", "<br>")
            elif gap == " ":
                self.parts[self.gap] = "\n"
        self.gap = -1
        self.has_block_edge = False
        return 0


cpdef str escape_html(str text):
    """Return a text as it stands between tags."""
    cdef Py_UCS4 char
    for char in text:
        if char == u"&" or char == u"<" or char == u">":
            return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return text


# Markdown -----------------------------------------------------------------------------------------


cdef class Piece:
    """A piece of a line; the text of `open` and `close` is a mark of emphasis.

    Its kind is text, space, break, code, markup, open or close. `row` is the page's row that it is
    from, -1 for marks and white space.
    """

    cdef readonly str kind
    cdef readonly str text
    cdef readonly int row

    def __init__(self, str kind, str text, int row=-1):
        self.kind, self.text, self.row = kind, text, row

    def __repr__(self):
        return f"Piece({self.kind!r}, {self.text!r}, {self.row})"


cdef Piece _new_piece(str kind, str text, int row):
    """Return a piece: faster than a call of its class."""
    cdef Piece piece = Piece.__new__(Piece)
    piece.kind, piece.text, piece.row = kind, text, row
    return piece


SPACE = Piece("space", " ")
BREAK = Piece("break", "  \n")
NO_ROWS = (-1, -1)


cdef class Block:
    """A rendered block. `join_blocks` adds what it needs at the beginning of its lines.

    Its kind is paragraph, heading, code, formula, quote, table, item, bullets, numbers, term,
    definition or row. `blocks` are inside it: in quotes, definitions and items, items of lists,
    rows of tables. `number` is the level of a heading, the first number of a list or the row of an
    item; `label` is the language of code. `rows` are the first and the last row of the page that
    its own text is from.
    """

    cdef readonly str kind
    cdef readonly str text
    cdef readonly tuple blocks
    cdef readonly int number
    cdef readonly str label
    cdef readonly tuple rows

    def __init__(
        self, str kind, str text="", tuple blocks=(), int number=1, str label="", tuple rows=NO_ROWS
    ):
        self.kind, self.text, self.blocks = kind, text, blocks
        self.number, self.label, self.rows = number, label, rows

    def __repr__(self):
        return f"Block({self.kind!r}, {self.text!r}, {self.blocks!r})"

    def with_text(self, str text):
        """Return the block with another text."""
        return Block(self.kind, text, self.blocks, self.number, self.label, self.rows)


cdef class OpenElement:
    """What has been rendered of an open element: blocks, and the current line."""

    cdef MarkdownWriter writer
    cdef readonly int row
    cdef readonly int code  # of its tag
    cdef readonly int nesting  # lists and quotes around it
    cdef public list blocks
    cdef public list line  # pieces
    cdef public list rows  # lists of cells, of a table
    cdef public str language  # of code
    cdef public bint has_link
    cdef public bint has_loose_items  # list items in an element that is no list

    @property
    def name(self):
        """The name of its tag, `#other` if it is in no vocabulary."""
        return tags.TAGS[self.code]

    @property
    def code_text(self):
        """The line as code."""
        return self.join_line()

    cdef str join_line(self):
        """Return the texts of the line, joined."""
        if len(self.line) == 1:
            return (<Piece> self.line[0]).text
        return "".join([(<Piece> piece).text for piece in self.line])

    cpdef end_line(self):
        """Turn the current line into a paragraph."""
        cdef str paragraph
        if not self.line:
            return
        paragraph = self.writer.render_line(self.line)
        if paragraph:
            self.blocks.append(Block("paragraph", paragraph, (), 1, "", line_rows(self.line)))
        self.line = []

    cpdef finish(self):
        """Turn all that was rendered into blocks."""
        self.end_line()
        if self.rows or self.has_loose_items:
            self.writer.group_blocks(self)

    def add(self, *blocks):
        """Add blocks below what is there."""
        self.end_line()
        self.blocks += blocks

    cpdef take(self, OpenElement element):
        """Take over the content of an inner element that has no markup of its own.

        Lists are handed over where possible: in a deep page they would be copied at every level.
        """
        if not element.blocks and not element.rows:
            if not self.line:
                self.line = element.line
            elif element.line:
                self.line += element.line
            return
        element.finish()
        self.end_line()
        if self.blocks:
            self.blocks += element.blocks
        else:
            self.blocks = element.blocks

    cdef int add_space(self, str gap) except -1:
        """Add white space to the line: a break where the page has one, else one space."""
        cdef str last
        if not self.line:
            return 0
        if gap == "\n\n":
            self.end_line()
        elif gap == "\n":
            self.line.append(BREAK)
        else:
            last = (<Piece> self.line[len(self.line) - 1]).kind
            if last != "space" and last != "break":
                self.line.append(SPACE)
        return 0


cpdef tuple line_rows(list line):
    """Return the first and the last row of the page that a line is from."""
    cdef int first = -1, last = -1
    cdef Piece piece
    for piece in line:
        if piece.row >= 0:
            first = piece.row if first < 0 else first
            last = piece.row
    return (first, last) if first >= 0 else NO_ROWS


cdef enum Role:  # what an element is to Markdown
    INLINE = 0  # nothing: its content belongs to what is around it
    BLOCK = 1  # lines of its own
    MARKED = 2  # marks of its own
    LINK = 4
    CODE = 8
    PREFORMATTED = 16
    NESTED = 32  # its lines are indented


def build_roles(*, block, marked, link, code, preformatted, nested):
    """Return a table of the roles of tags, given the names of the tags of each role."""
    groups = (
        (BLOCK, block),
        (MARKED, marked),
        (LINK, link),
        (CODE, code),
        (PREFORMATTED, preformatted),
        (NESTED, nested),
    )
    roles = np.zeros(256, dtype=np.uint8)
    for role, names in groups:
        roles[tags.tag_table(names)] |= role
    roles.setflags(write=False)
    return roles


cdef class MarkdownWriter(Writer):
    """Renders an element when it closes, from what is inside it. So there is no recursion.

    `roles` says what each tag is to Markdown. A subclass has the methods that raise
    NotImplementedError here.
    """

    cdef readonly list stack
    cdef OpenElement top
    cdef const uint8_t[::1] tag, roles
    cdef int code_depth  # open elements whose text is code
    cdef int preformatted_depth  # open elements whose white space is preserved

    def __init__(self, page, roles):
        self.tag, self.roles = page.tag, roles
        self.stack = []
        self._push(-1, 0, 0)

    def render_element(self, element, above):
        """Render an element with marks of its own into the one above."""
        raise NotImplementedError

    def render_code(self, element, above):
        """Render preformatted text, or code of several lines."""
        raise NotImplementedError

    def link_end(self, row):
        """Return what ends the link of an element; empty if it leads nowhere."""
        raise NotImplementedError

    def code_language(self, row):
        """Return the language that a code element declares, or None."""
        raise NotImplementedError

    def code_span(self, text):
        """Return code within a line."""
        raise NotImplementedError

    def place_marks(self, pieces):
        """Return a line with its marks of emphasis where they work."""
        raise NotImplementedError

    def group_blocks(self, element):
        """Make a table of an element's rows, and lists of items that are in no list."""
        raise NotImplementedError

    def take_blocks(self):
        """Return all that was rendered."""
        cdef OpenElement document = self.stack.pop()
        self.top = None
        document.finish()
        return document.blocks

    cdef int _push(self, int row, int code, int nesting) except -1:
        """Open an element."""
        cdef OpenElement element = OpenElement.__new__(OpenElement)
        element.writer, element.row, element.code, element.nesting = self, row, code, nesting
        element.blocks, element.line, element.rows = [], [], []
        self.stack.append(element)
        self.top = element
        return 0

    cdef int open_element(self, int row) except -1:
        cdef int code = self.tag[row], role = self.roles[code]
        self.code_depth += (role & (CODE | PREFORMATTED)) != 0
        self.preformatted_depth += (role & PREFORMATTED) != 0
        return self._push(row, code, self.top.nesting + ((role & NESTED) != 0))

    cdef int add_gap(self, int row, str gap) except -1:
        if not self.code_depth:
            return self.top.add_space(gap)
        if not self.preformatted_depth and "\n" not in gap:
            gap = " "
        self.top.line.append(_new_piece("code", gap, row))
        return 0

    cdef int add_text(self, int row, str text) except -1:
        self.top.line.append(_new_piece("code" if self.code_depth else "text", text, row))
        return 0

    cdef int add_formula(self, int row, str formula) except -1:
        if self.code_depth:
            return self.add_text(row, formula)
        if formula.startswith("$$"):
            self.top.end_line()
            self.top.blocks.append(Block("formula", formula, (), 1, "", (row, row)))
        else:
            self.top.line.append(_new_piece("markup", formula, row))
        return 0

    cdef int close_element(self, int row) except -1:
        cdef OpenElement element = self.stack.pop(), above = self.stack[len(self.stack) - 1]
        cdef int role = self.roles[element.code]
        self.top = above
        above.has_link |= element.has_link
        self.code_depth -= (role & (CODE | PREFORMATTED)) != 0
        self.preformatted_depth -= (role & PREFORMATTED) != 0
        if self.preformatted_depth:
            if above.language is None:
                above.language = element.language
            if above.language is None and role & CODE:
                above.language = self.code_language(row)
            above.take(element)
        elif role & PREFORMATTED:
            self.render_code(element, above)
        elif self.code_depth:
            above.take(element)
        elif role & CODE and not element.blocks and "\n" in element.join_line().strip():
            self.render_code(element, above)
        elif role & MARKED:
            self.render_element(element, above)
        elif role & BLOCK:
            element.finish()
            above.end_line()
            above.take(element)
        elif role & LINK and not element.blocks and not element.rows:
            self._link_line(element, above)
            above.take(element)
        elif role & LINK:
            self.render_element(element, above)
        else:
            if element.blocks or element.rows:
                element.finish()
            above.take(element)
        return 0

    cdef int _link_line(self, OpenElement element, OpenElement above) except -1:
        """Make the line of an element a link, if it leads anywhere and has a text."""
        cdef str end
        cdef Piece piece
        if element.has_link:
            return 0
        for piece in element.line:
            if piece.text and not piece.text.isspace():
                break
        else:
            return 0
        end = self.link_end(element.row)
        if end:
            element.line = [
                _new_piece("markup", "[", -1), *element.line, _new_piece("markup", end, -1)
            ]
            above.has_link = True
        return 0

    cdef str render_line(self, list pieces):
        """Return the pieces of a line as Markdown."""
        cdef list line = merge_pieces(pieces), parts = []
        cdef Piece piece
        cdef Py_ssize_t index, count
        cdef str before = "", after
        for piece in line:
            if piece.kind == "open" or piece.kind == "close":
                line = merge_pieces(self.place_marks(line))
                break
        count = len(line)
        for index in range(count):
            piece = line[index]
            if piece.kind == "text":
                after = (<Piece> line[index + 1]).text if index + 1 < count else ""
                parts.append(escape_text(piece.text, before, after))
            else:
                parts.append(self.code_span(piece.text) if piece.kind == "code" else piece.text)
            before = piece.text
        return "".join(parts).strip()


cpdef list merge_pieces(list pieces):
    """Merge texts, and codes, that follow each other."""
    cdef list line = [], texts
    cdef Piece piece
    cdef Py_ssize_t index = 0, stop, count = len(pieces)
    if count < 2:
        return pieces
    while index < count:
        piece = pieces[index]
        stop = index + 1
        if piece.kind == "text" or piece.kind == "code":
            while stop < count and (<Piece> pieces[stop]).kind == piece.kind:
                stop += 1
            if stop - index > 1:
                texts = [(<Piece> merged).text for merged in pieces[index:stop]]
                piece = _new_piece(piece.kind, "".join(texts), -1)
        line.append(piece)
        index = stop
    return line


cpdef str escape_text(str text, str before="", str after=""):
    """Escape what would be markup in a text, given what stands before and after it."""
    cdef Py_ssize_t index, copied = 0, size = len(text)
    cdef list parts = []
    cdef str escaped = text, end
    cdef Py_UCS4 char
    for index in range(size):
        char = text[index]
        if char > 126 or not IS_SPECIAL[char] or not _is_markup(text, index, char):
            continue
        parts.append(text[copied:index])
        parts.append("\\")
        copied = index
    if parts:
        parts.append(text[copied:])
        escaped = "".join(parts)
    if size and text[0] == u"~" and escaped[0] == u"~":
        if before and not before.isspace() and before[len(before) - 1] != u"\n":
            escaped = "\\" + escaped
    if not after or not escaped:
        return escaped
    char = escaped[len(escaped) - 1]
    if (
        (char == u"!" and after[0] == u"[")
        or (char == u"~" and after[0] == u"~")
        or (char == u"<" and not after.isspace())
    ):
        end = escaped[max(len(escaped) - 2, 0) : len(escaped) - 1]
        if end != "\\":
            return escaped[: len(escaped) - 1] + "\\" + escaped[len(escaped) - 1]
    return escaped


cdef uint8_t[128] IS_SPECIAL
for special in range(128):
    IS_SPECIAL[special] = chr(special) in "\\`*[]_~<&"


cdef bint _is_markup(str text, Py_ssize_t index, Py_UCS4 char) except -1:
    """Say whether a special character of a text would be markup, given its neighbours."""
    cdef Py_ssize_t size = len(text), end
    cdef Py_UCS4 left = text[index - 1] if index else u" "
    cdef Py_UCS4 right = text[index + 1] if index + 1 < size else u" "
    if char == u"_":  # inside a word it is a letter
        return not (Py_UNICODE_ISALNUM(left) and Py_UNICODE_ISALNUM(right))
    if char == u"~":
        return not Py_UNICODE_ISSPACE(left) or right == u"~"
    if char == u"<":  # tags, URLs in angle brackets
        return not (Py_UNICODE_ISSPACE(right) or right == u"<" or right == u">")
    if char == u"&":  # references
        end = index + 2 if right == u"#" else index + 1
        index = end
        while end < size and (Py_UNICODE_ISALNUM(text[end]) or text[end] == u"_"):
            end += 1
        return index < end < size and text[end] == u";"
    return True
