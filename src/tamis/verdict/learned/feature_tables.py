"""Tables behind the features: groups of tags, of characters and of words in names.

They are data alone. `_context.pyx` and `_features.pyx` turn them into lookup tables, and the order
of each group is the order of the features that are named after it.
"""

from __future__ import annotations

from typing import Final

# Elements that a block can be, in an order that a threshold can split: running text first.
KINDS: Final = (
    "p blockquote pre dd td h1 h2 h3 h4 h5 h6 figcaption dt th li div article main section details "
    "figure address body html form header aside footer nav ul ol dl tr table hr"
).split()

# Groups of elements that are counted in each block, as n_a, n_b and so on.
COUNTED_TAGS: Final = (
    ("a",),
    ("b", "strong"),
    ("i", "em"),
    ("br",),
    ("img", "picture"),
    ("svg",),
    ("input", "textarea"),
    ("button",),
    ("select", "option"),
    ("label",),
    ("span", "font"),
    ("time",),
    ("code", "kbd", "samp", "tt"),
    ("iframe", "video", "audio", "object", "embed"),
    ("small", "sup", "sub"),
)
# Those of them that are objects.
OBJECT_GROUPS: Final = tuple(
    index for index, group in enumerate(COUNTED_TAGS) if {"img", "svg", "video"} & set(group)
)

# Groups of elements around a block that are counted, as in_nav_element and so on. Distances to the
# first ones, the landmarks, are features as well.
ANCESTOR_GROUPS: Final = (
    ("nav",),
    ("header",),
    ("footer",),
    ("aside",),
    ("main",),
    ("article",),
    ("form", "fieldset"),
    ("table",),
    ("ul", "ol", "menu"),
    ("li",),
    ("section",),
    ("figure",),
    ("dl",),
    ("blockquote",),
    ("details",),
    ("a",),
    ("button", "select", "label"),
    ("td", "th"),
    ("dialog",),
)
LANDMARKS: Final = ANCESTOR_GROUPS[:6]

STEPS: Final = (-2, -1, 1, 2)  # to the neighbours of a block
WINDOWS: Final = (3, 8, 20)  # blocks to each side

# Classes of characters that are counted, and those that matter at the end of a block.
COUNTED_CHARACTERS: Final = ("0123456789", "$€£¥₹₽元￥", "?？", "©®™|·•→›»←‹«×/", ".!?…。！？；;")
END_CHARACTERS: Final = ('.!?…。！？"”»」』', ":：")

# Words in the class and id of elements, grouped by what they suggest.
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
OWN_NAME_GROUPS: Final = ("content", "item", "meta", "title", "navigation", "comment")

# Groups of tags whose share of the page's terms is a feature of the page.
SHARE_GROUPS: Final = (
    ("p",),
    ("li", "dd", "dt"),
    ("h1", "h2", "h3", "h4", "h5", "h6"),
    ("td", "th"),
    ("pre",),
    ("div",),
    ("blockquote",),
)
# Tags whose number per block is a feature of the page.
PAGE_TAGS: Final = (
    *("img", "form", "input", "button", "time", "code", "table", "article", "iframe"),
)
OG_TYPES: Final = ("article", "website", "product", "other")

# Limits that the compiled modules have as well, for the sizes of their arrays.
MAX_CHARACTERS: Final = 160  # that are read of a block: more tell nothing new
MAX_TITLE_CHARS: Final = 120  # that are read of the title, and of each block to compare it
# Code points below it have lower case and form words; above it, pairs of characters are words.
MAX_FOLDED: Final = 0x3000
MIN_HEADLINE_MATCH: Final = 0.3
