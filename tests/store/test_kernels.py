"""The kernels of the store: against brute force, compiled or not."""

from __future__ import annotations

import re
import unicodedata
from types import ModuleType

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.html_strategies import html_trees, patient, tag_soups
from helpers.kernels import uncompiled
from tamis.content import Document
from tamis.store import TokenCache, Tokenizer, minhash, word_hashes
from tamis.store import prepare as cutting
from tamis.store import tokenizer as lexicons
from tamis.store.kernel import cuts, words

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
def test_a_lexicon_says_what_parts_stand_for(texts: list[str]) -> None:
    lexicon = TokenCache()
    for text in [*texts, *texts]:
        data = "".join(char.lower() if char.isascii() else char for char in text).encode()
        expected = b" ".join(re.findall(rb"[a-z0-9_\x80-\xff]+", data)).upper().decode()
        assert lexicon.line(text.encode(), 1000, upper_lines) == expected


def test_a_lexicon_that_is_full_begins_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lexicons, "MOST_KEYS", 40)
    monkeypatch.setattr(lexicons, "ROOM", 200)
    lexicon = TokenCache()
    for turn in range(50):
        for count in (3, 30, 100):
            said = [f"w{turn}x{number}" for number in range(count)]
            line = lexicon.line(" ".join(said).encode(), 1000, upper_lines)
            assert line == " ".join(said).upper()


def test_a_lexicon_that_was_interrupted_knows_no_more_than_before() -> None:
    lexicon = TokenCache()

    def interrupted(_: bytes) -> bytes:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lexicon.line(b"one two", 1000, interrupted)
    assert lexicon.line(b"one two", 1000, upper_lines) == "ONE TWO"


def test_no_more_words_are_read_than_are_wanted() -> None:
    assert TokenCache().line(b"a b c d", 2, upper_lines) == "A B"


@patient
@given(st.lists(TEXTS, max_size=5))
def test_words_are_the_same_with_and_without_a_memory(texts: list[str]) -> None:
    memory = Tokenizer()
    for text in texts:
        for language in ("en", "de", None):
            assert memory.line(text, language) == Tokenizer().line(text, language)
            folded = unicodedata.normalize("NFKC", text).casefold()
            assert memory.of(text, language) == memory.of(folded, language)


@patient
@given(st.lists(TEXTS, max_size=5))
def test_words_are_the_same_uncompiled(texts: list[str]) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        expected = [Tokenizer().line(text, "en") for text in texts]
        hashes = [word_hashes(line.encode()).tolist() for line in expected]
        replaced(monkeypatch, (lexicons, minhash), words)
        assert vars(lexicons)["find_parts"].__module__ != words.__name__
        memory = Tokenizer()
        assert [memory.line(text, "en") for text in texts] == expected
        assert [word_hashes(line.encode()).tolist() for line in expected] == hashes


def owners(document: Document) -> tuple[list[int], list[int]]:
    """Where the owner of the bytes changes, and to which block: all places, one by one."""
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
    assert list(cutting.owned_spans(document)) == expected


@patient
@given(html_trees() | tag_soups())
def test_cuts_are_the_same_uncompiled(html: str) -> None:
    document = tamis.extract(html, method="kfeature")
    expected = cutting.spans(document)
    with pytest.MonkeyPatch.context() as monkeypatch:
        replaced(monkeypatch, (cutting,), cuts)
        assert vars(cutting)["find_spans"].__module__ != cuts.__name__
        assert cutting.spans(document) == expected
