"""What is laid out and not seen, and pages that are wider than the screen."""

from __future__ import annotations

import pytest

import tamis
from helpers.chromium import needs_chromium
from tamis.page import Page, tags
from tamis.render import Browser

pytestmark = needs_chromium

HIDDEN = {
    "transparent": "<div style='opacity: 0'><p>gone</p></div>",
    "closed details": "<details><summary>here</summary><p>gone</p>gone</details>",
    "no height": "<div style='max-height: 0; overflow: hidden'><p>gone</p>gone</div>",
    "no width": "<div style='width: 0; overflow: hidden; height: 20px'><p>gone</p></div>",
    "no height, absolute inside": "<div style='height: 0; overflow: hidden; position: relative'>"
    "<p style='position: absolute'>gone</p></div>",
}
SHOWN = {
    "half transparent": "<div style='opacity: 0.5'><p>here</p></div>",
    "open details": "<details open><summary>here</summary><p>here</p>here</details>",
    "overflow is visible": "<div style='max-height: 0'><p>here</p>here</div>",
    "absolute leaves": "<div style='height: 0; overflow: hidden'>"
    "<p style='position: absolute'>here</p></div>",
    "fixed leaves": "<div style='height: 0; overflow: hidden; position: relative'>"
    "<p style='position: fixed'>here</p></div>",
    "a page that fades in": "<style>body { opacity: 0 }</style><p>here</p>",
    "summary of details": "<details><summary>here</summary></details>",
}


def seen_texts(page: Page) -> set[str]:
    """Return the texts that have a box and are shown."""
    layout = page.layout
    assert layout is not None
    return {
        page.text[page.text_start[row] : page.text_stop[row]].strip()
        for row in range(len(page))
        if page.tag[row] == tags.TEXT and layout.shown[row] and layout.width[row] > 0
    } - {""}


@pytest.mark.parametrize("case", HIDDEN)
def test_what_is_not_seen_is_not_shown(browser: Browser, case: str) -> None:
    page = browser.render(f"<body>{HIDDEN[case]}<p>here</p>")
    assert seen_texts(page) == {"here"}


@pytest.mark.parametrize("case", SHOWN)
def test_what_is_seen_is_shown(browser: Browser, case: str) -> None:
    assert seen_texts(browser.render(f"<body>{SHOWN[case]}")) == {"here"}


@pytest.mark.parametrize("direction", ["rtl", "ltr"])
def test_no_box_of_a_wide_page_is_beyond_its_edges(browser: Browser, direction: str) -> None:
    words = "".join(f"<td style='min-width: 300px'>number {n}" for n in range(12))
    page = browser.render(f"<html dir={direction}><body><table><tr>{words}</table>")
    layout = page.layout
    assert layout is not None
    cells = [row for row in range(len(page)) if page.name(row) == "td"]
    assert layout.size[0] > 3500
    assert layout.x[cells].min() >= 0
    assert (layout.x[cells] + layout.width[cells]).max() <= layout.size[0]
    assert len(tamis.segment(page, "visual")) > 0
