"""Shows on the sample pages what comes out of each, what was dropped, and why."""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from rich.text import Text

import tamis

SAMPLES = Path(__file__).parent.parent / "samples"
LINES = 10  # of each sample


@dataclass(frozen=True)
class Extraction:
    """A sample page with its document and the time that it took."""

    name: str
    size: int
    document: tamis.Document
    milliseconds: float

    @property
    def confidence(self) -> str:
        """The confidence as people read it."""
        return f"{self.document.confidence or 0:.2f}"


def main() -> None:
    """Extract every sample, show both sides of each, then a table of all."""
    console = Console()
    tamis.extract("<p>The first page loads the model.")
    extractions = [extract_sample(path) for path in sorted(SAMPLES.glob("*.html"))]
    for extraction in extractions:
        show_sample(console, extraction)
    console.rule("All samples", align="left")
    console.print(summary_table(extractions))
    console.print("Your own pages:", style="bold")
    console.print("  .venv/bin/tamis extract PAGE.html --format markdown", highlight=False)
    console.print("  .venv/bin/tamis blocks PAGE.html", highlight=False)


def extract_sample(path: Path) -> Extraction:
    """Extract a page and render it as Markdown."""
    html = path.read_bytes()
    started = time.perf_counter()
    document = tamis.extract(html)
    _ = document.markdown
    return Extraction(path.name, len(html), document, 1000 * (time.perf_counter() - started))


def show_sample(console: Console, extraction: Extraction) -> None:
    """Show the Markdown of a page beside its dropped blocks, line by line."""
    document = extraction.document
    heading = Text(extraction.name, "bold")
    heading.append(f"  {document.metadata.title or ''}", "cyan")
    heading.append(f"  {document.page_type}, confidence {extraction.confidence}", "dim")
    heading.truncate(console.width - 4, overflow="ellipsis")
    console.rule(heading, align="left")
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(ratio=5, no_wrap=True, overflow="ellipsis")
    grid.add_column(ratio=4, no_wrap=True, overflow="ellipsis")
    markdown = [Text(line) for line in document.markdown.splitlines() if line.strip()]
    dropped = dropped_lines(document)
    for index in range(LINES):
        left = markdown[index] if index < len(markdown) else Text()
        grid.add_row(left, dropped[index] if index < len(dropped) else Text())
    console.print(grid)


def dropped_lines(document: tamis.Document) -> list[Text]:
    """Return one line per dropped block: why, and how it begins."""
    blocks = [block for block in document.blocks if not block.informative and block.text]
    longest = sorted(blocks, key=lambda block: -len(block.text))
    shown = set(longest[: LINES - 1 if len(blocks) > LINES else LINES])
    lines = []
    for block in (block for block in blocks if block in shown):
        line = Text("✗ ", "red")
        line.append(block.reason or "", "dim").append(f": {' '.join(block.text.split())[:80]}")
        lines.append(line)
    if len(blocks) > LINES:
        lines.append(Text(f"… and {len(blocks) - len(lines)} more blocks dropped", "dim"))
    return lines


def summary_table(extractions: list[Extraction]) -> Table:
    """Return one row per sample."""
    table = Table(box=None, pad_edge=False)
    table.add_column("sample")
    table.add_column("page type")
    for name in ("confidence", "KB", "blocks", "kept", "words", "ms"):
        table.add_column(name, justify="right")
    for extraction in extractions:
        document = extraction.document
        kept = sum(bool(block.informative) for block in document.blocks)
        counts = (len(document.blocks), kept, len(document.text.split()))
        table.add_row(
            extraction.name,
            document.page_type,
            extraction.confidence,
            f"{extraction.size / 1024:.0f}",
            *map(str, counts),
            f"{extraction.milliseconds:.1f}",
        )
    return table


if __name__ == "__main__":
    main()
