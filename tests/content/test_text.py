"""Plain text: paragraph breaks where a reader sees them, never glued words."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tamis
from tamis.blocks import TagSet
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])

INLINE = tuple(
    "a b i u s em strong small big font tt strike sub sup mark q cite dfn abbr code kbd samp var "
    "time data bdi bdo ins del span nobr acronym".split()
)
BLOCK = tuple(
    "address article aside blockquote center dd details dialog dir div dl dt fieldset figcaption "
    "figure footer form h1 h2 h3 h4 h5 h6 header hgroup legend li main menu nav ol p pre search "
    "section summary table ul".split()
)


def text(html: str) -> str:
    return tamis.extract(html, method=EVERYTHING).text


@pytest.mark.parametrize("name", INLINE)
def test_an_inline_element_joins_without_a_space(name: str) -> None:
    assert text(f"<p>un<{name}>believ</{name}>able</p>") == "unbelievable"


@pytest.mark.parametrize("name", INLINE)
def test_a_space_beside_an_inline_element_stays_one_space(name: str) -> None:
    html = f"<p>very <{name}>  good</{name}>\n\t<{name}>indeed </{name}> </p>"
    assert text(html) == "very good indeed"


@pytest.mark.parametrize("name", [name for name in BLOCK if name not in ("table", "li")])
def test_a_block_element_never_glues_words(name: str) -> None:
    assert text(f"<div>one<{name}>two</{name}>three</div>").split() == ["one", "two", "three"]
    assert text(f"<{name}>one</{name}><{name}>two</{name}>").split() == ["one", "two"]


@pytest.mark.parametrize("name", ["p", "h2", "blockquote", "section", "pre", "figure", "details"])
def test_a_paragraph_break_stands_where_a_reader_sees_one(name: str) -> None:
    assert text(f"<p>one</p><{name}>two</{name}><p>three</p>") == "one\n\ntwo\n\nthree"


@anytime
@given(st.lists(st.sampled_from([*INLINE, *BLOCK]), min_size=1, max_size=6))
def test_words_in_any_nesting_of_elements_stay_words(names: list[str]) -> None:
    opened = "".join(f"<{name}>" for name in names)
    closed = "".join(f"</{name}>" for name in reversed(names))
    html = f"<div><p>before</p>{opened}inner words{closed}<p>after</p></div>"
    assert text(html).replace("- ", "").split() == ["before", "inner", "words", "after"]


def test_br_is_a_line_break_and_two_are_a_paragraph_break() -> None:
    assert text("<p>one<br>two<br/> three</p>") == "one\ntwo\nthree"
    assert text("<p>one<br><br>two<br>\n<br>three</p>") == "one\n\ntwo\n\nthree"


def test_the_cells_of_a_row_are_parted_by_tabs_and_rows_by_lines() -> None:
    html = """<table><caption>Prices</caption>
        <thead><tr><th>Thing</th><th>Price</th></tr></thead>
        <tbody><tr><td>Pan</td><td>30</td></tr> <tr><td>Pot</td><td>40</td></tr></tbody></table>"""
    assert text(html) == "Prices\nThing\tPrice\nPan\t30\nPot\t40"


def test_lists_three_deep_are_indented_ordered_ones_within_unordered_ones() -> None:
    html = """<ul><li>one<ol><li>two<ul><li>three</li><li>drei</li></ul></li><li>zwei</li></ol></li>
        <li>eins</li></ul>"""
    assert text(html).split("\n") == [
        "- one",
        "  - two",
        "    - three",
        "    - drei",
        "  - zwei",
        "- eins",
    ]


def test_a_list_stands_apart_from_what_is_around_it() -> None:
    html = "<p>a</p><ul><li>b</li><li>c</li></ul><h2>d</h2><ul><li>e</li></ul><ul><li>f</li></ul>"
    assert text(html) == "a\n\n- b\n- c\n\nd\n\n- e\n\n- f"


def test_an_item_of_several_paragraphs_gets_one_dash() -> None:
    html = "<ul><li><p>one</p><p>two</p></li><li><p>three</p></li></ul>"
    assert text(html) == "- one\n\ntwo\n- three"


def test_code_keeps_its_lines_and_its_indentation() -> None:
    html = "<p>Run</p><pre><code>  if x:\n\n\t<b>return</b>   1\n</code></pre><p>now</p>"
    assert text(html) == "Run\n\n  if x:\n\n\treturn   1\n\nnow"


def test_code_behind_noise_keeps_the_indentation_of_its_first_line() -> None:
    code = " ".join(["word"] * 80)
    html = f"<nav><a href=/>Home</a></nav><pre>    {code}\n  {code}</pre>"
    document = tamis.extract(html, method="kfeature")
    assert document.text == f"    {code}\n  {code}"


def test_a_definition_list_keeps_its_order() -> None:
    html = "<dl><dt>step</dt><dd>The unit.</dd><dt>stale</dt><dd>Old.</dd></dl>"
    assert text(html).split() == ["step", "The", "unit.", "stale", "Old."]


def test_chinese_text_gets_no_spaces() -> None:
    assert text("<p>把<b>渡船</b>改成<a href=/>图书馆</a>。</p>") == "把渡船改成图书馆。"


def test_an_image_parts_words() -> None:
    assert text("<p>one<img src=a.png>two</p>") == "one two"


@pytest.mark.parametrize("sign", ["#", "¶", "§", "🔗"])
def test_the_sign_that_links_a_heading_to_itself_is_left_out(sign: str) -> None:
    html = f"<h2>Usage <a href='#usage'>{sign}</a></h2><p>Item {sign} stays.</p>"
    assert text(html) == f"Usage\n\nItem {sign} stays."
