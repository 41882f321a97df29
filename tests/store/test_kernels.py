"""The kernels of the store: against brute force, compiled or not."""

from __future__ import annotations

import re
import unicodedata
from importlib import import_module
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import html_trees, patient, tag_soups
from helpers.kernels import uncompiled
from tamis.content import Document
from tamis.store import TokenCache, Tokenizer, hash_tokens, owned_spans, piece_spans
from tamis.store.kernel import cuts, words

MINHASH, PREPARE, TOKENIZER = (
    import_module(f"tamis.store.{name}") for name in ("minhash", "prepare", "tokenizer")
)
PLAIN = {module: uncompiled(module) for module in (cuts, words)}
TEXTS = st.text(alphabet="abAB 1_-'éÉß½’\u0301\u0e31船河", max_size=60) | st.text(max_size=60)


def replaced(
    monkeypatch: pytest.MonkeyPatch, users: tuple[ModuleType, ...], kernel: ModuleType
) -> None:
    """Let modules use a kernel as plain Python."""
    for user in users:
        for name in dir(user):
            if getattr(getattr(user, name), "__module__", "") == kernel.__name__:
                monkeypatch.setattr(user, name, getattr(PLAIN[kernel], name))


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


@patient
@given(st.lists(TEXTS, max_size=5))
def test_words_are_the_same_uncompiled(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        expected = [Tokenizer().token_line(text, "en") for text in texts]
        hashes = [hash_tokens(line.encode()).tolist() for line in expected]
        replaced(monkeypatch, (TOKENIZER, MINHASH), words)
        assert vars(TOKENIZER)["find_parts"].__module__ != words.__name__
        memory = Tokenizer()
        assert [memory.token_line(text, "en") for text in texts] == expected
        assert [hash_tokens(line.encode()).tolist() for line in expected] == hashes


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
def test_cuts_are_the_same_uncompiled(html: str) -> None:
    document = tamis.extract(html, method="kfeature")
    expected = piece_spans(document)
    with pytest.MonkeyPatch.context() as monkeypatch:
        replaced(monkeypatch, (PREPARE,), cuts)
        assert vars(PREPARE)["find_spans"].__module__ != cuts.__name__
        assert piece_spans(document) == expected
