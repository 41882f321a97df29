"""Messages for people, on standard error: problems of pages, counts, errors of the system."""

from __future__ import annotations

import errno
import re

import click

from tamis.printing import printable


def say(message: str) -> None:
    """Print a message on a line of its own; nothing in it can control a terminal."""
    click.echo(f"tamis: {printable(message)}", err=True)


def say_address(address: str) -> None:
    """Print an address alone on its line, to be opened or copied."""
    click.echo(printable(address), err=True)


def describe_problem(name: str, problem: str) -> str:
    """Return a problem with the name of its page, unless it begins with the name or path."""
    kinds = "folder |pattern |no file matches "
    if not name or re.match(rf"({kinds})?(.*/)?{re.escape(name)}[ :]", problem, re.DOTALL):
        return printable(problem)
    return f"{printable(name)}: {printable(problem)}"


def count_things(count: int, noun: str) -> str:
    """Return a number with a noun, in the plural if need be: "1 page", "1,200 pages"."""
    return f"{count:,} {noun}{'s' * (count != 1)}"


def explain_system_error(error: OSError) -> str:
    """Return why the system refused something, with what to do where that is clear."""
    if error.errno == errno.ENOSPC:
        return "the disk is full; make room"
    reason = error.strerror or str(error)
    return reason.rpartition("] ")[2] if "Detail: [errno" in reason else reason  # pyarrow's words
