"""`tamis store` and `tamis search`: the block store."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tamis.cli.messages import say
from tamis.cli.options import address, fetch_of, given, limit_options
from tamis.errors import InputError, StoreError
from tamis.printing import printable

if TYPE_CHECKING:
    from tamis.store import Store

F = TypeVar("F", bound=Callable[..., Any])

DEFAULT = "tamis.db"


def store_option(function: F) -> F:
    """Add the option that names the store."""
    return click.option(
        "--store",
        "-s",
        "place",
        default=DEFAULT,
        envvar="TAMIS_STORE",
        show_envvar=True,
        show_default=True,
        help="File of the store, or postgresql://….",
    )(function)


json_option = click.option("--json", "as_json", is_flag=True, help="JSON for programs.")


@contextmanager
def opened(place: str) -> Iterator[Store]:
    """Open a store that is there."""
    from tamis.store import Store

    with Store.open(place, create=False) as store:
        yield store


def put_out(text: str) -> None:
    """Write to standard output; what that takes is imported now."""
    from tamis.cli.output import put_out

    put_out(text)


@click.group()
def store() -> None:
    """Keep pages, every block once: with history, duplicates and search."""


@store.command()
@click.argument("inputs", nargs=-1, metavar="FILE|DIR|GLOB|WARC|LIST|URL|- …")
@click.option("--from-list", type=click.Path(path_type=Path), help="File with one input a line.")
@store_option
@click.option(
    "--keep",
    type=click.Choice(("all", "content")),
    default="all",
    help="all gives pages back byte for byte (the default), content only informative blocks.",
)
@click.option(
    "--base",
    callback=address,
    help="What the addresses of files begin with: https://example.org/. (file:///… without it)",
)
@click.option("--resume", is_flag=True, help="Leave pages as they are that the store has.")
@click.option("--jobs", "-j", type=click.IntRange(1), default=1, help="Processes to work in (1).")
@limit_options
def add(
    inputs: tuple[str, ...],
    from_list: Path | None,
    place: str,
    keep: Any,
    base: str | None,
    resume: bool,
    jobs: int,
    timeout: float | None,
    allow_private: bool,
    **limits: Any,
) -> None:
    """Store pages; one that was stored before gets a new version.

    A LIST is a file (.txt, .lst, .list) with one input a line.

    Each page is stored as a whole or not at all, and stays stored after Ctrl-C. The exit code is 0
    if all pages were stored, 1 if some could not be read (each is named), 2 if the store failed.
    """
    from tamis.cli.items import check_one_address, named_places
    from tamis.cli.storing import StoreJob
    from tamis.cli.storing import add as add_all

    places = named_places(inputs, from_list, "store add")
    check_one_address(limits["url"], places)
    if any(one.kind == "stdin" for one in places) and not (base or limits["url"]):
        raise click.UsageError("a page on standard input has no address: give one with --url")
    job = StoreJob(
        "text",
        given(**limits),
        fetch_of(timeout, limits, allow_private=allow_private),
        many=True,
        store=place,
        keep=keep,
        base=base,
        resume=resume,
    )
    sys.exit(add_all(places, job, jobs))


@store.command()
@click.argument("url")
@store_option
@click.option(
    "--format",
    "-f",
    "form",
    type=click.Choice(("text", "markdown", "html", "source", "json")),
    default="text",
    help="text (the default), markdown or html of the content; source of the page; json.",
)
@click.option("--version", "-v", type=int, default=-1, help="1 is the oldest, -1 the newest.")
def get(url: str, place: str, form: str, version: int) -> None:
    """Give a page back."""
    from tamis.store import export_row

    with opened(place) as pages:
        page = pages.get(url, version)
        if page is None:
            raise missing(url)
        if form == "source" and page.version.keep != "all":
            raise InputError(f"of {url} only the content was kept: ask for another format")
        if form == "source":
            put_out(page.source.decode("utf-8", "replace"))
        elif form == "json":
            put_out(json.dumps(export_row(page), ensure_ascii=False, indent=2) + "\n")
        else:
            put_out(f"{getattr(page.document, form)}\n")


@store.command()
@store_option
@json_option
def stats(place: str, as_json: bool) -> None:
    """Tell how much the store holds of each site, and how much it saves."""
    from tamis.cli.storetables import stats_table

    with opened(place) as pages:
        found = pages.stats()
    put_out(as_lines(found.as_dict()) if as_json else stats_table(found))


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
def duplicates(place: str, exact: bool, least: float, as_json: bool) -> None:
    """Show pages that say the same, or nearly the same."""
    with opened(place) as pages:
        groups = pages.duplicates(near=not exact, min_similarity=least)
    for group in groups:
        if as_json:
            put_out(as_lines({"exact": group.exact, "urls": list(group.urls)}))
        else:
            said = "the same" if group.exact else "nearly the same"
            put_out("".join((f"{said}\n", *(f"  {printable(url)}\n" for url in group.urls))))
    if not groups:
        say("no two pages say the same")


@store.command()
@click.argument("url")
@store_option
@click.option("--diff", nargs=2, type=int, metavar="A B", help="What changed between two versions.")
@json_option
def history(url: str, place: str, diff: tuple[int, int] | None, as_json: bool) -> None:
    """Show the versions of a page, or what changed between two of them."""
    from tamis.cli.storetables import diff_dict, diff_lines, history_table

    with opened(place) as pages:
        if diff:
            found = pages.diff(url, *diff)
            put_out(as_lines(diff_dict(found)) if as_json else diff_lines(found))
            return
        versions = pages.history(url)
    if not versions:
        raise missing(url)
    if as_json:
        put_out("".join(as_lines(version.as_dict()) for version in versions))
    else:
        put_out(history_table(versions))


@store.command()
@click.argument("output", type=click.Path(path_type=Path, dir_okay=False))
@store_option
@click.option("--format", "-f", "form", type=click.Choice(("jsonl", "parquet")))
@click.option("--every", is_flag=True, help="All versions, not only the newest.")
@click.option("--overwrite", is_flag=True, help="Replace an OUTPUT that exists.")
def export(output: Path, place: str, form: str | None, every: bool, overwrite: bool) -> None:
    """Write all pages to OUTPUT, as JSONL or Parquet by its name."""
    from tamis.cli.names import counted
    from tamis.cli.targets import check_targets

    check_targets([output], [Path(place)], overwrite=overwrite)
    with opened(place) as pages:
        count = pages.export(output, form, all_versions=every)
    say(f"wrote {counted(count, 'page')} to {output}")


@store.command()
@click.argument("urls", nargs=-1, metavar="[URL TO DELETE] …")
@store_option
def gc(urls: tuple[str, ...], place: str) -> None:
    """Delete pages, if any are named, and throw away what no page needs any more."""
    from tamis.cli.names import counted

    with opened(place) as pages:
        for url in urls:  # all of them first, so that a wrong one deletes nothing
            if url not in pages:
                raise missing(url)
        deleted = sum(map(pages.delete, urls))
        found = pages.gc()
    pieces, texts = counted(found.pieces, "piece"), counted(found.contents, "text")
    room = counted(found.packed_bytes, "byte")
    said = f"deleted {counted(deleted, 'page')}, threw away {pieces} and {texts}, {room} of packs"
    say(said)


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
def search(words: tuple[str, ...], place: str, as_json: bool, **chosen: Any) -> None:
    """Search the informative blocks of the pages in a store.

    All words are wanted; if no page has all, pages with some are shown. Words in "quotes" stand
    side by side. The exit code is 1 if nothing is found.
    """
    from tamis.cli.storetables import hit_dict, hit_lines

    with opened(place) as pages:
        hits = pages.search(" ".join(words), **chosen)
    for number, hit in enumerate(hits, 1):
        put_out(as_lines(hit_dict(hit)) if as_json else hit_lines(number, hit))
    if not hits:
        say("nothing found")
        sys.exit(1)


def as_lines(data: Any) -> str:
    """Return plain data as a line of JSON."""
    return json.dumps(data, ensure_ascii=False) + "\n"


def missing(url: str) -> StoreError:
    """Return the error for a page that the store does not have."""
    return StoreError(f"{url} is not in the store: see `tamis search`, or export all")
