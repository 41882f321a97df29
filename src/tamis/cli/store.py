"""`tamis store` and `tamis search`: the block store."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.messages import count_things, say
from tamis.cli.options import (
    build_fetch,
    check_url,
    drop_unset,
    from_list_option,
    inputs_argument,
    jobs_option,
    overwrite_option,
    page_options,
)
from tamis.errors import InputError, StoreError
from tamis.printing import printable

if TYPE_CHECKING:
    from tamis.store import Difference, Hit, Piece, Store

store_option = click.option(
    "--store",
    "-s",
    "location",
    default="tamis.db",
    envvar="TAMIS_STORE",
    show_envvar=True,
    show_default=True,
    help="File of the store, or postgresql://….",
)
json_option = click.option("--json", "as_json", is_flag=True, help="JSON for programs.")


@contextmanager
def _open_existing(location: str) -> Iterator[Store]:
    """Open a store that exists."""
    from tamis.store import Store

    with Store.open(location, create=False) as store:
        yield store


def _write(text: str) -> None:
    """Write to standard output."""
    from tamis.cli.sinks import write_stdout

    write_stdout(text)


def _show(text: str) -> None:
    """Write a table to standard output, with its colours."""
    from tamis.cli.sinks import show_stdout

    show_stdout(text)


@click.group()
def store() -> None:
    """Keep pages, every block once: with history, duplicates and search."""


@store.command()
@inputs_argument
@from_list_option
@store_option
@click.option(
    "--keep",
    type=click.Choice(("all", "content")),
    default="all",
    help="all gives pages back byte for byte (the default), content only informative blocks.",
)
@click.option(
    "--base",
    callback=check_url,
    help="What the URLs of files begin with: https://example.org/. (file:///… without it)",
)
@click.option("--resume", is_flag=True, help="Leave pages as they are that the store has.")
@jobs_option
@page_options
def add(
    inputs: tuple[str, ...],
    from_list: Path | None,
    location: str,
    keep: Any,
    base: str | None,
    resume: bool,
    jobs: int,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Store pages; one that was stored before gets a new version.

    A LIST is a file (.txt, .lst, .list) with one input per line.

    Each page is stored as a whole or not at all, and stays stored after Ctrl-C. The exit code is 0
    if all pages were stored, 1 if some could not be read (each is named), 2 if the store failed.
    """
    from tamis.cli.inputs import check_single_url, find_inputs
    from tamis.cli.runner import run
    from tamis.cli.sinks import StoreSink
    from tamis.cli.tasks import StoreTask

    pages = find_inputs(inputs, from_list, "store add")
    check_single_url(limits["url"], pages)
    if any(page.kind == "stdin" for page in pages) and not (base or limits["url"]):
        raise click.UsageError("a page on standard input has no address: give one with --url")
    task = StoreTask(
        "text",
        drop_unset(**limits),
        build_fetch(timeout, limits, allow_private=allow_private),
        many=True,
        store=location,
        keep=keep,
        base=base,
        resume=resume,
    )
    sys.exit(run(pages, task, StoreSink(task), jobs=jobs))


@store.command()
@click.argument("url")
@store_option
@click.option(
    "--format",
    "-f",
    "output_format",
    type=click.Choice(("text", "markdown", "html", "source", "json")),
    default="text",
    help="text (the default), markdown or html of the content; source of the page; json.",
)
@click.option("--version", "-v", type=int, default=-1, help="1 is the oldest, -1 the newest.")
def get(url: str, location: str, output_format: str, version: int) -> None:
    """Give a page back."""
    from tamis.store import export_row

    with _open_existing(location) as pages:
        page = pages.get(url, version)
        if page is None:
            raise _missing_page(url)
        if output_format == "source" and page.version.keep != "all":
            raise InputError(f"of {url} only the content was kept: ask for another format")
        if output_format == "source":
            _write(page.source.decode("utf-8", "replace"))
        elif output_format == "json":
            _write(json.dumps(export_row(page), ensure_ascii=False, indent=2) + "\n")
        else:
            _write(f"{getattr(page.document, output_format)}\n")


@store.command()
@store_option
@json_option
def stats(location: str, as_json: bool) -> None:
    """Show how much the store has of each site, and how much it saves."""
    from tamis.cli.tables import render_stats

    with _open_existing(location) as pages:
        statistics = pages.stats()
    if as_json:
        _write(_json_line(statistics.as_dict()))
    else:
        _show(render_stats(statistics))


@store.command()
@store_option
@click.option("--exact", is_flag=True, help="Only pages that say the very same.")
@click.option(
    "--least",
    type=click.FloatRange(0.5, 1.0),
    default=0.8,
    show_default=True,
    help="Share of threes of words that pages must have in common.",
)
@json_option
def duplicates(location: str, exact: bool, least: float, as_json: bool) -> None:
    """Show pages that say the same, or nearly the same."""
    with _open_existing(location) as pages:
        groups = pages.duplicates(near=not exact, min_similarity=least)
    for group in groups:
        if as_json:
            _write(_json_line({"exact": group.exact, "urls": list(group.urls)}))
        else:
            header = "the same" if group.exact else "nearly the same"
            _write("".join((f"{header}\n", *(f"  {printable(url)}\n" for url in group.urls))))
    if not groups:
        say("no two pages say the same")


@store.command()
@click.argument("url")
@store_option
@click.option("--diff", nargs=2, type=int, metavar="A B", help="What changed between two versions.")
@json_option
def history(url: str, location: str, diff: tuple[int, int] | None, as_json: bool) -> None:
    """Show the versions of a page, or what changed between two of them."""
    from tamis.cli.tables import render_history

    with _open_existing(location) as pages:
        if diff:
            difference = pages.diff(url, *diff)
            as_text = not as_json
            _write(_diff_lines(difference) if as_text else _json_line(_diff_dict(difference)))
            return
        versions = pages.history(url)
    if not versions:
        raise _missing_page(url)
    if as_json:
        _write("".join(_json_line(version.as_dict()) for version in versions))
    else:
        _show(render_history(versions))


@store.command()
@click.argument("output", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@click.option(
    "--format",
    "-f",
    "output_format",
    type=click.Choice(("jsonl", "parquet")),
    help="By default what the name of OUTPUT ends in.",
)
@click.option("--formats", default="", help="Columns beside the text: posts,comments.")
@click.option("--every", is_flag=True, help="All versions, not only the newest.")
@overwrite_option
def export(
    output: Path,
    location: str,
    output_format: str | None,
    formats: str,
    every: bool,
    overwrite: bool,
) -> None:
    """Write all pages to OUTPUT, as JSONL or Parquet by its name."""
    from tamis.cli.files import check_targets

    check_targets([output], [Path(location)], overwrite=overwrite)
    with _open_existing(location) as pages:
        names = tuple(name.strip() for name in formats.split(",") if name.strip())
        count = pages.export(output, output_format, all_versions=every, formats=names)
    say(f"wrote {count_things(count, 'page')} to {output}")


@store.command()
@click.argument("urls", nargs=-1, metavar="[URL TO DELETE] …")
@store_option
def gc(urls: tuple[str, ...], location: str) -> None:
    """Delete pages, if any are named, and throw away what no page needs any more."""
    with _open_existing(location) as pages:
        for url in urls:  # checked first, so that a wrong one deletes nothing
            if url not in pages:
                raise _missing_page(url)
        deleted = sum(map(pages.delete, urls))
        collected = pages.gc()
    pieces = count_things(collected.pieces, "piece")
    texts = count_things(collected.contents, "text")
    freed = count_things(collected.packed_bytes, "byte")
    pages_deleted = count_things(deleted, "page")
    say(f"deleted {pages_deleted}, threw away {pieces} and {texts}, {freed} of packs")


@click.command()
@click.argument("words", nargs=-1, required=True)
@store_option
@click.option("--site", help="Only pages of this host.")
@click.option("--since", help="Only pages of this day or later: 2026-01-31.")
@click.option("--until", help="Only pages of this day or earlier.")
@click.option("--type", "page_type", help="Only pages of this kind: article, forum, product, ….")
@click.option(
    "--limit", "-n", type=click.IntRange(1), default=10, show_default=True, help="Pages to show."
)
@json_option
def search(words: tuple[str, ...], location: str, as_json: bool, **filters: Any) -> None:
    """Search the informative blocks of the pages in a store.

    All words are wanted; if no page has all, pages with some are shown. Words in "quotes" stand
    side by side. The exit code is 1 if nothing is found.
    """
    with _open_existing(location) as pages:
        hits = pages.search(" ".join(words), **filters)
    for number, hit in enumerate(hits, 1):
        _write(_json_line(_hit_dict(hit)) if as_json else _hit_lines(number, hit))
    if not hits:
        say("nothing found")
        sys.exit(1)


def _diff_lines(difference: Difference) -> str:
    """Return what changed: one line per informative block, and the number of the others."""
    lines = []
    for sign, pieces in (("-", difference.removed), ("+", difference.added)):
        lines += [f"{sign} {printable(piece.text)}\n" for piece in pieces if piece.informative]
    noise = [_count_noise(difference.removed), _count_noise(difference.added)]
    in_both = f"{difference.kept} pieces are in both"
    lines.append(f"{in_both}; of noise {noise[0]} went, {noise[1]} came\n")
    return "".join(lines)


def _diff_dict(difference: Difference) -> dict[str, Any]:
    """Return what changed as plain data, noise included."""
    return {
        "before": difference.before.as_dict(),
        "after": difference.after.as_dict(),
        "removed": [_piece_dict(piece) for piece in difference.removed],
        "added": [_piece_dict(piece) for piece in difference.added],
        "kept": difference.kept,
    }


def _piece_dict(piece: Piece) -> dict[str, Any]:
    """Return a piece as plain data."""
    return {"id": piece.id, "informative": piece.informative, "text": piece.text}


def _count_noise(pieces: Sequence[Piece]) -> int:
    """Return how many pieces are noise."""
    return sum(not piece.informative for piece in pieces)


def _hit_lines(number: int, hit: Hit) -> str:
    """Return a hit: its title, URL, day, snippet and copies."""
    day = hit.published or hit.fetched_at.date()
    about = "  ".join(filter(None, (hit.url, str(day), hit.page_type)))
    lines = [f"{number}. {hit.title or hit.url}", f"   {about}", f"   {hit.snippet}"]
    lines += [f"   also at {url}" for url in hit.copies]
    return "".join(f"{printable(line)}\n" for line in lines)


def _hit_dict(hit: Hit) -> dict[str, Any]:
    """Return a hit as plain data."""
    return asdict(hit) | {
        "fetched_at": hit.fetched_at.isoformat(),
        "published": hit.published.isoformat() if hit.published else None,
    }


def _json_line(value: Any) -> str:
    """Return plain data as a line of JSON."""
    return json.dumps(value, ensure_ascii=False) + "\n"


def _missing_page(url: str) -> StoreError:
    """Return the error for a page that the store does not have."""
    return StoreError(f"{url} is not in the store: see `tamis search`, or export all")
