"""The command line: the only place where strings become objects."""

from __future__ import annotations


def main() -> None:
    """Run the `tamis` command."""
    from tamis.cli.commands import tamis

    tamis(prog_name="tamis")
