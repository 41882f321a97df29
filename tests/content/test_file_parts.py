"""Files of Markdown and text: title, front matter, comments, formulas, and a whole document."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from markdown_it import MarkdownIt

import tamis
from helpers.html_strategies import patient
from tamis.content import render_comments, render_comments_as_text, render_formula

DOCUMENTS = Path(__file__).parents[2] / "samples" / "documents"
URL = "https://tarn.example/3.1/filters/smoothing"
PARAGRAPH = (
    "<p>Words of the text that all of this is about, and a few more of them for its length.</p>"
)


def article(title: str, body: str) -> tamis.Document:
    """Return the document of a page with a title and a body."""
    return tamis.extract(f"<title>{title}</title><article>{body}{PARAGRAPH * 3}</article>")


@pytest.mark.parametrize("path", sorted(DOCUMENTS.glob("*.html")), ids=lambda path: path.stem)
def test_the_markdown_of_a_document_is_what_a_reader_sees(path: Path) -> None:
    document = tamis.extract(path.read_bytes(), URL)
    expected = (DOCUMENTS / "expected" / f"{path.stem}.md").read_text(encoding="utf-8")
    assert f"{document.to_markdown()}\n" == expected
    assert "".join(chunk.text for chunk in document.chunks(60)) == document.markdown


# The title ----------------------------------------------------------------------------------------


def test_a_title_stands_above_a_content_that_does_not_begin_with_it() -> None:
    document = article("Of *stars*", "")
    assert document.to_markdown() == f"# Of \\*stars\\*\n\n{document.markdown}"
    assert document.to_markdown(title=False) == document.markdown
    assert document.to_text() == document.text
    assert document.to_text(title=True) == f"Of *stars*\n\n{document.text}"


@pytest.mark.parametrize("heading", ["<h1>A Title!</h1>", "<p>News</p><h2>a title</h2>"])
def test_no_title_stands_twice(heading: str) -> None:
    everything = tamis.METHODS["feature"]
    html = f"<title>A title</title>{heading}{PARAGRAPH * 3}"
    document = tamis.extract(html, method=everything)
    first = "a title" in document.text.casefold()
    assert document.to_markdown().casefold().count("a title") == 1
    assert (document.to_markdown() == document.markdown) == first


def test_front_matter_comes_first() -> None:
    document = article("A title", "")
    assert document.to_markdown(front_matter=True).startswith(
        '---\ntitle: "A title"\n---\n\n# A title\n\nWords'
    )


# Comments -----------------------------------------------------------------------------------------


class Reply(NamedTuple):
    """A comment."""

    author: str | None
    date: str | None
    text: str
    depth: int = 0


REPLIES = (
    Reply("Ann_B", "2024-05-01", "First.\n\n1. no list"),
    Reply(None, None, "An <b>answer</b>", 1),
    Reply("C", None, "Deep", 99),
)


def test_comments_as_markdown() -> None:
    quoted = ">" + " >" * 9
    assert render_comments(REPLIES) == (
        "## Comments\n\n**Ann_B**, 2024-05-01\n\nFirst.\n\n1\\. no list\n\n"
        f"> An \\<b>answer\\</b>\n\n{quoted} **C**\n{quoted}\n{quoted} Deep"
    )
    assert render_comments([]) == ""


def test_comments_as_text() -> None:
    assert render_comments_as_text(REPLIES[:2]) == (
        "Ann_B, 2024-05-01\n\nFirst.\n\n1. no list\n\n  An <b>answer</b>"
    )


def test_a_document_adds_its_comments_if_wanted(monkeypatch: pytest.MonkeyPatch) -> None:
    document = article("A title", "")
    monkeypatch.setattr(tamis.Document, "comments", REPLIES, raising=False)
    assert document.to_markdown(comments=True).endswith(render_comments(REPLIES))
    assert document.to_text(comments=True).endswith(render_comments_as_text(REPLIES))
    assert "Comments" not in document.to_markdown()


# Formulas -----------------------------------------------------------------------------------------

KATEX = (
    '<span class="katex"><span class="katex-mathml"><math><semantics><mi>x</mi><annotation '
    'encoding="application/x-tex">{}</annotation></semantics></math></span><span '
    'class="katex-html" aria-hidden="true">x</span></span>'
)
WIKI = (
    '<span class="mwe-math-element"><span class="mwe-math-mathml-inline" style="display:none">'
    '<math alttext="{{\\displaystyle {0}}}"><mi>x</mi></math></span>'
    '<img src="/x.svg" class="mwe-math-fallback-image-inline" alt="{0}"></span>'
)
MATHJAX3 = (
    "<mjx-container class=MathJax><mjx-math><mjx-mi>x</mjx-mi></mjx-math><mjx-assistive-mml>"
    '<math alttext="{}"><mi>x</mi></math></mjx-assistive-mml></mjx-container>'
)
MATHJAX2 = (
    '<span class="MathJax_Preview">x</span><span class="MathJax">x</span>'
    '<script type="math/tex">{}</script>'
)


@pytest.mark.parametrize("form", [KATEX, WIKI, MATHJAX3, MATHJAX2])
def test_a_formula_is_written_once_as_tex(form: str) -> None:
    document = article(
        "A title", f"<p>For all {form.format('a_1')}, and <b>then</b> more words.</p>"
    )
    assert "For all $a_1$, and **then** more words." in document.markdown
    assert "For all $a_1$, and <b>then</b>" in document.html


@pytest.mark.parametrize(
    "html",
    [
        f'<span class="katex-display">{KATEX.format("a_1")}</span>',
        '<math display="block" alttext="a_1"><mi>a</mi></math>',
        '<script type="math/tex; mode=display">a_1</script>',
    ],
)
def test_a_displayed_formula_has_a_paragraph(html: str) -> None:
    document = article("A title", f"<p>For all {html} and more words of it.</p>")
    assert "For all\n\n$$a_1$$\n\nand more words" in document.markdown
    assert "".join(chunk.text for chunk in document.chunks(9)) == document.markdown


def test_formulas_of_noise_stay_out() -> None:
    noise = f"<footer><a href=/>Home</a> {KATEX.format('n')}</footer>"
    html = f"<article>{PARAGRAPH * 4}</article>{noise}"
    assert "$" not in tamis.extract(html).markdown


def test_mathml_without_tex_is_text() -> None:
    document = article("A title", "<p>For all <math><mi>x</mi></math> in the set of words.</p>")
    assert "$" not in document.markdown
    assert "For all x in the set" in document.markdown


def test_tex_is_on_one_line_without_comments() -> None:
    assert render_formula("a % b\n = c", is_display=False) == "$a = c$"
    assert render_formula("5\\% a", is_display=True) == "$$5\\% a$$"
    assert render_formula("{\\displaystyle x < y}", is_display=False) == "$x \\lt y$"
    assert render_formula("a $ b", is_display=False) is None
    assert render_formula(" ", is_display=False) is None
    assert render_formula("x" * 5000, is_display=True) is None


@patient
@given(st.text("ab<>[]()!`*_#&;:/\\\n $%", max_size=30), st.booleans())
@example("[x](javascript:alert(1))", False)
@example("<img src=x onerror=alert(1)>", True)
@example("![x](javascript:alert(1))", False)
def test_a_formula_is_no_markup_to_readers_without_formulas(tex: str, is_display: bool) -> None:
    formula = render_formula(tex, is_display=is_display) or ""
    tokens = MarkdownIt("commonmark", {"html": True}).parse(f"a {formula} b")
    kinds = {child.type for token in tokens for child in token.children or ()}
    assert not kinds & {"html_inline", "link_open", "image", "code_inline"}
