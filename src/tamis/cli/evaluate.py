"""`tamis evaluate`: studies of the lab, and methods and peers on a data set."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import click

from tamis.cli.messages import say

if TYPE_CHECKING:
    from tamis.lab import Dataset, Study
    from tamis.lab.report import Report

_STANDARD_OUTPUT: Final = Path("-")
_MARKER: Final = "<!-- tamis evaluate -->"  # what stands below it in a Markdown file is replaced


@click.command()
@click.argument("dataset", metavar="DATASET|STUDY")
@click.option("--methods", "-m", help="Methods of tamis: a,b,… or all (the default) or none.")
@click.option(
    "--peers", "-p", help="Peers: a,b,… or all or none; by default resiliparse,trafilatura."
)
@click.option("--limit", "-n", type=click.IntRange(1), help="Pages, evenly spread over the set.")
@click.option("--site", help="Pages of this site only (studies that take it).")
@click.option("--only", help="Items of the study papers: a,b,… or how their names begin.")
@click.option("--report", type=click.Path(path_type=Path), help="HTML file for all figures.")
@click.option("--json", "data", type=click.Path(path_type=Path), help="JSON file, or - for stdout.")
@click.option(
    "--markdown", type=click.Path(path_type=Path), help="Markdown file for tables, or - for stdout."
)
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
@click.option("--no-cache", "fresh", is_flag=True, help="Measure again what the cache has.")
def evaluate(
    dataset: str,
    methods: str | None,
    peers: str | None,
    limit: int | None,
    site: str | None,
    only: str | None,
    report: Path | None,
    data: Path | None,
    markdown: Path | None,
    overwrite: bool,
    fresh: bool,
) -> None:
    """Measure methods, and peers side by side, on a data set, or run a study.

    DATASET is a folder with pages and a gold.jsonl (or .jsonl.gz), or the name of one in
    $TAMIS_BENCH. Two baselines run along: all text, and the largest block. Results are kept in the
    user's cache folder: a second run measures only what has changed. Ctrl-C keeps what was
    measured. The exit code is 0 after a complete run, 2 for a mistake in the call, 130 after
    Ctrl-C.

    STUDY is one of: papers (tables, figures and claims of the papers, theirs beside ours; --only
    names items), sites (what several pages of a site are good for, on sites-dev), storage (the
    bytes that pages take, on sites-dev), search (how well pages are found, on wcxb-dev), metadata
    (title, author and date, on wcxb-dev), speed, and others that docs/evaluate.md lists. A study
    takes --report, --json and --markdown, and says which other options it takes.
    """
    from tamis.cli.files import check_no_input, check_targets
    from tamis.lab import Log
    from tamis.lab.studies import STUDIES, study_dataset

    files = [path for path in (report, data, markdown) if path != _STANDARD_OUTPUT]
    study: Study
    if dataset in STUDIES and not Path(dataset).is_dir():
        options = {"methods": methods, "peers": peers, "limit": limit, "site": site, "fresh": fresh}
        options["only"] = only
        study = _build_study(dataset, {name: value for name, value in options.items() if value})
        check_targets(files, _bench_files(files), overwrite=overwrite)
    else:
        from tamis.lab import load

        if site:
            raise click.UsageError("--site is for studies that take it")
        if only:
            raise click.UsageError("--only is for the study papers")
        check_targets(files, overwrite=overwrite)
        pages = load(dataset)
        check_no_input(filter(None, files), dataset_files(dataset, pages))
        study = study_dataset(pages.spread(limit), methods, peers, fresh=fresh)
    _write_report(study.run(Log(say, quiet=False)), report, data, markdown)


def _build_study(name: str, options: dict[str, object]) -> Study:
    """Return a study with options; an error names those that it does not take."""
    from tamis.lab.studies import find_study, list_options

    study = find_study(name)
    for option in options.keys() - list_options(study):
        shown = {"fresh": "--no-cache"}.get(option, f"--{option}")
        raise click.UsageError(f"the study {name} takes no {shown}")
    return study(**options)


def _bench_files(paths: Iterable[Path | None]) -> list[Path]:
    """Return those of the files that are among the data sets, which studies read."""
    bench = os.environ.get("TAMIS_BENCH")
    if not bench:
        return []
    return [path for path in paths if path and path.resolve().is_relative_to(Path(bench).resolve())]


def dataset_files(name: str, pages: Dataset) -> list[Path]:
    """Return the files that a data set is read from."""
    from tamis.lab import find_folder, find_gold_file

    return [find_gold_file(find_folder(name)), *(item.path for item in pages.items)]


def _write_report(
    outcome: Report, report: Path | None, data: Path | None, markdown: Path | None
) -> None:
    """Print a report, and write it to files: as a page, as JSON, as Markdown.

    What goes to standard output as JSON or Markdown replaces the tables there.
    """
    from tamis.cli.files import write_target
    from tamis.cli.sinks import show_stdout, write_stdout
    from tamis.lab.report import render_html, render_json, render_markdown, render_text

    if _STANDARD_OUTPUT not in (data, markdown):
        show_stdout(render_text(outcome))
    for path, render in ((data, render_json), (markdown, render_markdown), (report, render_html)):
        if path == _STANDARD_OUTPUT and path is not report:
            write_stdout(render(outcome))
        elif path is markdown and path is not None:
            write_target(path, _place_below_marker(path, render(outcome)))
        elif path is not None:
            write_target(path, render(outcome))


def _place_below_marker(path: Path, text: str) -> str:
    """Return the new content of a Markdown file: what stands above its marker is kept."""
    old = path.read_text(encoding="utf-8") if path.is_file() else ""
    above, marker, _ = old.partition(_MARKER)
    return f"{above}{marker}\n{text}" if marker else text
