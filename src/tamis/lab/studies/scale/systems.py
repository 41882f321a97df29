"""The systems that the study of scale compares, each run in a process of its own.

    python -m tamis.lab.studies.scale.systems SYSTEM OUTPUT ARCHIVE…

All read the same archives and write what they extract, with as many processes as the machine has
cores in the study. What a system costs is the processor time of all that it starts: cores that
share a cache or a pipeline are slower when all are busy, for every system alike.
"""

from __future__ import annotations

import ctypes
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from multiprocessing import get_context
from pathlib import Path
from typing import Any, Final, NamedTuple

JOBS: Final = 2  # of the engines
_PR_SET_CHILD_SUBREAPER: Final = 36


class Cost(NamedTuple):
    """What a run took: seconds by the clock, and seconds of processors."""

    elapsed: float
    processor: float


def run_system(name: str, output: Path, archives: Sequence[Path]) -> Cost:
    """Run a system on archives; RuntimeError if it fails."""
    # What outlives its parent, such as the JVM of Spark, becomes ours and can be waited for.
    ctypes.CDLL(None).prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    before, started = _children_time(), time.perf_counter()
    command = [sys.executable, "-m", __name__, name, str(output), *map(str, archives)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    elapsed = time.perf_counter() - started
    with suppress(ChildProcessError):
        while True:
            os.waitpid(-1, 0)
    if done.returncode:
        raise RuntimeError(f"{name} failed: {done.stderr[-2000:]}")
    return Cost(elapsed, _children_time() - before)


def _children_time() -> float:
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


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
