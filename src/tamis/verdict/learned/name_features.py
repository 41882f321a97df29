"""What the class and id names of a block and of the elements around it say.

How a block's words are those of the page's title, and where it stands to its headline.
"""

from __future__ import annotations

import functools
from html import unescape
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, freeze, tags
from tamis.verdict.kernel.measures import measure_kinship, measure_since
from tamis.verdict.kernel.passes import (
    count_around,
    find_names,
    join_names,
    measure_names,
    word_key,
)
from tamis.verdict.kernel.sums import sum_rows
from tamis.verdict.kernel.words import find_headline, match_words, note_words
from tamis.verdict.learned.feature_context import (
    HEADING,
    FeatureContext,
    Matrix,
    Numbers,
    letters_of,
)

WORDS: Final = {
    "content": "content article post entry main body text story blog topic document detail details "
    "page single description desc answer message markdown prose copy",
    "navigation": "nav navbar navigation menu menus submenu breadcrumb breadcrumbs crumb crumbs "
    "toc tabs tab pagination pager paging dropdown megamenu topbar toolbar skip",
    "footer": "footer foot copyright legal colophon bottom",
    "header": "header head masthead top logo brand banner hero",
    "side": "sidebar side aside widget widgets rail secondary complementary",
    "related": "related recommended recommend recommendations more similar also popular trending "
    "latest recent next prev previous suggested upsell cross carousel slider swiper",
    "social": "social share sharing follow twitter facebook instagram",
    "comment": "comment comments reply replies respond disqus discussion",
    "promotion": "ad ads advert advertisement promo sponsor sponsored newsletter subscribe signup "
    "cta popup modal overlay",
    "consent": "cookie cookies consent gdpr notice alert privacy ccpa onetrust",
    "meta": "meta author byline date time tags tag category categories cat info published posted "
    "timestamp bio avatar profile signature user username",
    "form": "form search login signin input filter filters sort facet facets button btn",
    "shop": "cart basket checkout sku quantity qty wishlist variant variants swatch swatches buy "
    "purchase shop store woocommerce shopify",
    "forum": "thread threads forum forums topic topics poster quote bbcode vote votes upvote "
    "answer answers question questions community discourse phpbb vbulletin xenforo",
    "manual": "docs documentation doc wiki api reference tutorial tutorials guide highlight "
    "codehilite sphinx docusaurus mkdocs readthedocs",
    "archive": "archive archives taxonomy term collection collections search results catalog "
    "catalogue feed index",
    "home": "home homepage landing frontpage front hero cta pricing features",
    "single": "single postid article singular permalink hentry",
    "item": "item items card cards product products list listing grid row result results tile "
    "teaser summary excerpt",
    "price": "price prices amount currency sku stock rating ratings review reviews stars",
    "hidden": "hidden hide sr screen reader visually offscreen collapse collapsed",
    "facts": "table spec specs specification specifications feature features attributes accordion "
    "faq question",
    "title": "title headline heading subtitle",
    "caption": "caption figure image gallery media video thumb thumbnail photo",
}
OWN: Final = ("content", "item", "meta", "title", "navigation", "comment")  # of the block itself
NAME_FEATURES: Final = (*(f"own_{name}" for name in OWN), *(f"in_{name}" for name in WORDS))
NAME_PAGE_FEATURES: Final = (
    *(f"page_mean_{name}" for name in WORDS),
    *(f"page_is_{name}" for name in WORDS),
)


TABLE_SIZE: Final = 2048  # of the hashes of words, a power of two
MOST: Final = 5  # elements of a kind around a block that are counted


def write_name_features(frame: FeatureContext, masks: Numbers, columns: Matrix) -> None:
    """Write which groups of words name each block, and how many elements around it.

    `masks` are the groups of each row, as bits: those that name it and, above these, the kinds of
    elements that `places` asks for. Their counts are written below those of names.
    """
    page, around = frame.page, columns[len(OWN) :]
    node = np.ascontiguousarray(frame.blocks.node)
    measure_names(masks, frame.anchor, node, _OWN, columns[: len(OWN)])
    now, opened = np.zeros((2, len(around)), np.int32), np.empty(len(masks), np.int32)
    count_around(masks, page.end, frame.anchor, MOST, around, now, opened)


def page_names(frame: FeatureContext, masks: Numbers, columns: Matrix) -> NDArray[np.float64]:
    """Return how the page is named: on average over its blocks, and on html, body and main."""
    outer = join_names(masks, frame.page.tag, _IS_OUTER)
    bits = [float(outer >> bit & 1) for bit in range(len(WORDS))]
    sums = np.zeros(len(WORDS))
    sum_rows(columns[len(OWN) :], sums)
    return np.concatenate((sums / len(frame), bits))


def named_rows(page: Page) -> Numbers:
    """Return, for each row, the groups of words in its class and id, as bits."""
    masks = np.empty(len(page), dtype=np.int64)
    cache = np.zeros((3, 512), dtype=np.int64)
    find_names(
        np.frombuffer(page.source, np.uint8),
        *(page.class_key, page.class_start, page.class_stop, page.id_start, page.id_stop),
        *word_table(),
        cache,
        masks,
    )
    return masks


@functools.cache
def word_table() -> tuple[NDArray[np.uint64], Numbers]:
    """Return a table of the hashes of all words, and the groups that each is in, as bits."""
    known = np.zeros(TABLE_SIZE, dtype=np.uint64)
    groups = np.zeros(TABLE_SIZE, dtype=np.int64)
    for bit, words in enumerate(WORDS.values()):
        for word in words.split():
            key = word_key(word.encode())
            slot = key % TABLE_SIZE
            while known[slot] and known[slot] != key:
                slot = (slot + 1) % TABLE_SIZE
            known[slot] = key
            groups[slot] |= 1 << bit
    return freeze(known), freeze(groups)


_OWN = np.array([list(WORDS).index(name) for name in OWN])
_IS_OUTER = tags.tag_table(("html", "body", "main")).view(np.uint8)


TITLE_FEATURES: Final = (
    *"title_match title_cover title_share".split(),
    *"with_headline with_headline_share".split(),
    *"after_headline headings_since_headline long_since_headline".split(),
)
TITLE_PAGE_FEATURES: Final = ("headline_match", "headline_follow", "headline_repeats")
MAX_TITLE_CHARS: Final = 120  # letters of the title and of each block: more tell nothing new
TITLE_TABLE_SIZE: Final = 256  # of the hashes of a title's words, a power of two
FOLDED: Final = 0x3000  # code points below have small letters and words; above, pairs are words
IS_MATCH: Final = 0.3  # from which match on a block may be the headline
NEAR: Final = 20  # blocks after the headline whose text is counted


class Headline(NamedTuple):
    """The block that is the page's headline, and what the page is like in this."""

    block: int  # -1 where there is none
    match: float  # how well the block that matches best is the title
    follow: float  # share of the page's running text that follows on it
    repeats: float  # number of blocks that match


def write_title_features(frame: FeatureContext, columns: Matrix) -> Headline:
    """Write how the blocks stand to the page's title, and return its headline."""
    page = frame.page
    known = np.zeros(TITLE_TABLE_SIZE, dtype=np.uint64)
    room = np.empty(MAX_TITLE_CHARS, dtype=np.uint64)
    title = letters_of(title_of(page))
    count = note_words(title, letter_folds(), room, known)
    matches = columns[:3]
    if count:
        seen = np.zeros(TITLE_TABLE_SIZE, dtype=np.int64)
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
    return unescape(inside[: 8 * MAX_TITLE_CHARS].decode("utf-8", "replace"))[:MAX_TITLE_CHARS]


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
    return freeze(folds)


_TITLE = tags.CODE["title"]
