"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

F = TypeVar("F", bound=Callable[..., Any])


def charset(_: click.Context, __: click.Parameter, label: str | None) -> str | None:
    """Return the label of a character set; one that nobody knows is a mistake."""
    if label is not None:
        from tamis.page.decode import codec_of

        if codec_of(label) is None:
            raise click.BadParameter(f"{label!r} is no character set that browsers know")
    return label


def address(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    """Return the address of a page; one that makes no link absolute is a mistake."""
    if url is not None:
        from urllib.parse import urlsplit

        try:
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if not (parts.scheme and (parts.hostname or parts.scheme == "file")):
            raise click.BadParameter(f"{url!r} is no whole address such as https://example.org/a")
    return url


def limit_options(function: F) -> F:
    """Add the options that bound the work on one page."""
    options = [
        click.option("--charset", callback=charset, help="Character set, as HTTP would declare."),
        click.option("--url", callback=address, help="Address of the page, to complete its links."),
        click.option("--max-bytes", type=click.IntRange(1), help="Refuse larger pages."),
        click.option("--max-nodes", type=click.IntRange(1), help="Refuse pages of more nodes."),
        click.option("--deadline", type=click.FloatRange(0.0), help="Seconds for one page."),
        click.option("--timeout", type=click.FloatRange(0.1), help="Seconds for fetching a URL."),
        click.option(
            "--allow-private", is_flag=True, help="Fetch from private and loopback addresses too."
        ),
    ]
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


def fetching(timeout: float | None, limits: dict[str, Any]) -> dict[str, Any]:
    """Return the options for fetching; a limit on bytes that was raised is raised there too."""
    return given(timeout=timeout, max_bytes=limits["max_bytes"])
