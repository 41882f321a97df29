"""`tamis serve`, `tamis inspect` and `tamis mcp`: the service, its page, its tools."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from tamis.cli.messages import say, say_address
from tamis.cli.options import add_options

if TYPE_CHECKING:
    from tamis.serve import ServeSettings

_F = TypeVar("_F", bound=Callable[..., Any])
_MEGABYTE = 1 << 20


def _service_options(function: _F) -> _F:
    """Add what all three commands have in common."""
    return add_options(
        function,
        [
            click.option("--store", help="Store of pages: a file, or postgresql://…"),
            click.option(
                "--sites",
                type=click.Path(file_okay=False, path_type=Path),
                default=Path("tamis-sites"),
                show_default=True,
                help="Folder of site files, with what was learned and the rules.",
            ),
            click.option("--no-fetch", is_flag=True, help="Fetch no addresses."),
            click.option(
                "--allow-private", is_flag=True, help="Permit private and loopback addresses."
            ),
            click.option(
                "--no-render", is_flag=True, help="No screenshots, even if there is a Chromium."
            ),
            click.option(
                "--workers", "-j", type=click.IntRange(1), help="Processes that read pages (cores)."
            ),
            click.option(
                "--deadline",
                type=click.FloatRange(0.1),
                default=30.0,
                show_default=True,
                help="Seconds for one page.",
            ),
            click.option(
                "--memory",
                type=click.IntRange(16),
                default=2048,
                show_default=True,
                help="Megabytes that a page may take.",
            ),
        ],
    )


def _common_settings(
    *, no_fetch: bool, no_render: bool, memory: int, **others: Any
) -> dict[str, Any]:
    """Return the settings of a service from the options that all commands have."""
    return {
        "can_fetch": not no_fetch,
        "can_render": not no_render,
        "memory": memory * _MEGABYTE,
        **others,
    }


@click.command()
@click.option("--host", default="127.0.0.1", show_default=True, help="Address to listen on.")
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8642,
    show_default=True,
    help="Port to listen on; 0 takes any that is free.",
)
@click.option(
    "--token",
    "tokens",
    multiple=True,
    help="What clients must send; several are possible. Also in TAMIS_TOKEN, with spaces between.",
)
@click.option("--name", "names", multiple=True, help="Host name that clients may call it by.")
@click.option(
    "--cors", "origins", multiple=True, help="Origin whose pages may call: https://example.org."
)
@_service_options
@click.option(
    "--max-body", type=click.IntRange(1), default=24, show_default=True, help="Megabytes."
)
@click.option("--max-batch", type=click.IntRange(1), default=1000, show_default=True, help="Pages.")
@click.option(
    "--queue",
    "max_queue",
    type=click.IntRange(1),
    default=3,
    show_default=True,
    help="Pages per worker that wait or are worked on; beyond it the answer is 503.",
)
@click.option(
    "--per-token",
    "max_per_token",
    type=click.IntRange(1),
    default=64,
    show_default=True,
    help="Requests at once with one token.",
)
@click.option(
    "--body-timeout",
    type=click.FloatRange(0.1),
    default=30.0,
    show_default=True,
    help="Seconds that a client has to send its request.",
)
@click.option(
    "--drain-timeout",
    type=click.FloatRange(0),
    default=60.0,
    show_default=True,
    help="Seconds that requests under way have when the service is stopped.",
)
@click.option("--quiet", "-q", is_flag=True, help="Log no requests.")
def serve(
    tokens: tuple[str, ...], max_body: int, quiet: bool, names: tuple[str, ...], **options: Any
) -> None:
    """Serve pages over HTTP: the API, the inspector at /, tools for agents at /mcp.

    Without a token it listens on this machine only, and prints one that holds until it ends.
    SIGTERM and Ctrl-C end it when what is under way is done.
    """
    from tamis.serve import ServeSettings, run_server

    given = tokens or tuple(os.environ.get("TAMIS_TOKEN", "").split())
    settings = ServeSettings(
        tokens=given,
        names=names,
        max_body=max_body * _MEGABYTE,
        **_common_settings(**options),
    )
    run_server(settings, lambda url, used: _announce(url, used, is_new=not given), quiet=quiet)


def _announce(url: str, settings: ServeSettings, *, is_new: bool) -> None:
    """Print where the service is, and a token that was made for this run."""
    if is_new:
        say_address(f"{url}#token={settings.tokens[0]}")
        say(f"the token of this run: {settings.tokens[0]}")
    else:
        say(f"listening on {url}")
    if not settings.can_fetch:
        say("addresses are not fetched")
    sys.stderr.flush()


@click.command()
@click.argument("pages", nargs=-1, required=True, metavar="PAGE…")
@_service_options
@click.option("--url", help="Address of a page that is a file.")
@click.option("--port", type=click.IntRange(0, 65535), default=0, help="Port (any that is free).")
@click.option("--no-browser", is_flag=True, help="Print the address, and open no browser.")
def inspect(
    pages: tuple[str, ...], url: str | None, port: int, no_browser: bool, **options: Any
) -> None:
    """Look at pages in a browser: what is kept, why, and mend it.

    A PAGE is a file, an address, or - for standard input. Several pages of a site are opened
    together: a rule that is made on one is tried on the others. Ctrl-C ends it.
    """
    import webbrowser

    from tamis.serve import PageInput, ServeSettings, run_server
    from tamis.source import Failure, expand_inputs, read_pages

    settings = ServeSettings(port=port, **_common_settings(**options))
    opened = []
    for source in read_pages(
        expand_inputs(list(pages)), max_bytes=settings.max_body, fetch=settings.fetch
    ):
        if isinstance(source, Failure):
            raise source.error
        page = PageInput(source.data, source.url or url, source.charset)
        opened.append((page, source.name))

    def announce(address: str, used: ServeSettings) -> None:
        link = f"{address}#token={used.tokens[0]}"
        say_address(link)
        sys.stderr.flush()
        if not no_browser:
            webbrowser.open(link)

    run_server(settings, announce, opened=opened, quiet=True)


@click.command()
@_service_options
def mcp(**options: Any) -> None:
    """Serve tools for agents (MCP) over standard input and output.

    The tools read pages as Markdown, find text and records in them, and search a store. They only
    read, and sites that do not want robots are left alone.
    """
    from tamis.serve import ServeSettings, run_tools

    run_tools(ServeSettings(**_common_settings(**options)))
