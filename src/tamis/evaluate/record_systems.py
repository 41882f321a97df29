"""Systems that read records: tamis, two baselines, and extruct for pages with markup.

An answer is a table of cells as JSON: a list of rows of texts, "" where a record lacks a field.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import metadata
from typing import Any, Final

from tamis.content.records import Records
from tamis.errors import Unavailable, unavailable
from tamis.evaluate.cache import peer_version
from tamis.evaluate.datasets import Item
from tamis.evaluate.mdr import mdr_records, sibling_records
from tamis.evaluate.systems import Answer, Extractor, System
from tamis.page import parse
from tamis.pipeline import extract, named

Rows = Sequence[Sequence[str]]
Reader = Callable[[str], Rows]

LEAST_ITEMS: Final = 2  # of one type, to be a list


def cells(records: Records) -> Rows:
    """Return the cells of records as they stand in the page, labels too; addresses are no cells."""
    shown: list[Sequence[str]] = []
    for field in records.fields:
        if field.label:
            shown.append([field.label if row >= 0 else "" for row in field.rows])
        if any(field.texts):
            shown.append(field.texts)
    return [list(row) for row in zip(*shown, strict=True)]


def by_tamis(html: str) -> Rows:
    """Return the records of the default method."""
    return cells(extract(html).records)


def by_structure(html: str) -> Rows:
    """Return the records of a method that knows no chances of content: by repetition alone."""
    return cells(extract(html, method="tagwindow").records)


def by_mdr(html: str) -> Rows:
    """Return the records of an MDR-style miner."""
    return mdr_records(parse(html))


def by_siblings(html: str) -> Rows:
    """Return the largest group of siblings of one tag and class."""
    return sibling_records(parse(html))


def by_extruct(html: str) -> Rows:
    """Return the largest group of items of one type in the page's microdata and JSON-LD."""
    import extruct

    found = extruct.extract(html, syntaxes=["microdata", "json-ld"], uniform=True)
    groups: dict[str, list[Any]] = {}
    waiting = [*found["microdata"], *found["json-ld"]]
    while waiting:
        node = waiting.pop()
        if isinstance(node, list):
            waiting += node
        elif isinstance(node, dict):
            groups.setdefault(str(node.get("@type")), []).append(node)
            waiting += node.values()
    rows = max((group for kind, group in groups.items() if kind != "None"), key=len, default=[])
    if len(rows) < LEAST_ITEMS:
        return []
    names = sorted({key for row in rows for key in row if not key.startswith("@")})
    return [[flat(row.get(name)) for name in names] for row in reversed(rows)]


def flat(value: Any) -> str:
    """Return a property of an item as one text; addresses are no cells."""
    if isinstance(value, dict):
        return " ".join(
            filter(None, (flat(inner) for key, inner in value.items() if key[0] != "@"))
        )
    if isinstance(value, list):
        return " ".join(map(flat, value))
    text = "" if value is None else str(value)
    return "" if text.startswith(("http:", "https:", "//")) else text


METHODS: Final[Mapping[str, Reader]] = {"records": by_tamis, "records-structure": by_structure}
PEERS: Final[Mapping[str, Reader]] = {
    "mdr": by_mdr,
    "siblings": by_siblings,
    "extruct": by_extruct,
}


def record_systems(
    method_names: Sequence[str], peer_names: Sequence[str], version: str
) -> tuple[list[System], list[str]]:
    """Return systems by name, and why some peers are left out."""
    systems = [system(name, named(METHODS, name, "method"), version) for name in method_names]
    missing: list[str] = []
    for name in peer_names:
        reader = named(PEERS, name, "peer")
        try:
            systems.append(system(name, reader, version_of(name), is_peer=True))
        except Unavailable as error:
            missing.append(str(error))
    return systems, missing


def version_of(name: str) -> str:
    """Return what the answers of a peer depend on."""
    if name != "extruct":
        return peer_version(from_html=True)
    try:
        return f"extruct {metadata.version('extruct')} {peer_version(from_html=False)}"
    except metadata.PackageNotFoundError as error:
        raise unavailable("extruct is not installed", "evaluate") from error


def system(name: str, reader: Reader, version: str, *, is_peer: bool = False) -> System:
    """Return a reader of records as a system."""

    @contextmanager
    def started() -> Iterator[Extractor]:
        yield answer

    def answer(html: str, _: Item) -> Answer:
        return Answer(json.dumps(reader(html), ensure_ascii=False))

    return System(name, version, started, is_peer=is_peer)
