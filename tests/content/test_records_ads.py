"""What marks a record as an advertisement, and what only looks so."""

from __future__ import annotations

import tamis
from tamis.content.records import Records

WORDS = "and a few words that say what this one is good for"
NAMES = ["Oak chair", "Walnut table", "Pine shelf", "Linen sofa", "Brass lamp", "Wool rug"]


def listed(*items: str) -> Records:
    """Return the records of a list of things with a name and what else is given of each."""
    rows = (
        f"<li><h3><a href=/{n}>{name}</a></h3>{item}</li>"
        for n, (name, item) in enumerate(zip(NAMES, items, strict=False))
    )
    html = f"<body><main><ul>{''.join(rows)}</ul></main>"
    return tamis.extract(html, method="tagwindow").records


def table(heads: str, *rows: str) -> Records:
    """Return the records of a table of things, texts parted by bars."""
    lines = [heads, *(f"{name}|{row}" for name, row in zip(NAMES, rows, strict=False))]
    cells = [line.split("|") for line in lines]
    first = "".join(f"<th>{cell}</th>" for cell in cells[0])
    rest = "".join(f"<tr>{''.join(f'<td>{c}</td>' for c in row)}</tr>" for row in cells[1:])
    html = f"<html lang=en><body><main><table><tr>{first}</tr>{rest}</table></main>"
    return tamis.extract(html, method="tagwindow").records


def values(found: Records, name: str) -> list[object]:
    return [row[name] for row in found]


def test_a_status_is_no_mark_of_advertisements() -> None:
    found = table("Student|Status", "Promoted", "Left", "Promoted", "Left", "Left", "Left")
    assert "sponsored" not in found[0]
    found = listed(*(f"<b>{word}</b>" for word in ("Promoted", "Left", "Left", "Promoted", "Left")))
    assert "sponsored" not in found[0]
    found = listed(
        *(f"{mark}<p>{WORDS}</p>" for mark in ("<b>Paid</b>", "", "", "<b>Paid</b>", ""))
    )
    assert "sponsored" not in found[0]


def test_a_word_for_an_advertisement_marks_a_record() -> None:
    found = listed(
        *(f"{mark}<p>{WORDS}</p>" for mark in ("<b>Ad</b>", "", "", "<b>Sponsored</b>", ""))
    )
    assert values(found, "sponsored") == [True, False, False, True, False]
    sellers = ["Kim", "Lou", "Sponsored", "Max", "Ida", "Uwe"]
    found = listed(*(f"<b>{word}</b>" for word in sellers))
    assert values(found, "sponsored") == [False, False, True, False, False, False]
