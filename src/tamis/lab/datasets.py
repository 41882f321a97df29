"""Data sets: pages with the truth about them, from a folder."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final

from tamis.errors import InputError, SourceError

_GOLD_NAMES: Final = ("gold.jsonl.gz", "gold.jsonl")
# What the truth about a page is, and the field that shows it. The first that fits counts.
_TRUTHS: Final = {
    "labelled": "segments",
    "segments": "blocks",
    "records": "records",
    "text": "main_content",
    "snippets": "with",
}
# Where each single character of Chinese or Japanese is a word, by the rules of the set itself; in
# Chinese text of other sets each Han character is a word and the rest counts as usual.
_BY_CHARACTER: Final = frozenset({"sites-dev", "news-dev"})
_WITHOUT_SPACES: Final = ("zh", "ja")
# Sets whose score is the mean over the pages of a site, then over sites.
_BY_GROUP: Final = frozenset({"sites-dev", "records-dev"})

GoldRow = Mapping[str, Any]


@dataclass(frozen=True)
class Item:
    """A page of a data set with the truth about it."""

    id: str
    path: Path
    url: str | None
    group: str  # pages of one group come from one site
    kind: str  # results are also given by kind
    lang: str | None
    tokens: str  # how words are counted, see metrics.TOKENS
    charset: str | None
    gold: GoldRow

    @property
    def html(self) -> str:
        """The page, decoded as the set says or, where it says nothing, as it looks."""
        data = read_unpacked(self.path)
        if self.charset:
            try:
                return data.decode(self.charset, "replace")
            except LookupError as error:
                raise InputError(f"page {self.id}: its gold has an {error}") from error
        from tamis.page import is_utf8, to_utf8

        return data.decode() if is_utf8(data) else to_utf8(data, None)[0].decode("utf-8", "replace")

    @property
    def stamp(self) -> str:
        """What changes when the page's file changes."""
        about = self.path.stat()
        return f"{about.st_size}-{about.st_mtime_ns}"


@dataclass(frozen=True)
class Dataset:
    """A set of pages with one kind of truth."""

    name: str
    truth: str  # a name of TRUTHS
    digest: str  # of the gold, to recognise the set by
    by_group: bool  # whether each group counts the same, however many pages it has
    items: tuple[Item, ...]

    def spread(self, count: int | None) -> Dataset:
        """Return a number of pages, evenly spread over the set and always the same."""
        if count is None or count >= len(self.items):
            return self
        step = len(self.items) / count
        return replace(self, items=tuple(self.items[int(n * step)] for n in range(count)))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The kinds of pages, the most frequent first."""
        counts: dict[str, int] = {}
        for item in self.items:
            counts[item.kind] = counts.get(item.kind, 0) + 1
        return tuple(sorted(counts, key=lambda kind: (-counts[kind], kind)))


def load(name: str) -> Dataset:
    """Load a data set by the path of its folder, or by its name under $TAMIS_BENCH."""
    folder = find_folder(name)
    data = read_unpacked(find_gold_file(folder))
    rows = list(_parse_rows(data, folder))
    if not rows:
        raise InputError(f"{folder}: its gold.jsonl has no rows; each page needs one")
    truth = _detect_truth(rows[0], folder)
    label = folder.resolve().name
    return Dataset(
        label,
        truth,
        hashlib.sha256(data).hexdigest(),
        label in _BY_GROUP,
        tuple(_build_item(row, folder, label, truth) for row in rows),
    )


def find_folder(name: str) -> Path:
    """Return the folder that a path or a name stands for."""
    bench = os.environ.get("TAMIS_BENCH")
    folders = [Path(name), *([Path(bench) / name] if bench else [])]
    for folder in folders:
        if folder.is_dir():
            return folder
    hint = (
        f"{bench} has {', '.join(list_datasets(Path(bench))) or 'no data sets'}"
        if bench
        else "name its folder, or set TAMIS_BENCH to the folder that holds it"
    )
    raise InputError(f"no data set {name!r}: {hint}")


def list_datasets(bench: Path) -> list[str]:
    """Return the names of the data sets in a folder."""
    if not bench.is_dir():
        return []
    return sorted(
        p.name for p in bench.iterdir() if any((p / gold).is_file() for gold in _GOLD_NAMES)
    )


def find_gold_file(folder: Path) -> Path:
    """Return the file with the truth."""
    for name in _GOLD_NAMES:
        if (folder / name).is_file():
            return folder / name
    raise InputError(
        f"{folder} is no data set: it has no gold.jsonl or gold.jsonl.gz "
        "(one row per page, with id and main_content)"
    )


def read_unpacked(path: Path) -> bytes:
    """Return the bytes of a file, unpacked if its name ends in .gz."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if path.suffix == ".gz" else data
    except (OSError, EOFError, zlib.error) as error:
        raise SourceError(f"cannot read {path}: {error}") from error


def _parse_rows(data: bytes, folder: Path) -> Iterator[GoldRow]:
    """Yield the rows of the gold; each has an id."""
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise InputError(f"{folder}: line {number} of its gold is not JSON: {error}") from error
        if not isinstance(row, dict) or not isinstance(row.get("id"), str):
            raise InputError(f"{folder}: line {number} of its gold needs an id, as a string")
        yield row


def _detect_truth(row: GoldRow, folder: Path) -> str:
    """Return the kind of truth that a row of the gold has."""
    for truth, field in _TRUTHS.items():
        if field in row:
            return truth
    raise InputError(f"{folder}: its gold has none of the fields {', '.join(_TRUTHS.values())}")


def _build_item(row: GoldRow, folder: Path, name: str, truth: str) -> Item:
    """Return the page of a row of the gold."""
    identifier, lang = row["id"], row.get("lang") or row.get("language")
    if _TRUTHS[truth] not in row:
        raise InputError(f"{folder}: page {identifier} has no {_TRUTHS[truth]}")
    tokens = "words"
    if lang in _WITHOUT_SPACES and name in _BY_CHARACTER:
        tokens = "characters"
    elif lang == "zh":
        tokens = "han"
    site = row.get("domain") or row.get("site") or row.get("host")
    by_site = name in _BY_GROUP and truth != "records"  # of those there are too many
    kinds = ("site", "lang") if by_site else ("page_type", "lang", "category")
    return Item(
        identifier,
        _find_page_file(folder, row),
        row.get("url"),
        site or identifier,
        next((str(row[kind]) for kind in kinds if row.get(kind)), "page"),
        lang,
        tokens,
        row.get("charset"),
        row,
    )


def _find_page_file(folder: Path, row: GoldRow) -> Path:
    """Return the file of a page."""
    for relative in _page_paths(row):
        for path in (folder / f"{relative}.gz", folder / relative):
            if path.is_file():
                return path
    raise InputError(
        f"{folder}: the page {row['id']} is missing; it should be "
        f"{folder / 'html' / row['id']}.html (or .html.gz)"
    )


def _page_paths(row: GoldRow) -> Sequence[str]:
    """Return where the page of a row may be, relative to the folder of the set."""
    identifier = row["id"]
    paths = [f"html/{identifier}.html", f"{identifier}.html", f"pages/{identifier}/page.html"]
    if row.get("site"):
        paths.append(f"{row['site']}/{identifier}.html")
    if isinstance(row.get("page"), str):
        paths.insert(0, row["page"].removesuffix(".gz"))
    return paths
