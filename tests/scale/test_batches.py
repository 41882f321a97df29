"""Arrow batches in, Arrow batches out: one row per page, whatever the page does."""

from __future__ import annotations

import hashlib
import os
import pickle
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

import tamis
from helpers.poison import KINDS, METHOD, poison_page
from tamis.errors import InputError, UnknownName

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

import pyarrow as pa

from scale.columns import not_utf8
from tamis.scale import Options, extract_batches, output_schema

SAMPLES = Path(__file__).parents[2] / "samples"
PAGES = [path.read_bytes() for path in sorted(SAMPLES.glob("*.html"))]
URLS = [f"https://example.org/{number}" for number in range(len(PAGES))]
LISTS = [path.read_bytes() for path in sorted(SAMPLES.glob("lists/*.html"))][:2]
THREADS = [path.read_bytes() for path in sorted(SAMPLES.glob("threads/*.html"))]
ALL = Options(formats=("markdown", "records", "posts", "comments"))
NAMES = """url warc_file offset length record_id fetched_at content_type encoding language title
    author date page_type confidence status text markdown records posts comments minhash error
    error_kind tamis_version model"""


def batch(**columns: list[object]) -> pa.RecordBatch:
    return pa.record_batch({"html": PAGES, "url": URLS, **columns})


def extract_table(batches: list[pa.RecordBatch], options: Options, workers: int = 1) -> pa.Table:
    return pa.Table.from_batches(extract_batches(batches, options, workers=workers))


def test_rows_are_what_extract_gives() -> None:
    (rows,) = extract_batches([batch(), batch().slice(0, 0)], ALL)
    assert rows.num_rows == len(PAGES)
    assert rows.schema == output_schema(batch().schema, ALL)
    for row, html, url in zip(rows.to_pylist(), PAGES, URLS, strict=True):
        document = tamis.extract(html, url)
        metadata = document.metadata
        assert (row["url"], row["text"], row["markdown"]) == (url, document.text, document.markdown)
        assert (row["title"], row["author"], row["date"]) == (
            metadata.title,
            metadata.author,
            metadata.date,
        )
        assert (row["page_type"], row["status"]) == (document.page_type, document.status)
        assert row["confidence"] == pytest.approx(document.confidence, abs=1e-4)
        assert (row["encoding"], row["error"], row["error_kind"]) == (
            document.page.encoding,
            None,
            None,
        )
        assert row["tamis_version"] == tamis.__version__
        assert row["model"].startswith("learned-")
        assert len(row["minhash"]) == 256
        records = document.records
        if len(records):
            texts = {field.name for field in records.fields if field.type == "text"}
            assert texts
            assert [
                {name: dict(record)[name] for name in texts} for record in row["records"]["rows"]
            ] == [{name: record[name] for name in texts} for record in records]
            types = [(field["name"], field["type"]) for field in row["records"]["fields"]]
            assert types == [(field.name, field.type) for field in records.fields]
        else:
            assert row["records"] is None


def test_the_columns_are_those_of_the_documents_and_then_those_of_the_input() -> None:
    schema = pa.schema([("mark", pa.int8()), ("html", pa.string()), ("url", pa.string())])
    assert output_schema(schema, ALL).names == [*NAMES.split(), "mark"]
    unwanted = {"markdown", "records", "posts", "comments"}
    assert output_schema(schema, Options()).names == [
        *(name for name in NAMES.split() if name not in unwanted),
        "mark",
    ]


def test_posts_and_comments_are_those_of_documents() -> None:
    (rows,) = extract_batches([pa.record_batch({"html": THREADS})], ALL)
    documents = list(map(tamis.extract, THREADS))
    assert any(document.posts for document in documents)
    assert any(document.comments for document in documents)
    for row, document in zip(rows.to_pylist(), documents, strict=True):
        assert row["posts"] == [post.as_dict() for post in document.posts]
        assert row["comments"] == [comment.as_dict() for comment in document.comments]


def test_values_that_cannot_be_read_cost_themselves_alone() -> None:
    values = {
        "html": not_utf8(b"<p>A caf\xe9 with some words", b"<p>Another page of words", None),
        "url": not_utf8(b"https://site.example/\xe9", b"https://site.example/2", None),
        "offset": pa.array([2**64 - 1, 7, None], pa.uint64()),
        "fetched_at": pa.array([2**61, 0, None], pa.timestamp("ms")),
        "mark": not_utf8(b"\xff", b"b", None),
    }
    pages = pa.record_batch(values)
    (rows,) = extract_batches([pages], Options())
    assert rows.column("text").to_pylist() == [
        "A caf\ufffd with some words",
        "Another page of words",
        None,
    ]
    assert rows.column("url").to_pylist()[:2] == [
        "https://site.example/\ufffd",
        "https://site.example/2",
    ]
    assert rows.column("offset").to_pylist() == [None, 7, None]
    assert rows.column("fetched_at").is_null().to_pylist() == [True, False, True]
    assert rows.column("mark").equals(pages.column("mark"))  # carried through as it is
    (rows,) = extract_batches([pages.slice(1, 1)], Options())
    assert rows.column("offset").to_pylist() == [7]


FINGERPRINT = """
import sys
from scale import test_batches as tests
print(tests.hash_rows(*map(int, sys.argv[1:])))
"""


def hash_rows(size: int, workers: int) -> str:
    """Return a hash of all rows, computed in batches of a size."""
    whole = pa.Table.from_batches([batch(number=list(range(len(PAGES))))])
    table = extract_table(whole.to_batches(max_chunksize=size), ALL, workers)
    return hashlib.sha256(repr(table.to_pylist()).encode()).hexdigest()


@pytest.mark.slow
def test_rows_do_not_depend_on_batches_workers_or_hash_seed() -> None:
    hashes = set()
    for size, workers, seed in ((1, 1, "0"), (5, 2, "7"), (1000, 3, "random")):
        path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
        done = subprocess.run(
            [sys.executable, "-c", FINGERPRINT, str(size), str(workers)],
            env={**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        hashes.add(done.stdout)
    assert len(hashes) == 1


@pytest.mark.heavy
def test_a_poison_page_costs_its_row_alone() -> None:
    pages = [PAGES[0]]
    for name in KINDS:
        pages += [poison_page(name), PAGES[0]]
    options = Options(method=METHOD, deadline=1.5, memory=1 << 28)
    table = extract_table([pa.record_batch({"html": pages})], options, workers=2)
    assert table["error_kind"].to_pylist()[1::2] == list(KINDS.values())
    assert set(table["error_kind"].to_pylist()[::2]) == {None}
    assert set(table["text"].to_pylist()[::2]) == {tamis.extract(PAGES[0]).text}
    assert set(table["text"].to_pylist()[1::2]) == {None}
    assert all(table["error"].to_pylist()[1::2])


def test_other_columns_are_carried_through() -> None:
    fetched = datetime(2024, 5, 6, tzinfo=UTC)
    pages = pa.record_batch(
        {
            "label": pa.array([{"a": [1, 2]}, None]),
            "title": ["theirs", "theirs"],
            "body": LISTS,
            "html": ["carried", "carried"],
            "fetched_at": pa.array([fetched, None], pa.timestamp("s", "UTC")),
            "offset": pa.array([7, None], pa.int32()),
            "length": ["seven", None],
            "charset": pa.array([None, "utf-8"]),
        }
    )
    options = Options(html_column="body")
    table = extract_table([pages], options)
    first, second = table.to_pylist()
    assert (first["label"], second["label"]) == ({"a": [1, 2]}, None)
    assert first["input_title"] == "theirs"
    assert first["title"] == tamis.extract(LISTS[0]).metadata.title
    assert first["html"] == "carried"
    assert (first["fetched_at"], second["fetched_at"]) == (fetched, None)
    assert (first["offset"], first["length"], first["input_length"]) == (7, None, "seven")
    assert "body" not in first
    assert "charset" not in first


def test_text_and_bytes_and_pages_that_were_not_read() -> None:
    text = pa.record_batch(
        {
            "html": pa.array(["<p>Wörter", None, None], pa.large_string()),
            "error": [None, "it is gone", None],
            "error_kind": [None, "SourceError", None],
            "charset": ["latin-1", None, None],
        }
    )
    rows = extract_table([text], Options()).to_pylist()
    assert rows[0]["text"] == "Wörter"
    assert (rows[1]["error"], rows[1]["error_kind"]) == ("it is gone", "SourceError")
    assert (rows[2]["error"], rows[2]["error_kind"]) == ("the row has no HTML", "InputError")
    encoded = pa.record_batch({"html": ["<p>Wörter".encode("cp1250")], "charset": ["cp1250"]})
    assert extract_table([encoded], Options()).to_pylist()[0]["text"] == "Wörter"


def test_half_characters_in_metadata_do_no_harm() -> None:
    data = '<script type="application/ld+json">{"@type":"Article","headline":"A\\ud800 b",'
    data += '"author":{"@type":"Person","name":"Ann \\udc00 Lee"}}</script><p>Some words here.</p>'
    (rows,) = extract_batches([pa.record_batch({"html": [data.encode()]})])
    assert rows.to_pylist()[0]["error"] is None


def test_a_missing_column_is_an_error_before_any_work() -> None:
    read = []

    def batches() -> object:
        for number in range(3):
            read.append(number)
            yield pa.record_batch({"url": ["https://example.org/"], "markup": ["<p>"]})

    with pytest.raises(InputError, match="no column 'html', but url, markup"):
        extract_batches(batches())  # type: ignore[arg-type]
    assert read == [0]
    with pytest.raises(InputError, match="of type int64"):
        extract_batches([pa.record_batch({"html": [1]})])
    with pytest.raises(InputError, match="two columns"):
        extract_batches([pa.record_batch([PAGES[:1], PAGES[:1]], ["html", "html"])])
    assert list(extract_batches([])) == []


def test_batches_of_two_schemas_are_an_error() -> None:
    batches = [batch(), batch(more=list(URLS))]
    with pytest.raises(InputError, match="batches of one schema"):
        list(extract_batches(batches))


def test_options_are_checked_compared_and_sent() -> None:
    assert pickle.loads(pickle.dumps(ALL)) == ALL
    assert hash(Options()) == hash(Options())
    assert Options(formats=ALL.formats[::-1]).describe() == ALL.describe()
    unknown: list[dict[str, Any]] = [{"formats": ("html5",)}, {"method": "nothing"}]
    for settings in unknown:
        with pytest.raises(UnknownName):
            Options(**settings)
    impossible: list[dict[str, Any]] = [{"deadline": 0}, {"limit": 0}, {"method": "eifce"}]
    for settings in impossible:
        with pytest.raises(InputError):
            Options(**settings)
