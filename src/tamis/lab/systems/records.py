"""Systems that read records: tamis, two baselines, and extruct for pages with markup.

An answer is a table of cells as JSON: a list of rows of texts, "" where a record lacks a field. The
baselines are MDR's idea (Liu, Grossman and Zhai 2003), and siblings of one class. MDR compares
neighbouring groups of siblings by the edit distance of their tags; a run of similar groups is a
data region, each group a record. Of the regions the one with most text is the answer here, as MDR
itself does not choose.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from typing import Any, Final

import numpy as np

from tamis.errors import Unavailable, unavailable
from tamis.lab.datasets import Item
from tamis.lab.systems.methods import Answer, Extractor, System
from tamis.lab.versions import peer_version
from tamis.page import Page, parse, tags
from tamis.pipeline import extract, look_up
from tamis.records import Records

_MAX_SIBLINGS: Final = 3  # siblings that one record can be
_MAX_DISTANCE: Final = (
    0.3  # greatest normalised distance of two that are alike, the paper's threshold
)
_MAX_TAGS: Final = 200  # tags of a group that are compared

_Group = tuple[int, int]  # first row, stop row
_MdrRows = Sequence[Sequence[str]]


def mdr_records(page: Page) -> _MdrRows:
    """Return the records of the data region with most text."""
    best: list[_Group] = max(
        _data_regions(page), key=lambda region: _count_characters(page, region), default=[]
    )
    return _text_table(page, best)


def sibling_records(page: Page) -> _MdrRows:
    """Return the largest group, by text, of siblings of one tag and class."""
    groups: defaultdict[tuple[int, int, int], list[_Group]] = defaultdict(list)
    for row in np.flatnonzero((page.tag != tags.TEXT) & (page.below(page.chars) > 0)).tolist():
        key = (int(page.parent[row]), int(page.tag[row]), int(page.class_key[row]))
        groups[key].append((row, int(page.end[row])))
    several = [group for group in groups.values() if len(group) > 2]
    return _text_table(
        page, max(several, key=lambda group: _count_characters(page, group), default=[])
    )


def _data_regions(page: Page) -> Iterator[list[_Group]]:
    """Yield the data regions of a page, from the root down; inside one none is looked for."""
    children: defaultdict[int, list[int]] = defaultdict(list)
    for row in np.flatnonzero((page.tag != tags.TEXT) & (page.below(page.chars) > 0)).tolist():
        children[int(page.parent[row])].append(row)
    waiting = [0]
    while waiting:
        inner = children.get(waiting.pop(), [])
        region = _longest_run(page, inner)
        if region:
            yield region
        covered = {row for first, stop in region for row in inner if first <= row < stop}
        waiting += [row for row in inner if row not in covered]


def _longest_run(page: Page, siblings: Sequence[int]) -> list[_Group]:
    """Return the run of like groups that holds most siblings; larger groups must hold more."""
    best: list[_Group] = []
    held = 1
    for size in range(1, _MAX_SIBLINGS + 1):
        for offset in range(size):
            groups = [
                (siblings[at], int(page.end[siblings[at + size - 1]]))
                for at in range(offset, len(siblings) - size + 1, size)
            ]
            for run in _similar_runs(page, groups):
                if len(run) * size > held:
                    best, held = run, len(run) * size
    return best


def _similar_runs(page: Page, groups: Sequence[_Group]) -> Iterator[list[_Group]]:
    """Yield the runs of neighbouring groups that are alike."""
    run: list[_Group] = []
    for group in groups:
        if run and not _is_similar(page, run[-1], group):
            if len(run) > 1:
                yield run
            run = []
        run.append(group)
    if len(run) > 1:
        yield run


def _is_similar(page: Page, one: _Group, other: _Group) -> bool:
    """Say whether the tags of two groups are nearly the same."""
    try:
        from rapidfuzz.distance import Levenshtein
    except ImportError as error:
        raise unavailable("mdr needs rapidfuzz", "evaluate") from error
    first, second = (page.tag[a : min(b, a + _MAX_TAGS)].tobytes() for a, b in (one, other))
    return bool(
        Levenshtein.normalized_distance(first, second, score_cutoff=_MAX_DISTANCE) <= _MAX_DISTANCE
    )


def _count_characters(page: Page, groups: Sequence[_Group]) -> int:
    """Return how many characters groups hold."""
    return sum(int(page.chars[first:stop].sum()) for first, stop in groups)


def _text_table(page: Page, groups: Sequence[_Group]) -> _MdrRows:
    """Return the texts of groups by the order in which they come, the same number in each row."""
    rows = []
    for first, stop in groups:
        texts = np.flatnonzero(page.visible[first:stop]) + first
        rows.append([page.text[page.text_start[row] : page.text_stop[row]] for row in texts])
    width = max(map(len, rows), default=0)
    return [[*row, *[""] * (width - len(row))] for row in rows if row]


_Rows = Sequence[Sequence[str]]
_Reader = Callable[[str], _Rows]

_MIN_ITEMS: Final = 2  # of one type, to be a list


def record_cells(records: Records) -> _Rows:
    """Return the cells of records as they stand in the page, labels too; addresses are no cells.

    Folded columns are among them: the truth has buttons and rare texts as well.
    """
    shown: list[Sequence[str]] = []
    for field in records.all_fields:
        if field.label:
            shown.append([field.label if row >= 0 else "" for row in field.rows])
        if any(field.texts):
            shown.append(field.texts)
    return [list(row) for row in zip(*shown, strict=True)]


def _read_by_tamis(html: str) -> _Rows:
    """Return the records of the default method."""
    return record_cells(extract(html).records)


def _read_by_structure(html: str) -> _Rows:
    """Return the records of a method that knows no chances of content: by repetition alone."""
    return record_cells(extract(html, method="tagwindow").records)


def _read_by_mdr(html: str) -> _Rows:
    """Return the records of an MDR-style miner."""
    return mdr_records(parse(html))


def _read_by_siblings(html: str) -> _Rows:
    """Return the largest group of siblings of one tag and class."""
    return sibling_records(parse(html))


def read_by_extruct(html: str) -> _Rows:
    """Return the largest group of items of one type in the page's microdata and JSON-LD."""
    import extruct

    markup = extruct.extract(html, syntaxes=["microdata", "json-ld"], uniform=True)
    groups: dict[str, list[Any]] = {}
    waiting = [*markup["microdata"], *markup["json-ld"]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            groups.setdefault(str(node.get("@type")), []).append(node)
            waiting += node.values()
    rows = max((group for kind, group in groups.items() if kind != "None"), key=len, default=[])
    if len(rows) < _MIN_ITEMS:
        return []
    names = sorted({key for row in rows for key in row if not key.startswith("@")})
    return [[_flatten(row.get(name)) for name in names] for row in reversed(rows)]


def _flatten(value: Any) -> str:
    """Return a property of an item as one text; addresses are no cells."""
    if isinstance(value, dict):
        return " ".join(
            filter(None, (_flatten(inner) for key, inner in value.items() if key[0] != "@"))
        )
    if isinstance(value, list):
        return " ".join(map(_flatten, value))
    text = "" if value is None else str(value)
    return "" if text.startswith(("http:", "https:", "//")) else text


RECORD_METHODS: Final[Mapping[str, _Reader]] = {
    "records": _read_by_tamis,
    "records-structure": _read_by_structure,
}
RECORD_PEERS: Final[Mapping[str, _Reader]] = {
    "mdr": _read_by_mdr,
    "siblings": _read_by_siblings,
    "extruct": read_by_extruct,
}


def record_systems(
    method_names: Sequence[str], peer_names: Sequence[str], version: str
) -> tuple[list[System], list[str]]:
    """Return systems by name, and why some peers are left out."""
    systems = [
        _record_system(name, look_up(RECORD_METHODS, name, "method"), version)
        for name in method_names
    ]
    missing: list[str] = []
    for name in peer_names:
        reader = look_up(RECORD_PEERS, name, "peer")
        try:
            systems.append(_record_system(name, reader, _peer_version(name), is_peer=True))
        except Unavailable as error:
            missing.append(str(error))
    return systems, missing


def _peer_version(name: str) -> str:
    """Return what the answers of a peer depend on."""
    if name != "extruct":
        return peer_version(from_html=True)
    try:
        return f"extruct {metadata.version('extruct')} {peer_version(from_html=False)}"
    except metadata.PackageNotFoundError as error:
        raise unavailable("extruct is not installed", "evaluate") from error


def _record_system(name: str, reader: _Reader, version: str, *, is_peer: bool = False) -> System:
    """Return a reader of records as a system."""

    @contextmanager
    def started() -> Iterator[Extractor]:
        yield answer

    def answer(html: str, _: Item) -> Answer:
        return Answer(json.dumps(reader(html), ensure_ascii=False))

    return System(name, version, started, is_peer=is_peer)
