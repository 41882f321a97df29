"""Studies of the lab that are more than methods on a data set: sites, storage, search."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import click

STANDARD_OUTPUT = Path("-")


def sites_study(report: Path | None, data: Path | None) -> None:
    """Measure what learns from several pages of a site."""
    from tamis.cli.evaluate import written
    from tamis.evaluate.datasets import load
    from tamis.evaluate.sites.report import sites_page
    from tamis.evaluate.sites.study import study
    from tamis.evaluate.sites.tables import json_text, terminal

    found = study(load("sites-dev"), say)
    click.echo(json_text(found) if data == STANDARD_OUTPUT else terminal(found), nl=False)
    if data is not None and data != STANDARD_OUTPUT:
        written(data, json_text(found))
    if report is not None:
        written(report, sites_page(found))


def storage_study(report: Path | None, data: Path | None) -> None:
    """Measure the room that pages of sites-dev take, and how fast pages of wcxb-dev are put."""
    from tamis.evaluate.datasets import known_sets, load
    from tamis.evaluate.stores.storage import storage
    from tamis.evaluate.stores.tables import page, storage_figure, storage_grids

    there = known_sets(Path(os.environ.get("TAMIS_BENCH", "")))
    speed = load("wcxb-dev") if "wcxb-dev" in there else None
    found = storage(load("sites-dev"), speed, say)
    grids = storage_grids(found)
    html = page("Storage", grids, [storage_figure(found)]) if report else ""
    hand_on(found, grids, html, report, data)


def search_study(report: Path | None, data: Path | None) -> None:
    """Measure how well known pages of wcxb-dev are found, and how fast."""
    from tamis.evaluate.datasets import load
    from tamis.evaluate.stores.search import search
    from tamis.evaluate.stores.tables import page, search_grids

    found = search(load("wcxb-dev"), say)
    grids = search_grids(found)
    hand_on(found, grids, page("Search", grids), report, data)


def hand_on(found: Any, grids: Any, html: str, report: Path | None, data: Path | None) -> None:
    """Print a study, and write it where it is wanted."""
    from tamis.cli.evaluate import written
    from tamis.evaluate.stores.tables import json_text, terminal

    click.echo(json_text(found) if data == STANDARD_OUTPUT else terminal(grids), nl=False)
    if data is not None and data != STANDARD_OUTPUT:
        written(data, json_text(found))
    if report is not None:
        written(report, html)


def say(step: str) -> None:
    """Say what is done now."""
    click.echo(f"tamis: {step}", err=True)
