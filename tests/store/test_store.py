from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import tamis
from helpers.news import address, news
from helpers.samples import FOLDER as SAMPLES
from tamis.errors import InputError, StoreError, UnknownName, WrongType
from tamis.store import Store

DAY = datetime(2026, 3, 1, 12, tzinfo=UTC)


def test_a_page_comes_back_byte_for_byte(store: Store) -> None:
    for path in sorted(SAMPLES.glob("*.html")):
        url = f"https://example.org/{path.name}"
        document = tamis.extract(path.read_bytes(), url)
        store.put(url, path.read_bytes())
        page = store.get(url)
        assert page is not None
        assert page.source == document.page.source
        assert page.text == document.text
        assert page.document.markdown == document.markdown
        assert page.title == document.metadata.title
        assert page.version.page_type == document.page_type
    assert len(store) == len(list(SAMPLES.glob("*.html")))


def test_content_alone_is_smaller_and_says_the_same(store: Store) -> None:
    path = SAMPLES / "article.html"
    document = tamis.extract(path.read_bytes())
    store.put("https://a.example/1", path.read_bytes(), keep="content")
    page = store.get("https://a.example/1")
    assert page is not None
    assert page.version.keep == "content"
    assert page.text.split() == document.text.split()
    assert all(piece.text for piece in page.pieces if piece.informative)
    assert not any(piece.text for piece in page.pieces if not piece.informative)  # tags alone
    assert len(page.source) < len(document.page.source) / 2


def test_a_document_is_stored_with_its_own_verdict(store: Store) -> None:
    html = news(1)
    document = tamis.extract(html, address(1), method="kfeature")
    store.put(address(1), document)
    page = store.get(address(1))
    assert page is not None
    assert page.text == document.text
    assert page.document.method == "stored"


def test_a_page_that_was_parsed_is_stored(store: Store) -> None:
    page = tamis.parse(news(1))
    store.put(address(1), page)
    stored = store.get(address(1))
    assert stored is not None
    assert stored.source == page.source
    assert stored.version.raw_bytes == len(page.source)


def test_what_is_not_there_is_none(store: Store) -> None:
    assert store.get("https://nowhere.example/") is None
    assert store.history("https://nowhere.example/") == ()
    assert "https://nowhere.example/" not in store
    assert not store.delete("https://nowhere.example/")
    assert list(store) == []
    assert store.search("anything") == []
    assert store.duplicates() == []
    assert store.stats().total.pages == 0
    with pytest.raises(InputError, match="not in the store"):
        store.diff("https://nowhere.example/")


def test_a_closed_store_says_so(location: str) -> None:
    with Store.open(location) as store:
        store.put(address(1), news(1))
        pages = iter(store)
    store.close()  # twice is no mistake
    for use in (
        lambda: store.put(address(2), news(2)),
        lambda: store.search("news"),
        lambda: store.get(address(1)),
        lambda: next(pages),
        lambda: len(store),
        store.gc,
        store.stats,
    ):
        with pytest.raises(StoreError, match="is closed: open it again"):
            use()
    with Store.open(location) as again:
        assert [page.url for page in again] == [address(1)]


def test_arguments_of_wrong_types_are_told_so(store: Store) -> None:
    store.put(address(1), news(1))
    mistakes: list[Callable[[Any], object]] = [
        Store.open,
        store.search,
        store.get,
        store.history,
        store.delete,
        store.__contains__,
        lambda value: store.search("news", limit=value),
        lambda value: store.search("news", site=value),
        lambda value: store.search("news", since=value),
        lambda value: store.search("news", page_type=value),
        lambda value: store.get(address(1), value),
        lambda value: store.put(address(1), news(1), raw_bytes=value),
    ]
    for mistake in mistakes:
        with pytest.raises(WrongType, match=r"of type bytes: give"):
            mistake(b"1")
    with pytest.raises(WrongType, match="location is of type NoneType: give the path of a file"):
        Store.open(None)  # type: ignore[arg-type]
    with pytest.raises(WrongType, match="query is of type NoneType: give the words"):
        store.search(None)  # type: ignore[arg-type]


def test_noise_is_stored_once(store: Store) -> None:
    store.put(address(0), news(0))
    first = store.stats()
    for number in range(1, 20):
        store.put(address(number), news(number))
    after = store.stats()
    # Each further page brings its own blocks and little more.
    assert after.pieces - first.pieces <= 19 * 12
    assert after.total.stored_bytes < first.total.stored_bytes + 19 * 900
    assert after.total.saving > 0.7
    assert [site.site for site in after.sites] == ["news.example"]


def test_a_copy_on_another_site_takes_no_room(store: Store) -> None:
    store.put(address(1), news(1))
    pieces = store.stats().pieces
    store.put("https://mirror.example/1", news(1))
    assert store.stats().pieces == pieces


def test_history_keeps_every_version_and_stores_what_changed(store: Store) -> None:
    url = address(1)
    store.put(url, news(1), DAY)
    pieces = store.stats().pieces
    store.put(
        url,
        news(1, extra="<p>Correction: the bridge was never there at all, we hear.</p>"),
        DAY + timedelta(days=1),
    )
    assert 0 < store.stats().pieces - pieces <= 4
    history = store.history(url)
    assert [version.fetched_at for version in history] == [DAY, DAY + timedelta(days=1)]
    old, new = store.get(url, 1), store.get(url)
    assert old is not None
    assert new is not None
    assert "Correction" not in old.text
    assert "Correction" in new.text
    assert old.source == tamis.parse(news(1)).source


def test_diff_tells_what_came_and_went(store: Store) -> None:
    url = address(1)
    gone = "This sentence goes away, as sentences sometimes do here."
    come = "That sentence comes instead, and it is here to stay."
    for day, sentence in enumerate((gone, come)):
        page = news(1, paragraphs=6, extra=f"<p>{sentence}</p>")
        store.put(url, page, DAY + timedelta(day))
    difference = store.diff(url)
    assert [piece.text for piece in difference.removed if piece.informative] == [gone]
    assert [piece.text for piece in difference.added if piece.informative] == [come]
    assert difference.kept > 5
    back = store.diff(url, 2, 1)
    assert back.added == difference.removed
    with pytest.raises(InputError, match="no version 3"):
        store.diff(url, 1, 3)


def test_an_older_fetch_does_not_become_the_current_one(store: Store) -> None:
    url = address(1)
    store.put(url, news(1), DAY)
    store.put(url, news(2), DAY - timedelta(days=1))
    page = store.get(url)
    assert page is not None
    assert page.version.fetched_at == DAY
    assert [version.fetched_at for version in store.history(url)] == [DAY - timedelta(days=1), DAY]
    assert [hit.url for hit in store.search('"Story 2 of the day"')] == []


def test_the_same_moment_is_replaced(store: Store) -> None:
    url = address(1)
    store.put(url, news(1), DAY)
    store.put(url, news(2), DAY.astimezone(timezone(timedelta(hours=2))))
    page = store.get(url)
    assert page is not None
    assert page.source == tamis.parse(news(2)).source
    assert len(store.history(url)) == 1


def test_iteration_gives_the_newest_version_of_every_page(store: Store) -> None:
    for number in range(5):
        store.put(address(number), news(number), DAY)
        store.put(address(number), news(number + 5), DAY + timedelta(1))
    assert [page.url for page in store] == [address(number) for number in range(5)]
    assert all(page.version.fetched_at > DAY for page in store)
    assert len(list(store.pages(all_versions=True))) == 10
    assert list(store.pages("other.example")) == []


def test_deleted_pages_are_gone_and_garbage_frees_their_pieces(store: Store) -> None:
    for number in range(10):
        store.put(address(number), news(number))
    before = store.stats()
    for number in range(0, 10, 2):
        assert store.delete(address(number))
    assert store.get(address(0)) is None
    assert store.stats().pieces == before.pieces
    collected = store.gc()
    after = store.stats()
    assert collected.pieces == before.pieces - after.pieces > 0
    assert collected.packed_bytes > 0
    assert after.total.stored_bytes < before.total.stored_bytes
    assert [hit.url for hit in store.search("Story 2 day")] != [address(2)]
    for number in range(1, 10, 2):
        page = store.get(address(number))
        assert page is not None
        assert page.source == tamis.parse(news(number)).source
        assert store.search(f'"number {number * 310}"')[0].url == address(number)
    assert store.gc().pieces == 0


def test_what_was_collected_can_be_stored_again(store: Store) -> None:
    for number in (1, 2):
        store.put(address(number), news(number))
    store.delete(address(1))
    store.gc()
    store.put(address(1), news(1))
    page = store.get(address(1))
    assert page is not None
    assert page.source == tamis.parse(news(1)).source
    store.delete(address(1))
    store.delete(address(2))
    store.gc()
    assert store.stats().pieces == 0
    store.put(address(3), news(3))
    assert store.stats().total.pages == 1


def test_two_stores_may_collect_and_store_in_turns(location: str) -> None:
    with Store.open(location) as first, Store.open(location) as second:
        for number in range(6):
            first.put(address(number), news(number))
        second.put(address(6), news(6))  # packed against what it read of the first pack
        first.delete(address(0))
        first.gc()  # writes the first pack anew
        second.put(address(7), news(7))
        for number in range(1, 8):
            for store in (first, second):
                page = store.get(address(number))
                assert page is not None
                assert page.source == tamis.parse(news(number)).source


def test_stats_tell_raw_and_stored_bytes_by_site(store: Store) -> None:
    pages = {host: news(1, host=host).encode() for host in ("a.example", "www.b.example")}
    for host, data in pages.items():
        store.put(address(1, host), data)
    stats = store.stats()
    sites = {site.site: site for site in stats.sites}
    assert set(sites) == {"a.example", "b.example"}
    assert sites["a.example"].raw_bytes == len(pages["a.example"])
    assert stats.total.raw_bytes == sum(map(len, pages.values()))
    assert 0 < sites["a.example"].saving < 1
    assert stats.index_bytes > 0
    assert stats.total_bytes > stats.total.stored_bytes
    assert json.dumps(stats.as_dict())


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_export_has_a_row_for_each_page(store: Store, tmp_path: Path, format: str) -> None:
    for number in range(4):
        store.put(address(number), news(number), DAY, keep="all" if number else "content")
    path = tmp_path / f"pages.{format}"
    assert store.export(path) == 4
    if format == "jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        from pyarrow import parquet

        rows = parquet.read_table(path).to_pylist()
    assert [row["url"] for row in rows] == [address(number) for number in range(4)]
    assert rows[0]["html"] is None
    assert rows[1]["html"].encode() == tamis.parse(news(1)).source
    assert rows[1]["text"] == tamis.extract(news(1), address(1)).text
    assert rows[1]["fetched_at"] == DAY.isoformat()
    with pytest.raises(UnknownName, match="jsonl or parquet"):
        store.export(tmp_path / "pages.csv")
    assert sorted(entry.name for entry in tmp_path.iterdir() if "pages" in entry.name) == [
        path.name
    ]


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_an_export_that_cannot_be_written_is_told(
    store: Store, tmp_path: Path, format: str
) -> None:
    store.put(address(1), news(1))
    (tmp_path / "file").write_text("no folder")
    for folder in ("file", "nowhere"):
        with pytest.raises(StoreError, match="cannot write"):
            store.export(tmp_path / folder / f"pages.{format}")


@pytest.mark.parametrize("url", ["", "  ", "https://a.example/\n", "https://[::1", "x\0y"])
def test_what_is_no_address_is_refused(store: Store, url: str) -> None:
    with pytest.raises(InputError, match="URL"):
        store.put(url, "<p>Text</p>")
    assert len(store) == 0


def test_wrong_arguments_are_told(store: Store) -> None:
    with pytest.raises(UnknownName, match="all or content"):
        store.put("https://a.example/", "<p>x</p>", keep="some")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="datetime"):
        store.put("https://a.example/", "<p>x</p>", "2026-01-01")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="no day"):
        store.search("x", since="yesterday")
    for size in (-1, 2**70):
        with pytest.raises(InputError, match="raw_bytes"):
            store.put("https://a.example/", "<p>x</p>", raw_bytes=size)
    for min_similarity in (0, 7, -0.5):
        with pytest.raises(InputError, match="min_similarity"):
            store.duplicates(min_similarity=min_similarity)


def test_addresses_of_all_scripts_are_kept_and_odd_ones_are_not_found(store: Store) -> None:
    url = "http://fa.example/می\u200cخواهم"
    store.put(url, news(1))
    assert url in store
    odd = "http://a/\udcff"
    assert odd not in store
    assert store.get(odd) is None
    assert store.history(odd) == ()
    assert not store.delete(odd)


def test_a_site_goes_by_its_name_with_www_or_without(store: Store) -> None:
    store.put("https://www.Example.org/", news(1))
    for name in ("example.org", "www.example.org", "EXAMPLE.org"):
        assert [page.url for page in store.pages(name)] == ["https://www.Example.org/"]
        assert len(store.search("story", site=name)) == 1


@pytest.mark.parametrize(
    "html", ["", "<p>", "\0", "<!-- -->", "plain", "<p>ü\ud800</p>", "<p>a" * 5000]
)
def test_odd_pages_are_kept_as_they_are(store: Store, html: str) -> None:
    url = "https://odd.example/" + "x" * 5000
    store.put(url, html)
    page = store.get(url)
    assert page is not None
    assert page.source == tamis.parse(html).source
    assert isinstance(page.text, str)


@pytest.mark.parametrize("name", ["zstandard", "Stemmer", "datasketch", "pyarrow"])
def test_a_missing_library_is_told_before_the_first_page(name: str) -> None:
    code = f"import sys; sys.modules[{name!r}] = None; import tamis.store"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert f"Unavailable: the store needs {name}" in run.stderr
    assert "pip install 'tamis[store]'" in run.stderr
