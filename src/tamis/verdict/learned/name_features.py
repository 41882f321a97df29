"""Features of names: which words are in the class and id of a block and of the elements around it.

Words are grouped by what they suggest. A group is a bit in a mask per row.
"""

from __future__ import annotations

import functools
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Ints, Page, freeze, tags
from tamis.verdict.kernel.passes import (
    count_around,
    find_names,
    join_names,
    measure_names,
    word_key,
)
from tamis.verdict.kernel.sums import sum_rows
from tamis.verdict.learned.feature_context import FeatureContext, Matrix
from tamis.verdict.verdict import Floats

NAME_GROUPS: Final = {
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
# Groups that count when they name the block itself.
_OWN_GROUPS: Final = ("content", "item", "meta", "title", "navigation", "comment")
NAME_FEATURES: Final = (
    *(f"own_{name}" for name in _OWN_GROUPS),
    *(f"in_{name}" for name in NAME_GROUPS),
)
NAME_PAGE_FEATURES: Final = (
    *(f"page_mean_{name}" for name in NAME_GROUPS),
    *(f"page_is_{name}" for name in NAME_GROUPS),
)
_TABLE_SIZE: Final = 2048  # of the hashes of words, a power of two
_CACHE_SIZE: Final = 512  # of the masks of classes, a power of two
_MAX_COUNT: Final = 5  # elements of one group around a block that are counted
_OWN_BITS = np.array([list(NAME_GROUPS).index(name) for name in _OWN_GROUPS])
_IS_OUTER = tags.tag_table(("html", "body", "main")).view(np.uint8)


def write_name_features(context: FeatureContext, masks: Ints, matrix: Matrix) -> None:
    """Write which groups name each block, and how many elements around it each group names.

    `masks` has the groups of each row as bits: name groups and, above these, the ancestor groups
    of `block_features`. The counts of ancestors are written below those of names.
    """
    page, counts = context.page, matrix[len(_OWN_GROUPS) :]
    node = np.ascontiguousarray(context.blocks.node)
    measure_names(masks, context.anchor, node, _OWN_BITS, matrix[: len(_OWN_GROUPS)])
    now, opened = np.zeros((2, len(counts)), np.int32), np.empty(len(masks), np.int32)
    count_around(masks, page.end, context.anchor, _MAX_COUNT, counts, now, opened)


def page_name_features(context: FeatureContext, masks: Ints, matrix: Matrix) -> Floats:
    """Return how the page is named: on average over its blocks, and on html, body and main."""
    outer = join_names(masks, context.page.tag, _IS_OUTER)
    bits = [float(outer >> bit & 1) for bit in range(len(NAME_GROUPS))]
    sums = np.zeros(len(NAME_GROUPS))
    sum_rows(matrix[len(_OWN_GROUPS) :], sums)
    return np.concatenate((sums / len(context), bits))


def find_name_groups(page: Page) -> NDArray[np.int64]:
    """Return the groups of the words in the class and id of each row, as bits."""
    masks = np.empty(len(page), dtype=np.int64)
    cache = np.zeros((3, _CACHE_SIZE), dtype=np.int64)
    find_names(
        np.frombuffer(page.source, np.uint8),
        *(page.class_key, page.class_start, page.class_stop, page.id_start, page.id_stop),
        *name_table(),
        cache,
        masks,
    )
    return masks


@functools.cache
def name_table() -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return a hash table of all words: their hashes, and the groups of each word as bits."""
    hashes = np.zeros(_TABLE_SIZE, dtype=np.uint64)
    groups = np.zeros(_TABLE_SIZE, dtype=np.int64)
    for bit, words in enumerate(NAME_GROUPS.values()):
        for word in words.split():
            key = word_key(word.encode())
            slot = key % _TABLE_SIZE
            while hashes[slot] and hashes[slot] != key:
                slot = (slot + 1) % _TABLE_SIZE
            hashes[slot] = key
            groups[slot] |= 1 << bit
    return freeze(hashes), freeze(groups)
