"""Records: the entries of a list page as a table with typed, named fields.

`find_main_records` returns the list that a page is about, `find_all_records` every list on it.
`Records` is a sequence of rows; it converts to Arrow, pandas and Parquet.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, overload

import numpy as np

from tamis.errors import unavailable
from tamis.page import UNLIMITED, Budget, Page, row_xpath, tags
from tamis.records.ads import drop_separators
from tamis.records.fields import Field, build_fields
from tamis.records.folding import fold_fields
from tamis.records.regions import (
    Region,
    find_best_region,
    find_regions,
    is_pair_list,
    separate_regions,
)
from tamis.records.search_query import find_search_queries
from tamis.records.structured_data import ListedItems, read_listed_items
from tamis.values import Type, Value

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

# The share of a page that its records must make up, by page type. On wcxb-dev and records-dev
# these limits separate list pages from others (docs/records.md).
_MIN_SHARE: Final = {"listing": 0.02, "collection": 0.02, "forum": 0.02, None: 0.1}
_MIN_SHARE_OTHER_TYPES: Final = 0.25
_MIN_QUERY_SHARE: Final = 0.15  # share with words of the search query: the page lists results
_SIDE_INTEREST: Final = 0.1  # factor for rows that the page declares as beside its content
_PAIRS: Final = "names and values of one thing"
_MAX_INT64: Final = 2**63 - 1

_IS_SIDE: Final = tags.tag_table(("nav", "aside", "footer"))
_SIDE_TAGS: Final = {tags.CODE[name]: name for name in ("nav", "header", "footer", "aside")}
_ARROW_TYPES: Final[dict[Type, str]] = {"money": "float64", "rating": "float64", "flag": "bool_"}

_Row = dict[str, Value]


@dataclass(frozen=True, eq=False)
class Records(Sequence[_Row]):
    """The records of one region: a sequence of rows, each a dict of field name → value.

    Empty if the page has no list. `reason` says why it is empty, or what the region is. `fetched`
    is the day from which relative dates count. Fields are computed on first use.
    """

    region: Region | None
    reason: str
    is_main: bool = False
    listed_items: ListedItems | None = None
    pattern_fields: tuple[Field, ...] | None = None  # if a pattern read them
    fetched: date | None = None

    def __repr__(self) -> str:
        return f"<Records: {len(self)} rows, {self.reason}>"

    def __len__(self) -> int:
        return len(self.region) if self.region is not None else 0

    @overload
    def __getitem__(self, index: int) -> _Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[_Row]: ...

    def __getitem__(self, index: int | slice) -> _Row | Sequence[_Row]:
        return self.rows[index]

    def __iter__(self) -> Iterator[_Row]:
        return iter(self.rows)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The columns of the table, each with its type; what nobody would miss is left out."""
        if self.region is None or self.pattern_fields is not None:
            return self.all_fields
        return fold_fields(self.region, self.all_fields)

    @cached_property
    def all_fields(self) -> tuple[Field, ...]:
        """All columns that were read: also rare ones, icons, buttons and those like others."""
        if self.region is None or self.pattern_fields is not None:
            return self.pattern_fields or ()
        titles = self.listed_items.titles if self.listed_items else frozenset()
        with self._budget.spending("reading the fields of records"):
            return build_fields(self.region, titles, self.fetched)

    @property
    def _budget(self) -> Budget:
        return self.region.cells.budget if self.region is not None else UNLIMITED

    @cached_property
    def rows(self) -> tuple[_Row, ...]:
        """The table, one dict per record; values that a record lacks are None."""
        names = [field.name for field in self.fields]
        columns = [field.values for field in self.fields]
        with self._budget.spending("making the rows of records"):
            rows = self._budget.watch(zip(*columns, strict=True))
            return tuple(dict(zip(names, values, strict=True)) for values in rows)

    @property
    def score(self) -> float:
        """The weight of what repeats here; regions after the main one are sorted by it."""
        return self.region.score if self.region is not None else 0.0

    @property
    def share(self) -> float:
        """The score as a share of the weight of the whole page."""
        return self.region.share if self.region is not None else 0.0

    @property
    def agreement(self) -> str | None:
        """How many items of the page's structured data are titles; None if it lists no items."""
        return self.listed_items.describe_agreement(self.rows) if self.listed_items else None

    @property
    def xpath(self) -> str | None:
        """The XPath of the innermost element around all records."""
        if self.region is None:
            return None
        return row_xpath(self.region.page, self.region.container)

    @property
    def record_xpaths(self) -> tuple[str, ...]:
        """The XPath of the first element of each record."""
        if self.region is None:
            return ()
        return tuple(path for path in self._xpaths(self.region.start.tolist()) if path)

    def value_xpath(self, index: int, name: str) -> str | None:
        """Return the XPath of a value; None if the record lacks it."""
        field = next((field for field in self.fields if field.name == name), None)
        if field is None or self.region is None or field.rows[index] < 0:
            return None
        return row_xpath(self.region.page, field.rows[index])

    def as_dict(self) -> dict[str, Any]:
        """Return the records with all their attributes as plain data."""
        rows = list(self.rows)
        return {
            "main": self.is_main,
            "reason": self.reason,
            "xpath": self.xpath,
            "score": round(self.score, 4),
            "share": round(self.share, 4),
            "agreement": self.agreement,
            "fields": [
                {
                    "name": field.name,
                    "type": field.type,
                    "xpaths": self._xpaths(field.rows),
                }
                for field in self.fields
            ],
            "rows": rows,
        }

    def _xpaths(self, rows: Sequence[int]) -> list[str | None]:
        """Return the XPaths of rows, None for a row of -1."""
        if self.region is None:
            return [None] * len(rows)
        page = self.region.page
        with self._budget.spending("writing XPaths"):
            return [row_xpath(page, row) if row >= 0 else None for row in self._budget.watch(rows)]

    def to_arrow(self) -> pa.Table:
        """Return the table as an Arrow table; needs pyarrow."""
        return arrow_table(self)

    def to_pandas(self) -> pd.DataFrame:
        """Return the table as a pandas DataFrame; needs pandas."""
        return _pandas_frame(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Export the table to any library that reads the Arrow C stream interface."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        """Export the table to any library that reads the data frame interchange protocol."""
        return self.to_arrow().__dataframe__(nan_as_null, allow_copy)


_NO_RECORDS: Final = Records(None, "nothing on this page repeats itself")


def find_main_records(
    page: Page,
    probabilities: np.ndarray | None = None,
    page_type: str | None = None,
    budget: Budget = UNLIMITED,
    fetched: date | None = None,
) -> Records:
    """Return the records that a page is about; if there are none, empty records with the reason.

    `probabilities` has the probability of each row to be content, if a method computed it.
    `fetched` is the day on which the page was fetched, if it is known.
    """
    records = _find_main_records(page, probabilities, page_type, budget)
    return replace(records, fetched=fetched) if fetched else records


def _find_main_records(
    page: Page, probabilities: np.ndarray | None, page_type: str | None, budget: Budget
) -> Records:
    """Return the main records of a page."""
    interest = row_interest(page, probabilities)
    listed_items = read_listed_items(page, budget)
    queries = find_search_queries(page)
    if listed_items is not None:
        regions = separate_regions(page, interest, queries, budget)
        return _choose_confirmed(regions, page_type, listed_items)
    region = find_best_region(page, interest, queries, budget)
    if region is None:
        return _NO_RECORDS
    reason = _explain_rejection(region, page_type)
    return Records(None, reason) if reason else _main_records(drop_separators(region), None)


def find_all_records(
    page: Page,
    probabilities: np.ndarray | None = None,
    page_type: str | None = None,
    budget: Budget = UNLIMITED,
    fetched: date | None = None,
) -> tuple[Records, ...]:
    """Return the records of all regions of a page: the main ones first, if any, then by score."""
    interest, listed_items = row_interest(page, probabilities), read_listed_items(page, budget)
    ranked = _rank_records(page, interest, page_type, listed_items, budget)
    return tuple(
        replace(records, fetched=fetched) for records in ranked if records.region is not None
    )


def _rank_records(
    page: Page,
    interest: np.ndarray,
    page_type: str | None,
    listed_items: ListedItems | None,
    budget: Budget,
) -> list[Records]:
    """Return the records of all regions, the main ones first; empty ones first if none are main.

    A region whose texts are the items that structured data lists comes before all others.
    """
    all_regions = find_regions(page, interest, find_search_queries(page), budget)
    regions = [drop_separators(region) for region in budget.watch(all_regions)]
    if listed_items is not None:
        regions.sort(key=lambda region: not listed_items.confirms(region))
    if not regions:
        return [_NO_RECORDS]
    first = regions[0]
    reason = _explain_rejection(first, page_type)
    if listed_items is not None and listed_items.confirms(first):
        reason = None
    others = [
        Records(region, _describe_side_region(region) or "not the main list")
        for region in regions[1:]
    ]
    if reason is None:
        return [_main_records(first, listed_items), *others]
    return [Records(None, reason), Records(first, _describe_side_region(first) or reason), *others]


def _choose_confirmed(
    regions: Iterable[Region], page_type: str | None, listed_items: ListedItems
) -> Records:
    """Return the records of the first region that has the listed items, else of the first one."""
    first: Region | None = None
    for region in map(drop_separators, regions):
        if listed_items.confirms(region):
            return _main_records(region, listed_items)
        first = region if first is None else first
    if first is None:
        return _NO_RECORDS
    reason = _explain_rejection(first, page_type)
    return Records(None, reason) if reason else _main_records(first, listed_items)


def _main_records(region: Region, listed_items: ListedItems | None) -> Records:
    """Return the records of a region as the main ones of its page."""
    reason = f"the main list: {len(region)} records, {region.share:.2f} of the page"
    return Records(region, reason, is_main=True, listed_items=listed_items)


def _explain_rejection(region: Region, page_type: str | None) -> str | None:
    """Return why the best region is too small to be the main list of the page, None if it is not.

    A page that shows the results of a search is a list page whatever its type.
    """
    if is_pair_list(region):
        return _PAIRS
    min_share = _MIN_SHARE.get(page_type, _MIN_SHARE_OTHER_TYPES)
    if region.query_share >= _MIN_QUERY_SHARE:
        min_share = _MIN_SHARE["listing"]
    if region.share >= min_share:
        return None
    suffix = f" of type {page_type}" if page_type else ""
    limit = f"the list of a page{suffix} ({min_share:.2f})"
    return f"{region.share:.2f} of the page, too little for {limit}"


def _describe_side_region(region: Region) -> str | None:
    """Return what a region outside the page's content is, or one that has only links."""
    page, row = region.page, region.container
    while row > 0:
        if page.tag[row] in _SIDE_TAGS:
            return f"in <{_SIDE_TAGS[int(page.tag[row])]}>"
        row = int(page.parent[row])
    if is_pair_list(region):
        return _PAIRS
    rows = region.cells.first_row[region.cell]
    return "links alone" if bool(page.in_link[rows].all()) else None


def row_interest(page: Page, probabilities: np.ndarray | None) -> np.ndarray:
    """Return the factor by which the weight of each row counts: its probability to be content.

    It is 1 if there are no probabilities. Rows in navigation, asides and footers count less.
    """
    interest = np.ones(len(page)) if probabilities is None else probabilities.copy()
    interest[page.within(np.flatnonzero(_IS_SIDE[page.tag]))] *= _SIDE_INTEREST
    return interest


# Data frames ------------------------------------------------------------------------------------


def arrow_table(records: Records) -> pa.Table:
    """Return records as an Arrow table, one column per field."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise unavailable("Arrow and Parquet need pyarrow", "records") from error
    columns = {}
    for field in records.fields:
        arrow_type = getattr(pa, _ARROW_TYPES.get(field.type, "string"))()
        values: Sequence[Value] = field.values
        if field.type in ("number", "count"):
            if all(_is_int64(value) for value in values if value is not None):
                arrow_type = pa.int64()
            else:
                arrow_type = pa.float64()
                values = [None if value is None else float(value) for value in values]
        columns[field.name] = pa.array(list(values), arrow_type)
    return pa.table(columns)


def _is_int64(value: Value) -> bool:
    """Say whether a value is an integer that fits into 64 bits."""
    return isinstance(value, int) and -_MAX_INT64 - 1 <= value <= _MAX_INT64


def _pandas_frame(records: Records) -> pd.DataFrame:
    """Return records as a pandas DataFrame, one column per field."""
    try:
        import pandas as pd
    except ImportError as error:
        raise unavailable("to_pandas needs pandas", "records") from error
    return pd.DataFrame({field.name: list(field.values) for field in records.fields})


def write_parquet(records: Records, target: Path | IO[bytes]) -> None:
    """Write records as a Parquet file."""
    table = arrow_table(records)
    import pyarrow.parquet as pq

    pq.write_table(table, target)
