"""Data sets from folders of every kind, and what is said about wrong ones."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import pytest

from helpers.bench import needs_bench
from tamis.errors import InputError, SourceError
from tamis.lab import load

from .conftest import Writer


def test_a_set_has_items_with_their_truth(tiny: Path) -> None:
    found = load(str(tiny))
    assert (found.name, found.truth, len(found.items)) == ("tiny", "text", 4)
    item = found.items[1]
    assert (item.id, item.group, item.kind, item.tokens) == (
        "p1",
        "site0.example",
        "article",
        "words",
    )
    assert "rained on day 1" in item.html
    assert found.kinds == ("article", "forum")


def test_the_digest_is_that_of_the_gold(written: Writer) -> None:
    rows = [{"id": "a", "main_content": "x"}]
    plain = load(str(written("plain", rows, {"a.html": b"<p>x"}, packed=False)))
    packed = load(str(written("packed", rows, {"a.html.gz": b"<p>x"})))
    wanted = hashlib.sha256(b'{"id": "a", "main_content": "x"}').hexdigest()
    assert plain.digest == packed.digest == wanted


def test_a_set_is_found_by_name(tiny: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_BENCH", str(tiny.parent))
    assert load("tiny").name == "tiny"
    with pytest.raises(InputError, match=r"no data set 'large'.* has tiny"):
        load("large")


def test_pages_of_sites_are_decoded_as_the_gold_says(written: Writer) -> None:
    row = {"id": "a", "site": "s.cn", "lang": "zh", "charset": "gbk", "main_content": "美元"}
    folder = written("sites-dev", [row], {"s.cn/a.html.gz": "<p>美元".encode("gbk")})
    found = load(str(folder))
    assert found.items[0].html == "<p>美元"
    assert found.items[0].tokens == "characters"
    assert found.by_group
    assert found.items[0].kind == "s.cn"


def test_chinese_of_other_sets_counts_han_characters(written: Writer) -> None:
    row = {"id": "zh-1", "site": "s", "lang": "zh", "main_content": "美元"}
    item = load(str(written("languages", [row], {"zh-1.html": "<p>美".encode()}))).items[0]
    assert (item.tokens, item.kind, item.group) == ("han", "zh", "s")


@pytest.mark.parametrize(("name", "tokens"), [("news-dev", "characters"), ("other", "words")])
def test_japanese_counts_as_the_set_says(written: Writer, name: str, tokens: str) -> None:
    row = {"id": "a", "domain": "s", "language": "ja", "main_content": "今日は"}
    item = load(str(written(name, [row], {"a.html": "<p>今日は".encode()}))).items[0]
    assert (item.tokens, item.lang) == (tokens, "ja")


def test_a_page_without_charset_is_decoded_as_it_looks(written: Writer) -> None:
    html = "<meta charset=windows-1252><p>Größe".encode("cp1252")
    folder = written("own", [{"id": "a", "main_content": "Größe"}], {"html/a.html": html})
    assert "Größe" in load(str(folder)).items[0].html


def test_pages_are_grouped_by_id_where_nothing_else_is_known(written: Writer) -> None:
    folder = written("own", [{"id": "a", "domain": None, "main_content": ""}], {"a.html": b""})
    assert load(str(folder)).items[0].group == "a"


def test_truths_are_told_apart(written: Writer) -> None:
    pages = {"pages/a/page.html.gz": b"<p>x", "html/b.html": b"<p>y"}
    segments = {"id": "a", "page": "pages/a/page.html.gz", "blocks": [], "url": "u"}
    records = {"id": "a", "site": "s", "records": []}
    labelled = {"id": "b", "host": "h", "segments": []}
    for truth, row in (("segments", segments), ("records", records), ("labelled", labelled)):
        found = load(str(written(truth, [row], pages)))
        assert found.truth == truth
        assert found.items[0].path.is_file()


def test_a_spread_is_even_and_always_the_same(tiny: Path) -> None:
    found = load(str(tiny))
    assert [item.id for item in found.spread(2).items] == ["p0", "p2"]
    assert found.spread(9) is found
    assert found.spread(None) is found


@pytest.mark.parametrize(
    ("gold", "said"),
    [
        (b"", "has no rows"),
        (b"{", "line 1 of its gold is not JSON"),
        (b'{"main_content": ""}', "line 1 of its gold needs an id"),
        (b'{"id": "a"}', "none of the fields"),
        (b'{"id": "a", "main_content": ""}', "the page a is missing"),
    ],
)
def test_a_wrong_folder_is_a_clear_error(tmp_path: Path, gold: bytes, said: str) -> None:
    (tmp_path / "gold.jsonl").write_bytes(gold)
    with pytest.raises(InputError, match=said):
        load(str(tmp_path))


def test_a_folder_without_gold_is_no_data_set(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("TAMIS_BENCH", raising=False)
    with pytest.raises(InputError, match=r"no data set: it has no gold\.jsonl"):
        load(str(tmp_path))
    with pytest.raises(InputError, match="set TAMIS_BENCH"):
        load("nowhere")


def test_a_damaged_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "gold.jsonl.gz").write_bytes(b"no gzip")
    with pytest.raises(SourceError, match=r"cannot read .*gold\.jsonl\.gz"):
        load(str(tmp_path))


BENCH = os.environ.get("TAMIS_BENCH", "")


@needs_bench
@pytest.mark.parametrize(
    ("name", "truth", "pages"),
    [
        ("wcxb-dev", "text", 1497),
        ("blocks-dev", "labelled", 400),
        ("languages-dev", "text", 268),
        ("sites-dev", "text", 269),
        ("segments-dev", "segments", 81),
        ("records-dev", "records", 285),
    ],
)
def test_the_sets_of_the_benchmark_load(name: str, truth: str, pages: int) -> None:
    found = load(str(Path(BENCH) / name))
    assert (found.truth, len(found.items)) == (truth, pages)
    assert all(item.html for item in found.spread(5).items)
