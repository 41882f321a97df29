"""HTML: clean, and safe whatever a page is made of."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import urlsplit

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from selectolax.lexbor import LexborHTMLParser

import tamis
from helpers.clean_html import ALLOWED, ATTRIBUTES
from tamis.blocks import TagSet
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
URL = "https://example.org/dir/page.html"


def clean(html: str, url: str | None = None) -> str:
    return tamis.extract(html, url, method=EVERYTHING).html


# Safety ---------------------------------------------------------------------------------------

SCHEMES = {"", "http", "https", "mailto", "tel", "ftp"}


def elements(html: str) -> list[Any]:
    """All elements of a fragment as a browser would make them, but for html, head and body."""
    tree = LexborHTMLParser(f"<!doctype html><body>{html}")
    return [node for node in tree.css("*") if node.tag not in ("html", "head", "body")]


def browser_scheme(url: str) -> str:
    """The scheme of a URL as the URL standard reads it."""
    bare = re.sub(r"[\t\n\r]", "", url).strip("".join(map(chr, range(33))))
    match = re.match(r"([A-Za-z][A-Za-z0-9+.-]*):", bare)
    return match[1].lower() if match else ""


def assert_safe(html: str) -> None:
    for node in elements(html):
        assert node.tag in ALLOWED, node.html
        assert set(node.attributes) <= ATTRIBUTES.get(node.tag, set()), node.html
        for name in ("href", "src"):
            if name in node.attributes:
                assert browser_scheme(node.attributes[name] or "") in SCHEMES, node.html


def words(html: str) -> list[str]:
    return tamis.extract(f"<!doctype html><body>{html}", method=EVERYTHING).text.split()


def unlisted(words: list[str]) -> list[str]:
    """Words without the dashes of list items."""
    return [word for word in words if word != "-"]


CLASSICS = [
    "<script>alert(1)</script>word",
    "<svg onload=alert(1)><desc>word</desc><script>alert(2)</script></svg>",
    "<svg><a xlink:href='javascript:alert(1)'><text>word</text></a></svg>",
    "<svg></p><style><a id='</style><img src=1 onerror=alert(1)>'>word",
    "<math><mtext><table><mglyph><style><!--</style>"
    "<img title='--&gt;&lt;img src=1 onerror=alert(1)&gt;'>",
    "<math><mi//xlink:href='data:x,<script>alert(4)</script>'>word",
    "<form><math><mtext></form><form><mglyph><style></math><img src onerror=alert(1)>word",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'>word",
    "<xmp><p title='</xmp><img src=x onerror=alert(1)>'>word",
    "<iframe srcdoc='<script>alert(1)</script>'></iframe>"
    "<iframe src=javascript:alert(1)>word</iframe>",
    "<object data='javascript:alert(1)'>word<embed src=javascript:alert(1)></object>",
    "<base href='javascript:/a/-alert(1)///////'><a href='../lol/safe.html'>word</a>",
    "<meta http-equiv=refresh content='0;url=javascript:alert(1)'>word",
    "<link rel=stylesheet href='javascript:alert(1)'>"
    "<style>@import 'javascript:alert(1)';</style>word",
    "<div style='background:url(javascript:alert(1))'>word</div>",
    "<img src=x onerror=alert(1) ONLOAD = 'alert(2)' onerror\x00=3 =onclick=4 'onx=5>word",
    "<a href=' &#1; j a v a s c r i p t : alert(1)'>word</a>",
    "<a href='jav&#x0A;ascript:alert(1)'>word</a>",
    "<a href='jav&Tab;ascript&colon;alert(1)'>word</a>",
    "<a href='\u2028javascript:alert(1)'>word</a>",
    "<a href='\u00adjavascript:alert(1)'>word</a>",
    "<a href='JaVaScRiPt:alert(1)'>word</a>",
    "<a href='vbscript:msgbox(1)'>word</a><a href='livescript:x'>word</a>",
    "<a href='data:text/html;base64,PHNjcmlwdD4='>word</a>"
    "<img src='data:image/svg+xml,<svg onload=x>'>",
    "<a href='view-source:javascript:alert(1)'>word</a><a href='blob:x'>word</a>",
    "<a href='//evil.example'>word</a><a href='\\\\evil.example'>word</a>"
    "<a href='http:javascript:x'>w</a>",
    "<form action=javascript:alert(1)><button formaction=javascript:alert(1)>word</button></form>",
    "<input autofocus onfocus=alert(1)>"
    "<select onchange=x><option>word</select><textarea>word</textarea>",
    "<video src=x onerror=alert(1)><source onerror=x>word</video><audio onplay=x>word</audio>",
    "<table background='javascript:alert(1)'><td background=x>word",
    "<p title='\"><script>alert(1)</script>'>word</p>"
    "<time datetime='\"><script>x</script>'>word</time>",
    "<abbr title='x\" onmouseover=\"alert(1)'>word</abbr>",
    "<ol start='1\"><script>alert(1)</script>'><li value='\"onclick=x'>word</ol>",
    "<code class='language-x\" onclick=\"y'>word</code><pre data-lang='<script>'>word</pre>",
    "<img src='a.png' alt='\"><script>alert(1)</script>'>word",
    "&lt;script&gt;alert(1)&lt;/script&gt;<b>&lt;</b>img src=x onerror=alert(1)&gt;",
    "<b><p><b><i><p>word</b>more</i><table><a>x<tr><td>y<a>z</table>",
    "<template shadowrootmode=open><script>alert(1)</script><p onclick=x>word</p></template>",
    "<plaintext><script>alert(1)</script>",
    "<custom-element onclick=x is=y><slot name=z>word</slot></custom-element>",
    "<a href='?a=b:c'>word</a><a href='#d:e'>word</a><a href='a:b'>word</a>",
]


@pytest.mark.parametrize("markup", CLASSICS)
@pytest.mark.parametrize("url", [None, URL])
def test_hostile_markup_comes_out_harmless(markup: str, url: str | None) -> None:
    assert_safe(clean(f"<p>before</p>{markup}<p>after</p>", url))


def in_place(name: str, attributes: str) -> str:
    """An element with attributes, where a parser leaves it what it is."""
    element = f"<{name} {attributes}>word<p>more</p><p>words</p></{name}>"
    parts = {
        "caption": "{}<tr><td>a<td>b",
        "tr": "{}<td>a<td>b",
        "td": "<tr><td>a{}",
        "th": "<tr><td>a{}",
    }
    if name in ("thead", "tbody", "tfoot"):
        return f"<table><{name} {attributes}><tr><td>a<td>b</table>"
    if name in ("ul", "ol", "dl"):
        return f"<{name} {attributes}><li>word<dt>more</{name}>"
    if name == "table":
        return f"<table {attributes}><tr><td>a<td>b</table>"
    if name in ("br", "img"):
        return f"word<{name} {attributes} src=a.png>more"
    return f"<table>{parts[name].format(element)}</table>" if name in parts else element


@pytest.mark.parametrize("name", sorted(ALLOWED))
def test_no_element_that_stays_keeps_an_attribute_that_acts(name: str) -> None:
    acting = (
        "href=x onclick=x ONLOAD=x style='color:red' id=x class=x srcdoc=x formaction=x "
        "background=x ping=x target=_blank srcset=x cite='javascript:x' is=x slot=x "
        "tabindex=1 autofocus"
    )
    html = clean(f"<div>before {in_place(name, acting)} after</div>")
    assert name in [node.tag for node in elements(html)]
    assert_safe(html)
    assert not re.search("onclick|onload|style|srcdoc|ping|target|autofocus|javascript", html, re.I)


@pytest.mark.parametrize(
    "url",
    ["java\x01script:x", "java\u200bscript:x", "\u2028javascript:x", "java\nscript:x",
     " javascript:x", "\x1fjavascript:x", "JAVA\tSCRIPT:x", "java\u00adscript:x",
     "javascript\u00a0:x"],
)  # fmt: skip
def test_a_url_that_anyone_could_take_for_a_script_is_dropped(url: str) -> None:
    document = tamis.extract(f"<p><a href='{url}'>word</a></p>", URL, method=EVERYTHING)
    assert document.html == "<p>word</p>"
    assert document.markdown == "word"


names = st.sampled_from(
    "p div span a b i img svg math style script iframe object form input textarea select option "
    "table tr td li ul pre code noscript template title xmp plaintext foreignObject mtext mglyph "
    "desc p/ base meta link video body html head h1 details summary button marquee frameset "
    "x-y \x00p".split()
)
attribute_names = st.sampled_from(
    "href src onclick ONERROR onx on style srcdoc xlink:href action formaction data-src "
    "data-original background class title alt start datetime is shadowrootmode http-equiv "
    "content on\x00load \"onload 'onload onload\x0c =onload".split(" ")
)
schemes = st.sampled_from(
    "javascript: JAVASCRIPT: java\tscript: java\nscript: java&#10;script: &#1;javascript: "
    "javascript&colon; vbscript: data:text/html, data:image/svg+xml, blob: file: "
    "\u2028javascript: //h/ http: ../".split(" ")
)
values = st.tuples(
    schemes, st.sampled_from(["alert(1)", "'\"><script>alert(1)</script>", "x y", ""])
).map("".join)
quotes = st.sampled_from(["'", '"', ""])
attributes = st.lists(
    st.tuples(attribute_names, quotes, values).map(lambda a: f" {a[0]}={a[1]}{a[2]}{a[1]}"),
    max_size=3,
).map("".join)
tags = st.one_of(
    st.tuples(names, attributes).map(lambda t: f"<{t[0]}{t[1]}>"),
    names.map(lambda name: f"</{name}>"),
    st.sampled_from(["<!--", "-->", "<![CDATA[", "]]>", "</", "<", ">", "<!x", "<?php"]),
    st.sampled_from(["word", " other ", "&lt;script&gt;", "&amp;lt;", "a&#0;b", "\x00", "中文"]),
)
hostile = st.lists(tags, min_size=1, max_size=12).map("".join)


@anytime
@given(hostile)
@example("<svg></p><style><a title='</style><img src onerror=alert(1)>'>")
@example(
    "<math><mtext><table><mglyph><style><math><table id='</table>'><img src onerror=alert(1)'>"
)
def test_no_markup_at_all_comes_out_harmful(markup: str) -> None:
    assert_safe(clean(markup))


@anytime
@given(hostile)
def test_the_words_of_the_html_are_the_words_of_the_text(markup: str) -> None:
    document = tamis.extract(f"<!doctype html><body>{markup}", method=EVERYTHING)
    assert unlisted(words(document.html)) == unlisted(document.text.split())


@anytime
@given(hostile)
def test_clean_html_is_clean_already(markup: str) -> None:
    once = clean(f"<!doctype html><body>{markup}", URL)
    again = clean(f"<!doctype html><body>{once}", URL)
    assert [node.tag for node in elements(again) if node.tag == "img"] == [
        node.tag for node in elements(once) if node.tag == "img"
    ]
    assert unlisted(words(again)) == unlisted(words(once))


@anytime
@given(st.text(max_size=40), st.text(max_size=20))
def test_any_url_and_any_title_stay_attributes(url: str, title: str) -> None:
    quoted = url.replace("&", "&amp;").replace('"', "&quot;")
    label = title.replace("&", "&amp;").replace('"', "&quot;")
    html = clean(f'<p><a href="{quoted}">word</a><abbr title="{label}">word</abbr></p>')
    assert_safe(html)
    assert [node.tag for node in elements(html)] in (["p", "a", "abbr"], ["p", "abbr"])


# Cleanliness ----------------------------------------------------------------------------------


def test_elements_keep_only_the_attributes_that_matter() -> None:
    html = """<section id=x class=y><p style='color:red' data-x=1>a <a class=b href=c.html
        target=_top rel=nofollow>d</a> <time datetime=2020-01-02 class=e>f</time></p></section>"""
    assert clean(html, URL) == (
        '<section><p>a <a href="https://example.org/dir/c.html">d</a> '
        '<time datetime="2020-01-02">f</time></p></section>'
    )


def test_a_link_that_is_not_safe_is_none() -> None:
    assert clean("<p><a href='javascript:x'>a</a></p>") == "<p>a</p>"


def test_br_stays_where_it_breaks_a_line_and_nowhere_else() -> None:
    assert clean("<p>a<br>b<br><br>c<br></p><p><br>d</p>") == "<p>a<br>b<br><br>c</p>\n\n<p>d</p>"
    assert clean("<ul><li>a<br></li><br><li>b</li></ul>") == "<ul><li>a</li>\n\n<li>b</li></ul>"


def test_controls_have_no_text() -> None:
    html = "<p>x</p><select><option>a</option><option>b</option></select><textarea>c</textarea>"
    assert clean(html) == "<p>x</p>"


def test_code_keeps_its_white_space_and_its_language() -> None:
    html = "<p>x</p><pre class='brush: py'>  a<b>   b</b>\n\n\tc\n</pre>"
    assert clean(html) == "<p>x</p><pre>  a<b>   b</b>\n\n\tc</pre>"
    html = "<pre><code class='language-py hl'>a\n  b</code></pre>"
    assert clean(html) == '<pre><code class="language-py">a\n  b</code></pre>'


def test_a_table_keeps_its_empty_cells_and_its_spans() -> None:
    html = "<table><tr><td colspan=2>a<td>b<tr><td><td>c<td rowspan=2>d<tr><td>e<td></table>"
    cells = [node.attributes for node in elements(clean(html)) if node.tag == "td"]
    assert cells == [{"colspan": "2"}, {}, {}, {}, {"rowspan": "2"}, {}, {}]


def test_a_table_of_one_cell_is_no_table() -> None:
    inner = "<table><tr><td><p>a</p><p>b</p></td></tr></table>"
    html = f"<table><tr><td></td><td>{inner}</td></tr></table>"
    assert clean(html) == "<p>a</p>\n\n<p>b</p>"


def test_divisions_around_one_block_are_unwrapped() -> None:
    assert clean("<div><div><div><p>a</p></div></div></div>") == "<p>a</p>"
    assert clean("<div><div>a</div><div>b</div></div>") == "<div><div>a</div>\n<div>b</div></div>"


def test_old_names_become_those_of_today() -> None:
    html = (
        "<center>a <tt>b</tt> <strike>c</strike> <acronym title=D>d</acronym></center>"
        "<dir><li>e</dir>"
    )
    assert clean(html) == (
        '<div>a <code>b</code> <s>c</s> <abbr title="D">d</abbr></div>\n\n<ul><li>e</li></ul>'
    )


def test_a_paragraph_around_a_table_does_not_fall_apart() -> None:
    html = "<p>a<table><tr><td>b<td>c</table></p>"  # without a doctype the table stays inside
    assert [node.tag for node in elements(clean(html))] == [
        "div",
        "table",
        "tbody",
        "tr",
        "td",
        "td",
    ]


def test_images_keep_url_and_alternative() -> None:
    image = "<img src=i.png alt='A &amp; \"B\"' srcset=x class=y>"
    html = f"<figure>{image}<figcaption>c</figcaption></figure>"
    assert clean(html, URL) == (
        '<figure><img src="https://example.org/dir/i.png" alt="A &amp; &quot;B&quot;">\n'
        "<figcaption>c</figcaption></figure>"
    )


def test_urls_are_split_as_browsers_split_them() -> None:
    # The helper above must not be weaker than Python's own reading.
    for url in ("javascript:x", " JavaScript:x", "data:x", "http://h", "a/b:c", "?a:b"):
        assert browser_scheme(url) == urlsplit(url.strip()).scheme
