"""Values: what the texts of a column say, and of what type they are.

`numerals`, `currencies`, `money` and `ago` know how people write, `readers` read one text, `rest`
tells what a text says besides, `typed` reads a column.
"""

from __future__ import annotations

from tamis.values.dates import (
    find_dates,
    find_days,
    month_number,
    parse_relative_date,
    parse_timestamp,
    url_date,
)
from tamis.values.locale import Locale, page_locale
from tamis.values.money import CURRENCIES, find_amounts, parse_currency, parse_money
from tamis.values.numbers import parse_number
from tamis.values.typed import (
    MIN_TYPE_SHARE,
    SAMPLE_SIZE,
    SLACK,
    Type,
    TypedColumn,
    Value,
    infer_column,
    may_be_typed,
    merge_columns,
    parse_column,
    parse_count,
    parse_day,
    parse_rating,
    value_type,
)

__all__ = [
    "CURRENCIES",
    "MIN_TYPE_SHARE",
    "SAMPLE_SIZE",
    "SLACK",
    "Locale",
    "Type",
    "TypedColumn",
    "Value",
    "find_amounts",
    "find_dates",
    "find_days",
    "infer_column",
    "may_be_typed",
    "merge_columns",
    "month_number",
    "page_locale",
    "parse_column",
    "parse_count",
    "parse_currency",
    "parse_day",
    "parse_money",
    "parse_number",
    "parse_rating",
    "parse_relative_date",
    "parse_timestamp",
    "url_date",
    "value_type",
]
