"""The columns of the rows: what they are named, which types they have, and what is carried through.

An output row has the columns below in this order, those of the formats that are wanted, and then
every other column of the input as it is.
"""

from __future__ import annotations

from typing import Final

import pyarrow as pa

from tamis.content import Comment, Post, arrow_type
from tamis.errors import InputError
from tamis.scale.options import Options

_TEXT: Final = pa.string()
_RECORDS: Final = pa.struct(
    [
        ("fields", pa.list_(pa.struct([("name", _TEXT), ("type", _TEXT)]))),
        ("rows", pa.list_(pa.map_(_TEXT, _TEXT))),
    ]
)

# Where a page is from. These come from the input, where it has them.
ORIGIN: Final = pa.schema(
    [
        ("url", _TEXT),
        ("warc_file", _TEXT),
        ("offset", pa.int64()),
        ("length", pa.int64()),
        ("record_id", _TEXT),
        ("fetched_at", pa.timestamp("us", "UTC")),
        ("content_type", _TEXT),
    ]
)
# What is computed of a page, before and after the columns of formats.
_COMPUTED: Final = [
    ("encoding", _TEXT),
    ("language", _TEXT),
    ("title", _TEXT),
    ("author", _TEXT),
    ("date", _TEXT),
    ("page_type", _TEXT),
    ("confidence", pa.float64()),
    ("status", _TEXT),
    ("text", _TEXT),
]
_FORMAT_TYPES: Final = {
    "markdown": _TEXT,
    "records": _RECORDS,
    "posts": arrow_type(Post),
    "comments": arrow_type(Comment),
}
_MINHASH: Final = [("minhash", pa.binary())]
_ERROR: Final = [("error", _TEXT), ("error_kind", _TEXT)]
_MADE_BY: Final = [("tamis_version", _TEXT), ("model", _TEXT)]

# Input columns that the work needs, beside the HTML; `error` and `error_kind` are of pages that
# could not be read.
CHARSET: Final = "charset"
SITE: Final = "site_template"  # the text of a site's file, by which the page is extracted
READ_ERROR: Final = ("error", "error_kind")


def computed_schema(options: Options) -> pa.Schema:
    """Return the columns that a worker computes, in the order of its values."""
    formats = [(name, kind) for name, kind in _FORMAT_TYPES.items() if name in options.formats]
    return pa.schema([*_COMPUTED, *formats, *_MINHASH, *_ERROR])


def output_schema(input_schema: pa.Schema, options: Options) -> pa.Schema:
    """Return the schema of the rows for an input; InputError if a column is missing."""
    check_schema(input_schema, options)
    own = [*ORIGIN, *computed_schema(options), *pa.schema(_MADE_BY)]
    carried = [
        pa.field(name, input_schema.field(index).type)
        for index, name in carried_columns(input_schema, options)
    ]
    return pa.schema([*own, *carried])


def check_schema(input_schema: pa.Schema, options: Options) -> None:
    """Raise InputError for an input without HTML, or with HTML of another type."""
    names = input_schema.names
    doubled = sorted({name for name in names if names.count(name) > 1})
    if doubled:
        raise InputError(f"the input has two columns {doubled[0]!r}: rename one of them")
    if options.html_column not in names:
        raise InputError(
            f"the input has no column {options.html_column!r}, but {', '.join(names) or 'none'}: "
            "name the column with the HTML (html_column, --html-column)"
        )
    html_type = input_schema.field(options.html_column).type
    if not (is_text(html_type) or is_bytes(html_type)):
        raise InputError(
            f"the column {options.html_column!r} is of type {html_type}: give text or bytes"
        )


def carried_columns(input_schema: pa.Schema, options: Options) -> list[tuple[int, str]]:
    """Return the input columns that are carried through: their index, and their output name.

    A name that the output has itself gets the prefix `input_`.
    """
    own = {*ORIGIN.names, *computed_schema(options).names, *dict(_MADE_BY)}
    taken = own | set(input_schema.names)
    carried = []
    for index, field in enumerate(input_schema):
        if field.name == options.html_column or is_used(field):
            continue
        name = field.name
        while name in own or (name != field.name and name in taken):
            name = f"input_{name}"
        taken.add(name)
        carried.append((index, name))
    return carried


def is_used(field: pa.Field) -> bool:
    """Say whether an input column is one that the work uses by its name, and has the right type."""
    if field.name in (CHARSET, *READ_ERROR):
        return is_text(field.type)
    if field.name == SITE:
        is_coded = pa.types.is_dictionary(field.type)
        return is_text(field.type.value_type if is_coded else field.type)
    if field.name not in ORIGIN.names:
        return False
    wanted = ORIGIN.field(field.name).type
    if pa.types.is_string(wanted):
        return is_text(field.type)
    if pa.types.is_timestamp(wanted):
        return bool(pa.types.is_timestamp(field.type))
    return bool(pa.types.is_integer(field.type))


def is_text(kind: pa.DataType) -> bool:
    """Say whether a type is one of text."""
    return kind in (pa.string(), pa.large_string(), pa.string_view())


def is_bytes(kind: pa.DataType) -> bool:
    """Say whether a type is one of bytes."""
    return kind in (pa.binary(), pa.large_binary(), pa.binary_view())
