"""The command line: the only place where strings become objects."""

from __future__ import annotations

import sys


def main() -> None:
    """Run the `tamis` command."""
    try:
        from tamis.cli.commands import tamis
        from tamis.cli.streams import mend

        mend()
        tamis(prog_name="tamis")
    except KeyboardInterrupt:  # so early, or so late, that the command does not see to it
        print("tamis: interrupted", file=sys.stderr)
        sys.exit(130)
