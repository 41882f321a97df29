"""Pattern: what the records of one page look like, to find them on further pages of the site."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Final

from tamis.blocks.regions import regions
from tamis.content.records.fields import Field
from tamis.content.records.odd import proper_records
from tamis.content.records.records import Records
from tamis.content.records.values import Type
from tamis.errors import InputError
from tamis.files import write_whole
from tamis.page import Page, tags
from tamis.page.attributes import attributes

FORMAT: Final = "tamis records 1"
FITS: Final = 0.5  # share of a pattern's fields that a page must have
AT_HOME: Final = 0.25  # what it counts if the records are where the pattern's were


@dataclass(frozen=True)
class FieldPattern:
    """A field: its name and type, and the path of its values below the record."""

    name: str
    type: Type
    path: str


@dataclass(frozen=True)
class Pattern:
    """The records of a site: the path of their elements, and their fields."""

    record: str
    fields: tuple[FieldPattern, ...]
    url: str | None = None  # of the page that it was learned from

    @staticmethod
    def learn(records: Records) -> Pattern:
        """Return the pattern of records that were found."""
        if records.region is None:
            raise InputError(f"there are no records to learn from: {records.reason}")
        region = records.region
        fields = tuple(
            FieldPattern(field.name, field.type, path)
            for field in records.fields
            if (path := field_path(records, field))
        )
        return Pattern(path_of(region.page, region.typical), fields, region.page.url)

    def apply(self, page: Page) -> Records:
        """Return the records of a page that fit the pattern, with the pattern's names and types.

        Empty, with a reason, where no region of the page has at least half of the fields.
        """
        best: Records | None = None
        likest = most = 0.0
        for region in regions(page):
            found = Records(proper_records(region), "")
            fields, share = self.fitted(found)
            most = max(most, share)
            likeness = share + AT_HOME * (path_of(page, region.typical) == self.record)
            if share >= FITS and likeness > likest:
                said = f"{share:.2f} of the pattern's fields"
                best, likest = Records(found.region, said, is_main=True, known=fields), likeness
        if best is None:
            said = f"{most:.2f} of its fields are on this page at most"
            return Records(None, f"the pattern no longer fits, {said}: learn it anew")
        return best

    def fitted(self, records: Records) -> tuple[tuple[Field, ...], float]:
        """Return records' fields by the pattern's names, and the share of them that there are."""
        here = {(field_path(records, field), str(field.type)): field for field in records.fields}
        count = len(records)
        fields = []
        for wanted in self.fields:
            field = here.get((wanted.path, wanted.type))
            blank = Field(wanted.name, wanted.type, (None,) * count, ("",) * count, (-1,) * count)
            fields.append(replace(field, name=wanted.name) if field else blank)
        found = sum(any(row >= 0 for row in field.rows) for field in fields)
        return tuple(fields), found / max(1, len(fields))

    def as_dict(self) -> dict[str, Any]:
        """Return the pattern as plain data."""
        return asdict(self)

    @staticmethod
    def of(data: dict[str, Any]) -> Pattern:
        """Return the pattern that plain data stands for; ValueError or TypeError if for none."""
        fields = tuple(FieldPattern(**field) for field in data["fields"])
        words = [data["record"], *(word for field in fields for word in vars(field).values())]
        if not fields or not all(isinstance(word, str) for word in words):
            raise ValueError("a pattern needs a record and fields, each with name, type and path")
        return Pattern(data["record"], fields, data.get("url"))

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
            if data.pop("format") != FORMAT:
                raise ValueError
            return Pattern.of(data)
        except OSError as error:
            raise InputError(f"cannot read {path}: {error.strerror or error}") from error
        except (ValueError, KeyError, TypeError, AttributeError, RecursionError) as error:
            raise InputError(f"{path} is no pattern: make one with tamis records learn") from error


def field_path(records: Records, field: Field) -> str:
    """Return the path below the record that most values of a field have."""
    region = records.region
    if region is None:
        return ""
    depth = region.level
    paths = Counter(path_of(region.page, row, depth) for row in field.rows if row >= 0)
    return max(paths, key=lambda path: (paths[path], path)) if paths else ""


def path_of(page: Page, row: int, depth: int = 0) -> str:
    """Return names and classes of the elements from a depth down to a row."""
    steps: list[str] = []
    while row >= 0 and page.depth[row] >= depth:
        if page.tag[row] != tags.TEXT:
            steps.append(step_of(page, row))
        row = int(page.parent[row])
    return "/".join(reversed(steps))


def step_of(page: Page, row: int) -> str:
    """Return the name of an element with its first class, digits aside."""
    classes: Sequence[str] = attributes(page, row).get("class", "").split()
    name = page.name(row)
    if not classes:
        return name
    return f"{name}.{''.join(char for char in classes[0] if not char.isdigit())}"
