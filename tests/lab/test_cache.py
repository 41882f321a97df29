"""What the lab keeps between runs may be damaged: it is then measured or made again."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import tamis
from helpers.bounds import bounded
from helpers.layouts import made_layout
from helpers.mutations import NESTED, mutations
from tamis.lab.cache import Cache, unzipped
from tamis.lab.datasets import Dataset, Item, load
from tamis.lab.layouts import Layouts
from tamis.lab.report import render_json, render_text
from tamis.lab.run import evaluate
from tamis.lab.studies.comparison import build_report
from tamis.lab.summary import summary
from tamis.lab.systems.methods import Answer, Extractor, System


def answer(html: str, item: Item) -> Answer:
    return Answer(str(item.gold["main_content"]))


@contextmanager
def started() -> Iterator[Extractor]:
    yield answer


SYSTEM = System("perfect", "1", started, True)


@pytest.fixture
def dataset(tiny: Path) -> Dataset:
    return load(str(tiny))


@pytest.mark.slow
def test_results_that_are_none_are_measured_again(dataset: Dataset, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "results")
    evaluate(dataset, [SYSTEM], cache=cache)
    path = cache.path(SYSTEM, dataset)
    lines = gzip.decompress(path.read_bytes()).splitlines()
    for changed in mutations(json.loads(lines[0]), most=10):
        path.write_bytes(gzip.compress(b"\n".join((json.dumps(changed).encode(), *lines[1:])), 1))
        with bounded():
            results = evaluate(dataset, [SYSTEM], cache=cache)
            report = build_report(results, summary(results))
            assert json.loads(render_json(report))
            assert render_text(report)


@pytest.mark.parametrize(
    "data",
    [
        gzip.compress(NESTED.encode()),
        gzip.compress(b'{"id": "p0"}'),
        gzip.compress(b"{}") * 2,
        gzip.compress(bytes(2**28 + 2**20), 1),
        gzip.compress(bytes(2**28 + 2**20), 1)[:-9],
    ],
    ids=["nested", "poor", "two", "bomb", "cut off bomb"],
)
def test_a_file_of_results_that_is_none_is_left_alone(
    dataset: Dataset, tmp_path: Path, data: bytes
) -> None:
    cache = Cache(tmp_path / "results")
    path = cache.path(SYSTEM, dataset)
    path.parent.mkdir()
    path.write_bytes(data)
    with bounded():
        assert cache.read(SYSTEM, dataset) == {}


def test_results_come_back() -> None:
    for data in (b"", b"a", b"many " * 100_000):
        assert unzipped(gzip.compress(data)) == data


def test_a_layout_that_is_none_is_made_again(dataset: Dataset, tmp_path: Path) -> None:
    kept, item = Layouts(tmp_path / "kept"), dataset.items[0]
    page = tamis.parse(item.html)
    layout = made_layout(page)
    kept.write(item, layout)
    assert kept.read(item, page) is not None
    path = kept.path(item)
    with np.load(path) as file:
        whole = dict(file)
    for name, column in whole.items():
        changes = [
            column[:-1],
            column[None],
            column.astype(str),
            column.astype(np.complex64),
            np.array(1),
            np.zeros_like(column, dtype=np.int16),
        ]
        if column.dtype.kind == "f":
            changes += [column * np.float32(np.nan), column + np.float32(np.inf), column + 1e30]
        if name in ("display", "position", "floated", "cleared"):
            changes.append(np.full_like(column, 255))
        for change in changes:
            np.savez_compressed(path, **{**whole, name: change})
            read = kept.read(item, page)
            assert read is None or name in ("screen", "size"), name
    data = path.read_bytes()
    for place in range(0, len(data), 97):
        path.write_bytes(data[:place] + bytes((data[place] ^ 255,)) + data[place + 1 :])
        read = kept.read(item, page)
        assert read is None or len(read) == len(page)
