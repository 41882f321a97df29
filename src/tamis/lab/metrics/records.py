"""Measures of records: the records, their field values, their columns, their prices.

Predicted records are matched one to one with the true ones.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from html import unescape
from typing import Final, TypeVar

import numpy as np

from tamis.errors import unavailable
from tamis.lab.metrics.text import Counts, plain_words
from tamis.values import parse_number

_T = TypeVar("_T")

MIN_SIMILARITY: Final = 0.8  # least similarity of two texts that are the same block
_MIN_OVERLAP: Final = 0.5  # least F1 of the words of two records that are the same record

_NO_LETTER: Final = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Return only the letters and digits of a text, in lower case."""
    return _NO_LETTER.sub("", text.lower())


def record_counts(
    predicted: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], least: float = _MIN_OVERLAP
) -> Counts:
    """Compare records, each a row of cells, by the words of the whole record."""
    return Counts(len(_match_records(predicted, wanted, least)), len(predicted), len(wanted))


def _match_records(
    predicted: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], least: float = _MIN_OVERLAP
) -> list[tuple[int, int]]:
    """Return the records that are the same in both lists, by the words of the whole record."""
    here = [Counter(plain_words(" ".join(row))) for row in predicted]
    there = [Counter(plain_words(" ".join(row))) for row in wanted]
    return _match_pairs(here, there, _bag_f1, least)


def _bag_f1(predicted: Counter[str], wanted: Counter[str]) -> float:
    """Return the F1 of two multisets of words."""
    return Counts((predicted & wanted).total(), predicted.total(), wanted.total()).f1


def _match_pairs(
    predicted: Sequence[_T], wanted: Sequence[_T], alike: Callable[[_T, _T], float], least: float
) -> list[tuple[int, int]]:
    """Return the pairs of two lists that match one to one, the most alike first."""
    pairs = [
        (likeness, i, j)
        for i, one in enumerate(predicted)
        for j, other in enumerate(wanted)
        if (likeness := alike(one, other)) >= least
    ]
    return best_pairs(pairs)


def best_pairs(pairs: Iterable[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """Return pairs in which nobody is twice, the most alike first: likeness, one, other."""
    here, there = set[int](), set[int]()
    chosen = []
    for _, i, j in sorted((-likeness, i, j) for likeness, i, j in pairs):
        if i not in here and j not in there:
            here.add(i)
            there.add(j)
            chosen.append((i, j))
    return chosen


_Rows = Sequence[Sequence[str]]  # cells, "" where a record lacks the field; all of one length
_Pairs = Sequence[tuple[int, int]]  # predicted record, true record

_MIN_CHOSEN: Final = 0.5  # least F1 of the records of a region that is the right one

_TIME: Final = r"\d{1,2}:\d\d(?::\d\d)?(?:\s?[AaPp]\.?[Mm]\.?)?"
_DAY: Final = re.compile(
    rf"(?:{_TIME},?\s)?(?:"
    r"(?P<month>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4}|\d\d)|"
    r"(?P<day2>\d{1,2})[\s-](?P<month2>[A-Za-z]{3,9})\.?(?:,?[\s-](?P<year2>\d{4}|\d\d))?|"
    r"(?P<month3>[A-Za-z]{3,9})\.?\s(?P<day3>\d{1,2})(?:st|nd|rd|th)?(?:,?\s(?P<year3>\d{4}))?"
    rf")(?:,?\s{_TIME})?"
)
_CLOCK: Final = re.compile(r"(\d{1,2}:\d\d(?::(?!00)\d\d)?)(?::00)?(?:\s?[AP]M)?")
_MONTHS: Final = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_NUMBER: Final = re.compile(r"\D{0,6}?(\d[\d.,]*)\D{0,4}")
_CENTS: Final = re.compile(r"(\d)\s(\d\d)$")
_PRICE: Final = re.compile(
    r"(?:[$€£¥₹]|\b(?:USD|CAD|EUR|GBP)\b)\s?(\d[\d,]*(?:\.\d{1,2}|\s\d\d(?![\d.,]))?)"
)


def comparable_value(cell: str) -> str:
    """Return what two cells are compared by: numbers and days by value, else letters and digits.

    The truth went through a spreadsheet, which made "$3.90" 3.9, "(6)" -6 and "Oct 11, 2016"
    11-Oct-16 (or 10/11/2016 14:03, with a time), and some of it through a wrong encoding.
    """
    cell = unescape(_repair_encoding(cell)).strip()
    if _PRICE.fullmatch(cell):
        cell = _CENTS.sub(r"\1.\2", cell)  # "$ 21 03"
    if day := _parse_day(cell):
        return day
    if clock := _CLOCK.fullmatch(cell):
        return clock[1]
    number = _NUMBER.fullmatch(cell)
    if number and any(sign in number[1] for sign in ".,"):
        return f"{parse_number(number[1].rstrip('.,')):g}"
    return letters(cell)


def _repair_encoding(cell: str) -> str:
    """Return a text that was UTF-8 and read as cp1252 as what it was."""
    try:
        return cell if cell.isascii() else cell.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return cell


def _parse_day(cell: str) -> str | None:
    """Return the day that a cell is, if it is nothing else but perhaps a time; years may lack."""
    match = _DAY.fullmatch(cell)
    if match is None:
        return None
    day = match["day"] or match["day2"] or match["day3"]
    year = match["year"] or match["year2"] or match["year3"] or ""
    name = (match["month2"] or match["month3"] or "")[:3].lower()
    if name and name not in _MONTHS:
        return None
    month = _MONTHS.index(name) + 1 if name else int(match["month"])
    return f"day {year[-2:]} {month} {int(day)}"


def field_measures(predicted: _Rows, wanted: _Rows, *, priced: bool) -> dict[str, float]:
    """Return all measures of records as numbers by name."""
    pairs = _match_records(predicted, wanted)
    records = Counts(len(pairs), len(predicted), len(wanted))
    here = [[comparable_value(cell) for cell in row] for row in predicted]
    there = [[comparable_value(cell) for cell in row] for row in wanted]
    fields = field_counts(here, there, pairs)
    measures = {
        "chosen": float(records.f1 >= _MIN_CHOSEN),
        "all_right": float(records.common == records.predicted == records.wanted),
        "field_precision": fields.precision,
        "field_recall": fields.recall,
        "field_f1": fields.f1,
        "aligned": aligned_share(here, there, pairs),
    }
    if priced:
        prices = price_counts(predicted, wanted, pairs)
        measures |= {"price_precision": prices.precision, "price_recall": prices.recall}
    return measures


def field_counts(predicted: _Rows, wanted: _Rows, pairs: _Pairs) -> Counts:
    """Count the values that are the same after columns were matched one to one, the best way.

    Values of records that match none count as predicted or wanted, too.
    """
    common = _count_equal_cells(predicted, wanted, pairs)
    best = sum(common[i, j] for i, j in _assign_columns(common))
    return Counts(float(best), _count_filled(predicted), _count_filled(wanted))


def _count_filled(rows: _Rows) -> int:
    """Return how many cells are not empty."""
    return sum(cell != "" for row in rows for cell in row)


def _count_equal_cells(predicted: _Rows, wanted: _Rows, pairs: _Pairs) -> np.ndarray:
    """Return how many matched records have the same value in a predicted and a true column."""
    width = (len(predicted[0]) if predicted else 0, len(wanted[0]) if wanted else 0)
    common = np.zeros(width, dtype=np.int64)
    for predicted_row, wanted_row in pairs:
        columns: dict[str, list[int]] = {}
        for j, cell in enumerate(wanted[wanted_row]):
            if cell:
                columns.setdefault(cell, []).append(j)
        for i, cell in enumerate(predicted[predicted_row]):
            for j in columns.get(cell, ()):
                common[i, j] += 1
    return common


def _assign_columns(common: np.ndarray) -> list[tuple[int, int]]:
    """Return the columns that belong together so that most values are the same."""
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError as error:
        raise unavailable("matching columns needs scipy", "evaluate") from error
    rows, columns = linear_sum_assignment(common, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def aligned_share(predicted: _Rows, wanted: _Rows, pairs: _Pairs) -> float:
    """Return the share of pairs of cells in one true column that are in one predicted column too.

    Cells of records that match none are in no column.
    """
    best = {j: i for i, j in _assign_columns(_count_equal_cells(predicted, wanted, pairs))}
    matched = {other: one for one, other in pairs}
    together = total = 0
    for j in range(len(wanted[0]) if wanted else 0):
        cells = [(n, row[j]) for n, row in enumerate(wanted) if row[j]]
        total += len(cells) * (len(cells) - 1) // 2
        columns: Counter[int] = Counter()
        for n, cell in cells:
            if n in matched:
                here = [i for i, other in enumerate(predicted[matched[n]]) if other == cell]
                if here:
                    columns[best[j] if best.get(j) in here else here[0]] += 1
        together += sum(count * (count - 1) // 2 for count in columns.values())
    return together / total if total else 1.0


def price_counts(predicted: _Rows, wanted: _Rows, pairs: _Pairs) -> Counts:
    """Compare the amounts with a currency in rows with those of the same records."""
    here, there = [list(map(_find_amounts, rows)) for rows in (predicted, wanted)]
    common = sum((here[one] & there[other]).total() for one, other in pairs)
    return Counts(common, sum(some.total() for some in here), sum(some.total() for some in there))


def _find_amounts(row: Sequence[str]) -> Counter[float]:
    """Return the amounts with a currency in a row; sign and digits may lie in two cells."""
    prices = _PRICE.findall(" ".join(filter(None, row)))
    return Counter({parse_number(_CENTS.sub(r"\1.\2", text)) for text in prices})
