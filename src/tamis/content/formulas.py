r"""Formulas: the TeX that pages have beside what they show, as `$…$` or `$$…$$`.

MathML has it in an annotation or in `alttext`; KaTeX, MathJax and wikis have such MathML beside the
formula that readers see. Older versions of MathJax have it in a script. All of it stands for one
formula, which is written once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape
from typing import Final, NamedTuple

import numpy as np

from tamis.page import Bools, Ints, Page, collapse_spaces, row_attributes, tags

_MATH: Final = tags.CODE["math"]
_ANNOTATION: Final = tags.CODE["annotation"]
_SCRIPT: Final = tags.CODE["script"]
_SCRIPT_TYPE: Final = b"math/tex"
_MAX_LEVELS: Final = 6  # elements around MathML that belong to the same formula
_MAX_CHARS: Final = 4_000
_MAX_SIBLINGS: Final = 3  # elements before a script that show its formula

# What libraries call the elements around a formula, and those that show what a script has.
_WRAPPER_CLASS: Final = re.compile(
    r"(?:^|\s)(?:katex(?:-mathml|-display|--?inline)?|mwe-math-\S+|mathjax\S*|math|mjx-\S+)(?=\s|$)",
    re.IGNORECASE,
)
_SHOWN_CLASS: Final = re.compile(r"(?:^|\s)mathjax(?:_\w+)?(?=\s|$)", re.IGNORECASE)
_DISPLAY_CLASS: Final = re.compile(
    r"(?:^|\s)(?:katex-display|mwe-math-\S+-display|mathjax(?:_svg)?_display)(?=\s|$)",
    re.IGNORECASE,
)
_COMMENT: Final = re.compile(r"(?<!\\)%.*")
_STYLE_GROUP: Final = re.compile(r"\{\\(?:display|text)style\s+(.*)\}")
_DOLLAR: Final = re.compile(r"(?<!\\)\$")


class Formula(NamedTuple):
    """A formula as Markdown, and the elements that show it."""

    markdown: str
    rows: tuple[int, ...]  # the first one stands for all


def find_formulas(page: Page, selected: Bools) -> list[Formula]:
    """Return the formulas of a page of which something is selected, or that are between such."""
    formulas = [*_find_in_mathml(page), *_find_in_scripts(page)]
    texts = np.flatnonzero(page.visible)
    return [formula for formula in formulas if _is_selected(page, formula, selected, texts)]


def _is_selected(page: Page, formula: Formula, selected: Bools, texts: Ints) -> bool:
    """Return whether what shows a formula is selected, or else the texts beside it."""
    shown = [selected[row : page.end[row]].any() for row in formula.rows]
    if any(page.visible[row : page.end[row]].any() for row in formula.rows):
        return any(shown)
    index, parent = int(np.searchsorted(texts, formula.rows[0])), page.parent[formula.rows[0]]
    beside = texts[max(index - 1, 0) : index + 1]
    inside = beside[(beside > parent) & (beside < page.end[parent])]
    return bool(selected[inside if len(inside) else beside].any())


# MathML -------------------------------------------------------------------------------------------


def _find_in_mathml(page: Page) -> Iterator[Formula]:
    """Yield the formulas that have MathML with TeX in it."""
    for row in page.outermost(np.flatnonzero(page.tag == _MATH)).tolist():
        attributes = row_attributes(page, row)
        tex = _annotated_tex(page, row) or attributes.get("alttext")
        root, is_display = _find_root(page, row)
        is_display |= attributes.get("display") == "block"
        if tex and (markdown := render_formula(tex, is_display=is_display)):
            yield Formula(markdown, (root,))


def _annotated_tex(page: Page, row: int) -> str | None:
    """Return the TeX in an annotation of MathML."""
    inside = page.tag[row : page.end[row]] == _ANNOTATION
    for annotation in (np.flatnonzero(inside) + row).tolist():
        if "tex" in row_attributes(page, annotation).get("encoding", "").lower():
            return _source_text(page, annotation, b"</annotation>")
    return None


def _find_root(page: Page, row: int) -> tuple[int, bool]:
    """Return the outermost element of a formula around its MathML, and whether it is displayed."""
    root, is_display, above = row, False, page.parent.item(row)
    for _ in range(_MAX_LEVELS):
        if above < 0:
            break
        attributes, name = row_attributes(page, above), page.name(above)
        classes = attributes.get("class", "")
        if name.startswith("mjx-") or (name in ("span", "div") and _WRAPPER_CLASS.search(classes)):
            root = above
            is_display |= attributes.get("display") == "true"
            is_display |= _DISPLAY_CLASS.search(classes) is not None
        above = page.parent.item(above)
    return root, is_display


# Scripts ------------------------------------------------------------------------------------------


def _find_in_scripts(page: Page) -> Iterator[Formula]:
    """Yield the formulas that have TeX in a script."""
    if _SCRIPT_TYPE not in page.source:
        return
    for row in np.flatnonzero(page.tag == _SCRIPT).tolist():
        kind = row_attributes(page, row).get("type", "").replace(" ", "").lower()
        if kind.startswith(_SCRIPT_TYPE.decode()):
            tex = _source_text(page, row, b"</script>")
            markdown = render_formula(tex, is_display="mode=display" in kind)
            if markdown:
                yield Formula(markdown, (row, *_shown_before(page, row)))


def _shown_before(page: Page, row: int) -> list[int]:
    """Return the elements before a script that show its formula."""
    shown: list[int] = []
    parent = page.parent.item(row)
    before = row - 1
    while before > parent and len(shown) < _MAX_SIBLINGS:
        while page.parent.item(before) != parent:
            before = page.parent.item(before)
        if page.tag[before] == tags.TEXT:
            break
        if not _SHOWN_CLASS.search(row_attributes(page, before).get("class", "")):
            break
        shown.append(before)
        before -= 1
    return shown


# TeX ----------------------------------------------------------------------------------------------


def _source_text(page: Page, row: int, end_tag: bytes) -> str:
    """Return the text of an element that is not shown."""
    content = page.source[page.head[row] : page.stop[row]].removesuffix(end_tag)
    return unescape(content.decode("utf-8", "replace"))


def render_formula(tex: str, *, is_display: bool) -> str | None:
    r"""Return TeX as a formula of Markdown on one line; None if it cannot be one.

    Nothing in it is markup to a reader of Markdown who does not know formulas: `<` is written as
    `\lt`, and a bracket and a parenthesis do not touch.
    """
    line = collapse_spaces(_COMMENT.sub("", tex))
    if match := _STYLE_GROUP.fullmatch(line):
        line = match[1].strip()
    if not line or len(line) > _MAX_CHARS or _DOLLAR.search(line) or line.endswith("\\"):
        return None
    line = line.replace("<", r"\lt ").replace(">", r"\gt ").replace("](", "] (").replace("`", "'")
    line = collapse_spaces(line)
    return f"$${line}$$" if is_display else f"${line}$"
