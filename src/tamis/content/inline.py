"""The pieces of a line → Markdown that says the same."""

from __future__ import annotations

import re
from itertools import groupby
from typing import Final
from urllib.parse import quote

from tamis.content.emphasis import Piece, placed

SPACE: Final = Piece("space", " ")
BREAK: Final = Piece("break", "  \n")

_HTML: Final = r"<(?=[^\s<>])|&(?=#?\w+;)"  # tags, addresses in angle brackets, references
_READS_AS_HTML: Final = re.compile(_HTML)
_SPECIAL: Final = re.compile(r"[\\`*\[\]]|(?<![^\W_])_|_(?![^\W_])|(?<=\S)~|~(?=~)|" + _HTML)
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ENDS_ADDRESS: Final = re.compile(r"[\s()<>\\`|\"]")


def written(pieces: list[Piece]) -> str:
    """Return the pieces of a line as Markdown."""
    line = joined(placed(joined(pieces)))
    parts: list[str] = []
    for number, piece in enumerate(line):
        if piece.kind == "text":
            before = line[number - 1].text if number else ""
            after = line[number + 1].text if number + 1 < len(line) else ""
            parts.append(escaped(piece.text, before, after))
        else:
            parts.append(code_span(piece.text) if piece.kind == "code" else piece.text)
    return "".join(parts).strip()


def joined(pieces: list[Piece]) -> list[Piece]:
    """Make one piece of texts, and of codes, that follow each other."""
    if len(pieces) < 2:
        return pieces
    line: list[Piece] = []
    for kind, group in groupby(pieces, key=lambda piece: piece.kind):
        if kind in ("text", "code"):
            line.append(Piece(kind, "".join(piece.text for piece in group)))
        else:
            line += group
    return line


def escaped(text: str, before: str = "", after: str = "") -> str:
    """Escape what Markdown would take for markup between what stands before and after the text."""
    text = _SPECIAL.sub(r"\\\g<0>", text)
    if text.startswith("~") and before.strip() and before[-1] != "\n":
        text = f"\\{text}"
    meets = text[-1:] + after[:1] in ("![", "~~") or (text[-1:] == "<" and after.strip() != "")
    return f"{text[:-1]}\\{text[-1]}" if meets and text[-2:-1] != "\\" else text


def code_span(code: str) -> str:
    """Return inline code between as many backticks as it needs."""
    bare = " ".join(code.split("\n")).strip()
    ticks = "`" * (longest_run(bare, "`") + 1)
    pad = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{ticks}{pad}{bare}{pad}{ticks}" if bare else ""


def longest_run(text: str, char: str) -> int:
    """Return the length of the longest run of a character."""
    return max((len(run) for run in re.findall(f"{re.escape(char)}+", text)), default=0)


def image(address: str, alternative: str) -> str:
    """Return a picture."""
    shown = _CONTROLS.sub(" ", alternative)
    return f"![{escaped(' '.join(shown.split()))}]({destination(address)})"


def destination(url: str) -> str:
    """Return an address that neither ends its link early nor reads as something else."""
    encoded = _ENDS_ADDRESS.sub(lambda match: quote(match[0], safe=""), url)
    return _READS_AS_HTML.sub(r"\\\g<0>", encoded)
