"""Stems: the store and the verdicts see the same ones."""

from __future__ import annotations

import pytest

from tamis.store import Tokenizer
from tamis.values import load_stemmer
from tamis.verdict import Stemmer

WORDS = {
    "en": ["rivers", "rising", "internationally", "bridges"],
    "de": ["häuser", "gingen", "wasserwerke"],
    "fr": ["chevaux", "enfants", "jouaient"],
    "et": ["raamatud", "majades"],
    "ru": ["книги", "лежали"],
    "tr": ["bahçede", "kuşlar"],
    "nb": ["husene", "bøkene"],
}


@pytest.mark.parametrize("language", WORDS)
def test_words_stem_alike_everywhere(language: str) -> None:
    words = WORDS[language]
    stem_words = load_stemmer(language)
    assert stem_words is not None
    stems = stem_words(words)
    assert Stemmer().stem(words, language) == stems
    # Tokens have no accents, those of stems neither.
    tokenizer = Tokenizer()
    assert tokenizer.tokens(" ".join(words), language) == tokenizer.tokens(" ".join(stems), None)
    assert any(stem != word for stem, word in zip(stems, words, strict=True))


def test_a_language_without_a_stemmer_has_none() -> None:
    assert load_stemmer("tlh") is None
    assert Stemmer().stem(["majat"], "tlh") == ["majat"] == Tokenizer().tokens("majat", "tlh")
