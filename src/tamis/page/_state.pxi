# All that the reader has in hand while it reads a page.

cdef enum:
    MAX_OPEN = 512  # open elements; the depth at which browsers stop nesting
    STACK = 640
    MAX_ATTRIBUTES = 256  # of one tag
    MAX_FORMATTING = 64  # formatting elements that wait to be opened again
    FORMATS = 1024
    MAX_STYLES = 1024
    MAX_CUTS = 64
    MAX_LATE_COMMENTS = 64  # comments after the end of the body
    MAX_NAMES = 2048  # unknown tag names and attribute names that are counted
    NAMES = 4096
    MAX_OUTLINE = 16  # bytes; longer outlines of drawings are left out
    COLUMNS = 18
    CELLS = COLUMNS + 1  # and where the name of a row stands in the input

cdef enum Phase:  # the insertion modes outside of the body (13.2.6.4.1 to 13.2.6.4.6, .19, .22)
    INITIAL
    BEFORE_HTML
    BEFORE_HEAD
    IN_HEAD  # or in a noscript in it
    AFTER_HEAD
    INSIDE_BODY
    AFTER_BODY
    AFTER_AFTER_BODY

cdef enum Reason:  # why a page is hard; `REASONS` has their names
    REGULAR
    ADOPTION  # formatting ends in the middle of a block: the adoption agency algorithm
    REMOVED  # an element ends while elements inside it stay open
    FOSTERED  # content in a table that belongs in front of it
    LATE_HEAD  # a template, or too many elements of the head, after the head
    LATE_ROOT  # attributes of a second html or body that hide it, or too many
    FRAMESET_TAG
    RARE_TAG  # image, plaintext, selectedcontent, annotation-xml, processing instructions
    TEMPLATE_PARTS  # parts of a table right in a template
    FOREIGN_TEXT  # raw text or a CDATA section in SVG or MathML
    DOCTYPE
    QUIRKS  # a table in a paragraph, where the document type decides
    REFERENCE  # a reference that stands for two characters, or for a space where spaces matter
    NUL
    UNFINISHED  # the page ends in the middle of markup
    LOST_IN_TEXTAREA  # formatting to be opened again at a text area
    LATE_COMMENTS  # too many comments after the body
    MARKERS  # more nested objects, cells and the like than anybody needs
    MANY_NODES  # from here on the page is not read at all
    MANY_BYTES
    NO_MEMORY

REASONS = (
    "regular", "adoption agency", "element removed from the stack", "foster parenting",
    "head element after the head", "attributes of a second html or body", "frameset", "rare tag",
    "table part in a template", "raw text in foreign content", "document type",
    "table in a paragraph in quirks mode", "character reference", "NUL", "unfinished markup",
    "lost formatting in a text area", "comments after the body", "markers", "nodes", "bytes",
    "memory",
)  # fmt: skip

cdef struct Attribute:
    Py_ssize_t name
    Py_ssize_t name_stop
    Py_ssize_t value
    Py_ssize_t value_stop
    Py_ssize_t gap  # where the bytes before the name begin
    Key key  # a hash of its name, whatever its case
    bint clean  # its value can stand as it is
    bint dropped  # a second one of its name, or the outline of a drawing
    Py_ssize_t written  # where its value stands in the output
    Py_ssize_t written_stop

cdef struct Open:  # an open element
    int code
    Key key  # a hash of its name
    int kind  # its traits in tree construction
    int mode  # the insertion mode inside it
    int anchor  # the index of the element that brings the mode
    int paragraph  # the index of the paragraph that a block inside it closes, 0 if none
    int format  # its index in the list of formatting elements, or -1
    int row

cdef struct Format:  # an entry of the list of active formatting elements (13.2.4.3)
    int code  # 0 is a marker
    int index  # where it is open in the stack, 0 if it is not
    int row  # of the first element of its tag
    Key attributes  # a hash of its attributes, whatever their order
    bint hides

cdef struct Reader:
    # the input, and the tag that was read last
    const unsigned char* src
    Py_ssize_t n
    Py_ssize_t pos
    Py_ssize_t token  # where the current tag, comment or text begins
    bint literal  # whether the input is a serialised tree
    bint pruning  # whether scripts, style sheets and outlines are left out of it
    Key key
    Py_ssize_t name_stop
    bint capitals  # in its name
    bint plain  # whether the tag is written as a serialised one, but for its end
    bint self_closing
    Py_ssize_t tail  # where its attributes end
    int attribute_count
    Attribute attributes[MAX_ATTRIBUTES + 1]
    int code  # the character that was read last
    Py_ssize_t width  # of this character, in the input
    bint referenced  # whether a reference stands for it

    # the output: the input up to `copied`, edited
    unsigned char* out
    Py_ssize_t size
    Py_ssize_t capacity
    Py_ssize_t copied
    Py_ssize_t max_size

    # the text
    unsigned char* text
    Py_ssize_t text_size
    int written  # characters
    int pending  # what separates the next text from the one before
    bint in_text  # whether more text would belong to the same text node
    bint in_word
    int text_row  # -1 as long as nothing of it is visible
    int text_begin

    # rows, a column each
    int* cells
    int* name_at
    int rows
    int room
    int* tag
    int* flags
    int* depth_of
    int* parent
    int* end
    int* start
    int* head
    int* stop
    int* text_start
    int* text_stop
    int* class_start
    int* class_stop
    int* class_key
    int* id_start
    int* id_stop
    int* chars
    int* terms
    int* marks

    # what the attributes of a tag say
    bint hides
    bint shows
    bint opens  # HTML in MathML
    bint marked  # a font with a look, a hidden input

    # tree construction
    int depth  # index of the innermost open element; index 0 is html, head or body
    Open stack[STACK]
    int format_count
    int format_mark  # index of the first after the last marker
    Format formats[FORMATS]
    int phase
    int form  # index of the form, 0 if there is none, -1 if it is no longer open
    int templates
    bint quirks
    bint unsure_quirks
    bint skips_newline  # a line break that comes next does not count
    Key end_key  # of the end tag that is being read, if it may stay as it is
    bint kept_end  # it does
    int html_row
    int late_tags
    int root_attributes
    int late_count
    Py_ssize_t late[2 * MAX_LATE_COMMENTS]  # comments after the body
    bint late_outside[MAX_LATE_COMMENTS]  # and after html

    # limits
    long long nodes
    long long max_nodes
    int left_out[256]  # start tags that were left out, whose end tags are to be left out, too
    bint leaving_out
    int deep  # elements beyond the depth limit
    int crowded  # tags with too many attributes
    int unclosed  # formatting elements beyond the limit

    # what a page costs a parser that moves things about
    int tokens
    long long appended  # bytes of texts that a parser appends to, added up
    long long fostered
    int fostered_texts
    int surplus  # elements that such a parser may have open beyond those in the stack
    int surplus_index  # where they would be
    int max_depth
    int max_formats
    int name_count
    Key names[NAMES]
    int style_count
    Py_ssize_t styles[2 * MAX_STYLES]
    int cut_count
    Py_ssize_t cuts[2 * MAX_CUTS]  # of the input, which no parser should see
    bint lenient  # whether a hard page is read to its end
    int hard  # the reason to stop reading, REGULAR as long as there is none
    int reason  # the first reason why the page is hard
    int hard_count
