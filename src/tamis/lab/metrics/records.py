"""Measures of segmentations and records: what was found is matched one to one with the truth.

Measures of records: the records themselves, their field values, their columns, their prices.
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

T = TypeVar("T")

FUZZY: Final = 0.8  # least similarity of two texts that are the same block
OVERLAP: Final = 0.5  # least F1 of the words of two records that are the same record

_NO_LETTER: Final = re.compile(r"[\W_]+")


def letters(text: str) -> str:
    """Return only the letters and digits of a text, in lower case."""
    return _NO_LETTER.sub("", text.lower())


def record_counts(
    found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], least: float = OVERLAP
) -> Counts:
    """Compare records, each a row of cells, by the words of the whole record."""
    return Counts(len(record_matches(found, wanted, least)), len(found), len(wanted))


def record_matches(
    found: Sequence[Sequence[str]], wanted: Sequence[Sequence[str]], least: float = OVERLAP
) -> list[tuple[int, int]]:
    """Return the records that are the same in both lists, by the words of the whole record."""
    here = [Counter(plain_words(" ".join(row))) for row in found]
    there = [Counter(plain_words(" ".join(row))) for row in wanted]
    return matches(here, there, bag_f1, least)


def bag_f1(found: Counter[str], wanted: Counter[str]) -> float:
    """Return the F1 of two multisets of words."""
    return Counts((found & wanted).total(), found.total(), wanted.total()).f1


def matches(
    found: Sequence[T], wanted: Sequence[T], alike: Callable[[T, T], float], least: float
) -> list[tuple[int, int]]:
    """Return the pairs of two lists that match one to one, the most alike first."""
    pairs = [
        (likeness, i, j)
        for i, one in enumerate(found)
        for j, other in enumerate(wanted)
        if (likeness := alike(one, other)) >= least
    ]
    return best_pairs(pairs)


def best_pairs(pairs: Iterable[tuple[float, int, int]]) -> list[tuple[int, int]]:
    """Return pairs in which nobody is twice, the most alike first: likeness, one, other."""
    here, there = set[int](), set[int]()
    found = []
    for _, i, j in sorted((-likeness, i, j) for likeness, i, j in pairs):
        if i not in here and j not in there:
            here.add(i)
            there.add(j)
            found.append((i, j))
    return found


Rows = Sequence[Sequence[str]]  # cells, "" where a record lacks the field; all of one length
Pairs = Sequence[tuple[int, int]]  # found record, true record

CHOSEN: Final = 0.5  # least F1 of the records of a region that is the right one

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


def plain_value(cell: str) -> str:
    """Return what two cells are compared by: numbers and days by value, else letters and digits.

    The truth went through a spreadsheet, which made "$3.90" 3.9, "(6)" -6 and "Oct 11, 2016"
    11-Oct-16 (or 10/11/2016 14:03, with a time), and some of it through a wrong encoding.
    """
    cell = unescape(repaired(cell)).strip()
    if _PRICE.fullmatch(cell):
        cell = _CENTS.sub(r"\1.\2", cell)  # "$ 21 03"
    if day := plain_day(cell):
        return day
    if clock := _CLOCK.fullmatch(cell):
        return clock[1]
    found = _NUMBER.fullmatch(cell)
    if found and any(sign in found[1] for sign in ".,"):
        return f"{parse_number(found[1].rstrip('.,')):g}"
    return letters(cell)


def repaired(cell: str) -> str:
    """Return a text that was UTF-8 and read as cp1252 as what it was."""
    try:
        return cell if cell.isascii() else cell.encode("cp1252").decode("utf-8")
    except UnicodeError:
        return cell


def plain_day(cell: str) -> str | None:
    """Return the day that a cell is, if it is nothing else but perhaps a time; years may lack."""
    found = _DAY.fullmatch(cell)
    if found is None:
        return None
    day = found["day"] or found["day2"] or found["day3"]
    year = found["year"] or found["year2"] or found["year3"] or ""
    name = (found["month2"] or found["month3"] or "")[:3].lower()
    if name and name not in _MONTHS:
        return None
    month = _MONTHS.index(name) + 1 if name else int(found["month"])
    return f"day {year[-2:]} {month} {int(day)}"


def field_measures(found: Rows, wanted: Rows, *, priced: bool) -> dict[str, float]:
    """Return all measures of records as numbers by name."""
    pairs = record_matches(found, wanted)
    records = Counts(len(pairs), len(found), len(wanted))
    here = [[plain_value(cell) for cell in row] for row in found]
    there = [[plain_value(cell) for cell in row] for row in wanted]
    fields = field_counts(here, there, pairs)
    measures = {
        "chosen": float(records.f1 >= CHOSEN),
        "all_right": float(records.common == records.found == records.wanted),
        "field_precision": fields.precision,
        "field_recall": fields.recall,
        "field_f1": fields.f1,
        "aligned": aligned_share(here, there, pairs),
    }
    if priced:
        prices = price_counts(found, wanted, pairs)
        measures |= {"price_precision": prices.precision, "price_recall": prices.recall}
    return measures


def field_counts(found: Rows, wanted: Rows, pairs: Pairs) -> Counts:
    """Count the values that are the same after columns were matched one to one, the best way.

    Values of records that match none count as found or wanted, too.
    """
    common = equal_cells(found, wanted, pairs)
    best = sum(common[i, j] for i, j in assigned(common))
    return Counts(float(best), filled(found), filled(wanted))


def filled(rows: Rows) -> int:
    """Return how many cells are not empty."""
    return sum(cell != "" for row in rows for cell in row)


def equal_cells(found: Rows, wanted: Rows, pairs: Pairs) -> np.ndarray:
    """Return how many matched records have the same value in a found and a true column."""
    width = (len(found[0]) if found else 0, len(wanted[0]) if wanted else 0)
    common = np.zeros(width, dtype=np.int64)
    for one, other in pairs:
        places: dict[str, list[int]] = {}
        for j, cell in enumerate(wanted[other]):
            if cell:
                places.setdefault(cell, []).append(j)
        for i, cell in enumerate(found[one]):
            for j in places.get(cell, ()):
                common[i, j] += 1
    return common


def assigned(common: np.ndarray) -> list[tuple[int, int]]:
    """Return the columns that belong together so that most values are the same."""
    try:
        from scipy.optimize import linear_sum_assignment
    except ImportError as error:
        raise unavailable("matching columns needs scipy", "evaluate") from error
    rows, columns = linear_sum_assignment(common, maximize=True)
    return list(zip(rows.tolist(), columns.tolist(), strict=True))


def aligned_share(found: Rows, wanted: Rows, pairs: Pairs) -> float:
    """Return the share of pairs of cells in one true column that are in one found column too.

    Cells of records that match none are in no column.
    """
    best = {j: i for i, j in assigned(equal_cells(found, wanted, pairs))}
    matched = {other: one for one, other in pairs}
    together = total = 0
    for j in range(len(wanted[0]) if wanted else 0):
        cells = [(n, row[j]) for n, row in enumerate(wanted) if row[j]]
        total += len(cells) * (len(cells) - 1) // 2
        places: Counter[int] = Counter()
        for n, cell in cells:
            if n in matched:
                here = [i for i, other in enumerate(found[matched[n]]) if other == cell]
                if here:
                    places[best[j] if best.get(j) in here else here[0]] += 1
        together += sum(count * (count - 1) // 2 for count in places.values())
    return together / total if total else 1.0


def price_counts(found: Rows, wanted: Rows, pairs: Pairs) -> Counts:
    """Compare the amounts with a currency in rows with those of the same records."""
    here, there = [list(map(amounts, rows)) for rows in (found, wanted)]
    common = sum((here[one] & there[other]).total() for one, other in pairs)
    return Counts(common, sum(some.total() for some in here), sum(some.total() for some in there))


def amounts(row: Sequence[str]) -> Counter[float]:
    """Return the amounts with a currency in a row; sign and digits may lie in two cells."""
    found = _PRICE.findall(" ".join(filter(None, row)))
    return Counter({parse_number(_CENTS.sub(r"\1.\2", text)) for text in found})
