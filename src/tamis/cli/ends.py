"""How a command ends: with an exit code, and a message where something went wrong."""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

import click

from tamis.cli.messages import say
from tamis.errors import DeadlineExceeded, RenderError, SourceError, TamisError, TooLarge
from tamis.printing import printable

WRITERS = {"click.utils", "rich.console", "tamis.cli.output"}  # modules that write to stdout


class Tamis(click.Group):
    """A group of commands in which a user's mistake is a message, never a traceback."""

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """Read the options, of which --help and --version write already."""
        with explained():
            return super().make_context(info_name, args, parent, **extra)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command."""
        with explained():
            return super().invoke(ctx)


# Not around all of click: it makes an error of a pipe that closes and of Ctrl-C by itself.
@contextmanager
def explained() -> Iterator[None]:
    """Make an error of the tree, or one of the system, a message and an exit code."""
    try:
        yield
    except TamisError as error:
        of_the_page = isinstance(error, (SourceError, TooLarge, DeadlineExceeded, RenderError))
        end(1 if of_the_page else 2, str(error))
    except click.ClickException as error:  # click prints it, with words that the user gave
        error.message = printable(error.message)  # type: ignore[misc]
        raise
    except BrokenPipeError:
        end(0)  # whoever read the output has enough
    except OSError as error:
        end(2, system_message(error))
    except KeyboardInterrupt:
        end(130, "interrupted")


def system_message(error: OSError) -> str:
    """Say what the system refused, and where; standard output has no name of its own."""
    from traceback import walk_tb

    what = refusal(error)
    through = {frame.f_globals.get("__name__") for frame, _ in walk_tb(error.__traceback__)}
    if through & WRITERS:
        return f"cannot write standard output: {what}"
    return f"{error.filename or 'the system refused something'}: {what}"


def refusal(error: OSError) -> str:
    """Say why the system refused something, and what to do where that is plain."""
    if error.errno == errno.ENOSPC:
        return "the disk is full; make room"
    return error.strerror or str(error)


def end(code: int, message: str | None = None) -> NoReturn:
    """End with a message; what could not be written is not tried once more at exit."""
    if message:
        say(message)
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
