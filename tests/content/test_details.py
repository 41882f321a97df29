"""Numbers of items, links around blocks, URLs of images, and what else is easily lost."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt

import tamis
from tamis.blocks import TagSet
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))


def extracted(html: str) -> tamis.Document:
    return tamis.extract(html, method=EVERYTHING)


def markdown(html: str) -> str:
    return extracted(html).markdown


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<ol><li>a<li>b</ol>", "1. a\n2. b"),
        ("<ol reversed><li>a<li>b</ol>", "2. a\n\n1) b"),
        ("<ol reversed start=9><li>a<li>b</ol>", "9. a\n\n8) b"),
        ("<ol><li value=10>a<li>b</ol>", "10. a\n11. b"),
        ("<ol><li>a<li value=7>b<li>c</ol>", "1. a\n\n7) b\n8) c"),
        ("<ol><li>a<li><img><li>c</ol>", "1. a\n\n3) c"),
        ("<ol start=3><li>a<ol><li>x<li>y</ol><li>b</ol>", "3. a\n   1. x\n   2. y\n4. b"),
        ("<ol start=0><li>a<li>b</ol>", "0. a\n1. b"),
        ("<ol start=-1><li>a<li>b</ol>", "1. a\n2. b"),  # no number of Markdown has a sign
        ("<ol start=99999999999><li>a</ol>", "1. a"),
        ("<ol start=x><li value>a<li>b</ol>", "1. a\n2. b"),
        ("<ul><li value=4>a<li>b</ul>", "- a\n- b"),
    ],
)
def test_an_item_has_the_number_that_a_browser_shows(html: str, expected: str) -> None:
    assert markdown(html) == expected


def test_numbers_are_read_back_as_they_were() -> None:
    numbered = markdown("<ol><li>a<li></li><li>b<li value=9>c</ol><ol reversed><li>d<li>e</ol>")
    lists = [token for token in MarkdownIt().parse(numbered) if token.type == "ordered_list_open"]
    assert [token.attrs.get("start", 1) for token in lists] == [1, 3, 9, 2, 1]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=/x><p>Title</p><p>desc</p></a>", "[Title](/x)\n\ndesc"),
        ("<ul><li><a href=/x><div>a</div><div>b</div></a></ul>", "- [a](/x)\n\n  b"),
        ("<a href=/y>a<br><br>b</a>", "[a](/y)\n\nb"),
        ("<a href=/y><p>a</p><h2>b</h2></a>", "a\n\n## [b](/y)"),
        ("<a href=/y><p><img src=/i.png></p><p>b</p></a>", "![](/i.png)\n\n[b](/y)"),
        ("<a href=/y><p><img src=/i.png></p><pre>b</pre></a>", "[![](/i.png)](/y)\n\n```\nb\n```"),
    ],
)
def test_a_link_around_blocks_is_at_its_heading_or_its_first_words(
    html: str, expected: str
) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("image", "url"),
    [
        ("<img src=/blank.gif data-src=/real.jpg>", "/real.jpg"),
        ("<img src='data:image/gif;base64,R0' data-src=/real.jpg>", "/real.jpg"),
        ("<img src=/small.jpg data-src=/real.jpg>", "/small.jpg"),
        ("<img src=/img/placeholder-2.svg?v=1 data-srcset='/real.jpg 2x'>", "/real.jpg"),
        ("<img src=/blank.gif>", "/blank.gif"),
        ("<img src=/real-781x1024.jpg srcset='/real-78x102.jpg 78w'>", "/real-781x1024.jpg"),
        ("<img src=/1x1.png srcset='/real.jpg 78w'>", "/real.jpg"),
        ("<img srcset=/s.jpg><noscript><img src=/b.jpg></noscript>", "/b.jpg"),
        ("<img srcset='/one.jpg 300w, /two.jpg 900w'>", "/one.jpg"),
        ("<img srcset='data:image/gif;base64,R0 1w, /two,2.jpg, /three.jpg'>", "/two,2.jpg"),
        ("<img data-srcset=/one.jpg>", "/one.jpg"),
        ("<picture><source srcset='/one.webp 2x'><img alt=x></picture>", "/one.webp"),
        ("<picture><source data-srcset=/one.webp><img src=/two.jpg></picture>", "/two.jpg"),
        ("<img data-srcset='/s.jpg, /b.jpg'><noscript><img src=/b.jpg></noscript>", "/s.jpg"),
    ],
)
def test_an_image_is_loaded_from_where_a_script_or_browser_would(image: str, url: str) -> None:
    document = extracted(f"<p>a {image} b</p>")
    assert document.markdown.count(f"]({url})") == document.markdown.count("](") == 1
    assert document.html.count(f'<img src="{url}"') == document.html.count("<img") == 1


@pytest.mark.parametrize("srcset", ["", ",", " , ,", "javascript:alert(1) 1x", "data:,x"])
def test_an_image_without_a_safe_source_is_none(srcset: str) -> None:
    document = extracted(f"<p>a <img srcset='{srcset}'> b</p>")
    assert document.markdown == "a b"
    assert "<img" not in document.html


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("/می\u200cخواهم", "/می\u200cخواهم"),
        ("/a\u3000b", "/a%E3%80%80b"),
        ("/a\xa0b", "/a%C2%A0b"),
        ("/a\x85b\u2028c", "/a%C2%85b%E2%80%A8c"),
        (" \x02/a\x01\n\tb\x7f ", "/a%01b%7F"),
        ("/\x1b[31m\x9b\u202e\u2066x", "/%1B[31m%C2%9B%E2%80%AE%E2%81%A6x"),
    ],
)
def test_a_url_loses_no_character_that_matters(url: str, expected: str) -> None:
    document = extracted(f'<p><a href="{url}">x</a></p>')
    assert document.markdown == f"[x]({expected})"
    assert document.html == f'<p><a href="{expected}">x</a></p>'


def test_no_control_character_hides_a_scheme() -> None:
    document = extracted('<p><a href="java\x01script:x()">x</a></p>')
    assert (document.markdown, document.html) == ("x", "<p>x</p>")


def test_an_alternative_text_loses_only_control_characters() -> None:
    family = "می\u200cخواهم 👨\u200d👩\u200d👧"
    html = f'<p>a <img src=/x.png alt="{family}\x01b&#10;&#10;c"></p>'
    assert markdown(html) == f"a ![{family} b c](/x.png)"


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<b><p>a <b>x</b> b</p></b>", "a **x** b"),
        ("<b><p>a <i>x</i> b</p></b>", "**a *x* b**"),
        ("<i><p>a <i>x</i> b</p></i>", "a *x* b"),
        ("<i><p>a <b>x</b> 2*3</p></i>", "*a **x** 2\\*3*"),
        ("<i><p>a <b><i>x</i></b> b</p></i>", "a ***x*** b"),
        ("<s><p>a <s>x</s> b</p></s>", "a ~~x~~ b"),
    ],
)
def test_emphasis_around_blocks_is_not_ended_by_emphasis_inside(html: str, expected: str) -> None:
    assert markdown(html) == expected


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<div class='highlight-default notranslate'><div class=highlight><pre>x</pre>", ""),
        ("<div class='highlight-none notranslate'><div class=highlight><pre>x</pre>", ""),
        ("<div class='highlight-python notranslate'><div class=highlight><pre>x</pre>", "python"),
        ("<pre lang=rust>x</pre>", "rust"),
        ("<pre lang=js>x</pre>", "js"),
        ("<pre lang=en>x</pre>", ""),
        ("<pre lang=pt-br>x</pre>", ""),
        ("<pre><code class='hljs typescript'>x</code></pre>", "typescript"),
        ("<pre><code class='hljs language-c++ wide'>x</code></pre>", "c++"),
        ("<pre><code class='hljs undefined'>x</code></pre>", ""),
    ],
)
def test_code_has_the_language_that_it_names(html: str, language: str) -> None:
    assert markdown(html) == f"```{language}\nx\n```"


def test_quoted_words_have_quotation_marks_once() -> None:
    assert markdown("<p>He said <q>a <b>b</b></q>.</p>") == 'He said "a **b**".'
    assert markdown("<p>He said <q>“a”</q>.</p>") == "He said “a”."


def test_a_link_that_leads_nowhere_is_no_link() -> None:
    html = (
        "<p><a>x</a> <a name=n>y</a> <a href='javascript:z()'>z <b>b</b></a> <a href=/w>w</a></p>"
    )
    assert extracted(html).html == '<p>x y z <b>b</b> <a href="/w">w</a></p>'


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("10<sup>6</sup> km<sup>2</sup>", "10<sup>6</sup> km<sup>2</sup>"),
        ("10<sup>-6</sup> and 10<sup>−6</sup>", "10<sup>-6</sup> and 10<sup>−6</sup>"),
        ("CO<sub>2</sub> and x<sub>n</sub>", "CO<sub>2</sub> and x<sub>n</sub>"),
        ("<i>x</i><sup>2</sup>", "*x*<sup>2</sup>"),
        ("1<sup>st</sup> time", "1st time"),
        ("a <sup>2</sup>", "a 2"),
        ("so<sup><a href=#n>1</a></sup>", "so[1](#n)"),
        ("so<a href=#n><sup>1</sup></a>", "so[1](#n)"),
        ("<code>x<sup>2</sup></code>", "`x2`"),
    ],
)
def test_what_stands_above_the_line_is_no_part_of_the_word(html: str, expected: str) -> None:
    document = extracted(f"<p>{html}</p>")
    assert document.markdown == expected
    assert "<" not in document.text
