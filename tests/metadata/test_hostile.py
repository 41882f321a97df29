"""Metadata of hostile pages: nothing raises, and work is bounded."""

from __future__ import annotations

import json
from html import escape

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tamis
from tamis.metadata import Metadata, read_metadata

anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow], max_examples=150)
NAMES = (
    "author og:title article:published_time date description keywords og:image og:url og:locale "
    "og:site_name twitter:label1 twitter:data1"
).split()
values = st.text(max_size=60) | st.sampled_from(
    ["\0", "http://[", "2020-99-99", "99999999999", "By ", "|", " - ", "&#xD800;", "//", "\ud800"]
)
keys = st.sampled_from(
    "@type @id @graph name headline author datePublished image keywords publisher mainEntity "
    "inLanguage description url".split()
)
json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | values,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
    max_leaves=25,
)


def read(html: str, url: str | None = None) -> Metadata:
    return read_metadata(tamis.parse(html, url))


def assert_sound(metadata: Metadata) -> None:
    texts = (metadata.title, metadata.author, metadata.description, metadata.site_name)
    for text in (*texts, metadata.date, metadata.language, metadata.image, metadata.url):
        if text is not None:
            assert text
            assert len(text) <= 2_000
            text.encode()
    for text in (*texts, *metadata.tags):
        assert text is None or text == " ".join(text.split())


@anytime
@given(st.dictionaries(st.sampled_from(NAMES), values), values, values, st.none() | values)
def test_any_attribute_value(
    meta: dict[str, str], heading: str, byline: str, url: str | None
) -> None:
    head = "".join(f'<meta name="{key}" content="{escape(value)}">' for key, value in meta.items())
    link = f'<link rel="canonical" href="{escape(byline)}">'
    time = f'<time datetime="{escape(heading)}">{escape(byline)}</time>'
    body = f"<h1>{escape(heading)}</h1><p class=byline>{escape(byline)}</p>{time}"
    html = f'<html lang="{escape(heading)}"><head>{head}{link}<title>{escape(byline)}</title>{body}'
    assert_sound(read(html, url))


@anytime
@given(json_values, st.integers(0, 200))
def test_any_jsonld_complete_or_truncated(value: object, cut: int) -> None:
    text = json.dumps(value).replace("</", "<\\/")
    for body in (text, text[:cut]):
        assert_sound(read(f'<script type="application/ld+json">{body}</script>'))


@anytime
@given(st.text(max_size=300))
def test_any_text_as_jsonld(body: str) -> None:
    assert_sound(read(f'<script type="application/ld+json">{body}</script>'))


DEEP = 200_000
HOSTILE = {
    "deep lists": f'<script type="application/ld+json">{"[" * DEEP}</script>',
    "deep nodes": f'<script type="application/ld+json">{chr(123) + chr(34)}a":' * 2_000,
    "closed lists": f'<script type="application/ld+json">{"[" * DEEP}{"]" * DEEP}</script>',
    "many lists": f'<script type="application/ld+json">[{"[],[[]]," * 90_000}1]</script>',
    "long number": f'<script type="application/ld+json">{"9" * 50_000}</script>',
    "commas": f'<script type="application/ld+json">{"," * DEEP}</script>',
    "comma and spaces": f'<script type="application/ld+json">[1,{" " * DEEP}x</script>',
    "meta": '<meta name="author" content="a b">' * 50_000,
    "headings": "<h1>a | b - c</h1>" * 30_000,
    "times": "<time datetime=x>y</time>" * 30_000,
    "itemprops": "<i itemtype='http:' itemscope itemprop=author>" * 20_000,
    "bylines": "<p class=author>By " * 20_000,
    "separators": f"<title>{'a | ' * DEEP}</title>",
    "digits": f"<h1>a</h1><p>{'2012-' * DEEP}</p>",
    "by": f"<h1>a</h1><p>{'by ' * DEEP}</p>",
    "long attribute": f"<h1>a</h1><p class='{'author ' * DEEP}'>x</p>",
    "language": f"<html lang='{'a-' * DEEP}'>",
    "canonical": f"<link rel=canonical href='{'a/../' * DEEP}'>",
}


@pytest.mark.parametrize("html", HOSTILE.values(), ids=HOSTILE.keys())
def test_work_is_bounded(html: str) -> None:
    page = tamis.parse(html, "https://example.org/")
    assert_sound(read_metadata(page))  # quadratic work would take minutes


def test_long_values_are_truncated() -> None:
    metadata = read(
        f"<title>{'word ' * 9_000}</title><meta name=description content='{'a ' * 9_000}'>"
    )
    assert metadata.title is not None
    assert len(metadata.title) <= 300
    assert metadata.description is not None
    assert len(metadata.description) <= 1_000
