"""Alignment: gold text → the blocks that hold it."""

from __future__ import annotations

import builtins
import gzip
import json
import os
import sys
from collections import Counter
from pathlib import Path
from statistics import mean
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.bench import needs_bench
from helpers.html_strategies import pages, patient
from helpers.instances import SEGMENTER_NAMES, segmenter
from helpers.samples import FOLDER, SAMPLES, sample
from tamis.blocks import Blocks, TagSet
from tamis.errors import Unavailable
from tamis.lab import gold as alignment
from tamis.lab.gold import common_words, informative_blocks, placed_words, shares, words
from tamis.page import Page

CONTENT = "The river rose slowly at first. By noon it was over the wall and nobody slept."
MENU = "<ul><li>Home</li><li>News of the day</li><li>About us</li></ul>"


def blocks_of(html: str, tags: str = "html5") -> Blocks:
    return TagSet(tags).segment(tamis.parse(html))


def informative_shares(blocks: Blocks, gold: str) -> np.ndarray:
    return shares(placed_words(blocks), words(gold))


def kept(html: str, gold: str) -> list[str]:
    blocks = blocks_of(html)
    informative = informative_blocks(blocks, gold)
    return [block.text for block in blocks if informative[block.index]]


def oracle_f1(blocks: Blocks, gold: str) -> float:
    """Return the word F1 of the blocks that the alignment takes."""
    informative = informative_blocks(blocks, gold)
    found = Counter(w for block in blocks if informative[block.index] for w in words(block.text))
    wanted = Counter(words(gold))
    if not found and not wanted:
        return 1.0
    return 2 * (found & wanted).total() / (found.total() + wanted.total())


def longest_common(left: list[str], right: list[str]) -> int:
    """Return the length of the longest common subsequence, by the table of the textbook."""
    row = [0] * (len(right) + 1)
    for one in left:
        above, row = row, [0]
        for column, other in enumerate(right, start=1):
            row.append(above[column - 1] + 1 if one == other else max(above[column], row[-1]))
    return row[-1]


def is_subsequence(part: list[str], whole: list[str]) -> bool:
    left = iter(whole)
    return all(word in left for word in part)


def test_words_are_runs_of_letters_and_single_han_characters() -> None:
    assert words("The 2nd RIVER's wall_x, é") == ["the", "2nd", "river", "s", "wall_x", "é"]
    assert words("在北京ok说，2024年") == ["在", "北", "京", "ok", "说", "2024", "年"]
    assert words(" — !") == []


def test_the_share_is_that_of_the_words_in_the_gold() -> None:
    blocks = blocks_of(f"<p>Menu here</p><p>{CONTENT}</p><p>nobody slept says Jim</p><img>")
    assert informative_shares(blocks, f"{CONTENT} Nobody slept").tolist() == [0, 1, 0.5, 0]


def test_the_content_is_taken_and_the_rest_is_not() -> None:
    html = f"{MENU}<h1>Flood</h1><p>{CONTENT}</p><p>It sank again.</p><footer>Contact</footer>"
    assert kept(html, f"Flood\n{CONTENT}\nIt sank again.") == ["Flood", CONTENT, "It sank again."]


def test_a_text_that_stands_twice_counts_once() -> None:
    teaser = "The river rose slowly at first."
    html = f"<p>{teaser}</p>{MENU}<p>{CONTENT}</p>"
    assert kept(html, CONTENT) == [CONTENT]
    twice = blocks_of(f"<p>{CONTENT}</p><p>{CONTENT}</p>")
    assert informative_shares(twice, CONTENT).sum() == pytest.approx(1)
    assert informative_blocks(twice, CONTENT).sum() == 1
    assert informative_blocks(twice, f"{CONTENT} {CONTENT}").sum() == 2


def test_content_in_another_order_is_found_by_the_improvement() -> None:
    html = f"<p>{CONTENT}</p><p>Written by Jim Doe</p>"
    gold = f"Written by Jim Doe {CONTENT}"
    assert informative_shares(blocks_of(html), gold).tolist() == [1, 0]
    assert len(kept(html, gold)) == 2


def test_a_block_that_is_mostly_noise_is_left_out() -> None:
    noise = "one two three four five six seven"
    assert kept(f"<p>{CONTENT}</p><p>{noise} flood</p>", f"{CONTENT} flood") == [CONTENT]


@pytest.mark.parametrize("gold", ["", "  \n", "—"])
def test_an_empty_gold_has_no_informative_blocks(gold: str) -> None:
    blocks = blocks_of(MENU)
    assert not informative_blocks(blocks, gold).any()
    assert not informative_shares(blocks, gold).any()


@pytest.mark.parametrize("html", ["", "<img>", "<p>—</p>"])
def test_pages_without_words_have_no_informative_blocks(html: str) -> None:
    blocks = blocks_of(html)
    assert informative_blocks(blocks, CONTENT).tolist() == [False] * len(blocks)
    assert informative_shares(blocks, CONTENT).tolist() == [0] * len(blocks)


def test_a_gold_that_is_not_in_the_page_takes_nothing() -> None:
    assert kept(MENU, "entirely different words") == []


@patient
@given(page=pages(), cut_by=st.sampled_from(SEGMENTER_NAMES))
def test_all_of_the_page_makes_every_block_with_words_informative(page: Page, cut_by: str) -> None:
    blocks = segmenter(cut_by).segment(page)
    found = placed_words(blocks)
    gold = " ".join(found.words)
    assert informative_shares(blocks, gold).tolist() == (found.sizes > 0).tolist()
    assert informative_blocks(blocks, gold).tolist() == (found.sizes > 0).tolist()


def test_words_of_nested_blocks_come_in_document_order() -> None:
    page = tamis.parse("<div>one <p>two</p> three <p>four</p> five</div>")
    found = placed_words(tamis.SEGMENTERS["chunks"]().segment(page))
    assert found.words == ["one", "two", "three", "four", "five"]
    assert len(set(found.owner[[0, 2, 4]])) == 1


def test_segments_with_labels_give_blocks_their_labels() -> None:
    html = f"<ul><li>Home</li><li>News</li></ul><p>News</p><p>{CONTENT} <a href=x>More</a></p>"
    texts = ["Home", "News", "News", CONTENT, "More"]
    blocks = blocks_of(html)
    informative = alignment.segment_blocks(blocks, texts, [False, False, True, True, False])
    assert informative.tolist() == [False, False, True, True]
    assert not alignment.segment_blocks(blocks, [], []).any()
    assert not alignment.segment_blocks(blocks_of(""), texts, [True] * 5).any()


letters = st.lists(st.sampled_from("abcdef"), max_size=40)


@patient
@given(left=letters, right=letters)
def test_matched_words_are_a_longest_common_subsequence(left: list[str], right: list[str]) -> None:
    matched = common_words(left, right)
    part = [word for word, match in zip(left, matched, strict=True) if match]
    assert len(part) == longest_common(left, right)
    assert is_subsequence(part, right)
    here, there = alignment.common_places(left, right)
    assert [left[place] for place in here] == [right[place] for place in there] == part
    assert (np.diff(there) > 0).all()


@patient
@given(left=letters, right=letters, cells=st.integers(1, 50), size=st.integers(1, 4))
def test_long_texts_are_aligned_in_pieces(
    left: list[str], right: list[str], cells: int, size: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(alignment, "MAX_CELLS", cells)
        patch.setattr(alignment, "ANCHOR_WORDS", size)
        matched = common_words(left, right)
        cuts = alignment._cuts([ord(c) for c in left], [ord(c) for c in right])
    part = [word for word, match in zip(left, matched, strict=True) if match]
    assert is_subsequence(part, right)
    assert cuts[0] == (0, 0)
    assert cuts[-1] == (len(left), len(right))
    assert cuts == sorted(cuts)
    assert [b for _, b in cuts] == sorted(b for _, b in cuts)


def test_pieces_find_what_the_whole_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(1)
    gold = [f"w{n}" for n in random.zipf(1.3, 3000) % 5000]
    noise = [[f"w{n}" for n in random.zipf(1.3, 200) % 5000] for _ in range(30)]
    page = [w for n in range(30) for w in (*noise[n], *gold[100 * n : 100 * n + 100])]
    whole = common_words(page, gold)
    monkeypatch.setattr(alignment, "MAX_CELLS", 200_000)
    pieces = common_words(page, gold)
    assert whole.sum() == len(gold)
    assert pieces.sum() > 0.98 * len(gold)


def test_hundred_thousand_equal_words_are_no_trouble() -> None:
    assert common_words(["a"] * 100_000, ["a"] * 90_000).sum() > 80_000


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("tags", ["html5", "classic"])
def test_the_samples_can_be_told_by_their_blocks(name: str, tags: str) -> None:
    gold = (FOLDER / "expected" / f"{name}.txt").read_text("utf-8")
    assert oracle_f1(TagSet(tags).segment(sample(name)), gold) > 0.97


@needs_bench
def test_real_pages_can_be_told_by_their_blocks() -> None:
    folder = Path(os.environ["TAMIS_BENCH"]) / "wcxb-dev"
    with gzip.open(folder / "gold.jsonl.gz", "rt", encoding="utf-8") as lines:
        gold = [json.loads(line) for line in lines][::15][:100]
    scores = []
    for truth in gold:
        html = gzip.decompress((folder / "html" / f"{truth['id']}.html.gz").read_bytes())
        page = tamis.parse(html, charset="utf-8", deadline=None)
        scores.append(oracle_f1(TagSet().segment(page), truth["main_content"]))
    assert len(scores) == 100
    assert mean(scores) >= 0.97


def test_without_rapidfuzz_the_extra_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    imported = builtins.__import__

    def refuse(name: str, *args: Any, **kwargs: Any) -> Any:
        if name.startswith("rapidfuzz"):
            raise ImportError(name)
        return imported(name, *args, **kwargs)

    for name in [name for name in sys.modules if name.startswith("rapidfuzz")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", refuse)
    with pytest.raises(Unavailable, match=r"pip install 'tamis\[evaluate\]' or 'tamis\[train\]'"):
        informative_blocks(blocks_of("<p>a"), "a")
