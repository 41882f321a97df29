"""tagwindow: noise filter and weight of tag windows (the tag-window paper §3.4 and §3.5)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.errors import InputError, check_argument, check_number
from tamis.page import SINGLE, Bools, Page, character_classes, find_offsets, tags
from tamis.verdict.density import check_density_parameters, measure_densities
from tamis.verdict.verdict import Floats, Verdict, build_verdict

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
# It begins with a literal, because a search for a literal is much faster than one for a class.
_EMAIL: Final = re.compile(r"@(?<=[\w.+-]@)[\w-]{1,63}\.[\w-]")


@dataclass(frozen=True)
class TagWindow:
    """Filters noisy windows, then takes the best of the others (the tag-window paper §3.4, §3.5).

    The noise score is Σ α_i f_i over e-mail addresses, link text, lack of a paragraph and links;
    windows above `noise` are excluded. Of the others, the innermost one that satisfies the paper's
    judgment parameters wins; if none does, all others compete by weight. Only windows with text
    compete. If the filter leaves no text, all windows compete: the answer to a page with text is
    never empty.

    `as_printed=True` is the paper to the letter: α = 0.2 each, the weight with + NLTD, which
    contradicts the paper's own words, and all windows that the filter leaves compete.
    """

    alpha: tuple[float, float, float, float] | None = None  # 0.25 each; as printed 0.2
    noise: float = 0.5
    beta: float = 0.7
    max_link: float = 0.4
    min_plain: float = 0.5
    min_marks: float = 0.7
    noise_words: int = 5
    penalty: float = 0.6
    as_printed: bool = False

    def __post_init__(self) -> None:
        if self.alpha is not None:
            check_argument("alpha", self.alpha, tuple, "a tuple of four weights")
            if len(self.alpha) != 4:
                raise InputError(f"alpha has {len(self.alpha)} weights: give four")
            for weight in self.alpha:
                check_number("a weight of alpha", weight, 0)
        check_number("noise", self.noise, -1)  # below 0 all windows are noisy
        check_density_parameters(self.max_link, self.min_plain, self.min_marks, self.beta)
        check_number("noise_words", self.noise_words, 0, whole=True)
        check_number("penalty", self.penalty, 0)

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the winning window, with the windows inside it, as informative."""
        page = blocks.page
        if not len(blocks):
            return build_verdict(*np.zeros((4, 0)), "")
        noise = self._alpha() @ noise_features(blocks)
        densities = measure_densities(page, page.visible)
        weight = densities.weight(self.beta, as_printed=self.as_printed)[blocks.node]
        weight -= self.penalty * (count_noise_words(blocks) >= self.noise_words)
        content = densities.is_content(self.max_link, self.min_plain, self.min_marks)
        quiet, has_text = noise <= self.noise, blocks.inside(page.visible) > 0
        qualified = find_innermost(
            blocks, quiet & has_text & content[blocks.node] & (not self.as_printed)
        )
        for candidates in (qualified, quiet & has_text, has_text, ~has_text):
            if candidates.any():
                break
        winner = int(np.argmax(np.where(candidates, weight, -np.inf)))
        within = (blocks.first >= blocks.first[winner]) & (blocks.stop <= blocks.stop[winner])
        informative = within & quiet
        informative[winner] = True
        if not blocks.owned(page.visible)[informative].any():  # all its text is in noisy windows
            informative = within
        return build_verdict(
            weight,
            informative,
            np.where(informative, 0, np.where(quiet, 1, 2)),
            np.where(quiet, weight, noise),
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
    """Return the attributes of each raw chunk with its child chunks (the paper's Figure 3).

    Sizes are characters of markup, because without layout there is no other size.
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
        "EmailNum": blocks.inside(count_emails(page)),
        "TextLen": blocks.inside(page.chars),
    }


def noise_features(blocks: Blocks) -> Floats:
    """Return f1 to f4 of §3.4, one row each: e-mail addresses, link text, no paragraph, links."""
    page = blocks.page
    emails, links = count_emails(page), page.tag == tags.CODE["a"]
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


def count_emails(page: Page) -> NDArray[np.int64]:
    """Return the number of e-mail addresses in each text row."""
    counts = np.zeros(len(page), dtype=np.int64)
    offsets = [match.start() for match in _EMAIL.finditer(page.text)]
    np.add.at(counts, _visible_rows_at(page, offsets), 1)
    return counts


def count_noise_words(blocks: Blocks) -> NDArray[np.int64]:
    """Return how many different noise words are in each block."""
    page = blocks.page
    text = page.text.replace("İ", "I").lower()  # the only letter that is longer in lower case
    first, end = blocks.node, page.end[blocks.node]
    counts = np.zeros(len(blocks), dtype=np.int64)
    for word in NOISE_WORDS:
        rows = _visible_rows_at(page, list(_find_word_starts(text, word)))
        if len(rows):
            counts += np.searchsorted(rows, end) > np.searchsorted(rows, first)
    return counts


def find_innermost(blocks: Blocks, candidates: Bools) -> Bools:
    """Return which of the candidates contain no other candidate."""
    contains = np.zeros(len(blocks), dtype=np.bool_)
    for index in np.flatnonzero(candidates).tolist():
        parent = int(blocks.parent[index])
        while parent >= 0 and not contains[parent]:
            contains[parent] = True
            parent = int(blocks.parent[parent])
    return candidates & ~contains


def _visible_rows_at(page: Page, offsets: list[int]) -> NDArray[np.int64]:
    """Return the text rows at offsets in the page's text, in order; hidden rows are left out."""
    rows = np.flatnonzero(page.visible) if offsets else np.zeros(0, dtype=np.int64)
    if not len(rows):  # so it is for most words
        return rows
    index = np.searchsorted(page.text_start[rows], offsets, side="right") - 1
    return rows[index[(index >= 0) & (page.text_stop[rows[index]] > offsets)]]


def _find_word_starts(text: str, prefix: str) -> Iterator[int]:
    """Yield the offsets of words that begin with a prefix, as `contacts` and `contacto` do."""
    for offset in find_offsets(text, prefix):
        if not _is_inside_word(text[max(offset - 1, 0) : offset + 1]):
            yield offset


def _is_inside_word(pair: str) -> bool:
    """Return whether two characters belong to one word, in a script that has spaces."""
    classes = character_classes()
    single = any(ord(char) >= len(classes) or classes[ord(char)] & SINGLE for char in pair)
    return len(pair) == 2 and pair.isalnum() and not single
