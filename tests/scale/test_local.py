"""Jobs on one machine: a file per input, exactly once, whatever happens to inputs and processes."""

from __future__ import annotations

import errno
import gzip
import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
fsspec = pytest.importorskip("fsspec")
pytest.importorskip("warcio")

import pyarrow as pa  # noqa: E402
import pyarrow.dataset as ds  # noqa: E402

from helpers.archives import http, record  # noqa: E402
from helpers.poison import METHOD, poison_page  # noqa: E402
from scale.archives import TEXTS, sample_archive  # noqa: E402
from scale.processes import child_processes, wait_for  # noqa: E402
from tamis.errors import InputError, TamisError  # noqa: E402
from tamis.scale import (  # noqa: E402
    InputReader,
    Job,
    Options,
    OutputFolder,
    find_inputs,
    open_pool,
    process_input,
    run_local,
)


def read_texts(output: object) -> dict[str, list[str | None]]:
    """Return the texts of all rows of an output by their URLs."""
    filesystem, path = fsspec.core.url_to_fs(str(output))
    table = ds.dataset(f"{path}/pages", filesystem=filesystem, format="parquet").to_table()
    texts: dict[str, list[str | None]] = {}
    for row in table.select(["url", "text"]).to_pylist():
        texts.setdefault(row["url"], []).append(row["text"])
    return texts


def expect_texts(stop: int) -> dict[str, list[str]]:
    return {f"https://site.example/{n}": [TEXTS[n % len(TEXTS)]] for n in range(stop)}


def failed_inputs(output: Path) -> dict[str, str]:
    lines = (output / "failed.jsonl").read_text().splitlines()
    return {Path(row["input"]).name: row["problem"] for row in map(json.loads, lines)}


def test_a_job_does_all_that_can_be_done_and_a_second_run_the_rest(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(sample_archive(0, 5))
    (tmp_path / "cut.warc.gz").write_bytes(sample_archive(5, 9)[:-200])
    (tmp_path / "no.warc.gz").write_bytes(b"no archive")
    (tmp_path / "robots.warc").write_bytes(record(1, http(b"*", kind="text/plain")))
    inputs = [str(tmp_path / f"{name}.warc.gz") for name in ("a", "cut", "no", "gone")]
    inputs.append(str(tmp_path / "robots.warc"))
    output = tmp_path / "out"
    summary = run_local(inputs, str(output), jobs=2)
    assert (summary.rows, len(summary.reports), len(summary.problems)) == (8, 5, 3)
    assert set(failed_inputs(output)) == {"cut.warc.gz", "no.warc.gz", "gone.warc.gz"}
    assert "no WARC or ARC archive" in failed_inputs(output)["no.warc.gz"]
    assert "does not exist" in failed_inputs(output)["gone.warc.gz"]
    assert "damaged" in failed_inputs(output)["cut.warc.gz"]
    names = sorted(path.name for path in (output / "pages").iterdir())
    assert [name.rpartition("-")[0] for name in names] == [
        "a.warc.gz",
        "cut.warc.gz",
        "robots.warc",
    ]
    assert read_texts(output) == expect_texts(8)
    assert not (output / "_drafts").exists()
    before = (output / "pages" / names[0]).stat().st_mtime_ns

    (tmp_path / "cut.warc.gz").write_bytes(sample_archive(5, 9))
    (tmp_path / "no.warc.gz").write_bytes(sample_archive(9, 11))
    summary = run_local(inputs, str(output), jobs=1)
    assert (summary.rows, summary.done_before, summary.new_rows) == (11, 2, 6)
    assert set(failed_inputs(output)) == {"gone.warc.gz"}
    assert read_texts(output) == expect_texts(11)
    assert (output / "pages" / names[0]).stat().st_mtime_ns == before
    counts = json.loads((output / "summary.json").read_text())
    assert (counts["pages"], counts["inputs"], counts["inputs_with_problems"]) == (11, 5, 1)
    report = OutputFolder(str(output)).read_report(names[0])
    assert report is not None
    assert (report.rows, report.failed, report.output) == (5, 0, names[0])

    with pytest.raises(InputError, match="formats was"):
        run_local(inputs, str(output), Options(formats=("markdown",)))


def test_what_was_read_of_an_input_that_is_gone_since_counts(tmp_path: Path) -> None:
    archive, output = tmp_path / "a.warc.gz", tmp_path / "out"
    archive.write_bytes(sample_archive(0, 3)[:-200])
    assert run_local([str(archive)], str(output), jobs=1).rows == 2
    for gone in (archive.unlink, lambda: archive.write_bytes(b"no archive")):
        gone()
        summary = run_local([str(archive)], str(output), jobs=1)
        assert (summary.rows, len(summary.problems)) == (2, 1)
        assert sum(map(len, read_texts(output).values())) == 2
    assert "no WARC or ARC archive" in failed_inputs(output)["a.warc.gz"]


def test_a_task_looks_at_its_own_output_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.warc.gz").write_bytes(sample_archive(0, 1))
    run_local([str(tmp_path / "a.warc.gz")], str(tmp_path / "out"), jobs=1)
    (source,) = find_inputs([str(tmp_path / "a.warc.gz")])
    monkeypatch.delattr(OutputFolder, "names")  # with many outputs, listing them takes long
    monkeypatch.delattr(InputReader, "batches")
    with open_pool(Options(), 1) as pool:
        report = process_input(source, OutputFolder(str(tmp_path / "out")), Options(), pool)
    assert (report.rows, report.problem) == (1, None)


def test_an_input_that_cannot_be_extracted_does_not_end_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.warc.gz").write_bytes(sample_archive(0, 1))
    folder = OutputFolder.open(str(tmp_path / "out"), Options())
    first, second = find_inputs([str(tmp_path / "a.warc.gz"), str(tmp_path / "b.warc.gz")])
    with open_pool(Options(), 1) as pool, monkeypatch.context() as patch:
        patch.setattr(InputReader, "batches", lambda self: iter([pa.array([1])]))
        report = process_input(first, folder, Options(), pool)
        assert "a.warc.gz cannot be extracted (AttributeError: " in str(report.problem)
        patch.undo()
        assert process_input(second, folder, Options(), pool).rows == 1


def test_an_output_that_cannot_be_written_ends_the_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "a.warc.gz").write_bytes(sample_archive(0, 1))
    folder = OutputFolder.open(str(tmp_path / "out"), Options())
    (source,) = find_inputs([str(tmp_path / "a.warc.gz")])

    def refuse(file: int) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", refuse)
    with (
        open_pool(Options(), 1) as pool,
        pytest.raises(TamisError, match=r"a\.warc\.gz-\w+\.parquet cannot be .*: make room, and"),
    ):
        process_input(source, folder, Options(), pool)
    assert not folder.names()
    assert not list((tmp_path / "out" / "_drafts").iterdir())


def test_the_options_of_a_job_are_not_replaced_by_others(tmp_path: Path) -> None:
    options = tmp_path / "job.json"
    options.write_text("[1]")
    with pytest.raises(InputError, match=r"job\.json of something else"):
        OutputFolder.open(str(tmp_path), Options())
    options.unlink()
    options.mkdir()  # it is there, and cannot be read
    with pytest.raises(InputError, match="no regular file"):
        OutputFolder.open(str(tmp_path), Options())


def test_a_store_that_cannot_be_reached_is_an_error_with_its_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Store(fsspec.AbstractFileSystem):  # type: ignore[misc,name-defined]
        def _open(self, path: str, *_: object, **__: object) -> None:
            raise RuntimeError("no keys")

        def ls(self, path: str, **_: object) -> None:
            raise RuntimeError("no keys")

    monkeypatch.setattr("tamis.scale.output.find_filesystem", lambda location: (Store(), location))
    folder = OutputFolder("s3://bucket/out")
    with pytest.raises(TamisError, match=r"s3://bucket/out/a\.txt cannot be written \(no keys\)"):
        folder.write_text("a.txt", "")
    with pytest.raises(InputError, match=r"s3://bucket/out cannot be read \(no keys\)"):
        folder.names()


def test_from_s3_to_s3(s3_endpoint: str) -> None:
    fsspec.filesystem("s3").pipe("bucket/job/a.warc.gz", sample_archive(0, 3))
    inputs = ["s3://bucket/job/a.warc.gz", "s3://bucket/job/gone.warc.gz"]
    for done_before in (0, 1):
        summary = run_local(inputs, "s3://bucket/out", jobs=1)
        assert (summary.rows, summary.done_before, len(summary.problems)) == (3, done_before, 1)
    assert read_texts("s3://bucket/out") == expect_texts(3)
    keys = fsspec.filesystem("s3").find("bucket/out")
    assert sorted(key.split("/")[2] for key in keys) == [
        "failed.jsonl",
        "job.json",
        "pages",
        "summary.json",
    ]


def test_mistakes_are_told_before_any_work(tmp_path: Path) -> None:
    (tmp_path / "p.jsonl").write_text('{"markup": "<p>"}\n')
    with pytest.raises(InputError, match=r"p\.jsonl: the input has no column 'html'"):
        run_local([str(tmp_path / "p.jsonl")], str(tmp_path / "out"))
    assert not (tmp_path / "out").exists()
    with pytest.raises(InputError, match="cannot be written"):
        run_local([str(tmp_path / "a.warc")], "https://site.example/out")


def test_drafts_of_killed_tasks_are_removed_and_outputs_that_are_cut_done_again(
    tmp_path: Path,
) -> None:
    (tmp_path / "a.warc").write_bytes(record(1, http(b"*", kind="text/plain")))
    output = tmp_path / "out"
    (name,) = (source.output_name for source in find_inputs([str(tmp_path / "a.warc")]))
    (output / "_drafts").mkdir(parents=True)
    (output / "_drafts" / f"{name}.01234567").write_bytes(b"PAR1")
    (output / "pages").mkdir()
    (output / "pages" / name).write_bytes(b"PAR1 of another program")
    assert len(Job.plan([str(tmp_path / "a.warc")], str(output), Options()).remaining) == 1
    summary = run_local([str(tmp_path / "a.warc")], str(output), jobs=1)
    assert not summary.problems
    assert not (output / "_drafts").exists()


RUN = """
import sys
from helpers.poison import METHOD
from tamis.scale import Options, run_local
if __name__ == "__main__":
    options = Options(method=METHOD, deadline=1.0, memory=1 << 28)
    summary = run_local(sys.argv[2:], sys.argv[1], options, jobs=2)
    print(summary.rows, len(summary.problems))
"""


def start_job(output: Path, inputs: list[str]) -> subprocess.Popen[str]:
    path = os.pathsep.join([str(Path(__file__).parents[1]), os.environ.get("PYTHONPATH", "")])
    return subprocess.Popen(
        [sys.executable, "-c", RUN, str(output), *inputs],
        env={**os.environ, "PYTHONPATH": path},
        stdout=subprocess.PIPE,
        text=True,
    )


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc")
def test_readers_and_the_job_itself_are_killed_and_every_page_is_there_once(tmp_path: Path) -> None:
    inputs, count = [], 120
    for number in range(0, count, 20):
        path = tmp_path / f"{number}.warc.gz"
        page = poison_page(("crash", "hang")[number // 20 % 2])
        poison = gzip.compress(record(1000 + number, http(page)))
        path.write_bytes(sample_archive(number, number + 20) + poison)
        inputs.append(str(path))
    output = tmp_path / "out"
    job = start_job(output, inputs)
    killed = set()
    for _ in range(3):  # readers, in the middle of their inputs
        wait_for(lambda: list(output.glob("_drafts/*")) or job.poll() is not None)
        for reader in child_processes(job.pid)[:1]:
            if reader not in killed:
                os.kill(reader, signal.SIGKILL)
                killed.add(reader)
        time.sleep(1)
    wait_for(lambda: list(output.glob("pages/*.parquet")))
    job.kill()  # the job itself
    job.communicate()
    wait_for(lambda: not child_processes(job.pid))
    assert len(list(output.glob("pages/*.parquet"))) > 0
    rows, problems = start_job(output, inputs).communicate()[0].split()
    assert (rows, problems) == (str(count + len(inputs)), "0")
    texts = read_texts(output)
    poisons = {f"https://site.example/{1000 + number}": [None] for number in range(0, count, 20)}
    assert texts == expect_texts(count) | poisons
    assert not (output / "_drafts").exists()


@pytest.mark.slow
def test_two_jobs_at_once_do_no_harm(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(sample_archive(0, 4))
    output, summaries = str(tmp_path / "out"), []
    jobs = [
        threading.Thread(
            target=lambda: summaries.append(
                run_local([str(tmp_path / "a.warc.gz")], output, Options(method=METHOD), jobs=1)
            )
        )
        for _ in range(2)
    ]
    for job in jobs:
        job.start()
    for job in jobs:
        job.join()
    assert read_texts(output) == expect_texts(4)
