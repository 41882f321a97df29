"""Features of the title: how the words of a block match it, and where the headline is.

The headline is the block that matches the page's title best.
"""

from __future__ import annotations

import functools
from html import unescape
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, freeze, tags
from tamis.verdict.kernel.measures import measure_kinship, measure_since
from tamis.verdict.kernel.words import find_headline, match_words, note_words
from tamis.verdict.learned.feature_context import IS_HEADING, FeatureContext, Matrix, code_points

TITLE_FEATURES: Final = (
    *"title_match title_cover title_share".split(),
    *"with_headline with_headline_share".split(),
    *"after_headline headings_since_headline long_since_headline".split(),
)
TITLE_PAGE_FEATURES: Final = ("headline_match", "headline_follow", "headline_repeats")
MAX_TITLE_CHARS: Final = 120  # that are read of the title and of each block: more tell nothing new
MIN_HEADLINE_MATCH: Final = 0.3
# Code points below it have lower case and form words; above it, pairs of characters are words.
MAX_FOLDED: Final = 0x3000
_TABLE_SIZE: Final = 256  # of the hashes of a title's words, a power of two
_NEAR: Final = 20  # blocks after the headline whose text is counted
_TITLE: Final = tags.CODE["title"]


class Headline(NamedTuple):
    """The block that is the page's headline, and features of the page that depend on it."""

    block: int  # -1 if there is none
    match: float  # how well the best block matches the title
    follow: float  # share of the page's running text that is close after it
    repeats: float  # number of blocks that match


def write_title_features(context: FeatureContext, matrix: Matrix) -> Headline:
    """Write how each block matches the page's title and where it is seen from the headline."""
    page = context.page
    hashes = np.zeros(_TABLE_SIZE, dtype=np.uint64)
    buffer = np.empty(MAX_TITLE_CHARS, dtype=np.uint64)
    title = code_points(read_title(page))
    word_count = note_words(title, _folded_characters(), buffer, hashes)
    matches = matrix[:3]
    if word_count:
        seen = np.zeros(_TABLE_SIZE, dtype=np.int64)
        match_words(
            *(title, context.text, _folded_characters(), *context.text_span, context.terms),
            *(hashes, word_count, seen, buffer, matches),
        )
    else:
        matches.fill(0.0)
    headline = find_headline(matches, context.tag, IS_HEADING)
    best = float(matches[0, headline])
    if best < MIN_HEADLINE_MATCH:
        matrix[3:] = -1.0
        matrix[5] = -101.0
        return Headline(-1, best, 0.0, 0.0)
    measure_kinship(page.parent, page.end, context.anchor, headline, matrix[3:5])
    measure_since(context.totals, headline, matrix[5:])
    long = context.totals[4]
    following = float(long[min(headline + _NEAR + 1, len(context))] - long[headline])
    repeats = float(np.count_nonzero(matches[0] > 0.5))
    return Headline(headline, best, following / context.all_long, repeats)


def read_title(page: Page) -> str:
    """Return the beginning of the first `<title>` outside of SVG images."""
    codes = page.tag.tobytes()
    row = codes.find(_TITLE)
    while row >= 0 and page.flags[row] & tags.SVG:
        row = codes.find(_TITLE, row + 1)
    if row < 0:
        return ""
    inside = page.source[page.head[row] : page.stop[row]].removesuffix(b"</title>")
    return unescape(inside[: 8 * MAX_TITLE_CHARS].decode("utf-8", "replace"))[:MAX_TITLE_CHARS]


@functools.cache
def _folded_characters() -> NDArray[np.uint32]:
    """Return the lower case of each code point below `MAX_FOLDED`, 0 if it is in no word."""
    folded = np.zeros(MAX_FOLDED, dtype=np.uint32)
    for code in range(MAX_FOLDED):
        char = chr(code)
        if char.isalnum():
            lower = char.lower()
            folded[code] = ord(lower) if len(lower) == 1 else code
    folded[ord("ς")] = ord("σ")  # the only letter with two forms in lower case
    return freeze(folded)
