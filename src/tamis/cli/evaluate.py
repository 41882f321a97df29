"""`tamis evaluate`: methods and peers measured on a data set."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import click

from tamis.cli.messages import say
from tamis.cli.studies import search_study, segments_study, sites_study, storage_study

if TYPE_CHECKING:
    from tamis.lab.datasets import Dataset
    from tamis.lab.report.svg import Figure

STANDARD_OUTPUT = Path("-")


@click.command()
@click.argument("dataset", metavar="DATASET")
@click.option("--methods", "-m", help="Methods of tamis: a,b,… or all (the default) or none.")
@click.option(
    "--peers", "-p", help="Peers: a,b,… or all or none; by default resiliparse,trafilatura."
)
@click.option("--limit", "-n", type=click.IntRange(1), help="Pages, evenly spread over the set.")
@click.option("--report", type=click.Path(path_type=Path), help="HTML file for all figures.")
@click.option("--json", "data", type=click.Path(path_type=Path), help="JSON file, or - for stdout.")
@click.option("--overwrite", is_flag=True, help="Replace a REPORT or JSON file that exists.")
@click.option("--no-cache", "fresh", is_flag=True, help="Measure all anew, also what is known.")
def evaluate(
    dataset: str,
    methods: str | None,
    peers: str | None,
    limit: int | None,
    report: Path | None,
    data: Path | None,
    overwrite: bool,
    fresh: bool,
) -> None:
    """Measure methods, and peers side by side, on a data set.

    DATASET is a folder with pages and a gold.jsonl (or .jsonl.gz), or the name of one in
    $TAMIS_BENCH. Two baselines run along: all text, and the largest block. Results are kept in the
    user's cache folder: a second run measures only what has changed. Ctrl-C keeps what was
    measured. The exit code is 0 after a whole run, 2 for a mistake in the call, 130 after Ctrl-C.

    DATASET may also be the name of a study: sites (what several pages of a site are good for, on
    sites-dev), storage (the room that pages take, on sites-dev) or search (how well pages are
    found, on wcxb-dev); no other options but --report and --json.
    """
    from tamis.cli.files import check_no_input, check_targets, write_target

    targets = [report, data if data != STANDARD_OUTPUT else None]
    if dataset in STUDIES and not Path(dataset).is_dir():
        if methods or peers or limit or fresh:
            raise click.UsageError(f"the study {dataset} takes no options but --report and --json")
        check_targets(targets, in_bench(targets), overwrite=overwrite)
        STUDIES[dataset](report, data)
        return
    from tamis.cli.output import show_stdout, write_stdout
    from tamis.lab.cache import user_cache
    from tamis.lab.datasets import load
    from tamis.lab.run import check_measurable, evaluate
    from tamis.lab.summary import summary
    from tamis.lab.systems.choice import chosen_systems
    from tamis.lab.terminal import Progress, summary_json, tables

    check_targets(targets, overwrite=overwrite)
    whole = load(dataset)
    check_no_input(filter(None, targets), dataset_files(dataset, whole))
    pages = whole.spread(limit)
    if pages.truth == "segments":
        segments_study(pages, report, data)
        return
    check_measurable(pages)
    systems, missing = chosen_systems(methods, peers, pages)
    for reason in missing:
        say(f"left out: {reason}")
    if not systems:
        raise click.UsageError("nothing to measure: name --methods or --peers that are there")
    with Progress(len(pages.items) * len(systems)) as progress:
        results = evaluate(pages, systems, cache=user_cache(), fresh=fresh, told=progress.count)
    found = summary(results)
    if data == STANDARD_OUTPUT:
        write_stdout(summary_json(found))
    else:
        show_stdout(tables(found))
    if pages.truth == "records" and data != STANDARD_OUTPUT:
        from tamis.lab.studies.records import text_tables

        write_stdout(text_tables(results))
    if data is not None and data != STANDARD_OUTPUT:
        write_target(data, summary_json(found))
    if report is not None:
        from tamis.lab.report import report_page

        write_target(report, report_page(results, found, more_figures(pages)))


def more_figures(pages: Dataset) -> list[Figure]:
    """Return the plots that only a set of labelled blocks has, where they can be made."""
    from tamis.errors import Unavailable

    if pages.truth != "labelled":
        return []
    try:
        from tamis.lab.train import learning_curve_figure

        found = learning_curve_figure(pages)
    except Unavailable as error:
        say(f"left out: {error}")
        return []
    return [found] if found else []


# Studies that are more than methods on a data set, each by its name.
STUDIES: Mapping[str, Callable[[Path | None, Path | None], None]] = {
    "sites": sites_study,
    "storage": storage_study,
    "search": search_study,
}


def in_bench(paths: Iterable[Path | None]) -> list[Path]:
    """Return those of some files that are among the data sets, which studies read."""
    bench = os.environ.get("TAMIS_BENCH")
    known = [path for path in paths if bench and path is not None]
    return [path for path in known if path.resolve().is_relative_to(Path(bench or "").resolve())]


def dataset_files(name: str, pages: Dataset) -> list[Path]:
    """Return the files that a data set is read from."""
    from tamis.lab.datasets import found_folder, gold_file

    return [gold_file(found_folder(name)), *(item.path for item in pages.items)]
