"""The systems that the study of scale compares, each run in a process of its own.

    python -m tamis.lab.studies.scale.systems SYSTEM OUTPUT ARCHIVE…

All read the same archives and write what they extract, with as many processes as the machine has
cores in the study. What a system costs is the processor time of all that it starts: cores that
share a cache or a pipeline are slower when all are busy, for every system alike.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple, Self

JOBS: Final = 2  # of the engines
_PR_SET_CHILD_SUBREAPER: Final = 36
_POLL: Final = 0.1  # seconds


class Cost(NamedTuple):
    """What a run took: seconds by the clock, and seconds of processors."""

    elapsed: float
    processor: float


def run_system(name: str, output: Path, archives: Sequence[Path]) -> Cost:
    """Run a system on archives; RuntimeError if it fails."""
    # What outlives its parent, such as the JVM of Spark, becomes ours and can be waited for.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    command = [sys.executable, "-m", __name__, name, str(output), *map(str, archives)]
    with ProcessorClock() as clock:
        started = time.perf_counter()
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        elapsed = time.perf_counter() - started
        with suppress(ChildProcessError):
            while True:
                os.waitpid(-1, 0)
    if done.returncode:
        raise RuntimeError(f"{name} failed: {done.stderr[-2000:]}")
    return Cost(elapsed, clock.seconds)


class ProcessorClock:
    """Adds up the processor time of all processes that this one starts, directly or not.

    The system gives a parent the times of children that it has waited for, and forgets those of
    others: with Spark, a fifth. So each process is looked at while it runs, ten times a second.
    """

    def __init__(self) -> None:
        self._times: dict[tuple[int, str], float] = {}  # by number and start
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    @property
    def seconds(self) -> float:
        """The seconds of all processes so far."""
        return sum(self._times.values())

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._is_over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._is_over.wait(_POLL):
            self._look()

    def _look(self) -> None:
        children: dict[int, list[int]] = {}
        times: dict[int, tuple[tuple[int, str], float]] = {}
        for path in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError, IndexError):
                text = path.read_text(errors="replace")
                fields = text.rpartition(")")[2].split()
                number, ticks = int(path.parent.name), int(fields[11]) + int(fields[12])
                children.setdefault(int(fields[1]), []).append(number)
                times[number] = ((number, fields[19]), ticks / os.sysconf("SC_CLK_TCK"))
        waiting = [os.getpid()]
        while waiting:
            for child in children.get(waiting.pop(), ()):
                key, seconds = times[child]
                self._times[key] = seconds
                waiting.append(child)


def share_out(loop: Callable[[str, Sequence[str]], None]) -> Callable[[str, Sequence[str]], None]:
    """Return a system that runs a loop in as many processes as engines have jobs."""

    def run(output: str, archives: Sequence[str]) -> None:
        Path(output).mkdir(parents=True)
        shares = [(output, archives[number::JOBS]) for number in range(JOBS)]
        context = get_context("spawn")
        processes = [context.Process(target=loop, args=share) for share in shares]
        for process in processes:
            process.start()
        for process in processes:
            process.join()
        if any(process.exitcode for process in processes):
            raise RuntimeError("a loop failed")

    return run


def loop_bare(output: str, archives: Sequence[str]) -> None:
    """Make the same rows in a loop, and write them: no workers, no limits."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    from tamis.scale import Options, PageInput, build_extractor
    from tamis.source import Input, Source, read_archive

    extract = build_extractor(Options())
    for archive in archives:
        rows = []
        for page in read_archive(Input(archive, "archive", archive), 24 << 20):
            if isinstance(page, Source):
                values = extract(PageInput(page.data, page.url, page.charset))
                rows.append((page.url, page.record_id, page.fetched_at, *(values or ())))
        columns = {str(number): column for number, column in enumerate(zip(*rows, strict=True))}
        pq.write_table(pa.table(columns), f"{output}/{Path(archive).name}.parquet")


def run_local_engine(output: str, archives: Sequence[str]) -> None:
    """Run the job of `tamis scale local`."""
    from tamis.scale import run_local

    _check(run_local(archives, output, jobs=JOBS))


def run_spark_engine(output: str, archives: Sequence[str]) -> None:
    """Run the job of `tamis scale spark` on this machine."""
    from tamis.scale import spark

    _check(spark.run_spark(archives, output, master=f"local[{JOBS},4]"))


def _check(summary: Any) -> None:
    if summary.problems or summary.failures:
        raise RuntimeError(f"pages failed: {summary.as_dict()}")


def loop_resiliparse(output: str, archives: Sequence[str]) -> None:
    """Read with fastwarc and extract with resiliparse, in a loop; text alone."""
    from fastwarc.warc import ArchiveIterator, WarcRecordType
    from resiliparse.extract.html2text import extract_plain_text
    from resiliparse.parse.encoding import bytes_to_str, detect_encoding

    for archive in archives:
        with open(archive, "rb") as file, open(f"{output}/{Path(archive).name}.txt", "w") as sink:
            for record in ArchiveIterator(file, record_types=WarcRecordType.response):
                html = record.reader.read()
                text = bytes_to_str(html, detect_encoding(html))
                sink.write(extract_plain_text(text, main_content=True))


def run_trafilatura(output: str, archives: Sequence[str]) -> None:
    """Run datatrove's reader, its extractor with trafilatura and its writer."""
    from datatrove.executor import LocalPipelineExecutor
    from datatrove.pipeline.extractors import Trafilatura
    from datatrove.pipeline.readers import WarcReader
    from datatrove.pipeline.writers import JsonlWriter

    folder = str(Path(archives[0]).parent)
    paths = f"{output}-paths.txt"
    Path(paths).write_text("".join(f"{Path(archive).name}\n" for archive in archives))
    LocalPipelineExecutor(
        [WarcReader(folder, paths_file=paths), Trafilatura(timeout=10), JsonlWriter(output)],
        tasks=JOBS,
        workers=JOBS,
        logging_dir=f"{output}-logs",
    ).run()


SYSTEMS: Final[dict[str, Callable[[str, Sequence[str]], None]]] = {
    "bare loop": share_out(loop_bare),
    "tamis scale local": run_local_engine,
    "tamis scale spark": run_spark_engine,
    "fastwarc and resiliparse": share_out(loop_resiliparse),
    "trafilatura in datatrove": run_trafilatura,
}
PEERS: Final = frozenset({"fastwarc and resiliparse", "trafilatura in datatrove"})

if __name__ == "__main__":
    SYSTEMS[sys.argv[1]](sys.argv[2], sys.argv[3:])
