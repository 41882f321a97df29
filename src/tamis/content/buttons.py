"""Buttons that copy code: their labels belong neither to the code nor to the text.

Such a button is in the code, or close to it, and its text only says that it copies. A class name
like `copy` proves nothing without such a text: shops call their texts copy.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools, Page, find_offsets, row_attributes, tags

_Rows = NDArray[np.int64]

_MAX_LABEL: Final = 60  # characters of a button's text
_MAX_LEVELS: Final = 3  # levels above a button at which its code may be

_LABELS: Final = (
    "copy", "copied", "copy code", "copy the code", "copy this code", "copy snippet",
    "copy command", "copy text", "copy to clipboard", "copy code to clipboard",
    "copied to clipboard", "click to copy", "kopieren", "code kopieren", "kopiert", "copier",
    "copier le code", "copié", "copiar", "copiar código", "copiado", "copia", "copia codice",
    "copiato", "kopiëren", "kopiuj", "kopyala", "копировать", "копировать код", "скопировать",
    "скопировано", "复制", "复制代码", "已复制", "複製", "複製程式碼", "已複製", "コピー",
    "コードをコピー", "コピーしました", "복사", "코드 복사", "복사됨",
)  # fmt: skip
# Each label contains one of these, in lower or upper case.
_STEMS: Final = ("opy", "OPY", "opi", "OPI", "опир", "复制", "複製", "コピー", "복사")
_COPY_LABEL: Final = re.compile(
    rf"(?:(?:{'|'.join(sorted(map(re.escape, _LABELS), key=len, reverse=True))})[!.…]?\s*)+"
)
_COPY_CLASS: Final = re.compile(r"copy(?!right)|copied|clipboard", re.IGNORECASE)
_BUTTON: Final = tags.CODE["button"]
_IS_CODE: Final = tags.tag_table(("pre", "listing", "xmp", "plaintext", "code", "samp", "kbd"))
_IS_PAGE_PART: Final = tags.tag_table(("html", "body", "main", "article", "section"))


def find_copy_buttons(page: Page) -> Bools | None:
    """Return for each row whether it is in a button that copies code; None if no row is."""
    is_code = _IS_CODE[page.tag]
    if not is_code.any():
        return None
    texts = np.flatnonzero(page.visible)
    buttons = _find_candidates(page, texts)
    if not buttons:
        return None
    in_code, code_below = page.within(np.flatnonzero(is_code)), page.below(is_code)
    buttons = [row for row in buttons if not (in_code[row] and _is_token(page, row))]
    buttons = [row for row in buttons if _is_near_code(page, row, texts, in_code, code_below)]
    return page.within(np.array(buttons, dtype=np.int32)) if buttons else None


def _find_candidates(page: Page, texts: _Rows) -> list[int]:
    """Return the elements whose text is a copy label and whose tag, role or class is a button's."""
    offsets = [offset for stem in _STEMS for offset in find_offsets(page.text, stem)]
    index = np.searchsorted(page.text_start[texts], offsets, side="right") - 1
    buttons: set[int] = set()
    for text in set(texts[index[index >= 0]].tolist()):
        row = text
        while row >= 0 and _has_copy_label(page, row):
            if row != text and _is_button(page, row):
                buttons.add(row)
            row = page.parent.item(row)
    return sorted(buttons)


def _is_button(page: Page, row: int) -> bool:
    """Return whether an element is a button, or has the role or the class of a copy button."""
    if page.tag[row] == _BUTTON:
        return True
    attributes = row_attributes(page, row)
    has_class = _COPY_CLASS.search(attributes.get("class", "")) is not None
    return not _IS_CODE[page.tag[row]] and (has_class or attributes.get("role") == "button")


def _has_copy_label(page: Page, row: int) -> bool:
    """Return whether the text of an element is a copy label and nothing else."""
    start, stop = page.text_start.item(row), page.text_stop.item(row)
    if stop - start > _MAX_LABEL:
        return False
    return _COPY_LABEL.fullmatch(page.text[start:stop].casefold().strip()) is not None


def _is_token(page: Page, row: int) -> bool:
    """Return whether an element in code may be part of the code: no button, and in lower case."""
    text = page.text[page.text_start[row] : page.text_stop[row]].strip()
    return bool(page.tag[row] != _BUTTON) and text.isascii() and text.islower()


def _is_near_code(page: Page, row: int, texts: _Rows, in_code: Bools, code_below: _Rows) -> bool:
    """Return whether an element is in code, next to it, or in a small element that holds code."""
    first, last = np.searchsorted(texts, (row, page.end[row]))
    neighbours = [*texts[max(first - 1, 0) : first].tolist(), *texts[last : last + 1].tolist()]
    if in_code[row] or any(in_code[text] for text in neighbours):
        return True
    above = int(page.parent[row])
    for _ in range(_MAX_LEVELS):
        if above < 0 or _IS_PAGE_PART[page.tag[above]]:
            return False
        if code_below[above]:
            return True
        above = int(page.parent[above])
    return False
