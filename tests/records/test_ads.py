"""What marks a record as an advertisement, and what only looks so."""

from __future__ import annotations

from helpers.lists import listed, table
from tamis.records import Records

WORDS = "and a few words that say what this one is good for"


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
