"""How a block's words are those of the page's title, and where it stands to its headline."""

from __future__ import annotations

import functools
from html import unescape
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, tags
from tamis.page.page import frozen
from tamis.verdict.evidence.frame import HEADING, Frame, Matrix, letters_of
from tamis.verdict.kernel.measures import measure_kinship, measure_since
from tamis.verdict.kernel.words import find_headline, match_words, note_words

NAMES: Final = (
    *"title_match title_cover title_share".split(),
    *"with_headline with_headline_share".split(),
    *"after_headline headings_since_headline long_since_headline".split(),
)
PAGE_NAMES: Final = ("headline_match", "headline_follow", "headline_repeats")
READ: Final = 120  # letters of the title and of each block: more tell nothing new
TABLE_SIZE: Final = 256  # of the hashes of a title's words, a power of two
FOLDED: Final = 0x3000  # code points below have small letters and words; above, pairs are words
IS_MATCH: Final = 0.3  # from which match on a block may be the headline
NEAR: Final = 20  # blocks after the headline whose text is counted


class Headline(NamedTuple):
    """The block that is the page's headline, and what the page is like in this."""

    block: int  # -1 where there is none
    match: float  # how well the block that matches best is the title
    follow: float  # share of the page's running text that follows on it
    repeats: float  # number of blocks that match


def titles(frame: Frame, columns: Matrix) -> Headline:
    """Write how the blocks stand to the page's title, and return its headline."""
    page = frame.page
    known = np.zeros(TABLE_SIZE, dtype=np.uint64)
    room = np.empty(READ, dtype=np.uint64)
    title = letters_of(title_of(page))
    count = note_words(title, letter_folds(), room, known)
    matches = columns[:3]
    if count:
        seen = np.zeros(TABLE_SIZE, dtype=np.int64)
        match_words(
            *(title, frame.text, letter_folds(), *frame.written, frame.sums[0]),
            *(known, count, seen, room, matches),
        )
    else:
        matches.fill(0.0)
    headline = find_headline(matches, frame.tag, HEADING)
    best = float(matches[0, headline])
    if best < IS_MATCH:
        columns[3:] = -1.0
        columns[5] = -101.0
        return Headline(-1, best, 0.0, 0.0)
    measure_kinship(page.parent, page.end, frame.anchor, headline, columns[3:5])
    measure_since(frame.totals, headline, columns[5:])
    long = frame.totals[4]
    follow = float(long[min(headline + NEAR + 1, len(frame))] - long[headline]) / frame.all_long
    return Headline(headline, best, follow, float(np.count_nonzero(matches[0] > 0.5)))


def title_of(page: Page) -> str:
    """Return the text of the first `<title>` outside of pictures, as far as it is read."""
    codes = page.tag.tobytes()
    row = codes.find(_TITLE)
    while row >= 0 and page.flags[row] & tags.SVG:
        row = codes.find(_TITLE, row + 1)
    if row < 0:
        return ""
    inside = page.source[page.head[row] : page.stop[row]].removesuffix(b"</title>")
    return unescape(inside[: 8 * READ].decode("utf-8", "replace"))[:READ]


@functools.cache
def letter_folds() -> NDArray[np.uint32]:
    """Return the small letter of each code point below `FOLDED`, 0 for what is in no word."""
    folds = np.zeros(FOLDED, dtype=np.uint32)
    for code in range(FOLDED):
        letter = chr(code)
        if letter.isalnum():
            small = letter.lower()
            folds[code] = ord(small) if len(small) == 1 else code
    folds[ord("ς")] = ord("σ")  # the one letter with two small forms
    return frozen(folds)


_TITLE = tags.CODE["title"]
