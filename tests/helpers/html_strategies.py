"""Hypothesis strategies for HTML as it is found in the wild: nested anyhow, closed or not."""

from __future__ import annotations

from hypothesis import settings
from hypothesis import strategies as st

import tamis
from tamis.page import Page

patient = settings(deadline=None)  # for tests on generated input: no test depends on the clock

BLOCK_TAGS = tuple(
    "div div div p p section article aside nav header footer main form ul ol li li dl dt dd table "
    "tr td th h1 h2 blockquote pre figure details fieldset center".split()
)
INLINE_TAGS = tuple("a a b span span em font small code label button select option x-card".split())
TEXTS = (
    "one", "two words", "Three, four. ", "naïve Łódź!", "今天天气好。", "ไทย", "me@home.example",
    "&amp; &lt;p&gt;", "\n  ", " ", "\u200b", "&nbsp;", "x" * 40, "contact us", "Copyright © 1999",
)  # fmt: skip
OBJECTS = (
    "<br>", "<hr>", "<img src=i.png alt=i>", "<input value=v>", "<wbr>", "<iframe src=f></iframe>",
    "<svg><title>no</title><path d='M0'></path></svg>", "<video>no<p>no</video>", "<textarea>t",
    "<object><p>no</object>", "<embed>",
)  # fmt: skip
UNSEEN = (
    "<script>var a = '<p>no</p>';</script>", "<style>.x{display:none}</style>", "<!-- no <p> -->",
    "<template><p>no</p></template>", "<noscript>no <img></noscript>", "<title>no</title>",
    "<link rel=x>", "<meta name=x>", "<datalist><option>no</datalist>",
)  # fmt: skip
ATTRIBUTES = ("", "", "", ' class="x y"', " hidden", ' id="a"', ' href="/x"', " style=display:none")


def _element(tag: str, attributes: str, children: list[str], times: int, end: str) -> str:
    return f"<{tag}{attributes}>{''.join(children) * times}{end.format(tag)}"


def html_trees(*, max_leaves: int = 30) -> st.SearchStrategy[str]:
    """HTML with all kinds of content; some elements repeat theirs, some are closed wrongly."""
    leaves = (
        st.sampled_from(TEXTS)
        | st.sampled_from(TEXTS)
        | st.sampled_from(OBJECTS)
        | st.sampled_from(UNSEEN)
    )
    trees = st.recursive(
        leaves,
        lambda children: st.builds(
            _element,
            st.sampled_from(BLOCK_TAGS) | st.sampled_from(BLOCK_TAGS + INLINE_TAGS),
            st.sampled_from(ATTRIBUTES),
            st.lists(children, max_size=5),
            st.sampled_from((1, 1, 1, 2, 4)),
            st.sampled_from(("</{}>", "</{}>", "</{}>", "</{}>", "", "</div>", "</b></{}>")),
        ),
        max_leaves=max_leaves,
    )
    return st.lists(trees, max_size=4).map("".join)


def tag_soups() -> st.SearchStrategy[str]:
    """Start tags, end tags and texts in any order."""
    names = sorted({*BLOCK_TAGS, *INLINE_TAGS})
    tokens = [*(f"<{name}>" for name in names), *(f"</{name}>" for name in names)]
    token = st.sampled_from(tokens) | st.sampled_from(TEXTS + OBJECTS)
    return (st.lists(token, max_size=20) | st.lists(token, min_size=20, max_size=60)).map("".join)


def pages() -> st.SearchStrategy[Page]:
    """Parsed pages of both kinds."""
    return (html_trees() | tag_soups()).map(tamis.parse)
