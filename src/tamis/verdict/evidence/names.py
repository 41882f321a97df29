"""What the class and id names of a block and of the elements around it say."""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Page, tags
from tamis.page.page import frozen
from tamis.verdict.evidence.frame import Frame, Matrix, Numbers
from tamis.verdict.kernel.passes import (
    count_around,
    find_names,
    join_names,
    measure_names,
    word_key,
)
from tamis.verdict.kernel.sums import sum_rows

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
NAMES: Final = (*(f"own_{name}" for name in OWN), *(f"in_{name}" for name in WORDS))
PAGE_NAMES: Final = (
    *(f"page_mean_{name}" for name in WORDS),
    *(f"page_is_{name}" for name in WORDS),
)


TABLE_SIZE: Final = 2048  # of the hashes of words, a power of two
MOST: Final = 5  # elements of a kind around a block that are counted


def names(frame: Frame, masks: Numbers, columns: Matrix) -> None:
    """Write which groups of words name each block, and how many elements around it.

    `masks` are the groups of each row, as bits: those that name it and, above these, the kinds of
    elements that `places` asks for. Their counts are written below those of names.
    """
    page, around = frame.page, columns[len(OWN) :]
    node = np.ascontiguousarray(frame.blocks.node)
    measure_names(masks, frame.anchor, node, _OWN, columns[: len(OWN)])
    now, opened = np.zeros((2, len(around)), np.int32), np.empty(len(masks), np.int32)
    count_around(masks, page.end, frame.anchor, MOST, around, now, opened)


def page_names(frame: Frame, masks: Numbers, columns: Matrix) -> NDArray[np.float64]:
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
    return frozen(known), frozen(groups)


_OWN = np.array([list(WORDS).index(name) for name in OWN])
_IS_OUTER = tags.tag_table(("html", "body", "main")).view(np.uint8)
