"""Fields of a pattern: where they are in a record, and which field of a page is which of them.

A field is recognised by the paths of its values, by its header or label, and by its type. Its
values are read by the pattern's type.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import asdict, dataclass, replace
from dataclasses import field as dataclass_field
from typing import Any, Final, Literal, get_args

import numpy as np

from tamis.page import Page, tags
from tamis.records import column_names
from tamis.records.fields import Field
from tamis.records.links import find_alt_texts, find_image_urls
from tamis.records.records import Records
from tamis.records.regions import Region
from tamis.records.tables import find_header_names, is_table
from tamis.values import MIN_TYPE_SHARE, Type, Value, parse_column

_MIN_ON_PATH_SHARE: Final = 0.5  # share of a field's values on the paths of the pattern's field

_IMG: Final = tags.CODE["img"]
_DIGITS_AND_SLASHES: Final = str.maketrans("", "", "0123456789/")

_FieldKind = Literal["column", "currency", "url", "sponsored"]
_MAX_INDEX: Final = 2**31  # of cells on one path
_DERIVED_KINDS: Final[dict[Type, _FieldKind]] = {
    "text": "currency",
    "url": "url",
    "flag": "sponsored",
}
# The names of attributes in files, where they differ.
_FILE_KEYS: Final = {
    "index": "place",
    "table_column": "grid",
    "header": "head",
    "prefix": "lead",
    "flag_text": "word",
}
_ATTRIBUTES: Final = {key: name for name, key in _FILE_KEYS.items()}

_CellPosition = tuple[str, int]  # the path of a cell below its record, and its index on this path


# Paths ------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class RowPaths:
    """The paths of a page's rows as texts. A step is a tag with its first class, digits aside."""

    page: Page
    _paths: dict[tuple[int, int], str] = dataclass_field(default_factory=dict)  # by row and depth
    _steps: dict[tuple[str, int], str] = dataclass_field(
        default_factory=dict
    )  # by tag and class key

    def path(self, row: int, depth: int = 0) -> str:
        """Return the path from a depth down to a row; of the element at that depth only the tag.

        That element is a record, and its class often tells no more than odd or even.
        """
        key = row, depth
        if key in self._paths:
            return self._paths[key]
        page = self.page
        steps: list[str] = []
        while row >= 0 and page.depth[row] >= depth:
            if page.tag[row] != tags.TEXT:
                is_record = depth > 0 and page.depth[row] == depth
                steps.append(page.name(row) if is_record else self._step(row))
            row = int(page.parent[row])
        self._paths[key] = "/".join(reversed(steps))
        return self._paths[key]

    def _step(self, row: int) -> str:
        page, tag = self.page, self.page.name(row)
        key = tag, int(page.class_key[row])
        if key not in self._steps:
            names = page.source[page.class_start[row] : page.class_stop[row]].split()
            step = tag
            if names:
                first_name = names[0].decode("utf-8", "replace").translate(_DIGITS_AND_SLASHES)
                step = f"{tag}.{first_name}"
            self._steps[key] = step
        return self._steps[key]

    def record_paths(self, region: Region) -> tuple[str, ...]:
        """Return the paths of the records in a list, the most frequent first."""
        listed = region.start[self.page.depth[region.start] == region.record_depth]
        counts = Counter(self.path(row) for row in listed.tolist())
        return tuple(path for path, _ in counts.most_common())

    def paths_inside(self, row: int) -> set[str]:
        """Return the paths of an element and of all elements in it, from this element down."""
        page, depth = self.page, int(self.page.depth[row])
        inside = range(row, int(page.end[row]))
        return {self.path(inner, depth) for inner in inside if page.tag[inner] != tags.TEXT}

    def find_rows(self, paths: tuple[str, ...]) -> list[int]:
        """Return the elements on given paths, which have all one depth."""
        page, depth = self.page, paths[0].count("/")
        names = {path.rpartition("/")[2].partition(".")[0] for path in paths}
        codes = [tags.CODE.get(name, tags.OTHER) for name in names]
        candidates = np.flatnonzero(np.isin(page.tag, codes) & (page.depth == depth))
        return [row for row in candidates.tolist() if self.path(row) in paths]

    def cell_positions(self, region: Region) -> dict[int, _CellPosition]:
        """Return the position of each cell of a region by its first row.

        Cells on one path are distinguished by their index in the record; in a table, by their index
        in the table cell.
        """
        is_in_table = is_table(region)
        positions: dict[int, _CellPosition] = {}
        counts: defaultdict[tuple[int, str, int], int] = defaultdict(int)
        depth = self.page.depth[region.start].tolist()
        elements = region.cells.element[region.cell].tolist()
        rows = region.cells.first_row[region.cell].tolist()
        for record, element, row in zip(region.record.tolist(), elements, rows, strict=True):
            path = self.path(element, depth[record])
            table_cell = self._find_ancestor(element, depth[record] + 1) if is_in_table else 0
            key = record, path, table_cell
            positions[row] = path, counts[key]
            counts[key] += 1
        return positions

    def _find_ancestor(self, row: int, depth: int) -> int:
        """Return the element of a depth that a row is or lies in."""
        while self.page.depth[row] > depth:
            row = int(self.page.parent[row])
        return row


# Fields of a pattern ----------------------------------------------------------------------------


@dataclass(frozen=True)
class FieldPattern:
    """A field of a pattern: its name and type, and where its values are in a record.

    `paths` are those of its values below the record, the most frequent first. `index` is the index
    among the cells on one path, in the record or in the table cell of the column `table_column`.
    `kind` tells fields that are derived from others: a currency, a URL, the mark of an
    advertisement. `header` is the name that a header or a label gives it, `prefix` what all its
    texts begin with, `flag_text` the text of a flag.
    """

    name: str
    type: Type
    paths: tuple[str, ...]
    index: int = 0
    kind: _FieldKind = "column"
    table_column: int | None = None
    header: str | None = None
    prefix: str | None = None
    flag_text: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the field as plain data, by the keys that files have."""
        return {_FILE_KEYS.get(name, name): value for name, value in asdict(self).items()}

    @staticmethod
    def from_dict(data: dict[str, Any]) -> FieldPattern:
        """Return the field of plain data; ValueError, TypeError or KeyError if it is none."""
        attributes = {_ATTRIBUTES.get(key, key): value for key, value in data.items()}
        attributes["paths"] = check_paths(data["paths"])
        pattern = FieldPattern(**attributes)
        optional_texts = (pattern.header, pattern.prefix, pattern.flag_text)
        texts = (pattern.name, *(text for text in optional_texts if text is not None))
        if not all(isinstance(text, str) for text in texts):
            raise TypeError("the name, header, prefix and flag of a field are texts")
        if pattern.type not in get_args(Type) or pattern.kind not in get_args(_FieldKind):
            raise ValueError(f"no field has type {pattern.type!r} and kind {pattern.kind!r}")
        column = 0 if pattern.table_column is None else pattern.table_column
        for number in (pattern.index, column):
            if not isinstance(number, int) or not 0 <= number <= _MAX_INDEX:
                raise TypeError(f"the index of a field is a number up to {_MAX_INDEX:,}")
        return pattern

    def rate_match(self, other: _PageField) -> int:
        """Return how surely a field of a page is this one; 0 if it is not.

        Its header or label tells most. In a table the column tells which field it is. Elsewhere a
        missing value moves those after it, so that the type tells more than the index.
        """
        if self.kind != other.kind:
            return 0
        is_on_path = self._is_on_path(other)
        if self._has_same_header(other) and (is_on_path or self.table_column is not None):
            return 6 if is_on_path else 5
        if self.kind != "column":
            return 2 if is_on_path else 1
        if not is_on_path or (self.header and other.header):
            return 0
        has_same_type = self.type == other.field.type
        position = (self.table_column, self.index)
        has_same_position = position == (other.field.table_column, other.index)
        if has_same_type and (has_same_position or self.table_column is None):
            return 4 if has_same_position else 3
        return 2 if has_same_position else 0

    def _is_on_path(self, other: _PageField) -> bool:
        count = sum(other.paths[path] for path in self.paths)
        return count >= _MIN_ON_PATH_SHARE * max(1, other.paths.total())

    def _has_same_header(self, other: _PageField) -> bool:
        if self.prefix is not None and other.prefix is None:
            texts = [text for text in other.field.texts if text]
            return bool(texts) and all(text.startswith(self.prefix) for text in texts)
        return self.header is not None and self.header == other.header

    def read_field(self, page_field: _PageField, page: Page) -> Field:
        """Return a field of a page with the name and, if its texts allow, the type of this one."""
        field = replace(page_field.field, name=self.name)
        has_same_prefix = self.prefix == page_field.prefix
        has_same_flag = self.flag_text == page_field.flag_text
        if self.type == field.type and has_same_prefix and has_same_flag:
            return field
        if not any(page.tag[row] == _IMG for row in field.rows if row >= 0):
            return self._parse_texts(field, field.texts)
        if self.type == "image":
            return replace(field, type="image", values=find_image_urls(page, field.rows))
        return self._parse_texts(field, find_alt_texts(page, field.rows))

    def _parse_texts(self, field: Field, texts: tuple[str, ...]) -> Field:
        """Return a field with its texts parsed by the pattern's type, if they are of it.

        A flag with another text is a text.
        """
        if self.prefix:
            texts = tuple(text.removeprefix(self.prefix).strip() for text in texts)
        if not any(texts):
            return field
        if self.type == "flag" and self.flag_text:
            flag_text = self.flag_text.casefold()
            flags = tuple(text.casefold() == flag_text for text in texts)
            if sum(flags) >= MIN_TYPE_SHARE * sum(map(bool, texts)):
                return replace(field, type="flag", values=flags)
        typed = parse_column("text" if field.type == "flag" else self.type, texts)
        return replace(field, type=typed.type, values=typed.values) if typed else field

    def build_field(self, cells: Sequence[int | None], region: Region) -> Field:
        """Return the field of given cells, one or none per record."""
        rows = tuple(-1 if cell is None else region.cell_rows[cell] for cell in cells)
        texts = tuple("" if cell is None else region.cell_texts[cell] for cell in cells)
        if any(texts) and self.type != "image":
            values = tuple(text or None for text in texts)
            return self._parse_texts(Field(self.name, "text", values, texts, rows), texts)
        if self.type == "image" and not any(texts):
            return Field(self.name, "image", find_image_urls(region.page, rows), texts, rows)
        missing: Value = False if self.type == "flag" else None
        count = len(cells)
        return Field(self.name, self.type, (missing,) * count, ("",) * count, (-1,) * count)


def check_paths(data: Any) -> tuple[str, ...]:
    """Return plain data as paths; TypeError if it is no list of texts."""
    if not isinstance(data, (list, tuple)) or not all(isinstance(path, str) for path in data):
        raise TypeError("paths are a list of texts")
    return tuple(data)


# Fields of a page -------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _PageField:
    """A field of a page, and what tells which field of a pattern it is."""

    field: Field
    kind: _FieldKind
    paths: Counter[str]
    index: int
    header: str | None
    prefix: str | None

    @property
    def flag_text(self) -> str | None:
        """The text of a flag."""
        return next(filter(None, self.field.texts), None) if self.field.type == "flag" else None

    def to_pattern(self) -> FieldPattern:
        """Return the pattern by which the field is recognised on other pages."""
        return FieldPattern(
            name=self.field.name,
            type=self.field.type,
            paths=tuple(path for path, _ in self.paths.most_common()),
            index=self.index,
            kind=self.kind,
            table_column=self.field.table_column,
            header=self.header,
            prefix=self.prefix,
            flag_text=self.flag_text,
        )


def describe_fields(
    region: Region,
    fields: Sequence[Field],
    paths: RowPaths,
    positions: Mapping[int, _CellPosition],
) -> list[_PageField]:
    """Return the fields of a region with what distinguishes them from each other."""
    headers = find_header_names(region) if is_table(region) else {}
    depth = region.page.depth[region.start].tolist()
    page_fields = []
    for field in fields:
        kind = "column" if any(field.texts) else _DERIVED_KINDS.get(field.type, "column")
        field_positions = [
            positions.get(row) or (paths.path(row, depth[record]), 0)
            for record, row in enumerate(field.rows)
            if row >= 0
        ]
        index_counts = Counter(index for _, index in field_positions)
        index = min(index_counts, key=lambda index: (-index_counts[index], index), default=0)
        path_counts = Counter(path for path, _ in field_positions)
        given_name = field.label
        if field.table_column is not None:
            given_name = headers.get(field.table_column)
        shared_label = None if given_name else column_names.find_shared_label(field.texts)
        header = column_names.slugify(given_name or shared_label or "") or None
        prefix = f"{shared_label}:" if shared_label else None
        page_fields.append(_PageField(field, kind, path_counts, index, header, prefix))
    return page_fields


def fit_fields(
    patterns: Sequence[FieldPattern], records: Records, paths: RowPaths
) -> tuple[Field, ...]:
    """Return the fields of a pattern on a page, in its order; those that it lacks have no rows.

    A page may have cells at the position of a field that are no field of its own, such as those of
    a duplicate column.
    """
    region = records.region
    if region is None:
        return ()
    positions = paths.cell_positions(region)
    page_fields = describe_fields(region, records.fields, paths, positions)
    matches = _match_fields(patterns, page_fields)
    used_rows = {row for page_field in matches.values() for row in page_field.field.rows}
    unused_cells = _find_unused_cells(region, positions, used_rows)
    fields = []
    for number, pattern in enumerate(patterns):
        if number in matches:
            fields.append(pattern.read_field(matches[number], paths.page))
            continue
        cells: dict[int, int] = {}
        has_no_name = pattern.table_column is None and pattern.header is None
        if pattern.kind == "column" and has_no_name:
            for path in pattern.paths:
                cells |= unused_cells.get((path, pattern.index), {})
        record_cells = [cells.get(record) for record in range(len(region))]
        fields.append(pattern.build_field(record_cells, region))
    return tuple(fields)


def _match_fields(
    patterns: Sequence[FieldPattern], page_fields: Sequence[_PageField]
) -> dict[int, _PageField]:
    """Return the field of a page for each field of a pattern, by its index; each is used once."""
    pairs = [
        (-rating, pattern_index, field_index)
        for pattern_index, pattern in enumerate(patterns)
        for field_index, page_field in enumerate(page_fields)
        if (rating := pattern.rate_match(page_field))
    ]
    matches: dict[int, _PageField] = {}
    used: set[int] = set()
    for _, pattern_index, field_index in sorted(pairs):
        if pattern_index not in matches and field_index not in used:
            matches[pattern_index] = page_fields[field_index]
            used.add(field_index)
    return matches


def _find_unused_cells(
    region: Region, positions: Mapping[int, _CellPosition], used_rows: AbstractSet[int]
) -> dict[_CellPosition, dict[int, int]]:
    """Return the cell of each record at each position, except for those whose rows are used."""
    cells: defaultdict[_CellPosition, dict[int, int]] = defaultdict(dict)
    for record, cell in zip(region.record.tolist(), region.cell.tolist(), strict=True):
        row = region.cell_rows[cell]
        if row not in used_rows:
            cells[positions[row]][record] = cell
    return cells
