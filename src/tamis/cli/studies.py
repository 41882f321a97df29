"""Studies of the lab that are more than methods on a data set: sites, storage, search, segments."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING

from tamis.cli.messages import say

if TYPE_CHECKING:
    from tamis.lab.datasets import Dataset
    from tamis.lab.tables import Table

STANDARD_OUTPUT = Path("-")
ARCHIVES = "warc"  # the folder of archives among the data sets


def sites_study(report: Path | None, data: Path | None) -> None:
    """Measure what learns from several pages of a site."""
    from tamis.lab.datasets import load
    from tamis.lab.studies.site_tables import sites_page, sites_tables
    from tamis.lab.studies.sites import study
    from tamis.lab.tables import json_text

    found = study(load("sites-dev"), say)
    html = sites_page(found) if report else ""
    hand_on(json_text(asdict(found)), sites_tables(found), html, report, data)


def storage_study(report: Path | None, data: Path | None) -> None:
    """Measure the room that pages of sites-dev and of archives take, and how fast pages are put."""
    from tamis.lab.datasets import known_sets, load
    from tamis.lab.studies.storage import archive_samples, samples, storage
    from tamis.lab.studies.store_tables import storage_figures, storage_tables
    from tamis.lab.tables import html_text, json_text

    bench = Path(os.environ.get("TAMIS_BENCH", ""))
    speed = load("wcxb-dev") if "wcxb-dev" in known_sets(bench) else None
    sets = {"sites-dev": lambda: samples(load("sites-dev"))}
    if (bench / ARCHIVES).is_dir():
        sets[ARCHIVES] = lambda: archive_samples(bench / ARCHIVES)
    found = storage(sets, speed, say)
    tables = storage_tables(found)
    html = html_text("tamis: storage", tables, storage_figures(found)) if report else ""
    hand_on(json_text(found.as_dict()), tables, html, report, data)


def search_study(report: Path | None, data: Path | None) -> None:
    """Measure how well known pages of wcxb-dev are found, and how fast."""
    from tamis.lab.datasets import load
    from tamis.lab.studies.large_store import user_stores
    from tamis.lab.studies.search import search, search_speed
    from tamis.lab.studies.store_tables import search_tables
    from tamis.lab.tables import html_text, json_text
    from tamis.lab.terminal import Progress

    pages, stores = load("wcxb-dev"), user_stores()
    found = search(pages, say)
    say(f"searching a store of {stores.pages:,} pages, which is made once and kept")
    with Progress(stores.work(pages)) as progress:
        found = replace(found, speed=search_speed(pages, stores, progress.advance))
    tables = search_tables(found)
    hand_on(json_text(found.as_dict()), tables, html_text("tamis: search", tables), report, data)


def segments_study(pages: Dataset, report: Path | None, data: Path | None) -> None:
    """Measure all segmenters on pages whose blocks people marked."""
    from tamis.lab.layouts import user_layouts
    from tamis.lab.studies.segmentation import measure_segments, segmentation_tables
    from tamis.lab.tables import html_text, tables_json
    from tamis.lab.terminal import Progress

    with Progress(len(pages.items)) as progress:
        measured = measure_segments(pages, user_layouts(), progress.advance)
    tables = segmentation_tables(measured)
    html = html_text(f"tamis on {pages.name}", tables)
    hand_on(tables_json(tables), tables, html, report, data)


def hand_on(
    plain: str, tables: Sequence[Table], html: str, report: Path | None, data: Path | None
) -> None:
    """Print a study, and write it where it is wanted: as JSON, and as a page."""
    from tamis.cli.files import write_target
    from tamis.cli.output import show_stdout, write_stdout
    from tamis.lab.tables import terminal_text

    if data == STANDARD_OUTPUT:
        write_stdout(plain)
    else:
        show_stdout(terminal_text(tables))
    if data is not None and data != STANDARD_OUTPUT:
        write_target(data, plain)
    if report is not None:
        write_target(report, html)
