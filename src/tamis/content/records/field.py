"""Field: a column of a table of records."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tamis.content.records.values.typed import Type, Value


@dataclass(frozen=True, eq=False)
class Field:
    """A column of a table of records: its name, its type, and for each record value and place."""

    name: str
    type: Type
    values: tuple[Value, ...]
    texts: tuple[str, ...]  # as they stand in the page
    rows: tuple[int, ...]  # of the page, -1 where a record lacks the field
    label: str | None = None  # a text of its own before each value that names it
    grid: int | None = None  # number of the table column that it is in


def unique(fields: Iterable[Field]) -> list[Field]:
    """Return fields whose names differ: the second `price` is `price_2`, unless another is.

    One currency is enough where all prices of a record have the same, and so is one mark.
    """
    fields = list(fields)
    stated = {field.name for field in fields}
    kept: dict[str, Field] = {}
    last: dict[str, int] = {}  # the number of the last field of a name
    for field in fields:
        if field.name in kept and field.name == "sponsored":
            continue
        if field.name in kept and field.name == "currency":
            if one := one_currency(kept["currency"], field):
                kept["currency"] = one
                continue
            field = replace(field, name=f"{next(reversed(kept))}_currency")
        number = last.get(field.name, 1)
        name = field.name if number == 1 else f"{field.name}_{number}"
        while name in kept or (number > 1 and name in stated):
            number += 1
            name = f"{field.name}_{number}"
        last[field.name] = number
        kept[name] = field if number == 1 else replace(field, name=name)
    return list(kept.values())


def one_currency(one: Field, other: Field) -> Field | None:
    """Return two fields of currencies as one; None where they differ."""
    pairs = list(zip(one.values, other.values, strict=True))
    if any(a is not None and b is not None and a != b for a, b in pairs):
        return None
    rows = zip(pairs, one.rows, other.rows, strict=True)
    return replace(
        one,
        values=tuple([b if a is None else a for a, b in pairs]),
        rows=tuple([second if a is None else first for (a, _), first, second in rows]),
    )
