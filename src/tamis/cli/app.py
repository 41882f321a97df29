"""The `tamis` command: its subcommands, and how it ends.

A command ends with an exit code, and with a message if something went wrong. Each subcommand is a
file, which imports what it needs when it runs: `tamis --help` loads nothing else.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Final, NoReturn

import click

from tamis.cli.blocks import blocks
from tamis.cli.crawl import crawl
from tamis.cli.evaluate import evaluate
from tamis.cli.extract import extract
from tamis.cli.messages import explain_system_error, say
from tamis.cli.methods import methods
from tamis.cli.records import records
from tamis.cli.scale import scale
from tamis.cli.serve import inspect, mcp, serve
from tamis.cli.site import site
from tamis.cli.store import search, store
from tamis.cli.train import train
from tamis.errors import DeadlineExceeded, RenderError, SourceError, TamisError, TooLarge
from tamis.printing import printable

_MISTAKE: Final = 2  # exit codes
_FAILED: Final = 1
_INTERRUPTED: Final = 130
_HELP: Final = getattr(click.exceptions, "NoArgsIsHelpError", ())  # not in click 8.1
# Modules that write to standard output.
_WRITERS: Final = {"click.utils", "rich.console", "tamis.cli.sinks"}


class _Group(click.Group):
    """A group of commands in which a user's mistake is a message, never a traceback."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the options, of which --help and --version already write."""
        with _exit_on_errors():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with _exit_on_errors():
            return super().invoke(ctx)


def _print_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from tamis import __version__

        click.echo(f"tamis {__version__}")
        ctx.exit()


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_print_version,
    help="Show the version and exit.",
)
def tamis() -> None:
    """Cut web pages into blocks and tell the informative ones from the noise."""


for _command in (
    extract,
    blocks,
    records,
    methods,
    evaluate,
    site,
    search,
    store,
    crawl,
    scale,
    serve,
    inspect,
    mcp,
    train,
):
    tamis.add_command(_command)


# Not around all of click: click itself handles a closed pipe and Ctrl-C there.
@contextmanager
def _exit_on_errors() -> Iterator[None]:
    """Turn an error of tamis or of the system into a message and an exit code."""
    try:
        yield
    except TamisError as error:
        is_about_page = isinstance(error, (SourceError, TooLarge, DeadlineExceeded, RenderError))
        _exit(_FAILED if is_about_page else _MISTAKE, str(error))
    except click.ClickException as error:  # click prints it, with words that the user gave
        if not isinstance(error, _HELP):  # whose lines are click's own
            error.message = printable(error.message)  # type: ignore[misc]
        raise
    except BrokenPipeError:
        _exit(0)  # the reader of the output has enough
    except OSError as error:
        _exit(_MISTAKE, _describe_system_error(error))
    except KeyboardInterrupt:
        _exit(_INTERRUPTED, "interrupted")


def _describe_system_error(error: OSError) -> str:
    """Return what the system refused, and where; standard output has no file name."""
    from traceback import walk_tb

    reason = explain_system_error(error)
    modules = {frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__)}
    if modules & _WRITERS:
        return f"cannot write standard output: {reason}"
    return f"{error.filename or 'the system refused something'}: {reason}"


def _exit(code: int, message: str | None = None) -> NoReturn:
    """Exit with a message; Python does not try again to write what could not be written."""
    if message:
        say(message)
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)


class _ClosedStream(io.TextIOBase):
    """A stream that raises an error when something is written to it."""

    def write(self, text: str, /) -> NoReturn:
        """Raise the error of a closed file."""
        raise OSError(errno.EBADF, "it is closed")


def replace_closed_streams() -> None:
    """Replace standard streams that were closed before the start, which are None in Python.

    Output that goes nowhere is an error; messages that go nowhere are not.
    """
    if sys.stdout is None:
        sys.stdout = _ClosedStream()
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115 - open to the end
