"""Messages for people, on standard error."""

from __future__ import annotations

import click

from tamis.printing import printable


def say(message: str) -> None:
    """Print a message on a line of its own, in which nothing commands a terminal."""
    click.echo(f"tamis: {printable(message)}", err=True)
