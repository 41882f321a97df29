"""HTML → Page: decode it, read it into columns; a parser helps where markup is misnested."""

from __future__ import annotations

import re
from pathlib import PurePath
from types import NoneType
from typing import Final, NamedTuple

from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from tamis.errors import InputError, WrongType, check_argument
from tamis.limits import (
    DEADLINE,
    MAX_BYTES,
    MAX_GROWTH,
    MAX_NODES,
    MAX_SOURCE_BYTES,
    Deadline,
    check_depth,
    check_size,
)
from tamis.page import tags
from tamis.page._reader import (
    BYTES,
    NODES,
    Markup,
    discount_controls,
    discount_noscript,
    read_markup,
    read_serialised,
    replace_invalid,
)
from tamis.page.decode import to_utf8
from tamis.page.page import Page

_IS_CONTROL: Final = tags.tag_table(("select", "optgroup", "option", "datalist", "textarea"))
# Text in <noscript> counts as the page's text if it has at least this many terms and the rest of
# the page, without its links, has less than this share of them: a shell of a page may have a menu.
_MIN_NOSCRIPT_TERMS: Final = 50
_MAX_OUTSIDE_SHARE: Final = 0.2
_MAX_URL_BYTES: Final = 2**16
_URL: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*((?:https?|file)://[^\s<]+)\s*", re.IGNORECASE)
_MAX_SHOWN: Final = 80  # characters of a URL in a message


def parse(
    html: str | bytes,
    url: str | None = None,
    *,
    charset: str | None = None,
    max_bytes: int | None = MAX_BYTES,
    max_nodes: int | None = MAX_NODES,
    deadline: float | Deadline | None = DEADLINE,
) -> Page:
    """Parse HTML as browsers do and return it as columns.

    `charset` is what HTTP declared for bytes. TooLarge is raised before parsing if the page has
    more bytes or nodes than allowed, DeadlineExceeded if it takes longer than `deadline` seconds.
    None removes a limit; pages of 2 GB and more are always too large. A URL instead of HTML is an
    InputError that names `tamis.fetch`.
    """
    check_html(html)
    check_url(url)
    _refuse_url(html, url)
    check_argument("charset", charset, (str, NoneType), "the name of an encoding as str, or None")
    for name, limit in (("max_bytes", max_bytes), ("max_nodes", max_nodes)):
        check_argument(name, limit, (int, float, NoneType), "a number, or None for no limit")
    clock = deadline if isinstance(deadline, Deadline) else Deadline(deadline)
    byte_limit = MAX_SOURCE_BYTES if max_bytes is None else min(max_bytes, MAX_SOURCE_BYTES)
    check_size("bytes", len(html), byte_limit, "max_bytes")
    data, encoding = decode_html(html, charset)
    check_size("bytes", len(data), byte_limit, "max_bytes")
    data = replace_invalid(data)
    clock.check("reading the page")
    limits = _Limits(max_nodes, int(byte_limit * MAX_GROWTH))
    markup = read_markup(data, limits.nodes, limits.bytes)
    if isinstance(markup, str):
        _check_read(markup, limits)
        markup = _read_hard_page(data, limits, clock)
    return _make_page(markup, url, encoding, _describe_truncation(markup))


class _Limits(NamedTuple):
    """What a page may have: nodes, and bytes when it is normalised."""

    max_nodes: int | float | None
    bytes: int

    @property
    def nodes(self) -> int:
        """The limit of nodes, which is beyond reach if there is none."""
        return MAX_SOURCE_BYTES if self.max_nodes is None else int(self.max_nodes)


def _check_read(reason: str, limits: _Limits) -> None:
    """Raise TooLarge if that is why a page was not read."""
    if reason == NODES:
        check_size("nodes", limits.nodes + 1, limits.nodes, "max_nodes", at_least=True)
    if reason == BYTES:
        kind = "bytes when normalised"
        check_size(kind, limits.bytes + 1, limits.bytes, "max_bytes", at_least=True)


def _read_hard_page(data: bytes, limits: _Limits, clock: Deadline) -> Markup:
    """Read a page that needs the hard parts of tree construction.

    The reference parser does these parts, and its tree, serialised, is read as it is. Pages that
    would take it too long, all of them hostile, are read leniently instead.
    """
    markup = read_markup(data.replace(b"\0", b""), limits.nodes, limits.bytes, lenient=True)
    if isinstance(markup, str):
        _check_read(markup, limits)
        raise MemoryError(markup)
    if not markup.parseable:
        return markup
    clock.check("parsing")
    if markup.cuts:
        data = data.replace(b"\0", b"")
    reference = read_by_reference(data, markup.cuts)
    if len(reference.source) > limits.bytes:
        _check_read(BYTES, limits)
    return reference._replace(styles=markup.styles)


def read_by_reference(data: bytes, cuts: tuple[tuple[int, int], ...] = ()) -> Markup:
    """Return what the reference parser makes of UTF-8 without some parts of it.

    This is what `read_markup` is held against. Style sheets are left out.
    """
    for start, stop in reversed(cuts):
        data = data[:start] + data[stop:]
    source, text, columns = read_serialised(_serialise_tree(data), pruning=True)
    return Markup(source, text, columns, ())


def scan_source(
    source: bytes,
    url: str | None = None,
    encoding: str = "utf-8",
    truncated: tuple[str, ...] = (),
    styles: tuple[bytes, ...] = (),
) -> Page:
    """Return the page of a source that is normalised already, such as a stored one.

    Parsing it again would not always give the same page: whether a table may stand in a paragraph
    depends on the document type, and the normalised source has lost its details.
    """
    _, text, columns = read_serialised(source)
    markup = Markup(source, text, columns, styles)
    return _make_page(markup, url, encoding, truncated)


def _make_page(markup: Markup, url: str | None, encoding: str, truncated: tuple[str, ...]) -> Page:
    """Return the page of what was read."""
    columns = markup.columns
    check_depth(int(columns["depth"].max(initial=0)))
    discount_noscript(columns, _MIN_NOSCRIPT_TERMS, _MAX_OUTSIDE_SHARE)
    discount_controls(columns, _IS_CONTROL)
    for column in columns.values():
        column.setflags(write=False)
    return Page(
        markup.source, markup.text, url, encoding, truncated, markup.styles, layout=None, **columns
    )


def check_html(html: object) -> None:
    """Raise WrongType if HTML is neither str nor bytes."""
    if not isinstance(html, (str, bytes, bytearray, memoryview)):
        file = "; read a file with its read_bytes()" if isinstance(html, PurePath) else ""
        raise WrongType(f"html is of type {type(html).__name__}: give str, bytes or a Page{file}")


def _refuse_url(html: str | bytes, url: str | None) -> None:
    """Raise InputError if `html` is a URL instead of a page.

    With another `url` it is a page: one with nothing but a link in it.
    """
    if len(html) > _MAX_URL_BYTES:
        return
    data = html.encode("utf-8", "replace") if isinstance(html, str) else bytes(html)
    match = _URL.fullmatch(data)
    if match is None:
        return
    html_url = match[1].decode("utf-8", "replace")
    if url is not None and html_url != url.strip():
        return
    shown = html_url if len(html_url) <= _MAX_SHOWN else f"{html_url[: _MAX_SHOWN - 1]}…"
    if html_url[:4].lower() == "file":
        raise InputError(f"html is a URL, {shown}, not a page: read the file and give its content")
    raise InputError(
        f"html is a URL, {shown}, not a page: tamis.fetch(url) fetches and extracts it "
        "(on the command line give the URL itself as input)"
    )


def check_url(url: object) -> None:
    """Raise WrongType if a URL is neither str nor None."""
    check_argument("url", url, (str, NoneType), "the URL of the page as str, or None")


def decode_html(html: str | bytes, charset: str | None) -> tuple[bytes, str]:
    """Return HTML, str or bytes, as UTF-8, and the name of its encoding."""
    if isinstance(html, str):
        return html.removeprefix("\ufeff").encode("utf-8", "replace"), "utf-8"
    return to_utf8(bytes(html), charset)


def _serialise_tree(html: bytes) -> bytes:
    """Return the tree that lexbor builds of a page, serialised, all tags closed and nested."""

    parser = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)
    text: str = parser.html or ""
    del parser
    return text.encode("utf-8", "replace")


def _describe_truncation(markup: Markup) -> tuple[str, ...]:
    """Return a sentence for each kind of thing that was left out."""
    counts = (
        (markup.deep, "{:,} elements nested deeper than 512 levels were flattened"),
        (markup.crowded, "{:,} tags had more than 256 attributes, the rest was dropped"),
        (markup.unclosed, "{:,} formatting tags that were never closed were dropped"),
        (markup.misplaced, "{:,} misplaced tags and texts were left where they stand"),
    )
    return tuple(sentence.format(count) for count, sentence in counts if count)
