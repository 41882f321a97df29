"""What engines cost beside a bare loop and other tools, and the memory of a worker."""

from __future__ import annotations

import gzip
import os
import statistics
import tempfile
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Final, NamedTuple

from tamis.lab.report.report import Report, ReportTable
from tamis.lab.studies.samples import sample_pages
from tamis.lab.studies.scale.systems import JOBS, PEERS, SYSTEMS, Cost, run_system
from tamis.lab.study import Log, Study

_ROUNDS: Final = 3
_ARCHIVES: Final = 4
_REPEATS: Final = 6  # of each page for the engines: a run must take longer than it varies
_SMALL_SHARE: Final = 0.1  # of the pages, in the run that shows what starting costs
_MB: Final = 2**20


@dataclass(frozen=True)
class ScaleStudy(Study):
    """Runs each system on the same archives, in turns, with few pages and with many.

    The difference of both is what pages cost: interpreters, models and the JVM start in either.
    """

    name: ClassVar[str] = "scale"

    dataset: str = "wcxb-dev"
    limit: int = 1000  # pages
    peers: str | None = None  # "none" leaves out other tools

    def run(self, log: Log) -> Report:
        """Measure all systems."""
        pages = sample_pages(self.dataset, self.limit)
        few = max(_ARCHIVES, int(len(pages) * _SMALL_SHARE))
        with tempfile.TemporaryDirectory(prefix="tamis-scale-") as name:
            folder = Path(name)
            small = write_archives(folder / "few", pages[:few])
            large = write_archives(folder / "many", pages)
            repeated = write_archives(folder / "repeated", pages * _REPEATS)
            work = _Work(small, large, repeated, few, len(pages))
            systems = [name for name in SYSTEMS if self.peers != "none" or name not in PEERS]
            costs = _measure(systems, folder, work, log)
            sizes = _measure_output(folder / "once", large)
        table = _table(costs)
        remarks = [*_measure_memory(pages), *sizes]
        lead = (
            f"{len(pages)} pages of {self.dataset}, {sum(map(len, pages)) / len(pages) / 1024:.0f} "
            f"KB on average, in {_ARCHIVES} archives ({_REPEATS} times each for tamis); "
            f"{os.cpu_count()} cores; {JOBS} jobs; medians of {_ROUNDS} rounds, in turns."
        )
        data = {name: [cost._asdict() for cost in rounds] for name, rounds in costs.items()}
        return Report("tamis: scale", [table], lead=lead, remarks=remarks, data=data)


def write_archives(folder: Path, pages: Sequence[bytes]) -> list[Path]:
    """Write pages as WARC files, as many as there are archives in the study."""
    folder.mkdir()
    paths = [folder / f"{number}.warc.gz" for number in range(_ARCHIVES)]
    for number, path in enumerate(paths):
        with path.open("wb") as file:
            for index in range(number, len(pages), _ARCHIVES):
                file.write(gzip.compress(_record(index, pages[index])))
    return paths


def _record(number: int, html: bytes) -> bytes:
    """Return the WARC record of a page."""
    content = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + html
    head = (
        "WARC/1.0\r\nWARC-Type: response\r\n"
        f"WARC-Target-URI: https://site-{number % 97}.example/{number}\r\n"
        "WARC-Date: 2026-01-01T00:00:00Z\r\n"
        f"WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-{number:012}>\r\n"
        "Content-Type: application/http; msgtype=response\r\n"
        f"Content-Length: {len(content)}\r\n\r\n"
    )
    return head.encode() + content + b"\r\n\r\n"


class _Work(NamedTuple):
    """Archives of few pages, of all pages, and of all pages several times."""

    small: Sequence[Path]
    large: Sequence[Path]
    repeated: Sequence[Path]
    few: int
    many: int

    def choose(self, name: str) -> tuple[Sequence[Path], int]:
        """Return the larger archives for a system, and how many more pages they have."""
        if name in PEERS:
            return self.large, self.many - self.few
        return self.repeated, self.many * _REPEATS - self.few


def _measure(systems: Sequence[str], folder: Path, work: _Work, log: Log) -> dict[str, list[Cost]]:
    """Return what one page costs in each system, a figure for each round."""
    costs: dict[str, list[Cost]] = {name: [] for name in systems}
    for number in range(_ROUNDS):
        for name in systems:
            outputs = [folder / f"{kind} {name} {number}" for kind in ("few", "many")]
            large, pages = work.choose(name)
            try:
                few, many = (
                    run_system(name, output, archives)
                    for output, archives in zip(outputs, (work.small, large), strict=True)
                )
            except RuntimeError as error:
                log.say(str(error))
                costs[name] = []
                continue
            per_page = ((a - b) / pages for a, b in zip(many, few, strict=True))
            costs[name].append(Cost(*per_page))
            log.say(f"round {number + 1}: {name}, {1000 * costs[name][-1].processor:.1f} ms/page")
    return costs


def _table(costs: dict[str, list[Cost]]) -> ReportTable:
    """Return pages per second of each system beside those of the bare loop."""
    bare = costs["bare loop"]
    rows = []
    for name, rounds in costs.items():
        if not rounds:
            rows.append([name, "not installed or failed", "", ""])
            continue
        ratios = [base.processor / cost.processor for base, cost in zip(bare, rounds, strict=True)]
        processor = statistics.median(cost.processor for cost in rounds)
        elapsed = statistics.median(cost.elapsed for cost in rounds)
        rows.append(
            [
                name,
                f"{statistics.median(ratios):.2f} ({min(ratios):.2f} to {max(ratios):.2f})",
                f"{1000 * processor:.1f}",
                f"{1000 * elapsed:.1f}",
            ]
        )
    heads = ["system", "pages/s per core, bare loop = 1", "processor ms/page", "clock ms/page"]
    caption = "by processor time of all processes, without what starting costs"
    return ReportTable("Scale", heads, rows, caption)


def _measure_memory(pages: Sequence[bytes]) -> list[str]:
    """Return what a worker has in memory after all pages, and what single pages added."""
    from tamis.scale import Options, PageInput, open_pool

    with open_pool(Options(), 1) as pool:
        outcomes = list(pool.map(map(PageInput, pages), ahead=8))
        resident = max(_resident(child) for child in _children())
    peaks = sorted(outcome.peak_memory or 0 for outcome in outcomes)
    times = sorted(outcome.elapsed for outcome in outcomes)
    return [
        f"A worker has {resident / _MB:.0f} MB in memory after {len(pages)} pages; a page adds "
        f"{peaks[len(peaks) // 2] / _MB:.0f} MB (median), {peaks[-1] / _MB:.0f} MB at most.",
        f"Seconds per page in a worker: median {times[len(times) // 2]:.4f}, 99 % "
        f"{times[int(0.99 * len(times))]:.4f}, greatest {times[-1]:.4f}.",
    ]


def _measure_output(output: Path, archives: Sequence[Path]) -> list[str]:
    """Return how large the output of the local engine is, for archives with each page once."""
    from tamis.scale import run_local

    rows = run_local([str(path) for path in archives], str(output), jobs=JOBS).rows
    size = sum(path.stat().st_size for path in output.glob("pages/*.parquet"))
    return [f"The output takes {size / rows:,.0f} bytes per page (zstd)."]


def _children() -> list[int]:
    children = []
    for path in Path(f"/proc/{os.getpid()}/task").glob("*/children"):
        children += [int(child) for child in path.read_text().split()]
    return children


def _resident(process: int) -> int:
    with suppress(OSError):
        for line in Path(f"/proc/{process}/status").read_text().splitlines():
            if line.startswith("VmRSS:"):
                return int(line.split()[1]) * 1024
    return 0
