"""Cases: pages with what a person said about them, kept in the site's file and run again.

A case holds when the site, as it is now, still decides as its marks say.
"""

from __future__ import annotations

import base64
import hashlib
import warnings
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tamis.content import Document
from tamis.errors import InputError, PoorMatch, TamisError
from tamis.page import collapse_spaces, find_row, parse, row_xpath
from tamis.records import Records

if TYPE_CHECKING:
    from tamis.site.site import Site

_MAX_HTML: Final = 64 << 20  # bytes of a page, unpacked
_MAX_CASES: Final = 500
_MAX_VALUES: Final = 3  # of a column that are compared
_MAX_SHOWN: Final = 60


@dataclass(frozen=True)
class Mark:
    """What a person said about one thing of a page.

    A block, by the XPath of its element and its text, is content or noise; the region at an XPath
    has so many records; the column of a name begins with some values.
    """

    rule: str  # the id of the rule that came of it
    kind: str  # content, noise, region, column
    xpath: str
    text: str = ""  # of the block, in full
    rows: int = 0  # of the region
    values: tuple[str, ...] = ()  # the name of the column, then its first values

    def as_dict(self) -> dict[str, Any]:
        """Return the mark as plain data, without what is not set."""
        fields = {name: value for name, value in vars(self).items() if value}
        return {**fields, **({"values": list(self.values)} if self.values else {})}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Mark:
        """Return the mark of plain data; TypeError or KeyError if it is none."""
        rows = data.get("rows", 0)
        if isinstance(rows, bool) or not isinstance(rows, int):
            raise TypeError(f"the rows of a mark are {rows!r}")
        return Mark(
            str(data["rule"]),
            str(data["kind"]),
            str(data["xpath"]),
            str(data.get("text", "")),
            rows,
            tuple(map(str, data.get("values", ()))),
        )


@dataclass(frozen=True)
class Case:
    """A page with its marks."""

    id: str
    url: str | None
    html: bytes  # as UTF-8
    marks: tuple[Mark, ...]

    def as_dict(self) -> dict[str, Any]:
        """Return the case as plain data, its page packed."""
        return {
            "id": self.id,
            "url": self.url,
            "marks": [mark.as_dict() for mark in self.marks],
            "page": base64.b64encode(zlib.compress(self.html, 9)).decode(),
        }

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Case:
        """Return the case of plain data; ValueError, TypeError or KeyError if it is none."""
        url = data.get("url")
        if not isinstance(url, str | None):
            raise TypeError(f"the url of a case is {url!r}")
        unpacker = zlib.decompressobj()
        try:
            html = unpacker.decompress(base64.b64decode(data["page"], validate=True), _MAX_HTML)
        except zlib.error as error:
            raise ValueError(f"the page of a case cannot be unpacked: {error}") from error
        if not unpacker.eof:
            raise ValueError("the page of a case is too large, or not all there")
        return Case(str(data["id"]), url, html, tuple(map(Mark.from_dict, data["marks"])))


@dataclass(frozen=True)
class CaseOutcome:
    """Whether a case holds: what is wrong with it, in words."""

    case: Case
    failures: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether everything is as the marks say."""
        return not self.failures


def case_id(html: bytes) -> str:
    """Return what a page is known by among cases."""
    return hashlib.blake2b(html, digest_size=6).hexdigest()


def add_case(cases: Sequence[Case], case: Case) -> tuple[Case, ...]:
    """Return cases with another one; marks on a page that is there already are added to it.

    A mark on the same thing replaces an older one.
    """
    for index, other in enumerate(cases):
        if other.id == case.id:
            things = {_thing(mark) for mark in case.marks}
            kept = tuple(mark for mark in other.marks if _thing(mark) not in things)
            merged = replace(other, marks=(*kept, *case.marks))
            return (*cases[:index], merged, *cases[index + 1 :])
    if len(cases) >= _MAX_CASES:
        raise InputError(f"the site has {_MAX_CASES} cases already: undo a rule first")
    return (*cases, case)


def _thing(mark: Mark) -> tuple[str, ...]:
    """Return what a mark is about."""
    if mark.kind == "region":
        return ("region",)
    if mark.kind == "column":
        return ("column", *mark.values[:1])
    return ("block", mark.xpath, mark.text)


def drop_marks(cases: Iterable[Case], rule: str) -> tuple[Case, ...]:
    """Return cases without the marks of a rule; those without marks are gone."""
    left = (
        replace(case, marks=tuple(mark for mark in case.marks if mark.rule != rule))
        for case in cases
    )
    return tuple(case for case in left if case.marks)


def run_case(site: Site, case: Case) -> CaseOutcome:
    """Read the page of a case with a site, and compare it with the marks."""
    try:
        page = parse(case.html, case.url, charset="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorMatch)
            document = site.extract(page)
        failures = [failure for mark in case.marks if (failure := _check(document, mark))]
    except TamisError as error:
        failures = [f"the page cannot be read: {error}"]
    return CaseOutcome(case, tuple(failures))


def _check(document: Document, mark: Mark) -> str | None:
    """Return what is not as a mark says, None if it holds."""
    if mark.kind == "region":
        return _check_region(document.records, mark)
    if mark.kind == "column":
        return _check_column(document.records, mark)
    index = find_block(document, mark.xpath, mark.text)
    shown = f"{mark.text[:_MAX_SHOWN]!r}"
    if index is None:
        return f"{shown} at {mark.xpath} is no block any more"
    verdict = document.verdict
    is_content = bool(verdict.informative[index])
    if is_content == (mark.kind == "content"):
        return None
    name = "content" if is_content else "noise"
    return f"{shown} is {name}, not {mark.kind}: {verdict.reason(index)}"


def find_block(document: Document, xpath: str, text: str) -> int | None:
    """Return the block of a text at an XPath, or of that text anywhere; None if there is none."""
    blocks = document.segments
    try:
        at_row = np.flatnonzero(blocks.node == find_row(document.page, xpath)).tolist()
    except InputError:
        at_row = []
    for index in (*at_row, *range(len(blocks))):
        if collapse_spaces(blocks.text(index)) == text:
            return int(index)
    return None


def _check_region(records: Records, mark: Mark) -> str | None:
    if len(records) == mark.rows and records.xpath == mark.xpath:
        return None
    return (
        f"{len(records)} records at {records.xpath or 'no element'}, not {mark.rows} at "
        f"{mark.xpath}: {records.reason}"
    )


def _check_column(records: Records, mark: Mark) -> str | None:
    name, *values = mark.values
    field = next((field for field in records.fields if field.name == name), None)
    if field is None:
        return f"there is no column {name}: {', '.join(field.name for field in records.fields)}"
    if list(first_texts(field.texts)) != values:
        return f"the column {name} begins with {list(first_texts(field.texts))}, not {values}"
    return None


def first_texts(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the first values of a column, as they are compared."""
    return tuple(collapse_spaces(text) for text in texts[:_MAX_VALUES])


def mark_block(document: Document, index: int, rule: str, kind: str) -> Mark:
    """Return the mark on a block of a page."""
    blocks = document.segments
    xpath = row_xpath(document.page, int(blocks.node[index]))
    return Mark(rule, kind, xpath, collapse_spaces(blocks.text(index)))


def mark_region(records: Records, rule: str) -> Mark:
    """Return the mark on a region of records."""
    return Mark(rule, "region", records.xpath or "", rows=len(records))


def mark_column(records: Records, rule: str, name: str) -> Mark:
    """Return the mark on a column of records, which has its new name."""
    field = next((field for field in records.fields if field.name == name), None)
    if field is None:
        raise InputError(f"there is no column {name}")
    return Mark(rule, "column", records.xpath or "", values=(name, *first_texts(field.texts)))
