"""tagwindow: noise filter and weight of tag windows, 002 §3.4 and §3.5."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import SINGLE, Bools, Page, character_classes, find_offsets, tags
from tamis.verdict.density import densities
from tamis.verdict.verdict import Verdict, build_verdict

Floats = NDArray[np.float64]

NOISE_WORDS: Final = tuple(
    "contact|company profile|copyright|all rights reserved|about us|privacy|terms of|sitemap|"
    "site map|disclaimer|imprint|advertise|careers|help|feedback|subscribe|newsletter|follow us|"
    "联系我们|关于我们|版权|公司简介|网站地图|隐私|招聘|广告服务|帮助|"
    "kontakt|impressum|datenschutz|agb|über uns|mentions légales|confidentialité|"
    "plan du site|qui sommes-nous|aviso legal|privacidad|quiénes somos|mapa del sitio|"
    "контакты|о компании|авторские права|реклама|карта сайта|"
    "polityka prywatności|o nas|regulamin|reklama|mapa strony|"
    "επικοινωνία|όροι χρήσης|σχετικά με|διαφήμιση|お問い合わせ|会社概要|プライバシー|著作権".split(
        "|"
    )
)
# It begins with a literal, which is found much faster than a class of letters.
_EMAIL: Final = re.compile(r"@(?<=[\w.+-]@)[\w-]{1,63}\.[\w-]")


@dataclass(frozen=True)
class TagWindow:
    """Filters noisy windows, then takes the best of the rest (002 §3.4, §3.5).

    The noise score is Σ α_i f_i over e-mail addresses, link text, lack of a paragraph and links;
    windows above `noise` are out. Of the rest the innermost one that satisfies the paper's judgment
    parameters wins; where none does, all of the rest compete by weight. Only windows with text
    compete, and if the filter leaves no text, all windows do: a page with text never gets an empty
    answer.

    `as_printed=True` is the paper to the letter: α = 0.2 each, the weight with + NLTD, which the
    paper's own words contradict, and all windows that the filter leaves compete.
    """

    alpha: tuple[float, float, float, float] | None = None  # 0.25 each, and as printed 0.2
    noise: float = 0.5
    beta: float = 0.7
    max_link: float = 0.4
    min_plain: float = 0.5
    min_marks: float = 0.7
    noise_words: int = 5
    penalty: float = 0.6
    as_printed: bool = False

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the winning window, with the windows inside it, as informative."""
        page = blocks.page
        if not len(blocks):
            return build_verdict(*np.zeros((4, 0)), "")
        noise = self._alpha() @ noise_features(blocks)
        measured = densities(page, page.visible)
        weight = measured.weight(self.beta, as_printed=self.as_printed)[blocks.node]
        weight -= self.penalty * (noise_word_counts(blocks) >= self.noise_words)
        content = measured.content_nodes(self.max_link, self.min_plain, self.min_marks)
        left, has_text = noise <= self.noise, blocks.inside(page.visible) > 0
        qualified = innermost(
            blocks, left & has_text & content[blocks.node] & (not self.as_printed)
        )
        for among in (qualified, left & has_text, has_text, ~has_text):
            if among.any():
                break
        winner = int(np.argmax(np.where(among, weight, -np.inf)))
        within = (blocks.first >= blocks.first[winner]) & (blocks.stop <= blocks.stop[winner])
        kept = within & left
        kept[winner] = True
        if not blocks.owned(page.visible)[kept].any():  # all its text is in noisy windows
            kept = within
        return build_verdict(
            weight,
            kept,
            np.where(kept, 0, np.where(left, 1, 2)),
            np.where(left, weight, noise),
            "in the window of greatest weight, own weight {:.2f}",
            "weight {:.2f}, not the greatest",
            "noise score {:.2f}",
        )

    def _alpha(self) -> Floats:
        """Return the weights of the noise features."""
        if self.alpha is not None:
            return np.array(self.alpha)
        return np.full(4, 0.2 if self.as_printed else 0.25)


def chunk_attributes(blocks: Blocks) -> dict[str, Floats]:
    """Return 002's attributes of each chunk, child chunks included.

    Sizes are characters of markup: without layout no other size is known.
    """
    page = blocks.page
    size = page.stop - page.start
    image = page.tag == tags.CODE["img"]
    interaction = tags.tag_table(("input", "select"))[page.tag]
    form = page.tag == tags.CODE["form"]
    return {
        "ImgNum": blocks.inside(image),
        "ImgSize": blocks.inside(image * size),
        "LinkNum": blocks.inside(page.tag == tags.CODE["a"]),
        "LinkTextLen": blocks.inside(page.chars * page.in_link),
        "InteractionNum": blocks.inside(interaction),
        "InteractionSize": blocks.inside(interaction * size),
        "FormNum": blocks.inside(form),
        "FormSize": blocks.inside(form * size),
        "EmailNum": blocks.inside(email_counts(page)),
        "TextLen": blocks.inside(page.chars),
    }


def noise_features(blocks: Blocks) -> NDArray[np.float64]:
    """Return f1 to f4 of 002 §3.4: e-mail, link text, no paragraph, links; a row a feature."""
    page = blocks.page
    emails, links = email_counts(page), page.tag == tags.CODE["a"]
    text, linked = blocks.inside(page.chars), blocks.inside(page.chars * page.in_link)
    return np.array(
        [
            blocks.inside(emails) / max(int(emails.sum()), 1),
            linked / np.maximum(text, 1.0),
            blocks.inside(page.tag == tags.CODE["p"]) == 0,
            blocks.inside(links) / max(int(links.sum()), 1),
        ],
        dtype=np.float64,
    )


def email_counts(page: Page) -> NDArray[np.int64]:
    """Return the number of e-mail addresses that stand in each text row."""
    counts = np.zeros(len(page), dtype=np.int64)
    np.add.at(counts, shown_rows(page, [m.start() for m in _EMAIL.finditer(page.text)]), 1)
    return counts


def shown_rows(page: Page, places: list[int]) -> NDArray[np.int64]:
    """Return the text rows of places in the page's text, in order, as far as readers see them."""
    rows = np.flatnonzero(page.visible) if places else np.zeros(0, dtype=np.int64)
    if not len(rows):  # most words are not there
        return rows
    at = np.searchsorted(page.text_start[rows], places, side="right") - 1
    return rows[at[(at >= 0) & (page.text_stop[rows[at]] > places)]]


def noise_word_counts(blocks: Blocks) -> NDArray[np.int64]:
    """Return how many different noise words stand in each block."""
    page = blocks.page
    text = page.text.replace("İ", "I").lower()  # the only letter that is longer in lower case
    low = blocks.node
    high = page.end[blocks.node]
    counts = np.zeros(len(blocks), dtype=np.int64)
    for word in NOISE_WORDS:
        rows = shown_rows(page, list(_places(text, word)))
        if len(rows):
            counts += np.searchsorted(rows, high) > np.searchsorted(rows, low)
    return counts


def _places(text: str, word: str) -> Iterator[int]:
    """Return where words of a text begin with a word, as `contacts` and `contacto` do."""
    return (at for at in find_offsets(text, word) if not joined(text[max(at - 1, 0) : at + 1]))


def joined(pair: str) -> bool:
    """Say whether two letters are neighbours in one word, in a script that has spaces."""
    classes = character_classes()
    single = any(ord(one) >= len(classes) or classes[ord(one)] & SINGLE for one in pair)
    return len(pair) == 2 and pair.isalnum() and not single


def innermost(blocks: Blocks, among: Bools) -> Bools:
    """Return which of some blocks hold no other of them."""
    holds = np.zeros(len(blocks), dtype=np.bool_)
    for index in np.flatnonzero(among).tolist():
        above = int(blocks.parent[index])
        while above >= 0 and not holds[above]:
            holds[above] = True
            above = int(blocks.parent[above])
    return among & ~holds
