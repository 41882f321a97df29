"""The compiled loops of the store, against brute force."""

from __future__ import annotations

import re
import unicodedata
import zlib
from importlib import import_module
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import html_trees, patient, tag_soups
from helpers.kernels import TEXT, cut_source
from tamis.content import Document
from tamis.store import TokenCache, Tokenizer, hash_tokens, owned_spans, piece_spans

TOKENIZER: Any = import_module("tamis.store.tokenizer")
TEXTS = st.text(alphabet="abAB 1_-'éÉß½’\u0301\u0e31船河", max_size=60) | st.text(max_size=60)


def upper_lines(parts: bytes) -> bytes:
    return parts.upper()


@given(st.lists(st.text(alphabet="abcAB .,ü", max_size=40)))
def test_a_cache_has_what_parts_stand_for(texts: list[str]) -> None:
    cache = TokenCache()
    for text in [*texts, *texts]:
        data = "".join(char.lower() if char.isascii() else char for char in text).encode()
        expected = b" ".join(re.findall(rb"[a-z0-9_\x80-\xff]+", data)).upper().decode()
        assert cache.token_line(text.encode(), 1000, upper_lines) == expected


def test_a_full_cache_starts_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(TOKENIZER, "_MAX_KEYS", 40)
    monkeypatch.setattr(TOKENIZER, "_MAX_CACHE_BYTES", 200)
    cache = TokenCache()
    for turn in range(50):
        for count in (3, 30, 100):
            tokens = [f"w{turn}x{number}" for number in range(count)]
            line = cache.token_line(" ".join(tokens).encode(), 1000, upper_lines)
            assert line == " ".join(tokens).upper()


def test_an_interrupted_cache_has_no_more_than_before() -> None:
    cache = TokenCache()

    def interrupted(_: bytes) -> bytes:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        cache.token_line(b"one two", 1000, interrupted)
    assert cache.token_line(b"one two", 1000, upper_lines) == "ONE TWO"


def test_no_more_words_are_read_than_are_wanted() -> None:
    assert TokenCache().token_line(b"a b c d", 2, upper_lines) == "A B"


@patient
@given(st.lists(TEXTS, max_size=5))
def test_words_are_the_same_with_and_without_a_memory(texts: list[str]) -> None:
    memory = Tokenizer()
    for text in texts:
        for language in ("en", "de", None):
            assert memory.token_line(text, language) == Tokenizer().token_line(text, language)
            folded = unicodedata.normalize("NFKC", text).casefold()
            assert memory.tokens(text, language) == memory.tokens(folded, language)


@given(st.lists(st.text(alphabet="ab ", max_size=9)))
def test_tokens_have_their_crc(texts: list[str]) -> None:
    line = " ".join(texts).encode()
    assert hash_tokens(line).tolist() == [zlib.crc32(token) for token in line.split()]


@given(st.text(alphabet="abcAB .,ü", max_size=40), st.integers(1, 2**64 - 1))
def test_parts_are_hashed_from_a_seed(text: str, seed: int) -> None:
    data = text.encode()
    keys, starts, stops = TEXT.find_parts(data, TOKENIZER._FOLDED_BYTES, seed)
    spans = [match.span() for match in re.finditer(rb"[a-zA-Z0-9_\x80-\xff]+", data)]
    assert list(zip(starts.tolist(), stops.tolist(), strict=True)) == spans
    for (start, stop), key in zip(spans, keys.tolist(), strict=True):
        expected = seed
        for byte in data[start:stop].lower():
            expected = (expected ^ byte) * 0x100000001B3 % 2**64
            expected = expected ^ expected >> 32 or 1
        assert key == expected


def test_lines_and_slots_must_be_as_many() -> None:
    slots, lines = np.arange(2, dtype=np.int32), np.frombuffer(b"one\n", np.uint8)
    starts, stops = np.zeros((2, 2), np.int32)
    with pytest.raises(ValueError, match="1 lines for 2 slots"):
        TEXT.note_lines(slots, slots, lines, 0, starts, stops)


def owners(document: Document) -> tuple[list[int], list[int]]:
    """Where the owner of the bytes changes, and to which block: all offsets, one by one."""
    page, owner = document.page, document.segments.owner.tolist()
    owning = np.full(len(page.source) + 1, -1)
    for row in range(len(page)):  # inner rows come after those around them
        owning[page.start[row] : page.stop[row]] = owner[row]
    changes = [at for at in range(len(page.source)) if at == 0 or owning[at] != owning[at - 1]]
    return changes, [int(owning[at]) for at in changes]


@patient
@given(html_trees() | tag_soups())
def test_bytes_have_the_owner_of_the_innermost_row(html: str) -> None:
    document = tamis.extract(html, method="kfeature")
    changes, blocks = owners(document)
    stops = [*changes[1:], len(document.page.source)]
    informative = document.verdict.informative
    expected = [
        (start, stop, bool(informative[block]))
        for start, stop, block in zip(changes, stops, blocks, strict=True)
        if block >= 0
    ]
    assert list(owned_spans(document)) == expected


@patient
@given(html_trees() | tag_soups())
def test_pages_are_cut_by_the_rules(html: str) -> None:
    document = tamis.extract(html, method="kfeature")
    expected = cut_source(document.page.source, list(owned_spans(document)))
    assert piece_spans(document) == expected


RUNS = st.tuples(st.sampled_from([0, 3, 200, 300]), st.integers(1, 700), st.booleans())


@patient
@given(st.lists(RUNS, max_size=150), st.sampled_from([b"x", b" "]))
def test_long_sources_are_cut_by_the_rules(gaps: list[tuple[int, int, bool]], gap: bytes) -> None:
    source, runs = b"", []
    for before, size, informative in gaps:
        source += gap * before
        runs.append((len(source), len(source) + size, informative))
        source += b"x" * size
    columns = np.array(runs, dtype=np.int64).reshape(-1, 3).T.copy()
    spans = TEXT.find_spans(source, columns[0], columns[1], columns[2].astype(np.bool_))
    assert [tuple(span) for span in spans.T.tolist()] == cut_source(source, runs)
