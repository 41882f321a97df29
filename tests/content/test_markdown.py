"""Markdown: what each element becomes, as it is written."""

from __future__ import annotations

import pytest

import tamis
from tamis.blocks import TagSet
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))
URL = "https://example.org/dir/page.html"


def markdown(html: str, url: str | None = None) -> str:
    return tamis.extract(html, url, method=EVERYTHING).markdown


@pytest.mark.parametrize("level", range(1, 7))
def test_a_heading_has_its_level(level: int) -> None:
    html = f"<h{level}>A <b>fine</b><br>day</h{level}>"
    assert markdown(html) == f"{'#' * level} A **fine** day"


def test_what_begins_a_list_or_ends_a_heading_is_only_escaped_where_it_would() -> None:
    assert markdown("<h2>1. Basics</h2>") == "## 1. Basics"
    assert markdown("<h2># C #</h2>") == "## # C \\#"
    assert markdown("<p>1. Basics</p>") == "1\\. Basics"
    assert markdown("<p>1.5 is more</p>") == "1.5 is more"


def test_lists_nest_three_deep_ordered_ones_within_unordered_ones() -> None:
    html = """<ul><li>one<ol start=9><li>two<ul><li>three</li></ul></li><li>zwei</li></ol></li>
        <li>eins</li></ul>"""
    assert markdown(html).split("\n") == [
        "- one",
        "",
        "  9. two",
        "     - three",
        "  10. zwei",
        "- eins",
    ]


def test_an_item_holds_paragraphs_code_and_quotes() -> None:
    html = "<ol><li>a<p>b</p><pre>c\n\nd</pre><blockquote>e</blockquote></li><li>f</li></ol>"
    assert markdown(html).split("\n") == [
        "1. a",
        "",
        "   b",
        "",
        "   ```",
        "   c",
        "",
        "   d",
        "   ```",
        "",
        "   > e",
        "2. f",
    ]


def test_a_list_between_items_belongs_to_the_item_before_it() -> None:
    assert markdown("<ul><li>a</li><ul><li>b</li></ul><li>c</li></ul>") == "- a\n  - b\n- c"


def test_two_lists_that_follow_each_other_stay_two() -> None:
    html = "<ul><li>a</li></ul><div><ul><li>b</li></ul></div><ol><li>c</li></ol><ol><li>d</li></ol>"
    assert markdown(html) == "- a\n\n* b\n\n1. c\n\n1) d"


def test_an_item_in_no_list_is_an_item_all_the_same() -> None:
    assert markdown("<div>x<li>a</li><li>b</li></div>") == "x\n\n- a\n- b"


def test_a_table_with_spans_keeps_its_columns() -> None:
    html = """<table>
        <tr><th>Name</th><th>Mon</th><th>Tue</th></tr>
        <tr><td rowspan=2>Ann</td><td></td><td>9</td></tr>
        <tr><td colspan=2>away</td></tr>
        <tr><td>Bob</td><td>10</td><td></td></tr></table>"""
    assert markdown(html).split("\n") == [
        "| Name | Mon | Tue |",
        "| --- | --- | --- |",
        "| Ann |  | 9 |",
        "|  | away |  |",
        "| Bob | 10 |  |",
    ]


def test_a_row_without_text_under_a_spanning_cell_moves_nothing() -> None:
    html = """<table><tr><th>a</th><th>b</th></tr><tr><td rowspan=2>1</td><td>2</td></tr>
        <tr><td></td></tr><tr><td>3</td><td>4</td></tr></table>"""
    assert markdown(html) == "| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |"


def test_a_table_without_a_header_gets_an_empty_one() -> None:
    html = "<table><tr><th>Weight</th><td>1 kg</td></tr><tr><th>Size</th><td>2 m</td></tr></table>"
    assert markdown(html) == "|  |  |\n| --- | --- |\n| Weight | 1 kg |\n| Size | 2 m |"


def test_a_bold_first_row_is_a_header() -> None:
    html = "<table><tr><td><b>a</b><td><b>b</b><tr><td>1<td>2</table>"
    assert markdown(html) == "| a | b |\n| --- | --- |\n| 1 | 2 |"


def test_what_a_data_table_holds_stands_on_one_line() -> None:
    html = """<table><tr><th>a</th><th>b | c</th></tr><tr><td><p>1</p><p>2</p></td>
        <td>x<br>y<ul><li>p</li><li>q</li></ul><pre>s\nt</pre></td></tr></table>"""
    assert markdown(html).split("\n") == [
        "| a | b \\| c |",
        "| --- | --- |",
        "| 1<br>2 | x<br>y<br>- p<br>- q<br>`s`<br>`t` |",
    ]


def test_a_layout_table_is_the_blocks_of_its_cells() -> None:
    html = "<table><tr><td><h2>a</h2><p>b</p></td><td><p>c</p><p>d</p></td></tr></table>"
    assert markdown(html) == "## a\n\nb\n\nc\n\nd"


def test_a_caption_stands_above_its_table() -> None:
    html = "<table><caption>Cap</caption><tr><th>a<th>b<tr><td>1<td>2</table>"
    assert markdown(html) == "Cap\n\n| a | b |\n| --- | --- |\n| 1 | 2 |"


@pytest.mark.parametrize(
    ("html", "language"),
    [
        ("<pre><code class='language-python'>{}</code></pre>", "python"),
        ("<pre class='lang-js prettyprint'>{}</pre>", "js"),
        ("<div class='highlight highlight-source-shell'><pre>{}</pre></div>", "shell"),
        (
            "<div class='highlight-c++ notranslate'><div class=highlight><pre>{}</pre></div></div>",
            "c++",
        ),
        ("<pre class='brush: rust; toolbar: false'>{}</pre>", "rust"),
        ("<pre data-lang=Go><code>{}</code></pre>", "go"),
        ("<div class=sourceCode><pre class='sourceCode haskell'>{}</pre></div>", "haskell"),
        ("<pre class='languagebar highlight'>{}</pre>", ""),
        ("<pre><code class='language-x`y'>{}</code></pre>", ""),
    ],
)
def test_code_is_fenced_with_its_language(html: str, language: str) -> None:
    assert markdown(html.format("x = 1\n  y")) == f"```{language}\nx = 1\n  y\n```"


def test_code_is_not_touched() -> None:
    code = "a*b_c [d](e) &lt;f&gt; # g\n\n\t1. h ``` i  "
    html = f"<p>x</p><pre>  {code}<b>j</b>\n- k</pre>"
    assert markdown(html) == "x\n\n````\n  a*b_c [d](e) <f> # g\n\n\t1. h ``` i  j\n- k\n````"


def test_code_of_several_lines_needs_no_pre() -> None:
    html = "<div>x <code>a = 1<br>b = *</code></div>"
    assert markdown(html) == "x\n\n```\na = 1\nb = *\n```"


def test_inline_code_holds_no_other_markup() -> None:
    html = "<p><code>a_<b>b</b> <a href=/x>c</a></code><code>`</code> <kbd>Ctrl</kbd></p>"
    assert markdown(html) == "`` a_b c` `` `Ctrl`"


def test_links_and_images_are_absolute_when_the_url_is_given() -> None:
    html = "<p><a href='../a b.html'>A</a> <img src='//cdn.example.org/i.png' alt='I [x]'></p>"
    written = "[A](https://example.org/a%20b.html) ![I \\[x\\]](https://cdn.example.org/i.png)"
    assert markdown(html, URL) == written
    assert markdown(html) == "[A](../a%20b.html) ![I \\[x\\]](//cdn.example.org/i.png)"


def test_links_are_relative_to_the_base_that_a_page_declares() -> None:
    html = "<head><base href='/other/'></head><p><a href=a.html>A</a></p>"
    assert markdown(html, URL) == "[A](https://example.org/other/a.html)"
    hostile = "<head><base href='javascript:alert(1)//'></head><p><a href=a.html>A</a></p>"
    assert markdown(hostile, URL) == "[A](https://example.org/dir/a.html)"


@pytest.mark.parametrize(
    ("href", "written"),
    [
        ("?at=10:30", "[x](?at=10:30)"),
        ("#a:b", "[x](#a:b)"),
        ("mailto:a@b.org", "[x](mailto:a@b.org)"),
        ("/w/Tamis_(sieve)", "[x](/w/Tamis_%28sieve%29)"),
        ("/a&amp;copy;b", "[x](/a\\&copy;b)"),
        ("javascript:alert(1)", "x"),
        ("data:text/html,x", "x"),
        ("http://[broken", "x"),
        ("", "x"),
    ],
)
def test_a_url_is_written_so_that_it_stays_one(href: str, written: str) -> None:
    assert markdown(f"<p><a href='{href}'>x</a></p>") == written


def test_an_anchor_is_no_link_to_its_own_page() -> None:
    document = tamis.extract("<p><a name=x>a</a> <a href=' '>b</a></p>", URL, method=EVERYTHING)
    assert document.markdown == "a b"
    assert document.html == "<p>a b</p>"


def test_a_link_around_a_card_goes_to_its_heading() -> None:
    html = "<a href=/c><img src=/i.png><h3>Card</h3><p>Text</p></a><a href=/d><div>Words</div></a>"
    assert markdown(html) == "![](/i.png)\n\n### [Card](/c)\n\nText\n\n[Words](/d)"


def test_an_exclamation_mark_makes_no_image_of_a_link() -> None:
    assert markdown("<p>Look!<a href=/x>here</a></p>") == "Look\\![here](/x)"


def test_spacers_and_lazy_images() -> None:
    html = """<p>a<img src=s.gif width=1 height=30>
        <img src='data:image/gif;base64,R0' data-src=b.png>
        <img alt='no address'></p>"""
    assert markdown(html) == "a ![](b.png)"


def test_quotes_nest_and_keep_their_breaks() -> None:
    html = "<blockquote>a<br>b<blockquote><p>c</p><p>d</p></blockquote></blockquote>"
    assert markdown(html) == "> a  \n> b\n>\n> > c\n> >\n> > d"


def test_br_is_a_hard_break_and_two_end_the_paragraph() -> None:
    assert markdown("<p>a<br>b<br><br>c</p>") == "a  \nb\n\nc"


@pytest.mark.parametrize(
    ("html", "written"),
    [
        (
            "<b>a</b> <strong>b</strong> <i>c</i> <em>d</em> <del>e</del>",
            "**a** **b** *c* *d* ~~e~~",
        ),
        ("un<b>believ</b>able", "un**believ**able"),
        ("<b>bold </b>word", "**bold** word"),
        ("<b>a</b><b>b</b>", "**ab**"),
        ("<b>a<b>b</b></b>", "**ab**"),
        ("<b><i>a</i></b>", "***a***"),
        ("<b>a.</b>b", "**a**.b"),
        ("这<b>“书船”</b>是", "这“**书船**”是"),
        ("<b>?</b>b", "?b"),
        ("<b><a href=/x>a</a></b>b", "[a](/x)b"),
        ("<b></b>a<i> </i>b", "a b"),
        ("<b>a<br>b</b>", "**a  \nb**"),
    ],
)
def test_emphasis_is_marked_where_markdown_can_mark_it(html: str, written: str) -> None:
    assert markdown(f"<p>{html}</p>") == written


def test_emphasis_of_several_paragraphs_is_emphasis_of_each() -> None:
    assert markdown("<b>one<br><br>two</b>") == "**one**\n\n**two**"


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("a * b", "a \\* b"),
        ("snake_case _x_ __y__", "snake_case \\_x\\_ \\_\\_y\\_\\_"),
        ("[a](b) `c` \\d", "\\[a\\](b) \\`c\\` \\\\d"),
        ("&lt;b&gt; 1 &lt; 2 &amp;lt; A&amp;B", "\\<b> 1 < 2 \\&lt; A&B"),
        ("&lt;<b>a@b.org</b>&gt; &lt;1@b.org&gt;", "\\<**a@b.org**> \\<1@b.org>"),
        ("~5 a~~b~~", "~5 a\\~\\~b\\~\\~"),
        ("# a", "\\# a"),
        ("#a", "#a"),
        ("- a", "\\- a"),
        ("-a", "-a"),
        ("&gt; a", "\\> a"),
        ("+ a", "\\+ a"),
        ("7) a", "7\\) a"),
        ("===", "\\==="),
        ("a<br>--- | ---", "a  \n\\--- | ---"),
    ],
)
def test_what_would_be_markup_is_escaped_and_no_more(text: str, written: str) -> None:
    assert markdown(f"<p>{text}</p>") == written


def test_markup_made_of_pieces_is_escaped() -> None:
    html = "<p>&lt;<span>script&gt;</span> &amp;<span>lt;</span> [<span>a](b)</span></p>"
    assert markdown(html) == "\\<script> \\&lt; \\[a\\](b)"


def test_a_definition_stands_below_its_term() -> None:
    html = """<dl><dt>step</dt><dd>One.<p>More.</p></dd><dd>Two.</dd>
        <div><dt><code>x</code></dt><dd>y</dd></div></dl>"""
    assert markdown(html) == "step\n: One.\n\n  More.\n: Two.\n\n`x`\n: y"


def test_a_form_field_cannot_write_markdown() -> None:
    html = "<p>a</p><textarea># b\n\n- c</textarea><textarea># d</textarea>"
    assert markdown(html) == "a"
