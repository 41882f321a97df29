"""Pattern: what the records of one page look like, to find them on further pages of the site."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, get_args

from tamis.errors import InputError
from tamis.files import write_whole
from tamis.page import Page
from tamis.records.ads import drop_separators
from tamis.records.fields import Field
from tamis.records.pattern_fields import FieldPattern, Kind, Paths, Places, fitted
from tamis.records.records import Records
from tamis.records.regions import Region, find_regions, find_regions_at
from tamis.records.structured_data import read_listed_items
from tamis.records.tables import is_header
from tamis.values import Type

FORMAT: Final = "tamis records 2"
OLD_FORMAT: Final = "tamis records 1"  # did not tell columns on one path from each other
FITS: Final = 0.5  # share of a pattern's fields that a page must have
MOST_PLACES: Final = 2**31  # of cells on one path
AT_HOME: Final = 0.25  # what it counts if the records are where the pattern's were


@dataclass(frozen=True)
class Pattern:
    """The records of a site: the paths of their elements, the most frequent first, and fields."""

    paths: tuple[str, ...]
    fields: tuple[FieldPattern, ...]
    url: str | None = None  # of the page that it was learned from

    @staticmethod
    def learn(records: Records) -> Pattern:
        """Return the pattern of records that were found."""
        region = records.region
        if region is None:
            raise InputError(f"there are no records to learn from: {records.reason}")
        paths = Paths(region.page)
        seen = Places.of(region, paths).seen(records.fields)
        fields = tuple(one.pattern for one in seen)
        return Pattern(paths.record_paths(region), fields, region.page.url)

    def apply(self, page: Page) -> Records:
        """Return the records of a page that fit the pattern, with the pattern's names and types.

        They are what repeats on the page, or what stands where the pattern's records were, be it a
        single one. Empty, with a reason, where nothing has at least half of the fields.
        """
        paths = Paths(page)
        rows = [row for row in paths.on(self.paths) if not is_header(page, row)]
        found = self.likest(paths, candidates(page, rows))
        if found:
            return found
        alike = [row for row in rows if self.is_like(paths, row)]
        return self.likest(paths, find_regions_at(page, alike)) if alike else found

    def likest(self, paths: Paths, some: Iterable[Region]) -> Records:
        """Return the records of the region that has most of the fields, if any has half of them."""
        best: Records | None = None
        likest = most = 0.0
        witness = read_listed_items(paths.page)
        for region in map(drop_separators, some):
            if best is not None and len(region) == 1:
                continue  # it stands beside the list
            fields = fitted(self.fields, Records(region, "", witness=witness), paths)
            share = self.share(fields)
            most = max(most, share)
            likeness = share + AT_HOME * (paths.of(region.typical) in self.paths)
            if share >= FITS and likeness > likest:
                said = f"{share:.2f} of the pattern's fields"
                best, likest = Records(region, said, is_main=True, known=fields), likeness
            if likest >= 1 + AT_HOME:
                break
        if best is None:
            said = f"{most:.2f} of its fields are on this page at most"
            return Records(None, f"the pattern no longer fits, {said}: learn it anew")
        return best

    def is_like(self, paths: Paths, row: int) -> bool:
        """Say whether an element has something in the places of at least half of the fields."""
        held = paths.below(row)
        wanted = [one for one in self.fields if one.kind == "column" and one.type != "flag"]
        return sum(not held.isdisjoint(one.paths) for one in wanted) >= FITS * len(wanted)

    def share(self, fields: Sequence[Field]) -> float:
        """Return the share of fields that a page has; flags do not count, as it may have none."""
        pairs = zip(self.fields, fields, strict=True)
        counted = [
            any(row >= 0 for row in field.rows) for one, field in pairs if one.type != "flag"
        ]
        return sum(counted) / max(1, len(counted))

    def as_dict(self) -> dict[str, Any]:
        """Return the pattern as plain data."""
        return asdict(self)

    @staticmethod
    def is_old(data: dict[str, Any]) -> bool:
        """Say whether plain data is a pattern of an older version, which cannot be read."""
        return "record" in data

    @staticmethod
    def of(data: dict[str, Any]) -> Pattern:
        """Return the pattern that plain data stands for; ValueError or TypeError if for none."""
        fields = tuple(field_of(field) for field in data["fields"])
        paths, url = paths_of(data["paths"]), data.get("url")
        if not fields or not paths or not isinstance(url, str | None):
            raise ValueError("a pattern needs paths and fields, and its url is a text")
        return Pattern(paths, fields, url)

    def save(self, path: str | Path) -> None:
        """Write the pattern as JSON."""
        data = {"format": FORMAT, **self.as_dict()}
        write_whole(Path(path), json.dumps(data, ensure_ascii=False, indent=2) + "\n")

    @staticmethod
    def load(path: str | Path) -> Pattern:
        """Read a pattern that was saved."""
        path = Path(path)
        try:
            data: Any = json.loads(path.read_text(encoding="utf-8"))
            json.dumps(data, ensure_ascii=False).encode()  # "\\ud800" is half a character
            said = data.pop("format")
            if said == OLD_FORMAT:
                raise InputError(
                    f"{path} is of an older version: learn it anew, tamis records learn"
                )
            if said != FORMAT:
                raise ValueError
            return Pattern.of(data)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{path} is no pattern: make one with tamis records learn") from error


def candidates(page: Page, rows: Sequence[int]) -> Iterator[Region]:
    """Yield the regions of a page that repeat, then those whose records are given elements."""
    yield from find_regions(page)
    yield from find_regions_at(page, rows)


def field_of(data: dict[str, Any]) -> FieldPattern:
    """Return the field that plain data stands for; ValueError or TypeError if for none."""
    field = FieldPattern(**{**data, "paths": paths_of(data["paths"])})
    texts = (field.name, field.type, field.kind)
    known = (field.head, field.lead, field.word)
    numbers = (field.place, 0 if field.grid is None else field.grid)
    if not all(
        isinstance(text, str) for text in (*texts, *(one for one in known if one is not None))
    ):
        raise TypeError("a field needs a name, a type and a kind, which are texts")
    if field.type not in get_args(Type) or field.kind not in get_args(Kind):
        raise ValueError(f"there is no field of type {field.type!r} and kind {field.kind!r}")
    if not all(isinstance(number, int) and 0 <= number <= MOST_PLACES for number in numbers):
        raise TypeError(f"the place of a field is a number up to {MOST_PLACES:,}")
    return field


def paths_of(data: Any) -> tuple[str, ...]:
    """Return paths; TypeError or ValueError if they are none."""
    if not isinstance(data, (list, tuple)) or not all(isinstance(path, str) for path in data):
        raise TypeError("paths are a list of texts")
    return tuple(data)
