"""`tamis crawl`: from addresses to a store of clean pages."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from tamis.cli.messages import say
from tamis.cli.store import json_option, store_option
from tamis.printing import printable
from tamis.terminal import Column, Progress, Table

if TYPE_CHECKING:
    from tamis.crawl import Counts, Summary

_MAX_HOSTS: Final = 50  # that are shown
_MAX_REASONS: Final = 10
_MIN_HOST_WIDTH: Final = 24
_COUNTS: Final = ("pages", "new", "changed", "unchanged", "duplicates", "failed", "waiting")
_ALWAYS_SHOWN: Final = ("pages", "failed")  # the other counts only if they are not zero


class _CrawlGroup(click.Group):
    """A group whose first word may be an address: `tamis crawl https://…` is `crawl run`."""

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the first word names, `run` if it names none."""
        if args and args[0] in self.commands:
            return super().resolve_command(ctx, args)
        return super().resolve_command(ctx, ["run", *args])

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Leave options that stand before an address to `run`."""
        is_help = bool(args) and args[0] in ("-h", "--help")
        if args and args[0].startswith("-") and not is_help:
            args = ["run", *args]
        return super().parse_args(ctx, args)


@click.group(cls=_CrawlGroup)
def crawl() -> None:
    """Fetch the pages of sites into a store, politely.

    tamis crawl ADDRESS… is short for tamis crawl run ADDRESS…
    """


@crawl.command("run")
@click.argument("addresses", nargs=-1, required=True, metavar="ADDRESS…")
@store_option
@click.option("--query", "-q", help="Best first: pages that these words lead to.")
@click.option(
    "--scope",
    type=click.Choice(("page", "folder", "host", "domain")),
    default="host",
    show_default=True,
    help="Which links are followed.",
)
@click.option("--depth", type=click.IntRange(0), help="Links from a start address, at most.")
@click.option("--max-pages", type=click.IntRange(1), help="Pages of the crawl, at most.")
@click.option(
    "--delay",
    type=click.FloatRange(0),
    default=1.0,
    show_default=True,
    help="Seconds between two requests to a host, at least.",
)
@click.option("--sitemap", is_flag=True, help="Read sitemaps and feeds as well.")
@click.option(
    "--javascript",
    type=click.Choice(("auto", "never", "always")),
    default="never",
    show_default=True,
    help="Run the scripts of pages that need it, or of all, in a browser.",
)
@click.option("--warc", type=click.Path(file_okay=False), help="Write WARC files to this folder.")
@click.option(
    "--records", type=click.Path(dir_okay=False), help="Write records to this .parquet or .jsonl."
)
@click.option("--refresh", is_flag=True, help="Look again at pages that may have changed.")
@click.option("--allow-private", is_flag=True, help="Permit private and loopback addresses.")
@click.option("--user-agent", help="What the crawl calls itself.")
@click.option("--jobs", "-j", "workers", type=click.IntRange(1), help="Processes that read pages.")
@click.option(
    "--timeout",
    type=click.FloatRange(0, min_open=True),
    default=30.0,
    show_default=True,
    help="Seconds for one request.",
)
@json_option
def run(addresses: tuple[str, ...], location: str, as_json: bool, **options: Any) -> None:
    """Crawl from addresses into a store.

    The same command goes on where it was. Ctrl-C ends when what is in flight is done, a second one
    at once. The exit code is 0 if the crawl is complete, 1 if addresses failed, 2 for a mistake in
    the call or a store that cannot be written, 130 after Ctrl-C.
    """
    from tamis.cli.sinks import show_stdout, write_stdout
    from tamis.crawl import CrawlSettings, run_crawl

    given = {name: value for name, value in options.items() if value is not None}
    settings = CrawlSettings(addresses, location, **given)
    with Progress("crawl", settings.max_pages, unit="pages", clock="elapsed") as progress:
        summary = run_crawl(settings, lambda counts: _show(progress, counts))
    if as_json:
        write_stdout(json.dumps(summary.as_dict(), ensure_ascii=False) + "\n")
    else:
        show_stdout(_format_summary(summary))
    total = summary.total
    rate = summary.fetched / summary.seconds if summary.seconds else 0.0
    waiting = f", {total.waiting:,} waiting" if total.waiting else ""
    say(f"{summary.fetched:,} pages, {total.failed:,} failed{waiting}, {rate:.1f} pages/s")
    if any("is not a public address" in reason for reason in total.reasons):
        say("private addresses are refused: --allow-private permits them")
    if total.pages and not summary.fetched and not total.waiting:
        say("nothing was left to fetch: --refresh looks again at what may have changed")
    if summary.is_interrupted:
        say("interrupted: the same command goes on")
        sys.exit(130)
    sys.exit(1 if total.failed else 0)


@crawl.command()
@store_option
@json_option
@click.option("--failed", "is_failed", is_flag=True, help="List the addresses that failed.")
def status(location: str, as_json: bool, is_failed: bool) -> None:
    """Show how far the crawls of a store are, also while they run."""
    from tamis.cli.sinks import show_stdout, write_stdout
    from tamis.crawl import iterate_failures, read_status

    if is_failed:
        for url, reason in iterate_failures(location):
            row = json.dumps({"url": url, "reason": reason}, ensure_ascii=False)
            write_stdout(f"{row if as_json else f'{printable(reason)}  {printable(url)}'}\n")
        return

    summaries = read_status(location)
    if as_json:
        write_stdout(
            json.dumps([summary.as_dict() for summary in summaries], ensure_ascii=False) + "\n"
        )
        return
    for summary in summaries:
        started = f"{summary.started_at:%Y-%m-%d %H:%M}" if summary.started_at else ""
        at_work = f"{summary.crawlers} at work" if summary.crawlers else "not running"
        write_stdout(f"{' '.join(summary.addresses)}, begun {started}, {at_work}\n")
        show_stdout(_format_summary(summary))


def _format_summary(summary: Summary) -> str:
    """Return a summary as a table of hosts, and the reasons of failures below it."""
    total = summary.total
    names = [name for name in _COUNTS if name in _ALWAYS_SHOWN or getattr(total, name)]
    counts = (Column(name, "right", min_width=None) for name in (*names, "MB"))
    table = Table([Column("host", min_width=_MIN_HOST_WIDTH), *counts])
    hosts = summary.hosts[:_MAX_HOSTS]
    if len(summary.hosts) > 1:
        hosts = [*hosts, total]
    for host in hosts:
        cells = (f"{getattr(host, name):,}" for name in names)
        table.add_row(host.host, *cells, f"{host.bytes / 1e6:.1f}")
    reasons = total.reasons.most_common(_MAX_REASONS)
    lines = [f"{count:,} × {printable(reason)}\n" for reason, count in reasons]
    return table.render().rstrip("\n") + "\n" + "".join(lines)


def _show(progress: Progress, counts: Counts) -> None:
    """Show how far a crawl is."""
    rate = (counts.new + counts.changed + counts.unchanged) / max(counts.seconds, 0.1)
    status = (
        f"{rate:.1f} pages/s, {counts.waiting:,} waiting, {counts.failed:,} failed, "
        f"{counts.hosts:,} hosts"
    )
    progress.update(completed=counts.pages, status=status)
