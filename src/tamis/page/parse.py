"""The warning that the kernel is not compiled.

HTML → Page: guard, parse with lexbor, scan into columns.
"""

from __future__ import annotations

import re
import sys
import warnings
from pathlib import PurePath
from types import NoneType
from typing import Final

import numpy as np
from selectolax.lexbor import LexborDocumentOptions, LexborHTMLParser

from tamis.errors import InputError, Uncompiled, WrongType, check_argument
from tamis.page import kernel, tags
from tamis.page.characters import character_classes
from tamis.page.decode import to_utf8
from tamis.page.limits import (
    DEADLINE,
    GROWTH,
    MAX_BYTES,
    MAX_NODES,
    MAX_SOURCE_BYTES,
    Deadline,
    check_depth,
    check_size,
)
from tamis.page.page import Page

UNCOMPILED_MESSAGE: Final = "runs uncompiled and slow: install a C compiler and reinstall it"


def warn_if_slow() -> None:
    """Warn of an uncompiled kernel, at the line of the user's own code that called tamis."""
    if kernel.COMPILED:
        return
    package = __name__.partition(".")[0]
    level, frame = 1, sys._getframe()
    while frame.f_back and frame.f_globals.get("__name__", "").partition(".")[0] == package:
        level, frame = level + 1, frame.f_back
    warnings.warn(f"tamis {UNCOMPILED_MESSAGE}", Uncompiled, stacklevel=level)


# Text in <noscript> is the page's text if it has this many terms and the rest of the page has at
# most this share of them. On wcxb-dev the share is below 0.02 on the pages that live in <noscript>
# and above 1.3 on all others.
_NOSCRIPT_TERMS = 50
_NOSCRIPT_SHARE = 0.2
_LONGEST_ADDRESS: Final = 2**16
_ADDRESS: Final = re.compile(rb"(?:\xef\xbb\xbf)?\s*((?:https?|file)://[^\s<]+)\s*", re.IGNORECASE)
_SHOWN: Final = 80  # characters of an address in a message


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

    `charset` is what HTTP declared for bytes. TooLarge is raised before parsing when the page has
    more bytes or nodes than allowed, DeadlineExceeded when it takes longer than `deadline` seconds.
    None lifts a limit; pages of 2 GB and more are too large in any case. An address is no page:
    it is an InputError that names `tamis.fetch`.
    """
    check_html(html)
    check_url(url)
    check_page(html, url)
    check_argument("charset", charset, (str, NoneType), "the name of an encoding as str, or None")
    for name, most in (("max_bytes", max_bytes), ("max_nodes", max_nodes)):
        check_argument(name, most, (int, float, NoneType), "a number, or None for no limit")
    clock = deadline if isinstance(deadline, Deadline) else Deadline(deadline)
    limit = MAX_SOURCE_BYTES if max_bytes is None else min(max_bytes, MAX_SOURCE_BYTES)
    check_size("bytes", len(html), limit, "max_bytes")
    data, encoding = decode_html(html, charset)
    check_size("bytes", len(data), limit, "max_bytes")
    clock.check("reading the page")
    guarded = kernel.Guard(data).run()
    check_size("nodes", guarded.nodes, max_nodes, "max_nodes")
    grown = len(guarded.html) + guarded.growth
    check_size("bytes when normalised", grown, int(limit * GROWTH), "max_bytes")
    clock.check("parsing")
    styles = tuple(data[start:stop] for start, stop in guarded.styles)
    source = serialise_tree(guarded.html)
    del data
    clock.check("scanning")
    return scan_source(source, url, encoding, describe_truncation(guarded), styles)


def scan_source(
    source: bytes,
    url: str | None = None,
    encoding: str = "utf-8",
    left_out: tuple[str, ...] = (),
    styles: tuple[bytes, ...] = (),
) -> Page:
    """Return the page of a source that was normalised, such as one that was kept.

    Parsing it would not always give the same page: what a table in a paragraph means depends on the
    document type, of which the normalised source has lost the details.
    """
    columns, text = kernel.Scanner(source, character_classes()).run()
    check_depth(int(columns["depth"].max(initial=0)))
    discount_noscript(columns)
    for column in columns.values():
        column.setflags(write=False)
    warn_if_slow()
    return Page(source, text, url, encoding, left_out, styles, layout=None, **columns)


def check_html(html: object) -> None:
    """Raise WrongType if HTML is neither text nor bytes."""
    if not isinstance(html, (str, bytes, bytearray, memoryview)):
        file = "; read a file with its read_bytes()" if isinstance(html, PurePath) else ""
        raise WrongType(f"html is of type {type(html).__name__}: give str, bytes or a Page{file}")


def check_page(html: str | bytes, url: str | None) -> None:
    """Raise InputError for an address in the place of its page.

    Who gives the address of a page as `url` has the page: it may have nothing but a link in it.
    """
    if len(html) > _LONGEST_ADDRESS:
        return
    data = html.encode("utf-8", "replace") if isinstance(html, str) else bytes(html)
    match = _ADDRESS.fullmatch(data)
    if match is None:
        return
    address = match[1].decode("utf-8", "replace")
    if url is not None and address != url.strip():
        return
    shown = address if len(address) <= _SHOWN else f"{address[: _SHOWN - 1]}…"
    if address[:4].lower() == "file":
        raise InputError(f"html is an address, {shown}, not a page: read the file and give that")
    raise InputError(
        f"html is an address, {shown}, not a page: tamis.fetch(url) fetches and extracts it "
        "(on the command line give the address itself as input)"
    )


def check_url(url: object) -> None:
    """Raise WrongType if an address is neither text nor None."""
    check_argument("url", url, (str, NoneType), "the address of the page as str, or None")


def decode_html(html: str | bytes, charset: str | None) -> tuple[bytes, str]:
    """Return HTML of either type as UTF-8, and its encoding."""
    if isinstance(html, str):
        return html.removeprefix("\ufeff").encode("utf-8", "replace"), "utf-8"
    return to_utf8(bytes(html), charset)


def serialise_tree(html: bytes) -> bytes:
    """Return the page as lexbor understood it, perfectly nested."""
    parser = LexborHTMLParser(html, options=LexborDocumentOptions.WO_EVENTS)
    text: str = parser.html or ""
    del parser
    return text.encode("utf-8", "replace")


def describe_truncation(guarded: kernel.Guarded) -> tuple[str, ...]:
    """Say in words what the guard left out."""
    said = (
        (guarded.deep, "{:,} elements nested deeper than 512 levels were flattened"),
        (guarded.crowded, "{:,} tags had more than 256 attributes, the rest was dropped"),
        (guarded.formatting, "{:,} formatting tags that were never closed were dropped"),
        (guarded.strange, "{:,} tags and attributes of ever new names were dropped"),
        (guarded.broken, "{:,} texts between misplaced tags were broken in two"),
    )
    return tuple(words.format(count) for count, words in said if count)


def discount_noscript(columns: dict[str, np.ndarray]) -> None:
    """Let text in `<noscript>` count only where the page has hardly any text outside it.

    Columns are still writeable here; where it does not count, its counts become zero.
    """
    inside = (columns["flags"] & tags.NOSCRIPT) != 0
    if not inside.any():
        return
    outside_terms = int(columns["terms"][~inside].sum())
    inside_terms = int(columns["terms"][inside].sum())
    if inside_terms >= _NOSCRIPT_TERMS and outside_terms < _NOSCRIPT_SHARE * inside_terms:
        return
    for name in ("chars", "terms", "marks"):
        columns[name][inside] = 0
