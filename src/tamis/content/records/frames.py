"""Records → data frames: Arrow, pandas, Parquet."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tamis.content.records.values.typed import Type, Value
from tamis.errors import unavailable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from tamis.content.records.records import Records

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
