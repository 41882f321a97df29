"""Copies of pages to learn from: aged, shortened, and among lists."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import tamis
from helpers.labelled import write_labelled
from helpers.samples import SAMPLES, sample
from tamis.blocks import TagSet
from tamis.lab import load
from tamis.lab.systems import FOLDS, site_fold
from tamis.lab.train import (
    LISTS_PER_ARTICLE,
    SHORT_TERMS,
    SURROUNDED_TERMS,
    Example,
    age_html,
    apply_edits,
    compute_target,
    copy_examples,
    draw_terms,
    first_entries,
    group_lists_by_fold,
    insertion_offsets,
    random_generator,
    read_examples,
    shorten,
    shortening_edits,
    surround_with_lists,
    weigh_blocks,
)
from tamis.verdict.learned import extract_features

WORDS = ("one", "two", "three", "four")
TEXTS = [f"<p>{word} " + "and so on " * 10 + "</p>" for word in WORDS]
GOLD = "\n".join(text[3:-4] for text in TEXTS)


def example(html: str, gold: str, page_type: str = "article", site: str = "x") -> Example:
    features = extract_features(TagSet().segment(tamis.parse(html)))
    target = compute_target(features, gold)
    weight = weigh_blocks(features.context.terms)
    return Example("set", site, site, page_type, gold, features, target, weight)


def article(site: str = "x") -> Example:
    return example(
        f"<nav>menu</nav><div id=a>{''.join(TEXTS)}</div><p>related</p>", GOLD, site=site
    )


def board(site: str = "y") -> Example:
    posts = [f"post number {number} says that it is so" for number in range(9)]
    items = "".join(f"<li>{post}</li>" for post in posts)
    html = f"<nav>start</nav><ul class=board>{items}</ul>"
    return example(html, "\n".join(posts), "forum", site)


@pytest.mark.parametrize("name", SAMPLES)
def test_an_aged_page_says_the_same(name: str) -> None:
    page = sample(name)
    old = tamis.parse(age_html(page.source.decode()))
    assert old.text.split() == page.text.split()
    blocks, old_blocks = TagSet().segment(page), TagSet().segment(old)
    assert [blocks.text(n) for n in range(len(blocks))] == [
        old_blocks.text(n) for n in range(len(old_blocks))
    ]


def test_an_aged_page_has_no_elements_of_html_5_and_no_names_that_say_something() -> None:
    html = (
        "<meta name=x content=y><link rel=canonical href=z>"
        "<MAIN><article class='nav Post' id=\"footer\"><p data-class=nav class=menu>class='nav'"
        "<figure><figcaption>x</figcaption></figure></article></main><header>y</header>"
    )
    assert age_html(html) == (
        "<div><div class='ani Cbfg' id=\"sbbgre\"><p data-class=nav class=menu>class='nav'"
        "<div><div>x</div></div></div></div><div>y</div>"
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_what_repeats_on_a_page_still_does_on_the_aged_one(name: str) -> None:
    html = sample(name).source.decode()
    html = re.sub("<(?:meta|link)[^>]*>", "", html)  # what an aged page does not declare
    page, old = tamis.parse(html), tamis.parse(age_html(html))
    assert len(page) == len(old)
    pairs = set(zip(page.class_key.tolist(), old.class_key.tolist(), strict=True))
    assert len(pairs) == len(set(page.class_key.tolist())) == len(set(old.class_key.tolist()))


def test_a_shortened_article_keeps_its_first_blocks_and_all_noise() -> None:
    page = article()
    edits, rest = shortening_edits(page, 60.0)
    short = apply_edits(page, edits)
    kept = [word for word in WORDS if f">{word} " in short]
    assert kept == ["one", "two"]
    assert [line.split()[0] for line in rest.splitlines()] == kept
    assert "menu" in short
    assert "related" in short
    assert (
        apply_edits(page, shortening_edits(page, 1e9)[0])
        == page.features.context.page.source.decode()
    )


def test_copies_are_the_same_on_every_run_and_differ_from_page_to_page() -> None:
    pages = [replace(article(), id=str(number)) for number in range(50)]
    sizes = [
        draw_terms(random_generator(page, number), SHORT_TERMS)
        for page in pages
        for number in range(2)
    ]
    assert len(set(sizes)) == 100
    assert all(SHORT_TERMS[0] <= size <= SHORT_TERMS[1] for size in sizes)
    assert len({surround_with_lists(page, [board()])[0] for page in pages}) > 5
    assert surround_with_lists(article(), [board()]) == surround_with_lists(article(), [board()])


def test_lists_are_put_before_or_after_or_at_the_end_of_what_holds_the_content() -> None:
    page = article()
    before, after, end = insertion_offsets(page)
    source = page.features.context.page.source
    assert source[before:].startswith(b'<div id="a">')
    assert source[:after].endswith(b"</p></div>")
    assert source[:end].endswith(b"</p>")
    assert source[end:].startswith(b"</div>")


def test_a_part_of_a_list_is_its_first_entries_whole() -> None:
    assert first_entries(board(), 10.0) == (
        b"<div><li>post number 0 says that it is so</li>"
        b"<li>post number 1 says that it is so</li></div>"
    )
    assert first_entries(board(), 1e9).count(b"<li>") == 9


@pytest.mark.parametrize("number", range(20))
def test_among_lists_the_content_is_what_it_was(number: int) -> None:
    page = replace(article(), id=str(number))
    html, gold = surround_with_lists(page, [board()])
    assert html.count("post number 0") == LISTS_PER_ARTICLE
    copy = example(html, gold)
    kept = np.flatnonzero(copy.target > 0.5)
    blocks = copy.features.context.blocks
    assert "\n".join(blocks.text(index) for index in kept.tolist()) == gold
    assert surround_with_lists(page, [])[0] == apply_edits(
        page, shortening_edits(page, draw_terms(random_generator(page, 1), SURROUNDED_TERMS))[0]
    )


def test_an_article_is_put_among_lists_of_its_own_fold_only() -> None:
    pages = [board(f"site{number}.example") for number in range(30)]
    without_content = replace(pages[0], target=pages[0].target * 0)
    by_fold = group_lists_by_fold([*pages, article(), without_content])
    assert len(by_fold) == FOLDS
    assert sum(map(len, by_fold)) == len(pages)
    for fold, lists in enumerate(by_fold):
        assert lists == [page for page in pages if site_fold(page.group) == fold]


def test_pages_are_copied_and_articles_twice(tmp_path: Path) -> None:
    dataset = load(str(write_labelled(tmp_path / "tiny", 6)))
    examples = list(read_examples(dataset))
    copies = list(copy_examples([dataset], examples))
    for page in examples:
        page_copies = [copy for copy in copies if copy.id == page.id]
        assert len(page_copies) == (2 if page.page_type == "article" else 1)
        for number, copy in enumerate(page_copies):
            assert copy.is_copy
            assert not page.is_copy
            assert copy.group == page.group
            assert copy.features.plain
            assert 0 < copy.weight.sum() < page.weight.sum()
            # The pages of this set say much the same, so that a list may hold a word of the gold.
            assert copy.f1(copy.target > 0.5) >= (0.9 if number else 1)


def test_the_two_copies_of_an_article_are_the_short_one_and_that_among_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load(str(write_labelled(tmp_path / "tiny", 60)))
    examples = list(read_examples(dataset))
    lists = group_lists_by_fold(examples)
    lists_used: list[list[Example]] = []

    def recorded(page: Example, fold_lists: list[Example]) -> tuple[str, str]:
        lists_used.append(fold_lists)
        return surround_with_lists(page, fold_lists)

    monkeypatch.setattr("tamis.lab.train.augmentation.surround_with_lists", recorded)
    copies = list(copy_examples([dataset], examples))
    articles = [page for page in examples if page.page_type == "article"]
    assert lists_used == [lists[site_fold(page.group)] for page in articles]
    for page in articles:
        golds = [copy.gold for copy in copies if copy.id == page.id]
        assert golds == [
            shorten(page)[1],
            surround_with_lists(page, lists[site_fold(page.group)])[1],
        ]
