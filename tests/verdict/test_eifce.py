"""eifce: the block of greatest importance, and what it holds."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

import numpy as np
import pytest

import tamis
from helpers.chromium import needs_chromium
from helpers.samples import FOLDER
from tamis.blocks import BlockParameters, Visual, measure_parameters
from tamis.errors import NeedsLayout
from tamis.lab.metrics import word_counts
from tamis.render import Browser
from tamis.verdict import Eifce, measure_importance

STORY = "The river rose, by four inches; nobody in the valley slept before noon, it is said. " * 6
LINKS = "".join(f"<li><a href=/{n}>entry {n} of many words</a>" for n in range(20))
PAGE = f"""<body style="margin: 0"><nav style="height: 60px"><ul>{LINKS}</ul></nav>
<main style="width: 900px; margin: auto"><article><p>{STORY}</p><p>{STORY} <b>End.</b></p>
<ul id=more style="height: 200px">{LINKS}</ul></article></main>
<form style="height: 90px"><p>Your name <input> <b>or</b> <input></p></form>"""


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with Browser(timeout=60) as made:
        yield made


def known(**given: float) -> BlockParameters:
    return BlockParameters(
        *(np.array([given.get(part.name, 0.0)]) for part in fields(BlockParameters))
    )


def test_importance_is_evidence_for_over_evidence_against() -> None:
    whole = known(plain_chars=99, punctuation=9, area=0.5, link_chars=8, controls=1, offset=0.25)
    assert measure_importance(whole, 1.0) == pytest.approx([100 * 10 * 0.5 / (9 * 2 * 1.25)])
    assert measure_importance(whole, 0.5) == pytest.approx([100 * 10 * 0.5 / (3 * 2 * 1.25)])
    assert known(plain_chars=3, link_chars=1).link_density == [0.25]
    assert known().link_density == [1.0]


@needs_chromium
def test_the_story_is_informative_and_links_in_it_are_not(browser: Browser) -> None:
    document = tamis.extract(browser.render(PAGE), method="eifce")
    assert document.text.count("nobody in the valley") == 12
    assert "entry" not in document.text
    reasons = [block.reason or "" for block in document.blocks]
    assert sum(reason.startswith("greatest importance") for reason in reasons) == 1
    assert any("not the greatest" in reason or "no candidate" in reason for reason in reasons)


HIDDEN = {
    "display": "<p style='display: none'>Nobody sees this, not even once.</p>",
    "in a line": "<p>Seen. <span style='display: none'>Nobody sees this.</span> Seen too.</p>",
    "by a rule": "<style>.later {display: none}</style><div class=later><p>Nobody sees this.</div>",
    "visibility": "<p style='visibility: hidden'>Nobody sees this, not even once.</p>",
    "attribute": "<div hidden><p>Nobody sees this.</p><p>Nobody sees that.</p></div>",
}


@needs_chromium
@pytest.mark.parametrize("way", HIDDEN)
def test_hidden_text_in_the_informative_block_is_not_given_out(browser: Browser, way: str) -> None:
    html = PAGE.replace("</p><p>", f"</p>{HIDDEN[way]}<p>")
    document = tamis.extract(browser.render(html), method="eifce")
    assert document.text.count("nobody in the valley") == 12
    for text in (document.text, document.markdown, document.html):
        assert "Nobody sees" not in text
    assert ("Seen too." in document.text) is (way == "in a line")


@needs_chromium
def test_hidden_pictures_in_the_informative_block_are_not_given_out(browser: Browser) -> None:
    picture = "<img src={0}.png width=200 height=100 alt={0} style='display: {1}'>"
    both = picture.format("open", "block") + picture.format("shut", "none")
    document = tamis.extract(
        browser.render(PAGE.replace("</p><p>", f"{both}</p><p>")), method="eifce"
    )
    assert "open.png" in document.markdown
    assert "shut.png" not in document.markdown


@needs_chromium
def test_general_parameters_are_of_what_is_seen(browser: Browser) -> None:
    page = browser.render(
        "<body style='margin: 0'><div style='width: 640px; height: 400px'>one, two <a href=/>three"
        "</a><p style='display: none'>four <a href=/>five</a></p><input><img src=x alt=x></div>"
        "<div style='height: 600px'>x <b>y</b>"
    )
    blocks = Visual(min_area=0, min_height=0).segment(page)
    first = int(np.flatnonzero([block.tag == "div" for block in blocks])[0])
    found = measure_parameters(blocks, "a test")
    values = [
        float(column[first])
        for column in (
            *(found.terms, found.plain_chars, found.link_chars, found.punctuation),
            *(found.links, found.images, found.controls),
        )
    ]
    assert values == [3, 7, 5, 1, 1, 1, 1]
    assert found.area[first] == pytest.approx(640 * 400 / (1280 * 1000))
    assert found.offset[first] == pytest.approx(0.25)
    assert found.first_screen[first] == 1
    last = int(np.flatnonzero([block.tag == "div" for block in blocks])[-1])
    assert found.first_screen[last] == pytest.approx(400 / 600)


@needs_chromium
def test_without_a_candidate_there_is_still_an_answer(browser: Browser) -> None:
    page = browser.render("<p>one <b>two</b></p><p>three <b>four</b></p>")
    assert tamis.extract(page, method="eifce").text
    assert tamis.extract(browser.render("<img src=x>"), method="eifce").text == ""


@needs_chromium
@pytest.mark.parametrize(("name", "least"), [("article", 0.95), ("chinese", 0.95)])
def test_articles_among_the_samples_are_found(browser: Browser, name: str, least: float) -> None:
    page = browser.render((FOLDER / f"{name}.html").read_bytes(), files=FOLDER)
    gold = (FOLDER / "expected" / f"{name}.txt").read_text(encoding="utf-8")
    assert word_counts(tamis.extract(page, method="eifce").text, gold, "han").f1 > least


def test_a_page_without_layout_is_told_what_to_do() -> None:
    with pytest.raises(NeedsLayout, match="has no layout"):
        tamis.extract("<p>a", method="eifce")
    with pytest.raises(NeedsLayout, match="eifce looks at pages"):
        Eifce().identify(tamis.segment("<p>a"))
