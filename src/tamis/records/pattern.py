"""Pattern: what the records of one page look like, to find them on further pages of its site."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from tamis.errors import InputError
from tamis.files import write_whole
from tamis.page import Page
from tamis.records.ads import drop_separators
from tamis.records.fields import Field
from tamis.records.pattern_fields import (
    FieldPattern,
    RowPaths,
    check_paths,
    describe_fields,
    fit_fields,
)
from tamis.records.records import Records
from tamis.records.regions import Region, find_regions, find_regions_at
from tamis.records.structured_data import read_listed_items
from tamis.records.tables import is_header_row

_FORMAT: Final = "tamis records 2"
_OLD_FORMAT: Final = "tamis records 1"  # had no way to distinguish columns on one path
_MIN_SHARE: Final = 0.5  # share of a pattern's fields that a page must have
_SAME_PATH_BONUS: Final = 0.25  # for records on the paths of the pattern


@dataclass(frozen=True)
class Pattern:
    """The records of a site: the paths of their elements, the most frequent first, and fields."""

    paths: tuple[str, ...]
    fields: tuple[FieldPattern, ...]
    url: str | None = None  # of the page that it was learned from

    @staticmethod
    def learn(records: Records) -> Pattern:
        """Return the pattern of records."""
        region = records.region
        if region is None:
            raise InputError(f"there are no records to learn from: {records.reason}")
        paths = RowPaths(region.page)
        page_fields = describe_fields(region, records.fields, paths, paths.cell_positions(region))
        fields = tuple(page_field.to_pattern() for page_field in page_fields)
        return Pattern(paths.record_paths(region), fields, region.page.url)

    def apply(self, page: Page) -> Records:
        """Return the records of a page that fit the pattern, with the pattern's names and types.

        They are what repeats on the page, or the elements on the paths of the pattern, even a
        single one. Empty, with a reason, if nothing has at least half of the fields.
        """
        paths = RowPaths(page)
        rows = [row for row in paths.find_rows(self.paths) if not is_header_row(page, row)]
        records = self._find_best_fit(paths, _candidate_regions(page, rows))
        if records:
            return records
        similar = [row for row in rows if self._fits_element(paths, row)]
        if not similar:
            return records
        return self._find_best_fit(paths, find_regions_at(page, similar))

    def _find_best_fit(self, paths: RowPaths, regions: Iterable[Region]) -> Records:
        """Return the records of the region that has most of the fields, if any has half of them."""
        best: Records | None = None
        best_score = max_share = 0.0
        listed_items = read_listed_items(paths.page)
        for region in map(drop_separators, regions):
            if best is not None and len(region) == 1:
                continue  # it is beside the list
            records = Records(region, "", listed_items=listed_items)
            fields = fit_fields(self.fields, records, paths)
            share = self._fitting_share(fields)
            max_share = max(max_share, share)
            is_on_path = paths.path(region.typical_row) in self.paths
            score = share + _SAME_PATH_BONUS * is_on_path
            if share >= _MIN_SHARE and score > best_score:
                reason = f"{share:.2f} of the pattern's fields"
                best = Records(region, reason, is_main=True, pattern_fields=fields)
                best_score = score
            if best_score >= 1 + _SAME_PATH_BONUS:
                break
        if best is None:
            detail = f"{max_share:.2f} of its fields are on this page at most"
            return Records(None, f"the pattern no longer fits, {detail}: learn it anew")
        return best

    def _fits_element(self, paths: RowPaths, row: int) -> bool:
        """Say whether an element has rows on the paths of at least half of the fields."""
        inside = paths.paths_inside(row)
        fields = [field for field in self.fields if field.kind == "column" and field.type != "flag"]
        count = sum(not inside.isdisjoint(field.paths) for field in fields)
        return count >= _MIN_SHARE * len(fields)

    def _fitting_share(self, fields: Sequence[Field]) -> float:
        """Return the share of fields that a page has; flags do not count, as it may have none."""
        pairs = zip(self.fields, fields, strict=True)
        has_field = [
            any(row >= 0 for row in field.rows)
            for pattern, field in pairs
            if pattern.type != "flag"
        ]
        return sum(has_field) / max(1, len(has_field))

    def as_dict(self) -> dict[str, Any]:
        """Return the pattern as plain data."""
        fields = tuple(field.as_dict() for field in self.fields)
        return {"paths": self.paths, "fields": fields, "url": self.url}

    @staticmethod
    def is_outdated(data: dict[str, Any]) -> bool:
        """Say whether plain data is a pattern of an older version, which cannot be read."""
        return "record" in data

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Pattern:
        """Return the pattern of plain data; ValueError, TypeError or KeyError if it is none."""
        fields = tuple(FieldPattern.from_dict(field) for field in data["fields"])
        paths, url = check_paths(data["paths"]), data.get("url")
        if not fields or not paths or not isinstance(url, str | None):
            raise ValueError("a pattern needs paths and fields, and its url is a text")
        return Pattern(paths, fields, url)

    def save(self, path: str | Path) -> None:
        """Write the pattern as JSON."""
        data = {"format": _FORMAT, **self.as_dict()}
        write_whole(Path(path), json.dumps(data, ensure_ascii=False, indent=2) + "\n")

    @staticmethod
    def load(path: str | Path) -> Pattern:
        """Read a pattern from a file."""
        path = Path(path)
        try:
            data: Any = json.loads(path.read_text(encoding="utf-8"))
            json.dumps(data, ensure_ascii=False).encode()  # "\\ud800" is half a character
            file_format = data.pop("format")
            if file_format == _OLD_FORMAT:
                raise InputError(
                    f"{path} is of an older version: learn it anew, tamis records learn"
                )
            if file_format != _FORMAT:
                raise ValueError
            return Pattern.from_dict(data)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{path} is no pattern: make one with tamis records learn") from error


def _candidate_regions(page: Page, rows: Sequence[int]) -> Iterator[Region]:
    """Yield the regions of a page that repeat, then those whose records are given elements."""
    yield from find_regions(page)
    yield from find_regions_at(page, rows)
