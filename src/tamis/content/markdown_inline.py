"""Marks of emphasis → places where CommonMark takes them for emphasis.

A mark must not touch a space on its inside, and where it touches punctuation there, it must not
touch a letter on its outside: “**a.**b” is not bold, “**a**.b” is. What HTML can mark and Markdown
cannot loses its mark, never its words.

The pieces of a line → Markdown that says the same.
"""

from __future__ import annotations

import re
import string
import unicodedata
from itertools import chain, groupby
from typing import Final, Literal, NamedTuple
from urllib.parse import quote


class Piece(NamedTuple):
    """A piece of a line; the text of `open` and `close` is a mark of emphasis."""

    kind: Literal["text", "space", "break", "code", "markup", "open", "close"]
    text: str


_SPACES: Final = ("space", "break")


def placed(line: list[Piece]) -> list[Piece]:
    """Return a line with its marks where they work."""
    if not any(is_mark(piece) for piece in line):
        return line
    groups = [list(group) for _, group in groupby(tightened(unnested(line)), key=is_mark)]
    move_over_punctuation(groups)
    return without_ambiguous(without_broken(groups))


def is_mark(piece: Piece) -> bool:
    """Say whether a piece opens or closes emphasis."""
    return piece.kind in ("open", "close")


def unnested(line: list[Piece]) -> list[Piece]:
    """Leave out emphasis in emphasis of its kind, and make one of two that touch."""
    kept: list[Piece] = []
    depth: dict[str, int] = {}
    for piece in line:
        if is_mark(piece):
            inside = depth.get(piece.text, 0) - (piece.kind == "close")
            depth[piece.text] = inside + (piece.kind == "open")
            if inside:
                continue
            if kept and piece.kind == "open" and kept[-1] == ("close", piece.text):
                kept.pop()
                continue
        kept.append(piece)
    return kept


def tightened(line: list[Piece]) -> list[Piece]:
    """Move spaces at the edges of emphasis out of it, and leave out emphasis of nothing."""
    kept: list[Piece] = []
    waiting: list[Piece] = []  # opened, with nothing inside yet
    for piece in line:
        if piece.kind == "open":
            waiting.append(piece)
        elif piece.kind in _SPACES:
            kept.append(piece)
        elif piece.kind == "close" and waiting:
            waiting.pop()
        elif piece.kind == "close":
            end = len(kept)
            while kept[end - 1].kind in _SPACES:
                end -= 1
            kept.insert(end, piece)
        else:
            kept += [*waiting, piece]
            waiting.clear()
    return kept


def move_over_punctuation(groups: list[list[Piece]]) -> None:
    """Move punctuation out of emphasis where its mark would not work beside it."""
    for before, run, after in zip(groups, groups[1:], groups[2:], strict=False):
        kinds = {piece.kind for piece in run}
        if kinds == {"open"} and after[0].kind == "text" and breaks(last(before), first(after)):
            text = after[0].text
            if bare := text.lstrip(edge(text)):
                before.append(Piece("text", text[: -len(bare)]))
                after[0] = Piece("text", bare)
        elif (
            kinds == {"close"} and before[-1].kind == "text" and breaks(first(after), last(before))
        ):
            text = before[-1].text
            if bare := text.rstrip(edge(text)):
                after.insert(0, Piece("text", text[len(bare) :]))
                before[-1] = Piece("text", bare)


def without_broken(groups: list[list[Piece]]) -> list[Piece]:
    """Leave out pairs of marks of which one still would not work."""
    bad: set[int] = set()
    start = 0
    for number, group in enumerate(groups):
        if is_mark(group[0]):
            before = last(groups[number - 1]) if number else ""
            after = first(groups[number + 1]) if number + 1 < len(groups) else ""
            bad |= {start + place for place in broken(group, before, after)}
        start += len(group)
    return without(list(chain.from_iterable(groups)), bad)


def without(line: list[Piece], bad: set[int]) -> list[Piece]:
    """Leave out marks, and those at the other ends of their emphasis."""
    is_open: dict[str, int] = {}
    gone = set(bad)
    for place, piece in enumerate(line):
        if piece.kind == "open":
            is_open[piece.text] = place
        elif piece.kind == "close" and not bad.isdisjoint(both := {is_open[piece.text], place}):
            gone |= both
    return [piece for place, piece in enumerate(line) if place not in gone]


def without_ambiguous(line: list[Piece]) -> list[Piece]:
    """Leave out emphasis in emphasis where its marks could be read in more than one way.

    Runs of stars are matched by their length, so that one which joins two marks must not meet one
    that could both open and close: inside a word, or between two punctuation marks.
    """
    bad: set[int] = set()
    inner: set[int] = set()
    depth = place = 0
    joins = turns = False
    for is_stars, group in groupby(line, key=is_star):
        run = list(group)
        if is_stars:
            before = last([line[place - 1]]) if place else ""
            after = first([line[place + len(run)]]) if place + len(run) < len(line) else ""
            joins |= len(run) > 1
            turns |= is_turning(before, after)
            for number, piece in enumerate(run, place):
                depth -= piece.kind == "close"
                inner |= {number} if depth else set()
                depth += piece.kind == "open"
            if not depth:
                bad |= inner if joins and turns else set()
                inner, joins, turns = set(), False, False
        place += len(run)
    return without(line, bad)


def is_star(piece: Piece) -> bool:
    """Say whether a piece is a mark made of stars."""
    return is_mark(piece) and piece.text[0] == "*"


def is_turning(before: str, after: str) -> bool:
    """Say whether a mark between two characters could both open and close emphasis."""
    if not before.strip() or not after.strip():
        return False
    sides = {is_punctuation(before), is_punctuation(after)}
    # What is a symbol was a letter before version 0.31.
    return len(sides) == 1 or is_letter(before) == is_letter(after)


def broken(run: list[Piece], before: str, after: str) -> set[int]:
    """Return which marks of a run do not work between two characters.

    Marks of one sign are read as one; those of another sign are punctuation beside them.
    """
    found: set[int] = set()
    for _, group in groupby(range(len(run)), key=lambda place: run[place].text[0]):
        places = list(group)
        left = run[places[0] - 1].text[0] if places[0] else before
        right = run[places[-1] + 1].text[0] if places[-1] + 1 < len(run) else after
        opens = {place for place in places if run[place].kind == "open"}
        closes = set(places) - opens
        # **a***b* could be read in more than one way, and with more marks is.
        if breaks(before, right) or closes:
            found |= opens
        if breaks(after, left):
            found |= closes
    return found


def breaks(outside: str, inside: str) -> bool:
    """Say whether a mark between two characters is not taken for emphasis."""
    return is_letter(outside) and is_punctuation(inside)


def is_punctuation(char: str) -> bool:
    """Say whether CommonMark takes a character for punctuation (symbols since version 0.31)."""
    return char != "" and (char in string.punctuation or unicodedata.category(char)[0] in "PS")


def is_letter(char: str) -> bool:
    """Say whether a character is for any version neither a space nor punctuation."""
    known = char == "" or char.isspace() or char in string.punctuation
    return not known and unicodedata.category(char)[0] != "P"


def edge(text: str) -> str:
    """Return the characters of a text that may be moved out of emphasis."""
    return "".join(char for char in set(text) if char.isspace() or is_punctuation(char))


def last(group: list[Piece]) -> str:
    """Return the last character of pieces."""
    return "`" if group[-1].kind == "code" else group[-1].text[-1:]


def first(group: list[Piece]) -> str:
    """Return the first character of pieces."""
    return "`" if group[0].kind == "code" else group[0].text[:1]


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
