"""What a store promises when things go wrong: killed processes, full disks, damaged files."""

from __future__ import annotations

import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import tamis
from helpers.news import address, news, sentences
from tamis.errors import StoreError, TamisError
from tamis.store import Store, collect_garbage

WRITER = Path(__file__).with_name("writer.py")
ROOT = os.getuid() == 0
NOBODY = 65534


class Writer:
    """A process that starts writers."""

    def __init__(self, location: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, str(WRITER), location],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def __enter__(self) -> Writer:
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.communicate()

    def start(self, first: int, count: int = 1000) -> None:
        assert self.process.stdin
        self.process.stdin.write(f"{first} {count}\n")
        self.process.stdin.flush()

    def read_report(self) -> tuple[str, int]:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, self.process.stderr and self.process.stderr.read()
        word, number = line.split()
        return word, int(number)


def check_whole(store: Store, numbers: set[int]) -> None:
    """Every page that is there is whole, and all these are there."""
    pages = {}
    for page in store:  # which compares each with its digest
        number = int(page.url.rpartition("/")[2])
        pages[number] = page
        assert page.source == tamis.parse(news(number)).source
    assert numbers <= set(pages)
    assert len(store) == len(pages)


@pytest.mark.slow
def test_killed_twenty_times_nothing_is_lost_and_nothing_is_half(location: str) -> None:
    draw = random.Random(20)
    stored: set[int] = set()
    Store.open(location).close()
    with Writer(location) as writer:
        for turn in range(20):
            writer.start(turn * 1000)
            word, child = writer.read_report()
            assert word == "started"
            wanted = draw.randrange(1, 25)
            for _ in range(wanted):
                word, number = writer.read_report()
                assert word == "stored"
                stored.add(number)
            time.sleep(draw.random() / 100)  # into the middle of a page
            os.kill(child, signal.SIGKILL)
            word, number = writer.read_report()
            while word != "ended":
                stored.add(number)
                word, number = writer.read_report()
            with Store.open(location) as store:
                # At most the page that was on its way may be there unsaid.
                assert len(stored) <= len(store) <= len(stored) + turn + 1
                store.put(address(turn * 1000 + 999), news(turn * 1000 + 999))
            stored.add(turn * 1000 + 999)
    with Store.open(location) as store:
        check_whole(store, stored)
        assert store.gc().pieces >= 0
        check_whole(store, stored)
    if "://" not in location:
        with sqlite3.connect(location) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        connection.close()


@pytest.mark.slow
def test_several_writers_at_once(location: str) -> None:
    with Writer(location) as first, Writer(location) as second, Writer(location) as third:
        writers = (first, second, third)
        for writer in writers:  # into a store that is not there yet, with 20 pages in common
            writer.start(1000 + 20 * writers.index(writer), 40)
        for writer in writers:
            while writer.read_report()[0] != "ended":
                pass
    with Store.open(location) as store:
        check_whole(store, set(range(1000, 1080)))
        assert len(store.history(address(1030))) == 2


@contextmanager
def small_disk() -> Iterator[Path]:
    """A disk of four mebibytes."""
    folder = Path(tempfile.mkdtemp())
    mount = ["mount", "-t", "tmpfs", "-o", "size=4m", "tmpfs", str(folder)]
    if not ROOT or subprocess.run(mount, capture_output=True, check=False).returncode:
        folder.rmdir()
        pytest.skip("only root can mount a small disk, and not in every container")
    try:
        yield folder
    finally:
        subprocess.run(["umount", str(folder)], check=False)
        folder.rmdir()


def fill(store: Store) -> set[int]:
    """Put pages until it is an error, which has to be a clear one."""
    stored: set[int] = set()
    with pytest.raises(StoreError, match=r"make room|is it full"):
        put_without_end(store, stored)
    return stored


def put_without_end(store: Store, stored: set[int]) -> None:
    for number in range(5000):
        store.put(address(number), news(number, paragraphs=20))
        stored.add(number)


def test_a_full_disk_is_explained_and_loses_nothing() -> None:
    with small_disk() as folder:
        (folder / "ballast").write_bytes(bytes(1_000_000))
        with Store.open(folder / "store.db") as store:
            stored = fill(store)
            assert stored
            assert {int(page.url.rpartition("/")[2]) for page in store} == stored
        (folder / "ballast").unlink()
        with Store.open(folder / "store.db") as store:
            assert len(store) == len(stored)
            store.put(address(9999), news(1))
            assert len(store) == len(stored) + 1


def test_a_limit_on_file_sizes_is_explained(tmp_path: Path) -> None:
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    previous = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with Store.open(tmp_path / "store.db") as store:
            resource.setrlimit(resource.RLIMIT_FSIZE, (1_000_000, before[1]))
            stored = fill(store)
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
            assert {int(page.url.rpartition("/")[2]) for page in store} == stored
            store.put(address(9999), news(1))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
        signal.signal(signal.SIGXFSZ, previous)


@pytest.mark.skipif(not ROOT, reason="only root can become somebody who may not write")
def test_a_read_only_store_can_be_read_and_says_so_when_written() -> None:
    folder = Path(tempfile.mkdtemp())
    try:
        with Store.open(folder / "store.db") as store:
            store.put(address(1), news(1))
            store.search("story")  # loads what nobody may not read
        folder.chmod(0o555)
        (folder / "store.db").chmod(0o444)
        os.setresuid(NOBODY, NOBODY, 0)
        try:
            with Store.open(folder / "store.db") as store:
                page = store.get(address(1))
                assert page is not None
                assert page.source == tamis.parse(news(1)).source
                assert store.search("story")
                with pytest.raises(StoreError, match="read-only"):
                    store.put(address(2), news(2))
            with pytest.raises(StoreError, match="cannot be opened"):
                Store.open(folder / "other.db")
        finally:
            os.setresuid(0, 0, 0)
    finally:
        shutil.rmtree(folder)


@pytest.mark.skipif(not ROOT, reason="only root can become somebody who may not write")
def test_who_may_only_read_sees_what_others_write_meanwhile() -> None:
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o755)
    path = folder / "store.db"
    try:
        with Store.open(path) as store:
            for number in range(10):
                store.put(address(number), news(number))
        os.setresuid(NOBODY, NOBODY, 0)
        with Store.open(path) as reader:
            assert len(list(reader)) == 10
            os.setresuid(0, 0, 0)
            with Store.open(path) as store:
                for number in range(10, 120):
                    store.put(address(number), news(number))
                os.setresuid(NOBODY, NOBODY, 0)
                assert len(list(reader)) == 120
                os.setresuid(0, 0, 0)
                for number in range(50):
                    store.delete(address(number))
                store.gc()
            os.setresuid(NOBODY, NOBODY, 0)
            assert len(list(reader)) == 70
    finally:
        os.setresuid(0, 0, 0)
        shutil.rmtree(folder)


def test_any_number_of_threads_waits_for_a_writer(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.db") as store:
        with store._database.writing():
            threads = [
                threading.Thread(target=store.put, args=(address(number), news(number)))
                for number in range(25)
            ]
            for thread in threads:
                thread.start()
            time.sleep(0.5)
        for thread in threads:
            thread.join()
        assert len(store) == 25


def test_what_a_collection_did_that_was_undone_is_not_remembered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = [f"<p>{sentences(number, 40)}</p>" for number in range(3)]
    both, one, kept = (f"<article>{''.join(some)}" for some in (texts[:2], texts[:1], texts[2:]))
    with Store.open(tmp_path / "store.db") as store, Store.open(tmp_path / "store.db") as other:
        store.put(address(1), both)
        store.put(address(2), kept)
        for number in range(3, 9):
            store.put(address(number), news(number))
        for number in (1, *range(3, 9)):
            store.delete(address(number))
        with monkeypatch.context() as patch:
            patch.setattr("tamis.store.store.collect_garbage", interrupted_after(collect_garbage))
            with pytest.raises(KeyboardInterrupt):
                store.gc()
        store.put(address(1), one)  # what would have been thrown away is needed again
        other.gc()
        page = store.get(address(1))
        assert page is not None
        assert page.source == tamis.parse(one).source


def interrupted_after(work: Callable[..., Any]) -> Callable[..., Any]:
    """Return work that is interrupted in the end."""

    def interrupted(*arguments: Any) -> None:
        work(*arguments)
        raise KeyboardInterrupt

    return interrupted


@contextmanager
def damage_is_explained() -> Iterator[None]:
    try:
        yield
    except StoreError as error:
        if "damaged" not in str(error):
            raise


@pytest.mark.parametrize("at", [0.0, 0.1, 0.3, 0.5, 0.7, 0.9])
def test_a_damaged_file_is_explained_and_never_gives_wrong_pages(tmp_path: Path, at: float) -> None:
    path = tmp_path / "store.db"
    with Store.open(path) as store:
        for number in range(60):
            store.put(address(number), news(number))
    data = bytearray(path.read_bytes())
    start = int(len(data) * at)
    data[start : start + 8192] = random.Random(1).randbytes(8192)
    path.write_bytes(data)
    with damage_is_explained(), Store.open(path) as store:
        for number in range(60):
            with damage_is_explained():
                page = store.get(address(number))
                assert page is None or page.source == tamis.parse(news(number)).source
        for work in (lambda: store.search("story"), store.stats, store.duplicates, store.gc):
            with damage_is_explained():
                work()


def test_what_is_no_store_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "notes.txt"
    text.write_text("These are my notes. " * 100)
    with pytest.raises(StoreError, match="no store"):
        Store.open(text)
    assert text.read_text().startswith("These are")
    other = tmp_path / "other.db"
    with sqlite3.connect(other) as connection:
        connection.execute("CREATE TABLE mine (x)")
    connection.close()
    with pytest.raises(StoreError, match="something else"):
        Store.open(other)
    with pytest.raises(StoreError, match="folder"):
        Store.open(tmp_path)
    with pytest.raises(StoreError, match="does not exist: create it"):
        Store.open(tmp_path / "nowhere" / "store.db")
    with pytest.raises(StoreError, match="there is no store"):
        Store.open(tmp_path / "new.db", create=False)
    assert not (tmp_path / "new.db").exists()


@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("mysql://user:secret@host/base", "no database that tamis knows"),
        ("sqlite://", "no database that tamis knows"),
        ("postgresql://tamis:secret@127.0.0.1:1/base", "does not answer"),
        ("postgres://127.0.0.1:1/base", "does not answer"),
        ("postgresql://host:port/base", "no database that tamis knows"),
        ("postgresql://tamis:secret@[host/base", "no database that tamis knows"),
        ("postgresql://[no address]/base", "no database that tamis knows"),
        ("", "no name"),
        ("a\0b", "no name"),
    ],
)
def test_wrong_urls_are_explained(url: str, message: str) -> None:
    with pytest.raises(TamisError, match=message) as raised:
        Store.open(url)
    assert "secret" not in str(raised.value)


def test_a_missing_database_is_explained(postgres: object) -> None:
    if not isinstance(postgres, str):
        pytest.skip(f"not tested on PostgreSQL: {postgres}")
    with pytest.raises(StoreError, match="no such database"):
        Store.open(f"{postgres}/nothing")


def test_importing_tamis_imports_no_database() -> None:
    code = (
        "import tamis, sys; tamis.extract; "
        "assert not {'sqlite3', 'psycopg', 'tamis.store'} & set(sys.modules); tamis.store"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
