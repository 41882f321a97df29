"""What marks a record as an advertisement, and what only looks so."""

from __future__ import annotations

from helpers.lists import listed, table
from tamis.records import Records

WORDS = "and a few words that say what this one is good for"


def values(records: Records, name: str) -> list[object]:
    return [row[name] for row in records]


def test_a_status_is_no_mark_of_advertisements() -> None:
    records = table("Student|Status", "Promoted", "Left", "Promoted", "Left", "Left", "Left")
    assert "sponsored" not in records[0]
    records = listed(
        *(f"<b>{word}</b>" for word in ("Promoted", "Left", "Left", "Promoted", "Left"))
    )
    assert "sponsored" not in records[0]
    records = listed(
        *(f"{mark}<p>{WORDS}</p>" for mark in ("<b>Paid</b>", "", "", "<b>Paid</b>", ""))
    )
    assert "sponsored" not in records[0]


def test_a_word_for_an_advertisement_marks_a_record() -> None:
    records = listed(
        *(f"{mark}<p>{WORDS}</p>" for mark in ("<b>Ad</b>", "", "", "<b>Sponsored</b>", ""))
    )
    assert values(records, "sponsored") == [True, False, False, True, False]
    sellers = ["Kim", "Lou", "Sponsored", "Max", "Ida", "Uwe"]
    records = listed(*(f"<b>{word}</b>" for word in sellers))
    assert values(records, "sponsored") == [False, False, True, False, False, False]
