"""Steps in pipelines of datatrove: its readers, writers and executors around our workers."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from helpers.poison import KINDS, METHOD, poison_page

pytest.importorskip("pyarrow")
pytest.importorskip("datatrove")

import pyarrow as pa
import pyarrow.parquet as pq
from datatrove.data import Document

from scale.archives import PAGES, TEXTS, sample_archive
from scale.columns import not_utf8
from scale.processes import descendants, kill, wait_for
from scale.test_local import expect_texts, read_texts
from tamis.scale import Options, datatrove

OPTIONS = Options(method=METHOD, deadline=1.0, memory=1 << 28)

PIPELINE = """
import sys
from datatrove.executor import LocalPipelineExecutor
from datatrove.pipeline.writers import JsonlWriter
from helpers.poison import METHOD
from tamis.scale import Options, datatrove
if __name__ == "__main__":
    kind, output, logs, *inputs = sys.argv[1:]
    options = Options(method=METHOD, deadline=1.0, memory=1 << 28)
    steps = [datatrove.TamisJob(inputs, output, options)]
    if kind == "steps":
        steps = [
            datatrove.TamisReader(inputs, options),
            datatrove.TamisExtractor(options),
            JsonlWriter(output, compression=None),
        ]
    LocalPipelineExecutor(steps, tasks=3, workers=2, logging_dir=logs).run()
"""


def start_pipeline(kind: str, folder: Path, inputs: list[str]) -> subprocess.Popen[bytes]:
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", PIPELINE, kind, folder / "out", folder / "logs", *inputs],
        env={**os.environ, "PYTHONPATH": path},
        stderr=subprocess.DEVNULL,
    )


def make_inputs(folder: Path, count: int, size: int) -> list[str]:
    paths = [folder / f"{number:03}.warc.gz" for number in range(0, count * size, size)]
    for number, path in enumerate(paths):
        path.write_bytes(sample_archive(number * size, (number + 1) * size))
    return list(map(str, paths))


def test_the_extractor_replaces_html_by_text_and_survives_poison() -> None:
    pages = [PAGES[0], *map(poison_page, KINDS), PAGES[1]]
    documents = [
        Document(html.decode("latin-1"), str(number), metadata={"html_bytes": True, "mark": number})
        for number, html in enumerate(pages)
    ]
    step = datatrove.TamisExtractor(OPTIONS, keep_failed=True)
    done = list(step.run(iter(documents)))
    assert [document.id for document in done] == [str(n) for n in range(len(pages))]
    assert [document.text for document in done] == [TEXTS[0], *[""] * len(KINDS), TEXTS[1]]
    kinds = [document.metadata.get("error_kind") for document in done]
    assert kinds == [None, *KINDS.values(), None]
    assert done[-1].metadata["mark"] == len(pages) - 1
    assert done[-1].metadata["title"]
    assert step.stats["failed"].total == len(KINDS)


def test_the_reader_goes_on_after_inputs_that_cannot_be_read(tmp_path: Path) -> None:
    (tmp_path / "whole.warc.gz").write_bytes(sample_archive(0, 3))
    (tmp_path / "cut.warc.gz").write_bytes(sample_archive(3, 6)[:-200])
    (tmp_path / "no.parquet").write_bytes(b"no table")
    names = ("gone.warc.gz", "cut.warc.gz", "no.parquet", "whole.warc.gz")
    reader = datatrove.TamisReader([str(tmp_path / name) for name in names])
    documents = list(reader.run())
    assert [document.metadata["url"] for document in documents] == [
        f"https://site.example/{number}" for number in (3, 4, 0, 1, 2)
    ]
    assert reader.stats["inputs_with_problems"].total == 3
    assert documents[0].text.encode("latin-1") == PAGES[3]


def test_the_reader_takes_text_that_is_no_utf8(tmp_path: Path) -> None:
    columns = {"html": not_utf8(b"<p>caf\xe9", b"<p>b"), "mark": not_utf8(b"\xff", b"b")}
    pq.write_table(pa.table(columns), tmp_path / "p.parquet")
    first, second = datatrove.TamisReader([str(tmp_path / "p.parquet")]).run()
    assert (first.text, first.metadata["mark"]) == ("<p>caf\ufffd", "\ufffd")
    assert (second.text, second.metadata["mark"]) == ("<p>b", "b")


@pytest.mark.slow
def test_reader_and_extractor_in_a_pipeline_of_its_local_executor(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, 4, 5)
    assert start_pipeline("steps", tmp_path, inputs).wait() == 0
    rows: list[dict[str, Any]] = []
    for path in (tmp_path / "out").glob("*.jsonl"):
        rows += map(json.loads, path.read_text().splitlines())
    texts = {row["metadata"]["url"]: [row["text"]] for row in rows}
    assert len(rows) == 20
    assert texts == expect_texts(20)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_a_rank_that_is_killed_and_started_again(tmp_path: Path) -> None:
    inputs = make_inputs(tmp_path, 9, 12)
    for path in inputs[::4]:
        with open(path, "ab") as file:
            from helpers.archives import http, record

            number = 1000 + int(Path(path).name[:3])
            file.write(gzip.compress(record(number, http(poison_page("crash")))))
    job = start_pipeline("job", tmp_path, inputs)
    wait_for(lambda: list((tmp_path / "out").glob("pages/*.parquet")))
    processes = descendants(job.pid)
    for process in (job.pid, *processes):
        kill(process)
    job.wait()
    done = len(list((tmp_path / "out").glob("pages/*.parquet")))
    assert 0 < done < len(inputs)
    assert start_pipeline("job", tmp_path, inputs).wait() == 0
    poisons = {f"https://site.example/{1000 + n}": [None] for n in range(0, 9 * 12, 48)}
    assert read_texts(tmp_path / "out") == expect_texts(9 * 12) | poisons
