"""What a browser does not show is no content, unless it is nearly all there is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import tamis
from helpers.chromium import needs_chromium
from helpers.layouts import laid_out
from helpers.samples import sample
from tamis.page import Bools, Page
from tamis.verdict.learned import ExpertProbabilities, find_not_rendered

STORY = "<p>The river rose, by four inches; nobody in the valley slept before noon, it is said.</p>"


def showing(page: Page, shown: Bools) -> Page:
    """Return a page with a layout that shows only some rows."""
    layout = laid_out(page).layout
    assert layout is not None
    return replace(page, layout=replace(layout, shown=shown))


def test_without_layout_nothing_is_unseen() -> None:
    blocks = tamis.segment("<p>a<p>b")
    views = ExpertProbabilities(np.ones((1, 2)), np.ones(1))
    assert find_not_rendered(blocks, views, np.ones(2)) is None


def test_blocks_that_are_not_shown_are_unseen() -> None:
    page = tamis.parse("<p>one<p>two<p>three<hr>")
    shown = np.ones(len(page), dtype=np.bool_)
    blocks = tamis.segment(page)
    shown[blocks.first[1] : blocks.stop[1]] = False
    blocks = tamis.segment(showing(page, shown))
    views = ExpertProbabilities(np.full((1, len(blocks)), 0.5), np.ones(1))
    found = find_not_rendered(blocks, views, np.ones(len(blocks)))
    assert found is not None
    assert found.tolist() == [index == 1 for index in range(len(blocks))]
    score = views.without(found).score
    assert score[1] == 0
    assert (np.delete(score, 1) == 0.5).all()


def test_a_page_that_hides_all_of_its_content_is_read_as_if_it_were_shown() -> None:
    page = sample("article")
    nothing = showing(page, np.zeros(len(page), dtype=np.bool_))
    assert tamis.extract(nothing).text == tamis.extract(page).text


def test_all_is_as_without_layout_where_everything_is_shown() -> None:
    page = sample("forum")
    everything = showing(page, np.ones(len(page), dtype=np.bool_))
    assert tamis.extract(everything).text == tamis.extract(page).text


@needs_chromium
def test_an_answer_that_waits_for_a_click_is_hidden() -> None:
    folded = STORY.replace("river", "harvest").replace("<p>", "<p class=later>")
    html = f"<style>.later {{ display: none }}</style><main>{STORY * 6}{folded}</main>"
    page = tamis.render.render(html)
    document = tamis.extract(page)
    assert "river" in document.text
    assert "harvest" not in document.text
    block = next(block for block in document.blocks if "harvest" in block.text)
    assert block.reason == "hidden, probability 0.00"
