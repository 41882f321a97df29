"""Values in texts: dates, money, numbers, ratings and counts, the locale of a page, and stems.

Each of `dates`, `money` and `numbers` parses one kind of value, `locale` decides between ways of
writing, `residual` tells a value from a text that contains one, and `typed` finds the type of a
column of texts. `stems` has the stemmers of all languages.
"""

from __future__ import annotations

from tamis.values.dates import (
    RELATIVE_DATE_WORDS,
    find_dates,
    find_days,
    find_relative_dates,
    is_month_name,
    parse_relative_date,
    parse_timestamp,
    url_date,
)
from tamis.values.locale import Locale, page_locale
from tamis.values.money import CURRENCIES, find_amounts, parse_currency, parse_money
from tamis.values.numbers import parse_number
from tamis.values.stems import StemWords, load_stemmer
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
    "RELATIVE_DATE_WORDS",
    "SAMPLE_SIZE",
    "SLACK",
    "Locale",
    "StemWords",
    "Type",
    "TypedColumn",
    "Value",
    "find_amounts",
    "find_dates",
    "find_days",
    "find_relative_dates",
    "infer_column",
    "is_month_name",
    "load_stemmer",
    "may_be_typed",
    "merge_columns",
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
