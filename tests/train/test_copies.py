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
from tamis.lab.datasets import load
from tamis.lab.systems.methods import FOLDS, fold_of
from tamis.lab.train import augmentation
from tamis.lab.train.augmentation import (
    SHORT,
    aged,
    copied_examples,
    copy_among_lists,
    dice_of,
    drawn_size,
    edited,
    lists_by_fold,
    part_of_list,
    places_around,
    short_copy,
    shortening,
)
from tamis.lab.train.examples import Example, block_weights, content_shares, examples_of
from tamis.verdict.learned import extract_features

WORDS = ("one", "two", "three", "four")
TEXTS = [f"<p>{word} " + "and so on " * 10 + "</p>" for word in WORDS]
GOLD = "\n".join(text[3:-4] for text in TEXTS)


def example(html: str, gold: str, kind: str = "article", site: str = "x") -> Example:
    found = extract_features(TagSet().segment(tamis.parse(html)))
    target = content_shares(found, gold)
    return Example(site, site, kind, gold, found, target, block_weights(found.context.terms))


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
    old = tamis.parse(aged(page.source.decode()))
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
    assert aged(html) == (
        "<div><div class='ani Cbfg' id=\"sbbgre\"><p data-class=nav class=menu>class='nav'"
        "<div><div>x</div></div></div></div><div>y</div>"
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_what_repeats_on_a_page_still_does_on_the_aged_one(name: str) -> None:
    html = sample(name).source.decode()
    html = re.sub("<(?:meta|link)[^>]*>", "", html)  # what an aged page does not declare
    page, old = tamis.parse(html), tamis.parse(aged(html))
    assert len(page) == len(old)
    pairs = set(zip(page.class_key.tolist(), old.class_key.tolist(), strict=True))
    assert len(pairs) == len(set(page.class_key.tolist())) == len(set(old.class_key.tolist()))


def test_a_shortened_article_keeps_its_first_blocks_and_all_noise() -> None:
    one = article()
    edits, rest = shortening(one, 60.0)
    short = edited(one, edits)
    kept = [word for word in WORDS if f">{word} " in short]
    assert kept == ["one", "two"]
    assert [line.split()[0] for line in rest.splitlines()] == kept
    assert "menu" in short
    assert "related" in short
    assert edited(one, shortening(one, 1e9)[0]) == one.found.context.page.source.decode()


def test_copies_are_the_same_on_every_run_and_differ_from_page_to_page() -> None:
    pages = [replace(article(), id=str(page)) for page in range(50)]
    sizes = [drawn_size(dice_of(one, number), SHORT) for one in pages for number in range(2)]
    assert len(set(sizes)) == 100
    assert all(SHORT[0] <= size <= SHORT[1] for size in sizes)
    assert len({copy_among_lists(one, [board()])[0] for one in pages}) > 5
    assert copy_among_lists(article(), [board()]) == copy_among_lists(article(), [board()])


def test_lists_are_put_before_or_after_or_at_the_end_of_what_holds_the_content() -> None:
    one = article()
    before, after, end = places_around(one)
    source = one.found.context.page.source
    assert source[before:].startswith(b'<div id="a">')
    assert source[:after].endswith(b"</p></div>")
    assert source[:end].endswith(b"</p>")
    assert source[end:].startswith(b"</div>")


def test_a_part_of_a_list_is_its_first_entries_whole() -> None:
    assert part_of_list(board(), 10.0) == (
        b"<div><li>post number 0 says that it is so</li>"
        b"<li>post number 1 says that it is so</li></div>"
    )
    assert part_of_list(board(), 1e9).count(b"<li>") == 9


@pytest.mark.parametrize("page", range(20))
def test_among_lists_the_content_is_what_it_was(page: int) -> None:
    one = replace(article(), id=str(page))
    html, gold = copy_among_lists(one, [board()])
    assert html.count("post number 0") == augmentation.AROUND
    copy = example(html, gold)
    kept = np.flatnonzero(copy.target > 0.5)
    blocks = copy.found.context.blocks
    assert "\n".join(blocks.text(index) for index in kept.tolist()) == gold
    assert copy_among_lists(one, [])[0] == edited(
        one, shortening(one, drawn_size(dice_of(one, 1), augmentation.AMONG_LISTS))[0]
    )


def test_an_article_is_put_among_lists_of_its_own_fold_only() -> None:
    pages = [board(f"site{number}.example") for number in range(30)]
    found = lists_by_fold([*pages, article(), replace(pages[0], target=pages[0].target * 0)])
    assert len(found) == FOLDS
    assert sum(map(len, found)) == len(pages)
    for fold, lists in enumerate(found):
        assert lists == [one for one in pages if fold_of(one.group) == fold]


def test_pages_are_copied_and_articles_twice(tmp_path: Path) -> None:
    dataset = load(str(write_labelled(tmp_path / "tiny", 6)))
    fresh = list(examples_of(dataset))
    copies = list(copied_examples(dataset, fresh))
    for one in fresh:
        own = [copy for copy in copies if copy.id == one.id]
        assert len(own) == (2 if one.page_type == "article" else 1)
        for number, copy in enumerate(own):
            assert copy.copy
            assert not one.copy
            assert copy.group == one.group
            assert copy.found.plain
            assert 0 < copy.weight.sum() < one.weight.sum()
            # The pages of this set say much the same, so that a list may hold a word of the gold.
            assert copy.f1(copy.target > 0.5) >= (0.9 if number else 1)


def test_the_two_copies_of_an_article_are_the_short_one_and_that_among_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    dataset = load(str(write_labelled(tmp_path / "tiny", 60)))
    fresh = list(examples_of(dataset))
    lists = lists_by_fold(fresh)
    given: list[list[Example]] = []

    def watched(one: Example, nearby: list[Example]) -> tuple[str, str]:
        given.append(nearby)
        return copy_among_lists(one, nearby)

    monkeypatch.setattr(augmentation, "copy_among_lists", watched)
    made = list(copied_examples(dataset, fresh))
    articles = [one for one in fresh if one.page_type == "article"]
    assert given == [lists[fold_of(one.group)] for one in articles]
    for one in articles:
        golds = [copy.gold for copy in made if copy.id == one.id]
        assert golds == [short_copy(one)[1], copy_among_lists(one, lists[fold_of(one.group)])[1]]
