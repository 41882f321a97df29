"""`tamis scale`: many inputs into one Parquet file each, on one machine or on a cluster."""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tamis.cli.messages import count_things, describe_problem, say
from tamis.cli.method_specs import MethodName
from tamis.cli.options import add_options
from tamis.errors import TamisError
from tamis.terminal import Column, Progress, Table

if TYPE_CHECKING:
    from tamis.scale import Options, Summary

_F = TypeVar("_F", bound=Callable[..., Any])
_SLOW: Final = 1.0  # seconds; an input without pages that took less is not among the slowest
_MAX_PROBLEMS: Final = 10  # that are shown; failed.jsonl has all
_INTERRUPTED: Final = 130  # exit code
_MIN_PAUSE: Final = 1.0  # seconds between two looks at the output
_PAUSE_SHARE: Final = 20.0  # of the time that a look takes: a store of objects takes long


@click.group()
def scale() -> None:
    """Extract millions of pages: one Parquet file per input, exactly once.

    The same command goes on where it was, and tries again what failed.
    """


def _job_options(function: _F) -> _F:
    """Add what all engines take."""
    options = [
        click.argument("inputs", nargs=-1, required=True, metavar="INPUT…"),
        click.option("--output", "-o", required=True, help="Folder for the output, or s3://…"),
        click.option(
            "--formats",
            default="",
            help="Columns beside the text: markdown,records,posts,comments.",
        ),
        click.option("--method", "-m", type=MethodName(), help="Method; tamis methods lists all."),
        click.option("--limit", "-n", type=click.IntRange(1), help="Pages of each input, at most."),
        click.option("--html-column", help="Column with the HTML of tables (html)."),
        click.option("--base", help="What the file names in lists and indexes begin with."),
        click.option(
            "--deadline", type=click.FloatRange(0, min_open=True), help="Seconds for one page (30)."
        ),
        click.option("--memory", type=click.IntRange(1), help="MB that a page may use (2048)."),
        click.option("--json", "as_json", is_flag=True, help="Print the summary as JSON."),
    ]
    return add_options(function, options)


@scale.command()
@_job_options
@click.option("--jobs", "-j", type=click.IntRange(1), help="Pages at a time (the cores).")
def local(inputs: tuple[str, ...], output: str, jobs: int | None, **settings: Any) -> None:
    """Run on this machine.

    INPUT is a WARC or ARC archive, a Parquet or JSON-lines file with a column of HTML, an index of
    Common Crawl (Parquet, .cdxj), an HTML file, a folder or a pattern of these, or a list
    (.txt, .paths, also .gz) of them: paths, s3:// and https:// URLs.

    The exit code is 0 if all inputs are done, 1 if some are not, 2 for a mistake in the call, 130
    after Ctrl-C. Pages that failed are rows with their error.
    """
    from tamis.scale import run_local

    as_json, options = _build_options(settings)
    with _watch(inputs, output, options):
        summary = run_local(inputs, output, options, jobs=jobs)
    _report(summary, output, as_json=as_json)


@scale.command()
@_job_options
@click.option("--master", help="Spark's master (all cores of this machine).")
def spark(inputs: tuple[str, ...], output: str, master: str | None, **settings: Any) -> None:
    """Run on Spark, one task for each input; tamis scale local -h tells about inputs."""
    from tamis.scale import spark as engine

    as_json, options = _build_options(settings)
    with _watch(inputs, output, options):
        summary = engine.run_spark(inputs, output, options, master=master)
    _report(summary, output, as_json=as_json)


@scale.command()
@_job_options
@click.option("--address", help="Address of a Ray cluster (one is started on this machine).")
def ray(inputs: tuple[str, ...], output: str, address: str | None, **settings: Any) -> None:
    """Run on Ray, one task for each input; tamis scale local -h tells about inputs."""
    from tamis.scale import ray as engine

    as_json, options = _build_options(settings)
    with _watch(inputs, output, options):
        summary = engine.run_ray(inputs, output, options, address=address)
    _report(summary, output, as_json=as_json)


def _build_options(settings: dict[str, Any]) -> tuple[bool, Options]:
    """Return whether the summary is wanted as JSON, and the options of the job."""
    from tamis.scale import Options

    as_json = settings.pop("as_json")
    names = (name.strip() for name in settings["formats"].split(","))
    settings["formats"] = tuple(name for name in names if name)
    if settings["memory"] is not None:
        settings["memory"] <<= 20
    return as_json, Options(
        **{name: value for name, value in settings.items() if value is not None}
    )


@contextmanager
def _watch(inputs: tuple[str, ...], output: str, options: Options) -> Iterator[None]:
    """Show how many outputs there are while a job runs, whatever engine runs it."""
    ended = threading.Event()
    try:
        with Progress("extracting", unit="inputs", clock="elapsed") as progress:
            if progress.is_bar_possible:
                arguments = (progress, inputs, output, options, ended)
                threading.Thread(target=follow_job, args=arguments, daemon=True).start()
            yield
    except KeyboardInterrupt:
        say("interrupted: the same command goes on")
        sys.exit(_INTERRUPTED)
    finally:
        ended.set()


def follow_job(
    progress: Progress,
    inputs: tuple[str, ...],
    output: str,
    options: Options,
    ended: threading.Event,
) -> None:
    """Show which outputs are there, and what is in them, until the job has ended."""
    from tamis.scale import OutputFolder, find_inputs

    with suppress(TamisError, OSError):  # the job itself says what is wrong
        names = {source.output_name for source in find_inputs(inputs, options.base)}
        progress.update(total=len(names))
        folder = OutputFolder(output)
        reports = folder.read_reports(folder.names() & names)
        pages_before, started = sum(report.rows for report in reports.values()), time.monotonic()
        is_ended = False
        while not is_ended:
            looked = time.monotonic()
            reports |= folder.read_reports((folder.names() & names) - reports.keys())
            pages = sum(report.rows for report in reports.values())
            failed = sum(report.failed for report in reports.values())
            now = time.monotonic()
            rate = (pages - pages_before) / max(now - started, 0.001)
            status = f"{count_things(pages, 'page')}, {failed:,} failed, {rate:,.1f}/s"
            progress.update(completed=len(reports), status=status)
            is_ended = ended.wait(max(_MIN_PAUSE, _PAUSE_SHARE * (now - looked)))


def _report(summary: Summary, output: str, *, as_json: bool) -> None:
    """Print the summary, and exit with a code."""
    from tamis.cli.sinks import show_stdout, write_stdout

    if as_json:
        write_stdout(json.dumps(summary.as_dict(), ensure_ascii=False) + "\n")
    else:
        show_stdout(_format_summary(summary))
    for report in summary.problems[:_MAX_PROBLEMS]:
        say(describe_problem(report.input, str(report.problem)))
    if (more := len(summary.problems) - _MAX_PROBLEMS) > 0:
        say(f"{count_things(more, 'input')} more with problems: {output.rstrip('/')}/failed.jsonl")
    failed = sum(summary.failures.values())
    parts = [
        count_things(summary.rows, "page"),
        f"{failed:,} failed",
        count_things(len(summary.reports), "input"),
        f"{len(summary.problems):,} with problems",
        f"{summary.pages_per_second:,.1f} pages/s",
    ]
    if summary.done_before:
        parts.append(f"{count_things(summary.done_before, 'input')} done before")
    say(", ".join(parts))
    sys.exit(1 if summary.problems else 0)


def _format_summary(summary: Summary) -> str:
    """Return the slowest inputs and the failures by kind, as tables; nothing if there are none."""
    numbers = [Column(name, "right", min_width=None) for name in ("pages", "s")]
    slowest = Table([Column("slowest inputs"), *numbers])
    for report in summary.slowest:
        if report.rows or report.seconds >= _SLOW:
            slowest.add_row(report.input, f"{report.rows:,}", f"{report.seconds:,.1f}")
    failures = Table([Column("failed pages by kind"), numbers[0]])
    for kind, count in summary.failures.items():
        failures.add_row(kind, f"{count:,}")
    return "\n".join(table.render() for table in (slowest, failures) if table.row_count)
