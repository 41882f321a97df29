"""Shows on the sample pages what tamis keeps, what it drops, and why."""

from __future__ import annotations

import time
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.text import Text

import tamis
from tamis.blocks import Block
from tamis.page import collapse_spaces

SAMPLES = Path(__file__).parent.parent / "samples"
SHOWN = 6  # blocks of either kind per page


def main() -> None:
    """Extract every sample page and show the outcome."""
    console = Console()
    tamis.extract("<p>The first page also makes the tables that all others use.")
    for path in sorted(SAMPLES.glob("*.html")):
        show_page(console, path)
    console.print("Go on with your own pages:", style="bold")
    console.print("  .venv/bin/tamis extract PAGE.html --format markdown")
    console.print("  .venv/bin/tamis blocks PAGE.html")


def show_page(console: Console, path: Path) -> None:
    """Show one page: a line about it, then kept and dropped blocks with their reasons."""
    data = path.read_bytes()
    started = time.perf_counter()
    document = tamis.extract(data)
    size = len(document.text)
    took = 1000 * (time.perf_counter() - started)
    kept = [block for block in document.blocks if block.informative and block.text]
    dropped = [block for block in document.blocks if not block.informative and block.text]
    console.rule(Text(path.name, "bold"), align="left")
    console.print(
        f"{len(data) / 1024:.0f} KB in {document.page.encoding}, {took:.1f} ms with the method "
        f"{document.method}: {len(kept)} blocks kept ({size} characters), {len(dropped)} dropped",
        highlight=False,
    )
    show_blocks(console, "kept", "green", kept)
    show_blocks(console, "dropped", "red", dropped)
    console.print()


def show_blocks(console: Console, title: str, colour: str, blocks: list[Block]) -> None:
    """Show some blocks of a kind: the first line of each, cut to the screen, and its reason."""
    console.print(Text(f"{title}:", colour))
    for block in spread(blocks):
        reason = Text(f"  ({block.reason})", "dim")
        line = Text(f"  <{block.tag}> {collapse_spaces(block.text)}")
        line.truncate(max(20, console.width - reason.cell_len), overflow="ellipsis")
        console.print(line + reason, no_wrap=True, overflow="ellipsis")
    if len(blocks) > SHOWN:
        console.print(Text(f"  … and {len(blocks) - SHOWN} more", "dim"))


def spread(blocks: list[Block]) -> Iterable[Block]:
    """Return a few blocks from all over the page."""
    step = max(1, len(blocks) // SHOWN)
    return blocks[::step][:SHOWN]


if __name__ == "__main__":
    main()
