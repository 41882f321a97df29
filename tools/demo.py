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
NEXT_STEPS = """\
[bold]Your own pages[/] (after [green]. .venv/bin/activate[/])
  [green]tamis extract PAGE --format markdown[/]   the content of a file or URL
  [green]tamis blocks PAGE[/]                      every block with its score and reason
  [green]tamis records PAGE[/]                     a list page as a table
README.md shows the rest; [green]make docs[/] builds the documentation."""


@dataclass(frozen=True)
class Extraction:
    """A sample page with its document and the time that it took."""

    name: str
    document: tamis.Document
    milliseconds: float

    @property
    def confidence(self) -> str:
        """The confidence as people read it."""
        return f"{self.document.confidence or 0:.2f}"


def main() -> None:
    """Extract every sample, show both sides of each, then a table of all."""
    console = Console(highlight=False)
    _ = tamis.extract("<p>The first page loads the model.").markdown
    extractions = [extract_sample(path) for path in sorted(SAMPLES.glob("*.html"))]
    console.print("[bold]Left: the Markdown of a page. Right: dropped blocks, and why.[/]")
    for extraction in extractions:
        show_sample(console, extraction)
    console.rule("[bold]All samples[/]", align="left")
    console.print(summary_table(extractions))
    console.print(NEXT_STEPS)


def extract_sample(path: Path) -> Extraction:
    """Extract a page and render it as Markdown."""
    html = path.read_bytes()
    started = time.perf_counter()
    document = tamis.extract(html)
    _ = document.markdown
    return Extraction(path.name, document, 1000 * (time.perf_counter() - started))


def show_sample(console: Console, extraction: Extraction) -> None:
    """Show the Markdown of a page beside its dropped blocks, line by line."""
    document = extraction.document
    heading = Text(extraction.name, "bold")
    heading.append(f"  {document.page_type}, confidence {extraction.confidence}", "green")
    heading.append(f"  {document.metadata.title or ''}", "cyan")
    heading.truncate(console.width - 4, overflow="ellipsis")
    console.rule(heading, align="left")
    grid = Table.grid(padding=(0, 2), expand=True)
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    grid.add_column(ratio=1, no_wrap=True, overflow="ellipsis")
    markdown, dropped = markdown_lines(document), dropped_lines(document)
    for index in range(LINES):
        left = markdown[index] if index < len(markdown) else Text()
        grid.add_row(left, dropped[index] if index < len(dropped) else Text())
    console.print(grid)


def markdown_lines(document: tamis.Document) -> list[Text]:
    """Return the first lines of the Markdown that are not empty, headings in bold."""
    lines = [line for line in document.markdown.splitlines() if line.strip(" >")]
    return [Text(line, "bold" if line.lstrip(" -").startswith("#") else "") for line in lines]


def dropped_lines(document: tamis.Document) -> list[Text]:
    """Return one line per dropped block: why, and how it begins. Of many, the longest are shown."""
    blocks = [block for block in document.blocks if not block.informative and block.text]
    longest = sorted(blocks, key=lambda block: -len(block.text))
    shown = set(longest[: LINES - 1 if len(blocks) > LINES else LINES])
    lines = []
    for block in (block for block in blocks if block in shown):
        line = Text("✗ ", "red")
        line.append(block.reason or "", "yellow").append(f": {' '.join(block.text.split())[:80]}")
        lines.append(line)
    if len(blocks) > LINES:
        lines.append(Text(f"… and {len(blocks) - len(lines)} more blocks", "dim"))
    return lines


def summary_table(extractions: list[Extraction]) -> Table:
    """Return one row per sample."""
    table = Table(box=None, pad_edge=False)
    table.add_column("sample")
    table.add_column("page type")
    for name in ("confidence", "blocks", "kept", "letters", "records", "ms"):
        table.add_column(name, justify="right")
    for extraction in extractions:
        document = extraction.document
        kept = sum(bool(block.informative) for block in document.blocks)
        letters = sum(character.isalnum() for character in document.text)
        counts = (len(document.blocks), kept, letters, len(document.records))
        table.add_row(
            extraction.name,
            document.page_type,
            extraction.confidence,
            *map(str, counts),
            f"{extraction.milliseconds:.0f}",
        )
    return table


if __name__ == "__main__":
    main()
