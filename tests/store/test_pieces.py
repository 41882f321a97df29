from __future__ import annotations

import re
import zlib
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest
from datasketch import MinHash
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.bench import bench_files, bench_page, needs_bench
from helpers.html_strategies import html_trees, patient, tag_soups
from tamis.errors import StoreError
from tamis.page import scan_source
from tamis.store import (
    MIN_SIMILARITY,
    MINHASH_VALUES,
    SCRIPTS,
    Store,
    build_document,
    build_pack,
    compress,
    compute_minhash,
    cut_pieces,
    decode_pieces,
    decompress,
    encode_pieces,
    hash_shingles,
    hash_tokens,
    similarity,
)

TOKENIZER: Any = import_module("tamis.store.tokenizer")
METHODS = ("learned", "kfeature", "tagwindow", "keypattern")


@patient
@given(html_trees() | tag_soups(), st.sampled_from(METHODS))
def test_pieces_joined_are_the_source(html: str, method: str) -> None:
    document = tamis.extract(html, method=method)
    cuts = list(cut_pieces(document))
    assert b"".join(cut.data for cut in cuts) == document.page.source
    assert all(cut.data for cut in cuts)


@patient
@given(html_trees() | tag_soups(), st.sampled_from(METHODS))
def test_informative_pieces_hold_the_text(html: str, method: str) -> None:
    document = tamis.extract(html, method=method)
    spans: list[tuple[int, int, bool]] = []
    for cut in cut_pieces(document):
        start = spans[-1][1] if spans else 0
        spans.append((start, start + len(cut.data), cut.informative))
    page = document.page
    for row in page.visible.nonzero()[0].tolist():
        inside = next(flag for low, high, flag in spans if low <= page.start[row] < high)
        owner = document.segments.owner[row]
        assert inside == bool(document.verdict.informative[owner])


@patient
@given(html_trees() | tag_soups())
def test_a_source_scanned_again_is_the_same_page(html: str) -> None:
    page = tamis.parse(html)
    again = scan_source(page.source)
    assert again.text == page.text
    assert (again.tag == page.tag).all()
    assert (again.start == page.start).all()
    assert (again.chars == page.chars).all()
    assert build_document(again, again.visible).text == build_document(page, page.visible).text


@patient
@given(st.lists(st.tuples(st.integers(0, 2**40), st.booleans())))
def test_lists_come_back(numbers: list[tuple[int, bool]]) -> None:
    assert decode_pieces(encode_pieces(numbers)) == numbers


def test_runs_of_numbers_take_no_room() -> None:
    assert (
        len(encode_pieces((number, number % 3 == 0) for number in range(10**9, 10**9 + 1000))) < 60
    )


@patient
@given(st.lists(st.binary(min_size=1), min_size=1), st.lists(st.binary(min_size=1)))
def test_packs_come_back(own: list[bytes], others: list[bytes]) -> None:
    base = build_pack(1, others)
    pack = build_pack(100, own)
    for against in (None, base):
        unpacked = decompress(100, len(own), compress(pack, against), against)
        assert unpacked.pieces() == own
        assert unpacked.stop == 100 + len(own)


def test_damaged_packs_and_lists_are_told() -> None:
    data = compress(build_pack(1, [b"a" * 100, b"b" * 100]))
    for wrong in (b"", b"x", data[:-3], data[:10] + b"\xff" + data[11:]):
        with pytest.raises(StoreError, match="damaged"):
            decompress(1, 2, wrong)
    with pytest.raises(StoreError, match="damaged"):
        decompress(1, 2_000, data)
    with pytest.raises(StoreError, match="damaged"):
        decode_pieces(b"nothing")


@needs_bench
def test_real_pages_come_back_with_their_text(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db") as store:
        for number, path in enumerate(bench_files(40)):
            document = tamis.extract(bench_page(path))
            store.put(f"https://site{number % 5}.example/{number}", document)
            page = store.get(f"https://site{number % 5}.example/{number}")
            assert page is not None
            assert page.source == document.page.source
            assert page.text == document.text


@pytest.mark.parametrize("count", [30, 200, 399, 404, 990, 1010, 5000])
def test_texts_that_say_nearly_the_same_have_like_signatures_however_long_they_are(
    count: int,
) -> None:
    words = [f"word{number * 7919 % 10_007}" for number in range(count)]
    longer = [*words, *(f"more{number}" for number in range(count // 50))]
    first, second, third = (
        compute_minhash(" ".join(text).encode()) for text in (words, longer, words[::-1])
    )
    assert first is not None
    assert second is not None
    assert third is not None
    assert similarity(first, first) == 1
    assert similarity(first, second) >= MIN_SIMILARITY
    assert similarity(first, third) < 0.2


@patient
@given(st.lists(st.sampled_from([f"w{number}" for number in range(60)]), min_size=20))
def test_a_signature_is_that_of_datasketch(words: list[str]) -> None:
    line = [word.encode() for word in words]
    signature = MinHash(MINHASH_VALUES, hashfunc=int, scheme="affine32")
    hashes = hash_tokens(b" ".join(line))
    assert hashes.tolist() == [zlib.crc32(word) for word in line]
    signature.update_batch(hash_shingles(hashes).tolist())
    assert compute_minhash(b" ".join(line)) == signature.hashvalues.astype("<u4").tobytes()


def test_signs_of_scripts_are_looked_for_where_they_can_be() -> None:
    every = "".join(map(chr, (*range(0xD800), *range(0xE000, 0x110000))))
    special = {char.encode()[0] for char in TOKENIZER._IS_SPECIAL.findall(every)}
    assert special
    assert not special & set(TOKENIZER._NEVER_SPECIAL)
    script = {char.encode()[0] for char in re.findall("|".join(SCRIPTS.values()), every)}
    assert script
    assert not script & set(TOKENIZER._NEVER_SCRIPT)
