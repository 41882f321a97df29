"""Records → data frames: Arrow, pandas, Parquet.

Records: the records of one region of a page as a table.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, overload

import numpy as np

from tamis.errors import unavailable
from tamis.page import UNLIMITED, Budget, Page, row_xpath, tags
from tamis.records.ads import drop_separators
from tamis.records.fields import Field, build_fields
from tamis.records.regions import Region, find_best_region, find_regions
from tamis.records.search_query import find_search_queries
from tamis.records.structured_data import ListedItems, read_listed_items
from tamis.values import Type, Value

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


MOST: Final = 2**63 - 1  # in an integer of 64 bits

_ARROW: Final[dict[Type, str]] = {"money": "float64", "rating": "float64", "flag": "bool_"}


def arrow_table(records: Records) -> pa.Table:
    """Return records as an Arrow table, a column a field."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise unavailable("Arrow and Parquet need pyarrow", "records") from error
    columns = {}
    for field in records.fields:
        kind = getattr(pa, _ARROW.get(field.type, "string"))()
        values: Sequence[Value] = field.values
        if field.type in ("number", "count"):
            whole = all(is_int64(value) for value in values if value is not None)
            kind = pa.int64() if whole else pa.float64()
            values = values if whole else [None if one is None else float(one) for one in values]
        columns[field.name] = pa.array(list(values), kind)
    return pa.table(columns)


def is_int64(value: Value) -> bool:
    """Say whether a value is a whole number that has room in 64 bits."""
    return isinstance(value, int) and -MOST - 1 <= value <= MOST


def pandas_frame(records: Records) -> pd.DataFrame:
    """Return records as a pandas DataFrame, a column a field."""
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


# The share of a page that its records must be, by the type of the page. On
# wcxb-dev and records-dev these tell list pages from others (docs/records.md).
LEAST_SHARE: Final = {"listing": 0.02, "collection": 0.02, "forum": 0.02, None: 0.1}
LEAST_ELSEWHERE: Final = 0.3
ANSWERED: Final = 0.15  # share with words that the page was asked for: it lists answers

BESIDE: Final = 0.1  # what counts that the page itself declares as beside its content

_IS_BESIDE: Final = tags.tag_table(("nav", "aside", "footer"))
_ASIDE: Final = {tags.CODE[name]: name for name in ("nav", "header", "footer", "aside")}

Row = dict[str, Value]


@dataclass(frozen=True, eq=False)
class Records(Sequence[Row]):
    """The records of one region: a sequence of rows, each a dict of field name → value.

    Empty where a page has no list; `reason` says why, or what the region is. Fields are computed
    when they are asked for.
    """

    region: Region | None
    reason: str
    is_main: bool = False
    witness: ListedItems | None = None
    known: tuple[Field, ...] | None = None  # fields that a pattern gave

    def __repr__(self) -> str:
        return f"<Records: {len(self)} rows, {self.reason}>"

    def __len__(self) -> int:
        return len(self.region) if self.region is not None else 0

    @overload
    def __getitem__(self, index: int) -> Row: ...

    @overload
    def __getitem__(self, index: slice) -> Sequence[Row]: ...

    def __getitem__(self, index: int | slice) -> Row | Sequence[Row]:
        return self.rows[index]

    def __iter__(self) -> Iterator[Row]:
        return iter(self.rows)

    @cached_property
    def fields(self) -> tuple[Field, ...]:
        """The columns of the table, each with its type."""
        if self.region is None or self.known is not None:
            return self.known or ()
        with self._budget.spending("reading the fields of records"):
            return build_fields(self.region, self.witness.titles if self.witness else frozenset())

    @property
    def _budget(self) -> Budget:
        return self.region.cells.budget if self.region is not None else UNLIMITED

    @cached_property
    def rows(self) -> tuple[Row, ...]:
        """The table, a dict a record; what a record lacks is None."""
        names = [field.name for field in self.fields]
        columns = [field.values for field in self.fields]
        with self._budget.spending("making the rows of records"):
            rows = self._budget.watch(zip(*columns, strict=True))
            return tuple(dict(zip(names, values, strict=True)) for values in rows)

    @property
    def score(self) -> float:
        """How much of the page repeats here: what regions are ranked by after the main one."""
        return self.region.score if self.region is not None else 0.0

    @property
    def share(self) -> float:
        """How much of the page repeats here, as a part of all that it says."""
        return self.region.share if self.region is not None else 0.0

    @property
    def agreement(self) -> str | None:
        """What the page's linked data says of the titles, where it lists items."""
        return self.witness.agreement(self.rows) if self.witness else None

    @property
    def xpath(self) -> str | None:
        """The place of the element around all records."""
        return row_xpath(self.region.page, self.region.node) if self.region is not None else None

    @property
    def record_xpaths(self) -> tuple[str, ...]:
        """The place of each record's (first) element."""
        if self.region is None:
            return ()
        return tuple(path for path in self._xpaths(self.region.start.tolist()) if path)

    def value_xpath(self, index: int, name: str) -> str | None:
        """Return the place of a value; None where the record lacks it."""
        field = next((field for field in self.fields if field.name == name), None)
        if field is None or self.region is None or field.rows[index] < 0:
            return None
        return row_xpath(self.region.page, field.rows[index])

    def as_dict(self) -> dict[str, Any]:
        """Return all that is known of the records as plain data."""
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
        """Return the places of rows, None for a row of -1."""
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

        return pandas_frame(self)

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Hand the table on to any library that reads Arrow's stream of C data."""
        return self.to_arrow().__arrow_c_stream__(requested_schema)

    def __dataframe__(self, nan_as_null: bool = False, allow_copy: bool = True) -> Any:
        """Hand the table on to any data frame library, by the interchange protocol."""
        return self.to_arrow().__dataframe__(nan_as_null, allow_copy)


def find_main_records(
    page: Page,
    probabilities: np.ndarray | None = None,
    page_type: str | None = None,
    budget: Budget = UNLIMITED,
) -> Records:
    """Return the records that a page is about, or none with the reason.

    `probabilities` are those of the rows to be content, where they are known.
    """
    interest = interest_of(page, probabilities)
    witness = read_listed_items(page, budget)
    if witness is not None:
        return next(iter(ranked(page, interest, page_type, witness, budget)), NOTHING)
    region = find_best_region(page, interest, find_search_queries(page), budget)
    if region is None:
        return NOTHING
    reason = too_little(region, page_type)
    return Records(None, reason) if reason else judged(drop_separators(region), None)


def find_all_records(
    page: Page,
    probabilities: np.ndarray | None = None,
    page_type: str | None = None,
    budget: Budget = UNLIMITED,
) -> tuple[Records, ...]:
    """Return all regions of a page, the main one first if there is one, then by score."""
    interest, witness = interest_of(page, probabilities), read_listed_items(page, budget)
    found = ranked(page, interest, page_type, witness, budget)
    return tuple(records for records in found if records.region is not None)


def ranked(
    page: Page,
    interest: np.ndarray,
    page_type: str | None,
    witness: ListedItems | None,
    budget: Budget,
) -> list[Records]:
    """Return the regions of a page as records, the main one first; if there is none, an empty one.

    Linked data is a witness: a region whose titles are the items that it lists comes first.
    """
    regional = find_regions(page, interest, find_search_queries(page), budget)
    found = [drop_separators(region) for region in budget.watch(regional)]
    if witness is not None:
        found.sort(key=lambda region: not witness.confirms(region))
    if not found:
        return [NOTHING]
    first = found[0]
    reason = too_little(first, page_type)
    if witness is not None and witness.confirms(first):
        reason = None
    others = [Records(region, aside(region) or "not the main list") for region in found[1:]]
    if reason is None:
        return [judged(first, witness), *others]
    return [Records(None, reason), Records(first, aside(first) or reason), *others]


NOTHING: Final = Records(None, "nothing on this page repeats itself")


def judged(region: Region, witness: ListedItems | None) -> Records:
    """Return the main records of a page."""
    said = f"the main list: {len(region)} records, {region.share:.2f} of the page"
    return Records(region, said, is_main=True, witness=witness)


def too_little(region: Region, page_type: str | None) -> str | None:
    """Return why the best region of a page is not what the page is about, if it is not."""
    least = LEAST_SHARE.get(page_type, LEAST_ELSEWHERE)
    if region.answered >= ANSWERED:
        least = LEAST_SHARE["listing"]
    if region.share >= least:
        return None
    of = f" of type {page_type}" if page_type else ""
    return f"{region.share:.2f} of the page, too little for the list of a page{of} ({least:.2f})"


def aside(region: Region) -> str | None:
    """Return what a region is that lies outside the page's content, or is made of links alone."""
    page, row = region.page, region.node
    while row > 0:
        if page.tag[row] in _ASIDE:
            return f"in <{_ASIDE[int(page.tag[row])]}>"
        row = int(page.parent[row])
    rows = region.cells.first[region.cell]
    return "links alone" if bool(page.in_link[rows].all()) else None


def interest_of(page: Page, probabilities: np.ndarray | None) -> np.ndarray:
    """Return what each row counts: its probability to be content, where that is known.

    What the page itself declares as navigation or an aside counts little.
    """
    interest = np.ones(len(page)) if probabilities is None else probabilities.copy()
    interest[page.within(np.flatnonzero(_IS_BESIDE[page.tag]))] *= BESIDE
    return interest
