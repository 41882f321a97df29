"""Status, page type and confidence of a document."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import tamis
from helpers.growth import LINEAR, growth
from helpers.instances import PLAIN_METHODS
from tamis.blocks import Blocks, TagSet
from tamis.content import MAX_DOUBTFUL_TERMS, MAX_SHELL_TERMS, MIN_CONFIDENCE, is_shell
from tamis.verdict import Importance, PageVerdict, Verdict, build_verdict

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
PROSE = "It rained on the day of the fair, and nobody in the valley minded it at all. " * 12


@dataclass(frozen=True)
class Sure:
    """Keeps all or nothing, with a fixed confidence."""

    confidence: float
    keeps: bool = True

    def identify(self, blocks: Blocks) -> Verdict:
        informative = np.full(len(blocks), self.keeps)
        zeros = np.zeros(len(blocks))
        reason_codes = np.zeros(len(blocks), dtype=np.uint8)
        return build_verdict(
            zeros,
            informative,
            reason_codes,
            zeros,
            "as given",
            page=PageVerdict("forum", self.confidence),
        )


def sure(html: str, confidence: float, *, keeps: bool = True) -> tamis.Document:
    return tamis.extract(html, method=tamis.Method(TagSet(), Sure(confidence, keeps)))


def status(html: str) -> str:
    return tamis.extract(html, method=EVERYTHING).status


SHELLS = {
    "noscript": "<noscript>You need to enable JavaScript to run this app.</noscript><div></div>",
    "german": "<noscript>Bitte aktivieren Sie JavaScript.</noscript>",
    "japanese": "<noscript>ジャバスクリプトを有効にしてください</noscript>",
    "russian": "<noscript>Включите джаваскрипт</noscript>",
    "root": "<div id=root></div>",
    "next": "<div id=__next><div class=spinner></div></div>",
    "nuxt": "<div id=__nuxt></div><footer>All rights reserved</footer>",
    "custom": "<app-root><div class=loader></div></app-root>",
    "scripts": "<p>Loading …</p><script src=/main.js></script>",
    "nothing": "<script>start()</script>",
    "notice": "<h1>One moment</h1><p>This site needs JavaScript, and cookies too. Please turn both "
    "of them on in the settings of your browser, and load the page once more.</p>",
}


@pytest.mark.parametrize("html", SHELLS.values(), ids=SHELLS)
def test_a_shell_needs_javascript(html: str) -> None:
    assert status(html) == "needs-javascript"


@pytest.mark.parametrize("method", PLAIN_METHODS)
def test_every_method_knows_a_shell(method: str) -> None:
    assert tamis.extract(SHELLS["root"], method=method).status == "needs-javascript"


PLAIN = {
    "nothing": "",
    "no text": "<p></p><div id=main></div>",
    "a tracker": "<noscript><img src=/pixel.gif></noscript>",
    "a drawing": "<svg><my-shape></my-shape></svg>",
    "a template": "<template><div id=root></div></template>",
}


@pytest.mark.parametrize("html", PLAIN.values(), ids=PLAIN)
def test_nothing_on_a_page_that_is_no_shell_is_empty(html: str) -> None:
    assert status(html) == "empty"


def test_content_is_good_whatever_marks_stand_beside_it() -> None:
    for marks in ("", *SHELLS.values()):
        assert status(f"{marks}<p>{PROSE}</p>") == "good"


def test_a_short_page_without_marks_is_good() -> None:
    assert status("<p>It rained.</p>") == "good"
    assert status("<p>Learn JavaScript from those who enabled the web.</p>" * 8) == "good"


def test_a_small_part_of_a_shell_is_partial() -> None:
    words = " ".join(f"word{n}" for n in range(MAX_DOUBTFUL_TERMS))
    assert status(f"<div id=root></div><p>{words}</p>") == "partial"
    assert status(f"<div id=root></div><p>{words} more</p>") == "good"
    few = " ".join(words.split()[:MAX_SHELL_TERMS])
    assert status(f"<div id=root></div><p>{few}</p>") == "needs-javascript"
    assert status(f"<div id=root></div><p>{few} more</p>") == "partial"


def test_a_truncated_page_is_partial() -> None:
    document = tamis.extract("<div>" * 2000 + PROSE, method=EVERYTHING)
    assert document.page.truncated
    assert document.status == "partial"


def test_low_confidence_makes_it_partial() -> None:
    html = f"<p>{PROSE}</p>"
    assert sure(html, MIN_CONFIDENCE).status == "good"
    assert sure(html, MIN_CONFIDENCE - 0.01).status == "partial"
    assert sure(html, 0.9, keeps=False).status == "empty"
    assert sure(html, 0.1, keeps=False).status == "empty"


def test_page_type_and_confidence_are_those_of_the_method() -> None:
    document = sure("<p>It rained.</p>", 0.75)
    assert (document.page_type, document.confidence) == ("forum", 0.75)
    silent = tamis.extract("<p>It rained.</p>", method=EVERYTHING)
    assert (silent.page_type, silent.confidence) == (None, None)


def test_json_has_all_three() -> None:
    data = sure(f"<p>{PROSE}</p>", 0.75).json
    assert (data["page_type"], data["confidence"], data["status"]) == ("forum", 0.75, "good")
    data = tamis.extract(SHELLS["next"], method=EVERYTHING).json
    assert (data["page_type"], data["confidence"]) == (None, None)
    assert data["status"] == "needs-javascript"


def test_the_time_grows_with_the_page() -> None:
    part = "<div id=a1><x-y>x</x-y></div><noscript>java</noscript><script></script><p hidden></p>"
    small, large = (tamis.parse(part * count) for count in (400, 3200))
    assert growth(lambda: is_shell(small), lambda: is_shell(large)) < LINEAR
