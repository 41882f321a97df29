"""Options that several commands have."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tamis.cli.method_specs import MethodName, ParameterSetting

if TYPE_CHECKING:
    from tamis.source import Fetch

_F = TypeVar("_F", bound=Callable[..., Any])

FORMATS: Final = ("text", "markdown", "html", "json", "jsonl", "csv", "parquet")
_FORMAT_ALIASES: Final = {"md": "markdown", "txt": "text"}

inputs_argument = click.argument("inputs", nargs=-1, metavar="FILE|DIR|GLOB|WARC|LIST|URL|- …")
from_list_option = click.option(
    "--from-list", type=click.Path(path_type=Path), help="File with one input per line."
)
overwrite_option = click.option("--overwrite", is_flag=True, help="Replace an OUTPUT that exists.")


def _standard_output_as_none(
    _context: click.Context, _option: click.Parameter, target: str | None
) -> str | None:
    """Take `-o -` for standard output, as `-` is standard input elsewhere."""
    return None if target == "-" else target


def add_options(function: _F, options: Sequence[Callable[[_F], _F]]) -> _F:
    """Return a function with options in this order."""
    for option in reversed(options):
        function = option(function)
    return function


def format_option(help_text: str) -> Callable[[_F], _F]:
    """Return a decorator that adds the option for the output format."""
    return click.option(
        "--format",
        "-f",
        "output_format",
        type=click.Choice((*FORMATS, *_FORMAT_ALIASES)),
        callback=lambda _, __, name: _FORMAT_ALIASES.get(name, name),
        metavar=f"[{'|'.join(FORMATS)}]",
        help=help_text,
    )


def method_options(help_text: str) -> Callable[[_F], _F]:
    """Return a decorator that adds the options for the method."""
    path = click.Path(exists=True, dir_okay=False, path_type=Path)
    options = [
        click.option("--method", "-m", type=MethodName(), help=help_text),
        click.option(
            "--favor",
            type=click.Choice(("precision", "recall")),
            help="Keep fewer doubtful blocks, or more (learned method).",
        ),
        click.option("--model", type=path, help="Model of tamis train (learned or svm)."),
        click.option(
            "--set",
            "parameters",
            type=ParameterSetting(),
            multiple=True,
            help="Set a parameter of the method, such as tables=whole; tamis methods lists them.",
        ),
    ]
    return lambda function: add_options(function, options)


def page_options(function: _F) -> _F:
    """Add the limits on the work on one page, and its URL."""
    url = click.option("--url", callback=check_url, help="URL of the page, to complete its links.")
    return add_options(function, [url, *_limits()])


def limit_options(function: _F) -> _F:
    """Add the limits on the work on each of many pages."""
    return add_options(function, _limits())


def run_options(function: _F) -> _F:
    """Add the options of a run over many pages: where they go, and how."""
    return add_options(
        function,
        [
            click.option(
                "--output",
                "-o",
                type=click.Path(),
                callback=_standard_output_as_none,
                help="File, whose ending sets the format, or folder (with a / at its end).",
            ),
            jobs_option,
            click.option("--resume", is_flag=True, help="Go on where an earlier run ended."),
            overwrite_option,
        ],
    )


jobs_option = click.option(
    "--jobs", "-j", type=click.IntRange(1), default=1, help="Processes to work in (1)."
)


def render_options(function: _F) -> _F:
    """Add the options that let a browser render pages first."""
    return add_options(
        function,
        [
            click.option(
                "--javascript", is_flag=True, help="Run the page's scripts first, in Chromium."
            ),
            click.option(
                "--live", is_flag=True, help="Let the rendered page load what it links to."
            ),
        ],
    )


def _limits() -> list[Callable[[_F], _F]]:
    return [
        click.option(
            "--charset", callback=_check_charset, help="Character set, as HTTP would declare."
        ),
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


def _check_charset(_: click.Context, __: click.Parameter, label: str | None) -> str | None:
    """Return the label of a character set; an unknown one is a mistake."""
    if label is not None:
        from tamis.page import find_codec

        if find_codec(label) is None:
            raise click.BadParameter(f"{label!r} is no character set that browsers know")
    return label


def check_url(_: click.Context, __: click.Parameter, url: str | None) -> str | None:
    """Return the URL of a page; one that makes no link absolute is a mistake."""
    if url is not None:
        from urllib.parse import urlsplit

        try:
            url.encode()  # an error for bytes that are no text
            parts = urlsplit(url)
        except ValueError:
            parts = urlsplit("")
        if not (parts.scheme and (parts.hostname or parts.scheme == "file")):
            raise click.BadParameter(f"{url!r} is no whole address such as https://example.org/a")
    return url


def check_resume(*, resume: bool, overwrite: bool) -> None:
    """Raise an error if an output is to be both continued and replaced."""
    if resume and overwrite:
        raise click.UsageError("--resume keeps what --overwrite replaces; give one of the two")


def drop_unset(**settings: Any) -> dict[str, Any]:
    """Return the options that the user gave; the others keep their defaults."""
    return {name: value for name, value in settings.items() if value is not None}


def build_fetch(timeout: float | None, limits: dict[str, Any], *, allow_private: bool) -> Fetch:
    """Return what fetches pages; a limit on bytes that the user set applies there too."""
    from tamis.source import Fetch

    settings = drop_unset(timeout=timeout, max_bytes=limits["max_bytes"])
    return Fetch(**settings, allow_private=allow_private)
