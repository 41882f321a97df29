"""Characters, terms and punctuation marks are counted as the definitions say."""

from __future__ import annotations

import html as html_module
import unicodedata

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.samples import SAMPLES, sample
from page.oracle import TERM
from page.soup import patient, soups
from tamis.page import Page, parse, tags

MENU_TAGS = [tags.CODE[name] for name in ("select", "optgroup", "option", "datalist", "textarea")]
NOT_MARKS = "@#%&*/\\'\"†‡‰‱※‧＃％＆＊＠／＼＇＂"
# Unassigned code points are nobody's letters, and lone surrogates are tested elsewhere.
anything = st.text(st.characters(exclude_categories=["Cn", "Cs"]), max_size=60)
letters = st.text("aé1_ß中日ไทยกカﾊ한글हि٣ 　.,。!'\u00ad\u200b-½²\n", max_size=40)


def check_counts(page: Page) -> None:
    """Compare the counts of every text row with those of its text."""
    menus = page.within(np.flatnonzero(np.isin(page.tag, MENU_TAGS)))
    for row in range(len(page)):
        if menus[row]:  # what is in menus and fields of forms is not read
            assert page.chars[row] == page.terms[row] == page.marks[row] == 0
            continue
        text = page.text[page.text_start[row] : page.text_stop[row]]
        if page.tag[row] != tags.TEXT:
            assert page.chars[row] == page.terms[row] == page.marks[row] == 0
            continue
        assert page.chars[row] == sum(not char.isspace() for char in text)
        assert page.terms[row] == len(TERM.findall(text)), text
        assert page.marks[row] == sum(
            unicodedata.category(char) == "Po" and char not in NOT_MARKS for char in text
        )


@given(anything | letters)
@patient
def test_counts_of_any_text(text: str) -> None:
    check_counts(parse(f"<p>{html_module.escape(text)}<pre>{html_module.escape(text)}"))


@given(soups())
@patient
def test_counts_of_soup(html: str) -> None:
    page = parse(html)
    if not (page.flags & tags.NOSCRIPT).any():
        check_counts(page)


@pytest.mark.parametrize("name", SAMPLES)
def test_counts_of_samples(name: str) -> None:
    check_counts(sample(name))


@pytest.mark.parametrize(
    ("text", "terms"),
    [
        ("", 0),
        ("two words", 2),
        ("don't", 2),
        ("snake_case 1984 3.14", 4),
        ("naïve Łódź", 2),
        ("今天天气好", 5),
        ("今天 is 2 good", 5),
        ("ab今天cd", 4),
        ("カタカナ", 4),
        ("한국어 글", 2),
        ("ex\u00adam\u200bple", 1),
        ("𠀀𠀁", 2),
        ("!?", 0),
    ],
)
def test_terms(text: str, terms: int) -> None:
    assert parse(f"<p>{text}").terms.sum() == terms


def test_sums_over_subtrees() -> None:
    page = parse("<div><p>one two<p>three<ul><li>four</ul></div><p>five")
    below = page.below(page.terms)
    assert [int(below[row]) for row in range(len(page)) if page.name(row) == "div"] == [4]
    assert below[0] == 5
