"""A job: inputs into an output folder, exactly once, on whatever engine runs its tasks.

An engine calls `process_input` for each input of `Job.remaining`, as often as it likes: the output
appears once and whole. It hands the reports to `Job.finish`, which counts what is in the folder.
"""

from __future__ import annotations

import json
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from dataclasses import asdict, dataclass, field, replace
from itertools import chain
from typing import Any, Final

import pyarrow as pa
import pyarrow.compute as pc

from tamis.errors import InputError, TamisError
from tamis.scale.batches import extract_batches
from tamis.scale.inputs import InputFile, find_inputs
from tamis.scale.options import Options
from tamis.scale.output import InputReport, OutputFolder
from tamis.scale.page_rows import page_schema
from tamis.scale.pages import PagePool
from tamis.scale.reading import InputReader
from tamis.scale.schema import output_schema
from tamis.source import printable_name

_MAX_CHECKED: Final = 100  # tables whose columns are looked at before any work
_MAX_SLOWEST: Final = 5


def process_input(
    source: InputFile, folder: OutputFolder, options: Options, pool: PagePool
) -> InputReport:
    """Extract all pages of an input into its output; an input that is there already is left so.

    Raises nothing that is the input's fault: its report says what was wrong with it. What cannot be
    written is an error, as it would be for the next input.
    """
    # One look at one file: to list a folder of a hundred thousand outputs takes long.
    before = folder.read_report(source.output_name)
    if before is not None and before.problem is None:
        return before
    started = time.monotonic()
    reader = InputReader(source, options)
    try:
        with closing(reader.batches()) as batches:
            first = next(batches, None)
            if first is not None or reader.problem is None:
                return _write_rows(reader, first, batches, folder, options, pool, started)
            problem = reader.problem
    except InputError as error:
        problem = str(error)
    except (TamisError, OSError):
        raise
    except Exception as error:  # of a library that reads inputs, whatever it is
        name = printable_name(source.location)
        problem = f"{name} cannot be extracted ({type(error).__name__}: {error})"
    seconds = round(time.monotonic() - started, 3)
    # What an earlier run could read of it is still there, and counts.
    return replace(before or InputReport(source.location), problem=problem, seconds=seconds)


def _write_rows(
    reader: InputReader,
    first: pa.RecordBatch | None,
    batches: Iterator[pa.RecordBatch],
    folder: OutputFolder,
    options: Options,
    pool: PagePool,
    started: float,
) -> InputReport:
    """Write the rows of an input, which may have none."""
    report = InputReport(reader.source.location)
    if first is None:
        schema = output_schema(page_schema(options, pa.binary()), options)
        rows: Iterator[pa.RecordBatch] = iter(())
    else:
        schema = output_schema(first.schema, options)
        rows = extract_batches(chain((first,), batches), options, pool=pool)
    failures: Counter[str] = Counter()
    name = reader.source.output_name
    count = 0
    with folder.open_output(name, schema) as writer:
        for batch in rows:
            writer.write(batch)
            count += batch.num_rows
            failures.update(_count_errors(batch))
        report = replace(
            report,
            rows=count,
            failures=dict(sorted(failures.items())),
            problem=reader.problem,
            seconds=round(time.monotonic() - started, 3),
            output=name,
        )
        writer.finish(report)
    return report


def _count_errors(batch: pa.RecordBatch) -> dict[str, int]:
    counts = pc.value_counts(batch.column("error_kind").drop_null()).to_pylist()
    return {entry["values"]: entry["counts"] for entry in counts}


@dataclass(frozen=True)
class Summary:
    """How a job ended: all inputs, whichever run has done them."""

    reports: tuple[InputReport, ...]
    done_before: int  # inputs that an earlier run has done
    seconds: float  # of this run
    new_rows: int  # of this run

    @property
    def rows(self) -> int:
        """The rows of all outputs."""
        return sum(report.rows for report in self.reports)

    @property
    def failures(self) -> dict[str, int]:
        """Pages that failed, by kind, the most frequent kind first."""
        counts: Counter[str] = Counter()
        for report in self.reports:
            counts.update(report.failures)
        return dict(counts.most_common())

    @property
    def problems(self) -> list[InputReport]:
        """The inputs that are to be tried again."""
        return [report for report in self.reports if report.problem is not None]

    @property
    def slowest(self) -> list[InputReport]:
        """The inputs that took longest."""
        ordered = sorted(self.reports, key=lambda report: -report.seconds)
        return ordered[:_MAX_SLOWEST]

    @property
    def pages_per_second(self) -> float:
        """The speed of this run."""
        return self.new_rows / self.seconds if self.seconds else 0.0

    def as_dict(self) -> dict[str, Any]:
        """Return the counts as plain data."""
        return {
            "inputs": len(self.reports),
            "inputs_with_problems": len(self.problems),
            "inputs_done_before": self.done_before,
            "pages": self.rows,
            "pages_failed": sum(self.failures.values()),
            "failures": self.failures,
            "seconds": round(self.seconds, 3),
            "pages_per_second": round(self.pages_per_second, 2),
            "slowest": [asdict(report) for report in self.slowest],
        }


@dataclass
class Job:
    """The inputs of a job, its output folder, and which inputs are left to do."""

    inputs: tuple[InputFile, ...]
    folder: OutputFolder
    options: Options
    remaining: tuple[InputFile, ...]
    _before: dict[str, InputReport]
    _started: float = field(default_factory=time.monotonic)

    @classmethod
    def plan(cls, arguments: Sequence[str], output: str, options: Options) -> Job:
        """Return the job of inputs; InputError before any work if a table lacks its columns."""
        inputs = tuple(find_inputs(arguments, options.base))
        tables = [source for source in inputs if source.kind in ("parquet", "jsonl")]
        for source in tables[:_MAX_CHECKED]:
            try:
                InputReader(source, options).check()
            except InputError as error:
                raise InputError(f"{source.location}: {error}") from error
        folder = OutputFolder.open(output, options)
        wanted = {source.output_name for source in inputs}
        reports = folder.read_reports(folder.names() & wanted)
        before = {name: report for name, report in reports.items() if report.problem is None}
        remaining = tuple(source for source in inputs if source.output_name not in before)
        return cls(inputs, folder, options, remaining, before)

    def finish(self, reports: Iterable[InputReport]) -> Summary:
        """Write the counts and the list of what to try again, and remove what is left over."""
        by_input = {report.input: report for report in (*self._before.values(), *reports)}
        missing = "it was not done: start the job again"
        all_reports = tuple(
            by_input.get(source.location, InputReport(source.location, problem=missing))
            for source in self.inputs
        )
        done_before = {report.input for report in self._before.values()}
        new_rows = sum(report.rows for report in all_reports if report.input not in done_before)
        seconds = time.monotonic() - self._started
        summary = Summary(all_reports, len(self._before), seconds, new_rows)
        failed = [
            {"input": report.input, "problem": report.problem, "rows": report.rows}
            for report in summary.problems
        ]
        lines = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in failed)
        with ExitStack() as stack:
            stack.callback(self.folder.remove_drafts)
            self.folder.write_text("failed.jsonl", lines)
            self.folder.write_text("summary.json", json.dumps(summary.as_dict(), indent=1) + "\n")
        return summary
