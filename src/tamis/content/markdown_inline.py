"""A line of text, code, links and emphasis as Markdown that means the same.

Most of it places the marks of emphasis where CommonMark takes them for emphasis. A mark must not
touch a space on its inside. Where it touches punctuation there, it must not touch a letter on its
outside: “**a.**b” is not bold, “**a**.b” is. What HTML can mark and Markdown cannot loses its mark,
never its words.
"""

from __future__ import annotations

import re
import string
import unicodedata
from itertools import chain, groupby
from typing import Final
from urllib.parse import quote

from tamis.content._render import Piece, escape_text
from tamis.content.images import Image

_SPACES: Final = ("space", "break")
_HTML: Final = r"<(?=[^\s<>])|&(?=#?\w+;)"  # tags, URLs in angle brackets, references
_READS_AS_HTML: Final = re.compile(_HTML)
_CONTROLS: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_ENDS_URL: Final = re.compile(r"[\s()<>\\`|\"]")


# Code, images and links --------------------------------------------------------------------------


def render_code_span(code: str) -> str:
    """Return inline code between as many backticks as it needs."""
    bare = " ".join(code.split("\n")).strip()
    ticks = "`" * (longest_run(bare, "`") + 1)
    pad = " " if bare.startswith("`") or bare.endswith("`") else ""
    return f"{ticks}{pad}{bare}{pad}{ticks}" if bare else ""


def longest_run(text: str, char: str) -> int:
    """Return the length of the longest run of a character."""
    return max((len(run) for run in re.findall(f"{re.escape(char)}+", text)), default=0)


def render_image(image: Image) -> str:
    """Return an image as Markdown."""
    alternative = " ".join(_CONTROLS.sub(" ", image.alternative).split())
    return f"![{escape_text(alternative)}]({encode_destination(image.url)})"


def encode_destination(url: str) -> str:
    """Return a URL that neither ends its link early nor reads as something else."""
    encoded = _ENDS_URL.sub(lambda match: quote(match[0], safe=""), url)
    return _READS_AS_HTML.sub(r"\\\g<0>", encoded)


# Emphasis -----------------------------------------------------------------------------------------


def is_mark(piece: Piece) -> bool:
    """Return whether a piece opens or closes emphasis."""
    return piece.kind in ("open", "close")


def place_marks(line: list[Piece]) -> list[Piece]:
    """Return a line with its marks where they work."""
    if not any(is_mark(piece) for piece in line):
        return line
    line = _move_spaces_out(_remove_nested(line))
    groups = [list(group) for _, group in groupby(line, key=is_mark)]
    _move_punctuation_out(groups)
    return _remove_ambiguous(_remove_broken(groups))


def _remove_nested(line: list[Piece]) -> list[Piece]:
    """Remove emphasis inside emphasis of the same kind, and merge two that touch."""
    flat: list[Piece] = []
    depth: dict[str, int] = {}
    for piece in line:
        if is_mark(piece):
            inside = depth.get(piece.text, 0) - (piece.kind == "close")
            depth[piece.text] = inside + (piece.kind == "open")
            if inside:
                continue
            if flat and piece.kind == "open" and _closes(flat[-1], piece.text):
                flat.pop()
                continue
        flat.append(piece)
    return flat


def _closes(piece: Piece, mark: str) -> bool:
    """Return whether a piece closes emphasis with a mark."""
    return piece.kind == "close" and piece.text == mark


def _move_spaces_out(line: list[Piece]) -> list[Piece]:
    """Move spaces at the edges of emphasis out of it, and remove empty emphasis."""
    moved: list[Piece] = []
    waiting: list[Piece] = []  # opened, with nothing inside yet
    for piece in line:
        if piece.kind == "open":
            waiting.append(piece)
        elif piece.kind in _SPACES:
            moved.append(piece)
        elif piece.kind == "close" and waiting:
            waiting.pop()
        elif piece.kind == "close":
            end = len(moved)
            while moved[end - 1].kind in _SPACES:
                end -= 1
            moved.insert(end, piece)
        else:
            moved += [*waiting, piece]
            waiting.clear()
    return moved


def _move_punctuation_out(groups: list[list[Piece]]) -> None:
    """Move punctuation out of emphasis where the mark would not work beside it."""
    for before, run, after in zip(groups, groups[1:], groups[2:], strict=False):
        kinds = {piece.kind for piece in run}
        first, last = _first_char(after), _last_char(before)
        if kinds == {"open"} and after[0].kind == "text" and _breaks_mark(last, first):
            text = after[0].text
            if bare := text.lstrip(_movable_chars(text)):
                before.append(Piece("text", text[: -len(bare)]))
                after[0] = Piece("text", bare)
        elif kinds == {"close"} and before[-1].kind == "text" and _breaks_mark(first, last):
            text = before[-1].text
            if bare := text.rstrip(_movable_chars(text)):
                after.insert(0, Piece("text", text[len(bare) :]))
                before[-1] = Piece("text", bare)


def _remove_broken(groups: list[list[Piece]]) -> list[Piece]:
    """Remove pairs of marks of which one still would not work."""
    broken: set[int] = set()
    start = 0
    for index, group in enumerate(groups):
        if is_mark(group[0]):
            before = _last_char(groups[index - 1]) if index else ""
            after = _first_char(groups[index + 1]) if index + 1 < len(groups) else ""
            broken |= {start + offset for offset in _find_broken(group, before, after)}
        start += len(group)
    return _remove_pairs(list(chain.from_iterable(groups)), broken)


def _remove_pairs(line: list[Piece], marks: set[int]) -> list[Piece]:
    """Remove marks, given their indices, and the marks at the other ends of their emphasis."""
    opened: dict[str, int] = {}
    removed = set(marks)
    for index, piece in enumerate(line):
        if piece.kind == "open":
            opened[piece.text] = index
        elif piece.kind == "close" and not marks.isdisjoint(pair := {opened[piece.text], index}):
            removed |= pair
    return [piece for index, piece in enumerate(line) if index not in removed]


def _remove_ambiguous(line: list[Piece]) -> list[Piece]:
    """Remove emphasis in emphasis where its marks could be read in more than one way.

    Runs of stars are matched by their length. So a run that joins two marks must not meet one that
    could both open and close: inside a word, or between two punctuation marks.
    """
    ambiguous: set[int] = set()
    inner: set[int] = set()
    depth = start = 0
    has_joined = has_turning = False
    for is_stars, group in groupby(line, key=_is_star):
        run = list(group)
        end = start + len(run)
        if is_stars:
            before = _last_char([line[start - 1]]) if start else ""
            after = _first_char([line[end]]) if end < len(line) else ""
            has_joined |= len(run) > 1
            has_turning |= _could_open_and_close(before, after)
            for index, piece in enumerate(run, start):
                depth -= piece.kind == "close"
                inner |= {index} if depth else set()
                depth += piece.kind == "open"
            if not depth:
                ambiguous |= inner if has_joined and has_turning else set()
                inner, has_joined, has_turning = set(), False, False
        start = end
    return _remove_pairs(line, ambiguous)


def _is_star(piece: Piece) -> bool:
    """Return whether a piece is a mark made of stars."""
    return is_mark(piece) and piece.text[0] == "*"


def _could_open_and_close(before: str, after: str) -> bool:
    """Return whether a mark between two characters could both open and close emphasis."""
    if not before.strip() or not after.strip():
        return False
    sides = {_is_punctuation(before), _is_punctuation(after)}
    # Before version 0.31, symbols counted as letters.
    return len(sides) == 1 or _is_letter(before) == _is_letter(after)


def _find_broken(run: list[Piece], before: str, after: str) -> set[int]:
    """Return the indices of the marks of a run that do not work between two characters.

    Marks of one sign are read as one; those of another sign are punctuation beside them.
    """
    broken: set[int] = set()
    for _, group in groupby(range(len(run)), key=lambda index: run[index].text[0]):
        indices = list(group)
        left = run[indices[0] - 1].text[0] if indices[0] else before
        right = run[indices[-1] + 1].text[0] if indices[-1] + 1 < len(run) else after
        opens = {index for index in indices if run[index].kind == "open"}
        closes = set(indices) - opens
        # **a***b* could be read in more than one way, and with more marks is.
        if _breaks_mark(before, right) or closes:
            broken |= opens
        if _breaks_mark(after, left):
            broken |= closes
    return broken


def _breaks_mark(outside: str, inside: str) -> bool:
    """Return whether a mark between two characters is not taken for emphasis."""
    return _is_letter(outside) and _is_punctuation(inside)


# Characters ---------------------------------------------------------------------------------------


def _is_punctuation(char: str) -> bool:
    """Return whether CommonMark takes a character for punctuation (symbols since version 0.31)."""
    return char != "" and (char in string.punctuation or unicodedata.category(char)[0] in "PS")


def _is_letter(char: str) -> bool:
    """Return whether a character is neither space nor punctuation in any version of CommonMark."""
    if char == "" or char.isspace() or char in string.punctuation:
        return False
    return unicodedata.category(char)[0] != "P"


def _movable_chars(text: str) -> str:
    """Return the characters of a text that may be moved out of emphasis."""
    return "".join(char for char in set(text) if char.isspace() or _is_punctuation(char))


def _last_char(group: list[Piece]) -> str:
    """Return the last character of pieces."""
    return "`" if group[-1].kind == "code" else group[-1].text[-1:]


def _first_char(group: list[Piece]) -> str:
    """Return the first character of pieces."""
    return "`" if group[0].kind == "code" else group[0].text[:1]
