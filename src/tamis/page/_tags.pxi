# What the reader knows of each tag name, packed into one integer a tag, and the tables that names
# are looked up in. `PARSING` says how the HTML standard's tree construction treats a name,
# `READING` how a reader sees it. All tables are built once, when the first page is read.

from html.entities import html5
from threading import Lock

from tamis.page.characters import character_classes
from tamis.page.tags import CODE, TAGS

cdef enum:  # the insertion mode inside an element (13.2.6.4); it holds up to the next that has one
    MODE = 15
    IN_BODY = 1
    IN_TABLE = 2
    IN_TABLE_BODY = 3
    IN_ROW = 4
    IN_COLUMN_GROUP = 5
    IN_CELL = 6
    IN_CAPTION = 7
    IN_TEMPLATE = 8

cdef enum:  # how tree construction treats a tag
    VOID = 1 << 4
    RAW = 1 << 5  # its content is text up to its own end tag
    SPECIAL = 1 << 6  # an end tag of no special meaning does not reach beyond it
    SCOPE = 1 << 7  # no end tag reaches beyond it
    LIST_SCOPE = 1 << 8
    BUTTON_SCOPE = 1 << 9
    TABLE_SCOPE = 1 << 10
    CLOSES_P = 1 << 11
    HEADING = 1 << 12
    FORMATTING = 1 << 13  # opened again after misnesting (13.2.4.3)
    REOPENS = 1 << 14  # its start tag opens lost formatting again
    IMPLIED = 1 << 15  # its end tag may be missing (13.2.6.3)
    TABLE_PART = 1 << 16  # means something in tables only
    FOSTERING = 1 << 17  # content in it goes in front of the table instead
    MARKER = 1 << 18  # formatting inside stays inside
    HEAD = 1 << 19  # belongs to the head
    BREAKOUT = 1 << 20  # ends SVG and MathML
    HTML_POINT = 1 << 21  # holds HTML inside SVG
    MATH_POINT = 1 << 22  # holds HTML inside MathML
    BLOCK_END = 1 << 23  # its end tag closes all down to it, if it is in scope
    OWN_RULE = 1 << 24  # its start tag has a rule of its own
    SVG = 1 << 25
    MATH = 1 << 26
    FOREIGN = SVG | MATH
    PRUNED = 1 << 27  # nobody reads its text: script, style
    HARD = 1 << 28  # the reader gives up at its start tag
    IGNORED_TAG = 1 << 29  # its start tag means nothing in a body

cdef enum:  # how a tag separates the texts around it
    BREAK = 7
    BREAK_SPACE = 1
    BREAK_CELL = 2
    BREAK_LINE = 3
    BREAK_PARAGRAPH = 4

cdef enum:  # flags of a row, as in tags.py
    ROW_INVISIBLE = 1
    ROW_NOSCRIPT = 2
    ROW_HIDDEN = 4
    ROW_LINK = 8
    ROW_PREFORMATTED = 16
    ROW_SVG = 32
    ROW_MATH = 64
    ROW_FOREIGN = ROW_SVG | ROW_MATH
    FLAGS = 255
    FLAGS_SHIFT = 8

cdef enum:  # character classes, as in characters.py
    WORD = 1
    SPACE = 2
    PUNCTUATION = 4
    SINGLE = 8
    NOT_SHOWN = 16
    CLASSES = 0x20000
    IDEOGRAPHS_END = 0x33480

_HEADINGS = "h1 h2 h3 h4 h5 h6 "
_BLOCKS = (
    "address article aside blockquote center details dir div dl fieldset figcaption figure footer "
    "header hgroup listing main menu nav ol pre search section summary ul "
)
_FORMATTING = "a b big code em font i nobr s small strike strong tt u "
_TABLE_PARTS = "caption col colgroup tbody td tfoot th thead tr "
_VOID = (
    "area base basefont bgsound br col embed frame hr img input keygen link meta param source "
    "track wbr "
)
_HEAD = "base basefont bgsound link meta noframes script style template title head "
_RAW = "script style xmp iframe noembed noframes plaintext "

PARSING = {
    IN_TABLE: "table",
    IN_TABLE_BODY: "tbody tfoot thead",
    IN_ROW: "tr",
    IN_COLUMN_GROUP: "colgroup",
    IN_CELL: "td th",
    IN_CAPTION: "caption",
    IN_TEMPLATE: "template",
    VOID: _VOID,
    RAW: _RAW + "title textarea",
    SPECIAL: _BLOCKS + _HEADINGS + _TABLE_PARTS + _HEAD + _VOID + _RAW + "applet body button dd dt "
    "form frameset html li marquee noscript object p select table textarea",
    SCOPE: "applet caption html table td th marquee object select template",
    LIST_SCOPE: "ol ul",
    BUTTON_SCOPE: "button",
    TABLE_SCOPE: "html table template",
    CLOSES_P: _BLOCKS + _HEADINGS + "dialog p form table hr xmp plaintext li dd dt",
    HEADING: _HEADINGS,
    FORMATTING: _FORMATTING,
    IMPLIED: "dd dt li optgroup option p rb rp rt rtc",
    TABLE_PART: _TABLE_PARTS,
    FOSTERING: "table tbody tfoot thead tr",
    MARKER: "applet marquee object template td th caption",
    HEAD: _HEAD + "noscript html frameset",
    BREAKOUT: _HEADINGS
    + "b big blockquote body br center code dd div dl dt em embed head hr i img "
    "li listing menu meta nobr ol p pre ruby s small span strong strike sub table tt u ul var",  # and sup; but not in lexbor
    HTML_POINT: "foreignObject desc title",
    MATH_POINT: "mi mn mo ms mtext",
    BLOCK_END: _BLOCKS + "dialog button applet marquee object select",
    OWN_RULE: "a button dd dt form hr input li nobr optgroup option rb rp rt rtc select",
    SVG: "svg",
    MATH: "math",
    PRUNED: "script style",
    HARD: "frameset image plaintext selectedcontent",
    IGNORED_TAG: "frame head",
}
# Every start tag but these opens lost formatting again.
_KEEPS_LOST = (
    _BLOCKS + _HEADINGS + _TABLE_PARTS + _HEAD + "html body frame frameset table dialog p form li "
    "dd dt plaintext hr textarea iframe noembed rb rp rt rtc param source track"
)

READING = {
    VOID: _VOID,
    RAW: _RAW,
    BREAK_SPACE: "#other img input select button textarea iframe svg video audio object canvas "
    "picture slot math label rt rp rb rtc foreignObject mi mn mo ms mtext mglyph malignmark",
    BREAK_CELL: "td th",
    BREAK_LINE: "div li tr dt br legend option optgroup caption summary html body center thead "
    "tbody tfoot figcaption address",
    BREAK_PARAGRAPH: _HEADINGS + "p ul ol dl dd menu dir pre listing xmp plaintext blockquote "
    "figure details dialog table form fieldset hr section article aside nav header footer main "
    "hgroup search marquee frameset",
    ROW_INVISIBLE << FLAGS_SHIFT: "head title style script template noframes noembed iframe video "
    "audio canvas datalist desc annotation annotation-xml rp selectedcontent object applet",
    ROW_NOSCRIPT << FLAGS_SHIFT: "noscript",
    ROW_HIDDEN << FLAGS_SHIFT: "dialog",
    ROW_LINK << FLAGS_SHIFT: "a",
    ROW_PREFORMATTED << FLAGS_SHIFT: "pre textarea listing xmp plaintext",
    ROW_SVG << FLAGS_SHIFT: "svg",
    ROW_MATH << FLAGS_SHIFT: "math",
}

# Names that SVG and MathML write with capitals; markup may have them in any case (13.2.6.1).
_SVG_ELEMENTS = (
    "altGlyph altGlyphDef altGlyphItem animateColor animateMotion animateTransform clipPath "
    "feBlend feColorMatrix feComponentTransfer feComposite feConvolveMatrix feDiffuseLighting "
    "feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG feFuncR "
    "feGaussianBlur feImage feMerge feMergeNode feMorphology feOffset fePointLight "
    "feSpecularLighting feSpotLight feTile feTurbulence foreignObject glyphRef linearGradient "
    "radialGradient textPath"
)
_SVG_ATTRIBUTES = (
    "attributeName attributeType baseFrequency baseProfile calcMode clipPathUnits diffuseConstant "
    "edgeMode filterUnits glyphRef gradientTransform gradientUnits kernelMatrix kernelUnitLength "
    "keyPoints keySplines keyTimes lengthAdjust limitingConeAngle markerHeight markerUnits "
    "markerWidth maskContentUnits maskUnits numOctaves pathLength patternContentUnits "
    "patternTransform patternUnits pointsAtX pointsAtY pointsAtZ preserveAlpha "
    "preserveAspectRatio primitiveUnits refX refY repeatCount repeatDur requiredExtensions "
    "requiredFeatures specularConstant specularExponent spreadMethod startOffset stdDeviation "
    "stitchTiles surfaceScale systemLanguage tableValues targetX targetY textLength viewBox "
    "viewTarget xChannelSelector yChannelSelector zoomAndPan"
)

ctypedef unsigned long long Key

cdef enum:
    TAG_SLOTS = 1024
    NAME_SLOTS = 512  # of names with capitals
    REFERENCE_SLOTS = 8192
    MAX_REFERENCE = 33  # bytes of the longest name of a character reference, with its semicolon

cdef struct SpelledName:
    Key key
    char text[24]
    int length

cdef struct Reference:
    Key key
    int code  # a code point; -1 if the reference stands for two

cdef unsigned char _tag_slots[TAG_SLOTS]
cdef Key _tag_keys[256]
cdef char _tag_names[256][24]
cdef int _tag_lengths[256]
cdef int _parsing[256]
cdef int _reading[256]
cdef unsigned char _classes[CLASSES]
cdef SpelledName _svg_elements[NAME_SLOTS]
cdef SpelledName _svg_attributes[NAME_SLOTS]
cdef SpelledName _math_attributes[NAME_SLOTS]
cdef Reference _references[REFERENCE_SLOTS]
cdef int _replacements[32]  # what the standard reads for &#128; to &#159; (13.2.5.80)
cdef unsigned char _special[256]  # bytes that serialised text or values may not have as they are
cdef bint _tables_are_built = False
cdef object _building = Lock()  # the GIL alone would not do: Python code in between gives it up

cdef int TAG_A = CODE["a"]
cdef int TAG_ADDRESS = CODE["address"]
cdef int TAG_ANNOTATION = CODE["annotation-xml"]
cdef int TAG_BODY = CODE["body"]
cdef int TAG_BR = CODE["br"]
cdef int TAG_BUTTON = CODE["button"]
cdef int TAG_BASE = CODE["base"]
cdef int TAG_COL = CODE["col"]
cdef int TAG_COLGROUP = CODE["colgroup"]
cdef int TAG_DD = CODE["dd"]
cdef int TAG_DIALOG = CODE["dialog"]
cdef int TAG_DIV = CODE["div"]
cdef int TAG_DT = CODE["dt"]
cdef int TAG_FONT = CODE["font"]
cdef int TAG_FORM = CODE["form"]
cdef int TAG_HEAD = CODE["head"]
cdef int TAG_HR = CODE["hr"]
cdef int TAG_HTML = CODE["html"]
cdef int TAG_IFRAME = CODE["iframe"]
cdef int TAG_INPUT = CODE["input"]
cdef int TAG_LI = CODE["li"]
cdef int TAG_LISTING = CODE["listing"]
cdef int TAG_MALIGNMARK = CODE["malignmark"]
cdef int TAG_MGLYPH = CODE["mglyph"]
cdef int TAG_NOBR = CODE["nobr"]
cdef int TAG_NOFRAMES = CODE["noframes"]
cdef int TAG_NOSCRIPT = CODE["noscript"]
cdef int TAG_OPTGROUP = CODE["optgroup"]
cdef int TAG_OPTION = CODE["option"]
cdef int TAG_OTHER = CODE["#other"]
cdef int TAG_P = CODE["p"]
cdef int TAG_PLAINTEXT = CODE["plaintext"]
cdef int TAG_PRE = CODE["pre"]
cdef int TAG_RB = CODE["rb"]
cdef int TAG_RTC = CODE["rtc"]
cdef int TAG_RUBY = CODE["ruby"]
cdef int TAG_SCRIPT = CODE["script"]
cdef int TAG_SELECT = CODE["select"]
cdef int TAG_STYLE = CODE["style"]
cdef int TAG_SVG = CODE["svg"]
cdef int TAG_TABLE = CODE["table"]
cdef int TAG_TBODY = CODE["tbody"]
cdef int TAG_TEMPLATE = CODE["template"]
cdef int TAG_TEXTAREA = CODE["textarea"]
cdef int TAG_TITLE = CODE["title"]
cdef int TAG_TR = CODE["tr"]

cdef Key KEY_CLASS = name_key(b"class")
cdef Key KEY_COLOR = name_key(b"color")
cdef Key KEY_ENCODING = name_key(b"encoding")
cdef Key KEY_FACE = name_key(b"face")
cdef Key KEY_HIDDEN = name_key(b"hidden")
cdef Key KEY_ARIA_HIDDEN = name_key(b"aria-hidden")
cdef Key KEY_ID = name_key(b"id")
cdef Key KEY_OPEN = name_key(b"open")
cdef Key KEY_SHADOW = name_key(b"shadowrootmode")
cdef Key KEY_SIZE = name_key(b"size")
cdef Key KEY_STYLE = name_key(b"style")
cdef Key KEY_TYPE = name_key(b"type")


cdef inline Key add_to_key(Key key, int byte) noexcept nogil:
    """Return a hash with one more byte, capitals as small letters."""
    return add_to_hash(key, byte + 32 if 65 <= byte <= 90 else byte)


cdef Key name_key(bytes name):
    """Return the hash of a name, which is the same whatever its case."""
    cdef Key key = FNV_SEED
    for byte in name:
        key = add_to_key(key, byte)
    return key


cdef void build_tables() except *:
    """Fill the tables once, whichever threads read their first pages at the same time."""
    global _tables_are_built
    if _tables_are_built:
        return
    with _building:
        if not _tables_are_built:
            _fill_tables()
            _tables_are_built = True


cdef void _fill_tables() except *:
    """Fill all tables; a second time would leave hash tables without an end of their search."""
    cdef bytes classes = character_classes()
    memcpy(_classes, <const unsigned char*> classes, CLASSES)
    _build_tag_table()
    _build_traits(_parsing, PARSING)
    _build_traits(_reading, READING)
    for code in range(256):
        _parsing[code] |= REOPENS
    for name in _KEEPS_LOST.split():
        _parsing[<int> CODE[name]] &= ~REOPENS
    _build_spellings(_svg_elements, _SVG_ELEMENTS)
    _build_spellings(_svg_attributes, _SVG_ATTRIBUTES)
    _build_spellings(_math_attributes, "definitionURL")
    _build_references()
    for byte in (38, 60, 62, 13, 34, 0xC2):  # & < > CR " and the first byte of a no-break space
        _special[<int> byte] = 1


cdef void _build_tag_table():
    """Enter all tag names into the hash table of their codes."""
    for code, name in enumerate(TAGS):
        _tag_keys[code] = name_key(name.encode())
        text = name.lower().encode()
        _tag_lengths[code] = len(text)
        memcpy(_tag_names[code], <const char*> text, len(text))
        if code <= TAG_OTHER:
            continue
        slot = _tag_keys[code] % TAG_SLOTS
        while _tag_slots[slot]:
            slot = (slot + 1) % TAG_SLOTS
        _tag_slots[slot] = code


cdef void _build_traits(int* traits, dict groups):
    """Give every tag the bits of all groups that name it."""
    for bits, names in groups.items():
        for name in names.split():
            traits[<int> CODE[name]] |= <int> bits


cdef void _build_spellings(SpelledName* slots, str names):
    """Enter names with capitals into a hash table."""
    cdef Key key
    for name in names.split():
        text = name.encode()
        key = name_key(text)
        slot = key % NAME_SLOTS
        while slots[slot].length:
            slot = (slot + 1) % NAME_SLOTS
        slots[slot].key = key
        slots[slot].length = len(text)
        memcpy(slots[slot].text, <const char*> text, len(text))


cdef void _build_references():
    """Enter the named character references; unlike tag names they depend on case."""
    cdef Key key
    for name, characters in html5.items():
        key = FNV_SEED
        for byte in name.encode():
            key = add_to_hash(key, <Key> byte)
        slot = key % REFERENCE_SLOTS
        while _references[slot].key:
            slot = (slot + 1) % REFERENCE_SLOTS
        _references[slot].key = key
        _references[slot].code = ord(characters) if len(characters) == 1 else -1
    for byte in range(128, 160):
        # Five bytes mean nothing in Windows-1252 and stay the control characters that they are.
        _replacements[byte - 128] = ord(bytes([byte]).decode("cp1252", "ignore") or chr(byte))


cdef inline SpelledName* find_spelling(SpelledName* slots, Key key) noexcept nogil:
    """Return the name with capitals that a hash stands for, or NULL."""
    cdef int slot = key % NAME_SLOTS
    while slots[slot].length:
        if slots[slot].key == key:
            return &slots[slot]
        slot = (slot + 1) % NAME_SLOTS
    return NULL
