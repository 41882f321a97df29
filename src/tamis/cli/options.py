"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from tamis.source import Fetch

F = TypeVar("F", bound=Callable[..., Any])


def charset(_: click.Context, __: click.Parameter, label: str | None) -> str | None:
    """Return the label of a character set; one that nobody knows is a mistake."""
    if label is not None:
        from tamis.page import find_codec

        if find_codec(label) is None:
            raise click.BadParameter(f"{label!r} is no character set that browsers know")
    return label


def address(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    """Return the address of a page; one that makes no link absolute is a mistake."""
    if url is not None:
        from urllib.parse import urlsplit

        try:
            url.encode()  # not bytes that are no text
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if not (parts.scheme and (parts.hostname or parts.scheme == "file")):
            raise click.BadParameter(f"{url!r} is no whole address such as https://example.org/a")
    return url


def limit_options(function: F) -> F:
    """Add the options that bound the work on one page, and the one that names its address."""
    where = click.option(
        "--url", callback=address, help="Address of the page, to complete its links."
    )
    return with_options(function, [where, *bounds()])


def bound_options(function: F) -> F:
    """Add the options that bound the work on each of many pages."""
    return with_options(function, bounds())


def bounds() -> list[Callable[[F], F]]:
    """Return the options that bound the work on a page."""
    return [
        click.option("--charset", callback=charset, help="Character set, as HTTP would declare."),
        click.option(
            "--max-bytes",
            type=click.IntRange(1),
            help="Refuse larger pages (24 MiB; 20 MiB from a URL).",
        ),
        click.option(
            "--max-nodes", type=click.IntRange(1), help="Refuse pages of more nodes (400,000)."
        ),
        click.option(
            "--deadline",
            type=click.FloatRange(0.0),
            help="Seconds for one page, once it is read (30).",
        ),
        click.option(
            "--timeout", type=click.FloatRange(0.1), help="Seconds for fetching a URL (20)."
        ),
        click.option(
            "--allow-private", is_flag=True, help="Fetch from private and loopback addresses too."
        ),
    ]


def run_options(function: F) -> F:
    """Add the options for where the pages of a run go, and how."""
    many = "File, or folder (for many, or with a /)."
    return with_options(
        function,
        [
            click.option("--output", "-o", type=click.Path(), help=many),
            click.option(
                "--jobs", "-j", type=click.IntRange(1), default=1, help="Processes to work in (1)."
            ),
            click.option("--resume", is_flag=True, help="Go on where an earlier run ended."),
            click.option("--overwrite", is_flag=True, help="Replace an OUTPUT that exists."),
        ],
    )


def check_kept(*, resume: bool, overwrite: bool) -> None:
    """Raise an error if an output is both to be gone on with and replaced."""
    if resume and overwrite:
        raise click.UsageError("--resume keeps what --overwrite replaces; give one of the two")


def with_options(function: F, options: Sequence[Callable[[F], F]]) -> F:
    """Return a function with options in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def render_options(function: F) -> F:
    """Add the options that let a browser render pages first."""
    options = [
        click.option(
            "--javascript", is_flag=True, help="Run the page's scripts first, in Chromium."
        ),
        click.option("--live", is_flag=True, help="Let the rendered page load what it links to."),
    ]
    for option in reversed(options):
        function = option(function)
    return function


def given(**settings: Any) -> dict[str, Any]:
    """Return the options that the user gave; the others keep the defaults of what they set."""
    return {name: value for name, value in settings.items() if value is not None}


def fetch_of(timeout: float | None, limits: dict[str, Any], *, allow_private: bool) -> Fetch:
    """Return what fetches pages; a limit on bytes that the user raised is raised there too."""
    from tamis.source import Fetch

    known = given(timeout=timeout, max_bytes=limits["max_bytes"])
    return Fetch(**known, allow_private=allow_private)
