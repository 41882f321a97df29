"""Records → data frames: Arrow, pandas, Parquet."""

from __future__ import annotations

from pathlib import Path
from typing import IO, TYPE_CHECKING, Final

from tamis.content.records.values import Type
from tamis.errors import Unavailable

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from tamis.content.records.records import Records

_ARROW: Final[dict[Type, str]] = {"money": "float64", "rating": "float64", "flag": "bool_"}


def arrow_table(records: Records) -> pa.Table:
    """Return records as an Arrow table, a column a field."""
    try:
        import pyarrow as pa
    except ImportError as error:
        raise Unavailable("Arrow and Parquet need pyarrow: pip install 'tamis[records]'") from error
    columns = {}
    for field in records.fields:
        kind = getattr(pa, _ARROW.get(field.type, "string"))()
        if field.type in ("number", "count"):
            whole = all(isinstance(value, int) for value in field.values if value is not None)
            kind = pa.int64() if whole else pa.float64()
        columns[field.name] = pa.array(list(field.values), kind)
    return pa.table(columns)


def pandas_frame(records: Records) -> pd.DataFrame:
    """Return records as a pandas DataFrame, a column a field."""
    try:
        import pandas as pd
    except ImportError as error:
        raise Unavailable("to_pandas needs pandas: pip install 'tamis[records]'") from error
    return pd.DataFrame({field.name: list(field.values) for field in records.fields})


def write_parquet(records: Records, target: Path | IO[bytes]) -> None:
    """Write records as a Parquet file."""
    table = arrow_table(records)
    import pyarrow.parquet as pq

    pq.write_table(table, target)
