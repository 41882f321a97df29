"""Tokens: hashed names and words, and what they say, against plain Python."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given

import tamis
from helpers.growth import LINEAR, growth
from helpers.html_strategies import pages, patient
from helpers.samples import SAMPLES, sample
from tamis.blocks import Blocks, TagSet
from tamis.errors import InputError
from tamis.page import Page, tags
from tamis.verdict.learned import (
    BUCKETS,
    DECAY,
    FIRST_FEATURES,
    MAX_HEADING_DISTANCE,
    PAGE_BUCKETS,
    PAGE_TABLE_COUNT,
    TABLE_COUNT,
    TOKEN_FEATURES,
    PageTokenWeights,
    TokenWeights,
    empty_weights,
    extract_features,
    first_features,
    read_page_tokens,
    round_page_weights,
    round_weights,
)

SEED, PRIME = 0xCBF29CE484222325, 0x100000001B3
SPREAD = 0xD6E8FEB86659FD93
MASK = (1 << 64) - 1
PAIRED = re.compile("[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")


def bucket(seed: int, codes: list[int]) -> int:
    key = SEED + seed
    for code in codes:
        key = (key ^ code) * PRIME & MASK
    return (key * SPREAD & MASK) >> 49


def name_tokens(value: bytes, capacity: int) -> list[int]:
    """Return the tokens of a class or id: words, and whole names of more than one."""
    tokens = []
    for name in re.split(rb"[\x00- ]", value):
        words = re.findall(rb"[A-Z]*[a-z]+|[A-Z]+", re.sub(rb"([a-z])([A-Z])", rb"\1\0\2", name))
        tokens += [bucket(0, list(word.lower())) for word in words]
        if len(words) > 1 or re.search(rb"[^A-Za-z]", name):
            whole = re.sub(rb"[0-9]", b"0", name)
            tokens.append(bucket(1, [code | 32 if 64 < code < 91 else code for code in whole]))
    return tokens[:capacity]


def row_tokens(page: Page, row: int) -> list[int]:
    own_id = page.source[page.id_start[row] : page.id_stop[row]]
    own_class = page.source[page.class_start[row] : page.class_stop[row]]
    if not own_id:
        return name_tokens(own_class, 24) if own_class else []
    return name_tokens(own_id, 8) + (name_tokens(own_class, 16) if own_class else [])


def fold(character: str) -> int:
    """Return the code of a character in lower case, 0 if it is in no word."""
    code = ord(character)
    if code >= 0x3000 or not character.isalnum():
        return 0
    if code in (0x130, *range(48, 58)):
        return 0x130 if code == 0x130 else 48
    lower = character.lower()
    return ord(lower) if len(lower) == 1 else code


def text_tokens(text: str) -> list[int]:
    """Return the tokens of a block: its first words, and its text if there are no more."""
    tokens: list[int] = []
    word: list[int] = []
    whole: list[int] = []
    previous = ""
    read = text[:100] + " "
    taken = 0
    for character in read:
        taken += 1
        if code := fold(character):
            word.append(code)
            whole.append(code)
        elif word:
            tokens.append(bucket(3, word))
            word = []
            whole.append(32)
        if PAIRED.match(character):
            if previous and len(tokens) < 8:
                tokens.append(bucket(3, [ord(previous), ord(character)]))
            whole.append(ord(character))
            previous = character
        else:
            previous = ""
        if len(tokens) == 8:
            break
    is_all = tokens and taken == len(read)
    return [*tokens, bucket(2, whole)] if is_all else tokens


def stripped_text(blocks: Blocks, block: int) -> str:
    """Return the text of a block as it stands in the page, after white space."""
    page = blocks.page
    start = int(page.text_start[blocks.first[block]])
    stop = int(page.text_stop[blocks.stop[block] - 1])
    return re.sub("^[\0- ]+", "", page.text[start:stop]) if stop > start else ""


def expected_features(blocks: Blocks, tables: np.ndarray) -> dict[str, np.ndarray]:
    page, size = blocks.page, len(blocks)
    terms = blocks.owned(page.terms)
    columns = {name: np.zeros(size) for name in TOKEN_FEATURES}
    heading = None
    for block in range(size):
        first, node = int(blocks.first[block]), int(blocks.node[block])
        for row in {first, node}:
            columns["tokens_own"][block] += tables[0][row_tokens(page, row)].sum()
        row, weight, sums = first, 1.0, [0.0]
        while True:
            sums.append(tables[1][row_tokens(page, row)].sum())
            columns["tokens_around"][block] += weight * sums[-1]
            if not row:
                break
            row, weight = int(page.parent[row]), weight * DECAY
        columns["tokens_worst_around"][block] = min(sums)
        columns["tokens_best_around"][block] = max(sums)
        words = text_tokens(stripped_text(blocks, block))
        columns["tokens_text"][block] = tables[2][words].sum()
        if heading is not None and block - heading[0] <= MAX_HEADING_DISTANCE:
            columns["tokens_heading"][block] = tables[3][heading[1]].sum()
        if tags.TAGS[page.tag[node]] in tags.HEADINGS and terms[block]:
            heading = (block, words)
    total = sum(columns[f"tokens_{part}"] for part in ("own", "around", "text", "heading"))
    columns["tokens_sum"] = np.asarray(total)
    weights = np.minimum(terms, 60) + 0.5
    for distance in (2, 8):
        for block in range(size):
            near = slice(max(block - distance, 0), block + distance + 1)
            mean = np.average(columns["tokens_sum"][near], weights=weights[near])
            columns[f"tokens_within_{distance}"][block] = mean
    columns["tokens_before"][1:] = columns["tokens_sum"][:-1]
    columns["tokens_after"][:-1] = columns["tokens_sum"][1:]
    return columns


def random_weights() -> TokenWeights:
    return round_weights(np.random.default_rng(5).normal(0, 0.3, (TABLE_COUNT, BUCKETS)))


def check_page(page: Page) -> None:
    blocks = TagSet().segment(page)
    if not len(blocks):
        return
    weights = random_weights()
    matrix = first_features(extract_features(blocks), weights)
    expected = expected_features(blocks, weights.tables.astype(np.float64))
    assert tuple(expected) == TOKEN_FEATURES
    rows = dict(zip(FIRST_FEATURES, matrix, strict=True))
    for name, column in expected.items():
        np.testing.assert_allclose(rows[name], column, rtol=1e-6, atol=1e-6, err_msg=name)


@pytest.mark.parametrize("name", SAMPLES)
def test_features_of_samples_are_those_of_plain_python(name: str) -> None:
    check_page(sample(name))


@patient
@given(pages())
def test_features_of_any_tree_are_those_of_plain_python(page: Page) -> None:
    check_page(page)


@pytest.mark.parametrize(
    "html",
    [
        "<div class='entry-content relatedPosts wp-123 a'><p id=Main-2>Read more</div>",
        "<h2>Related articles</h2>" + "<p>one two three" * 60,
        "<p>" + "Wort " * 40 + "<p>Straße Αθήνας İstanbul 12 345<p>私は猫です。名前はまだ無い",
        "<div class='" + " ".join(f"c{n}x d-{n}" for n in range(60)) + "' id='a b c'><p>x",
        "<p>" + "x" * 300 + "<p>a b c d e f g h<p>a b c d e f g h i",
    ],
)
def test_names_and_words_are_cut_as_plain_python_cuts_them(html: str) -> None:
    check_page(tamis.parse(html))


def test_without_weights_no_token_says_anything() -> None:
    matrix = first_features(extract_features(TagSet().segment(sample("docs"))), empty_weights())
    assert not matrix[-len(TOKEN_FEATURES) :].any()


def test_weights_are_the_same_after_they_were_saved() -> None:
    weights = random_weights()
    arrays = weights.to_arrays("tokens")
    np.testing.assert_array_equal(TokenWeights.from_arrays(arrays, "tokens").tables, weights.tables)


@pytest.mark.parametrize(
    "tables",
    [
        np.zeros((TABLE_COUNT, BUCKETS - 1), np.float16),
        np.zeros((TABLE_COUNT + 1, BUCKETS), np.float16),
        np.zeros((TABLE_COUNT, BUCKETS), np.float32),
        np.full((TABLE_COUNT, BUCKETS), np.nan, np.float16),
        np.zeros(BUCKETS, np.float16),
    ],
)
def test_damaged_weights_are_a_clear_error(tables: np.ndarray) -> None:
    with pytest.raises(InputError, match="token weights of the model"):
        TokenWeights.from_arrays({"tokens.tables": tables}, "tokens")


def expected_page_tokens(page: Page) -> list[int]:
    """Return the tokens of a page in plain Python: one table after the other."""
    blocks = TagSet().segment(page)
    names = [row_tokens(page, row) for row in range(len(page))]
    outer = [row for row in range(len(page)) if page.depth[row] <= 2][:40]
    words = [text_tokens(stripped_text(blocks, block)) for block in range(len(blocks))]
    codes = [tags.TAGS[page.tag[node]] for node in blocks.node]
    headings = [block for block, tag in enumerate(codes) if tag in tags.HEADINGS][:60]
    tables = (
        [token for row in outer for token in names[row]],
        [token for row in names for token in row],
        [token for block in headings for token in words[block]],
        [token for block in words for token in block],
    )
    step = BUCKETS // PAGE_BUCKETS
    starts = range(0, PAGE_TABLE_COUNT * PAGE_BUCKETS, PAGE_BUCKETS)
    return sorted(
        {
            start + token // step
            for start, table in zip(starts, tables, strict=True)
            for token in table
        }
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_tokens_of_pages_are_those_of_plain_python(name: str) -> None:
    page = sample(name)
    features = extract_features(TagSet().segment(page))
    tokens = read_page_tokens(features)
    assert tokens.tolist() == expected_page_tokens(page)
    dice = np.random.default_rng(2)
    weights = round_page_weights(
        dice.normal(0, 1, (PAGE_TABLE_COUNT * PAGE_BUCKETS, 7)), dice.normal(0, 1, 7)
    )
    expected = weights.bias + 5 * weights.weights[tokens].mean(axis=0) * np.sqrt(len(tokens))
    np.testing.assert_allclose(weights.sums(features), expected, rtol=1e-4, atol=1e-5)


def test_weights_of_pages_are_the_same_after_they_were_saved() -> None:
    dice = np.random.default_rng(2)
    rows = PAGE_TABLE_COUNT * PAGE_BUCKETS
    weights = round_page_weights(dice.normal(0, 1, (rows, 7)), dice.normal(0, 1, 7))
    read = PageTokenWeights.from_arrays(weights.to_arrays("pages"), "pages")
    np.testing.assert_array_equal(read.weights, weights.weights)
    np.testing.assert_array_equal(read.bias, weights.bias)


@pytest.mark.parametrize(
    ("shape", "types", "kind"),
    [
        ((PAGE_TABLE_COUNT * PAGE_BUCKETS - 1, 7), (7,), np.float16),
        ((PAGE_TABLE_COUNT * PAGE_BUCKETS, 7), (6,), np.float16),
        ((PAGE_TABLE_COUNT * PAGE_BUCKETS, 7), (7, 1), np.float16),
        ((PAGE_TABLE_COUNT * PAGE_BUCKETS, 7), (), np.float16),
        ((PAGE_TABLE_COUNT * PAGE_BUCKETS, 7), (7,), np.float64),
    ],
)
def test_damaged_weights_of_pages_are_a_clear_error(
    shape: tuple[int, ...], types: tuple[int, ...], kind: type
) -> None:
    arrays: dict[str, np.ndarray] = {
        "pages.weights": np.zeros(shape, kind),
        "pages.bias": np.zeros(types, kind),
    }
    with pytest.raises(InputError, match="page token weights of the model"):
        PageTokenWeights.from_arrays(arrays, "pages")


def test_time_grows_with_the_page() -> None:
    def read(count: int) -> None:
        rows = "".join(f"<div class='row r{n}' id=x{n}><p>words here" for n in range(count))
        first_features(extract_features(TagSet().segment(tamis.parse(rows))), empty_weights())

    assert growth(lambda: read(200), lambda: read(1600)) < LINEAR
