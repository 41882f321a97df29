"""Chunks: never too long, nothing lost, cut where a reader would cut, and traceable to the page."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import tamis
from helpers.growth import LINEAR, growth
from helpers.html_strategies import html_trees
from tamis.blocks import TagSet
from tamis.content import Chunk, Tokenizer, count_tokens
from tamis.errors import DeadlineExceeded, InputError, WrongType
from tamis.page import Budget, find_row
from tamis.verdict import Importance

EVERYTHING = tamis.Method(TagSet(), Importance(threshold=0.0))  # keeps every block
SAMPLES = sorted((Path(__file__).parents[2] / "samples").glob("*.html"))
anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])


def count_words(text: str) -> int:
    return len(text.split())


def list_words(text: str) -> list[str]:
    return text.split()


def count_more_together(text: str) -> int:
    """Count as no tokenizer should: more for a text than for its halves."""
    return len(text) + len(text) // 10


def count_less_together(text: str) -> int:
    """Count as tokenizers do whose tokens reach over the cuts."""
    return (len(text) + 6) // 7


def read(html: str) -> tamis.Document:
    return tamis.extract(html, method=EVERYTHING)


def cut(html: str, max_tokens: int = 512, overlap: int = 0) -> tuple[Chunk, ...]:
    return read(html).chunks(max_tokens, overlap, count_words)


def texts(html: str, max_tokens: int) -> list[str]:
    return [chunk.text.strip() for chunk in cut(html, max_tokens)]


def check_chunks(doc: tamis.Document, max_tokens: int, overlap: int, tokenizer: Tokenizer) -> None:
    chunks = doc.chunks(max_tokens, overlap, tokenizer)
    assert "".join(chunk.text[chunk.overlap :] for chunk in chunks) == doc.markdown
    for chunk in chunks:
        tokens = tokenizer(chunk.text)
        assert chunk.tokens == (tokens if isinstance(tokens, int) else len(tokens)) <= max_tokens
        assert chunk.text == doc.markdown[chunk.start : chunk.stop]
        assert 0 <= chunk.span[0] <= chunk.span[1] <= len(doc.page.source)
        assert find_row(doc.page, chunk.xpath) is not None
        assert overlap or chunk.overlap == 0


TOKENIZERS = st.sampled_from(
    (count_words, list_words, count_tokens, len, count_more_together, count_less_together)
)


@given(html_trees(), st.integers(2, 60), st.integers(0, 30), TOKENIZERS)
@anytime
def test_chunks_joined_are_the_document_and_none_is_too_long(
    html: str, max_tokens: int, overlap: int, tokenizer: Tokenizer
) -> None:
    check_chunks(read(html), max_tokens, min(overlap, max_tokens // 2), tokenizer)


@pytest.mark.parametrize("path", SAMPLES, ids=lambda path: path.stem)
def test_chunks_of_real_pages(path: Path) -> None:
    doc = tamis.extract(path.read_bytes())
    for max_tokens, overlap in ((512, 0), (100, 20), (12, 6)):
        for tokenizer in (count_words, count_tokens, len):
            check_chunks(doc, max_tokens, overlap, tokenizer)


def test_a_short_document_is_one_chunk_and_an_empty_one_none() -> None:
    (chunk,) = read("<h1>Rain</h1><p>It rained.").chunks()
    assert chunk.text == "# Rain\n\nIt rained."
    assert read("").chunks() == ()


def test_chunks_end_between_units() -> None:
    html = "<p>one two three<ul><li>four<li>five</ul><pre>six\nseven</pre><p>eight nine ten"
    assert texts(html, 6) == [
        "one two three",
        "- four\n- five",
        "```\nsix\nseven\n```",
        "eight nine ten",
    ]


def test_chunks_end_before_sections() -> None:
    html = "<p>a b c d<p>e f g h<h2>Title</h2><p>i j k<p>l m n o"
    assert texts(html, 13) == ["a b c d\n\ne f g h", "## Title\n\ni j k\n\nl m n o"]


def test_no_chunk_ends_with_a_heading() -> None:
    html = "<p>a b c d e f<h2>Title</h2><p>g h i j"
    assert texts(html, 8) == ["a b c d e f", "## Title\n\ng h i j"]


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        (  # rows
            "<table><tr><th>x<th>y<tr><td>1<td>2<tr><td>3<td>4</table>",
            ["| x | y |\n| --- | --- |", "| 1 | 2 |\n| 3 | 4 |"],
        ),
        (  # items, before the lines of an item
            "<ul><li>one two<ul><li>three four</ul><li>five six<li>seven</ul>",
            ["- one two\n  - three four", "- five six\n- seven"],
        ),
        ("<pre>a b c\nd e f\n\ng h i j</pre>", ["```\na b c", "d e f", "g h i j\n```"]),  # lines
        ("<p>a b c<br>d e f g<br>h", ["a b c", "d e f g  \nh"]),
        (  # sentences, before words
            "<p>One two. Three “four five!” Six? Seven eight nine ten eleven twelve thirteen.",
            ["One two. Three “four five!” Six?", "Seven eight nine ten eleven twelve", "thirteen."],
        ),
        ("<blockquote><p>a b c<p>d e f g</blockquote>", ["> a b c\n>", "> d e f g"]),
    ],
)
def test_long_units_are_cut_at_rows_lines_sentences_words(html: str, expected: list[str]) -> None:
    assert texts(html, 10 if "<tr>" in html else 6) == expected


def test_sentences_end_in_scripts_without_spaces() -> None:
    chunks = read("<p>今天下雨。明天也下雨！后天呢？").chunks(8, 0, len)
    assert [chunk.text for chunk in chunks] == ["今天下雨。", "明天也下雨！", "后天呢？"]


def test_long_words_are_cut_but_letters_keep_their_accents() -> None:
    chunks = read("<p>" + "e\u0301" * 9).chunks(5, 0, len)
    assert [chunk.text for chunk in chunks] == [*["e\u0301" * 2] * 4, "e\u0301"]


def test_headings_are_those_that_all_of_a_chunk_stands_under() -> None:
    html = (
        "<p>before the first<h1>The <em>town</em></h1><p>a b c<h2>Past</h2><p>d e f g h"
        "<h4>Old bridge</h4><p>i j k l m<h2>Today</h2><p>n o p q r s"
    )
    assert [(chunk.headings, chunk.text[:9]) for chunk in cut(html, 8)] == [
        ((), "before th"),
        (("The town",), "# The *to"),
        (("The town", "Past"), "## Past\n\n"),
        (("The town", "Past", "Old bridge"), "#### Old "),
        (("The town", "Today"), "## Today\n"),
    ]
    assert [chunk.headings for chunk in cut(html, 23)] == [(), ("The town",)]


def test_headings_have_the_text_that_is_selected() -> None:
    (chunk,) = cut('<h2>Set up<a href="#set-up">¶</a></h2><p>First, take a spoon.')
    assert chunk.headings == ("Set up",)


def test_a_chunk_knows_where_it_is_from() -> None:
    html = "<div><p id=a>one <b>two</b> three<p id=b>four five six<p id=c>seven eight nine</div>"
    doc = read(html)
    chunks = doc.chunks(6, 0, count_words)
    assert [chunk.xpath for chunk in chunks] == ["/html/body/div", "/html/body/div/p[3]"]
    spans = [doc.page.source[slice(*chunk.span)] for chunk in chunks]
    assert spans == [b'one <b>two</b> three</p><p id="b">four five six', b"seven eight nine"]


def test_rows_of_a_table_are_located_one_by_one() -> None:
    rows = "".join(f"<tr><td>name {n}<td>value {n}" for n in range(20))
    doc = read(f"<table><tr><th>a<th>b{rows}</table>")
    chunks = doc.chunks(40, 0, count_words)
    assert len(chunks) > 3
    for chunk in chunks:
        words = re.findall(r"\d+", chunk.text)
        assert words == re.findall(r"\d+", doc.page.source[slice(*chunk.span)].decode())


def test_overlap_repeats_the_end_of_the_chunk_before() -> None:
    html = "<p>A b c d. E f g. H i.<p>J k l m n.<h2>T</h2><p>O p q r s t u v."
    chunks = cut(html, 10, overlap=5)
    assert [chunk.text for chunk in chunks] == [
        "A b c d. E f g. H i.\n\n",
        "E f g. H i.\n\nJ k l m n.\n\n",
        "## T\n\nO p q r s t u v.",
    ]
    assert [chunk.overlap for chunk in chunks] == [0, 13, 0]


def test_overlap_is_of_words_where_a_sentence_is_too_long() -> None:
    chunks = cut(f"<p>{' '.join('abcdefghijklmnop')}", 6, overlap=2)
    assert [chunk.text.strip() for chunk in chunks][:3] == ["a b c d", "c d e f g h", "g h i j k l"]


@pytest.mark.parametrize(
    ("error", "call"),
    [
        (InputError, lambda doc: doc.chunks(0)),
        (InputError, lambda doc: doc.chunks(10, 6)),
        (InputError, lambda doc: doc.chunks(10, -1)),
        (WrongType, lambda doc: doc.chunks("10")),
        (WrongType, lambda doc: doc.chunks(10, 0, "gpt-4")),
    ],
)
def test_mistakes_are_reported(
    error: type[Exception], call: Callable[[tamis.Document], object]
) -> None:
    with pytest.raises(error):
        call(read("<p>one two"))


def test_a_character_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(InputError, match="raise max_tokens"):
        read("<p>ab").chunks(2, 0, lambda text: 3 * len(text))


def test_the_deadline_counts() -> None:
    doc = replace(read("<p>one two three" * 1_000), budget=Budget(0.001))
    with pytest.raises(DeadlineExceeded, match="cutting chunks"):
        doc.chunks(3)


@pytest.mark.parametrize(
    "html",
    [
        "<p>One two three. Four five.",
        "<tr><td>one<td>two",
        "<h2>one</h2>",
        "onetwothree",
        "e\u0301",
    ],
    ids=["paragraphs", "rows", "headings", "one word", "accents"],
)
@pytest.mark.parametrize("overlap", [0, 20])
def test_time_is_linear(html: str, overlap: int) -> None:
    def work(times: int) -> Callable[[], object]:
        around = "<table>{}</table>" if html.startswith("<tr>") else "<div>{}</div>"
        doc = tamis.extract(around.format(html * times), method=EVERYTHING, deadline=None)
        return lambda: doc.chunks(50, overlap, len)

    assert growth(work(300), work(2_400)) < LINEAR


def test_the_default_counts_about_what_models_count() -> None:
    assert count_tokens("") == count_tokens(" \n") == 0
    assert count_tokens("A cat sat on the mat.") == 7
    assert count_tokens("今天下雨") == 4
    assert count_tokens("internationalisation 2026-11-18") == 4 + 2 + 2 + 2
