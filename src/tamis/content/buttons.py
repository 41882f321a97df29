"""A page → the buttons that copy its code: what they say is no part of the code, nor of the text.

Such a button is in the code, or close beside it, and says nothing but that it copies. A class that
names copies is no proof without these words: shops call their texts copy.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.page import Bools, Page, find_offsets, row_attributes, tags

Numbers = NDArray[np.int64]

LONGEST: Final = 60  # characters that a button says
NEAR: Final = 3  # elements around a button in which its code may be

_WORDS: Final = (
    "copy", "copied", "copy code", "copy the code", "copy this code", "copy snippet",
    "copy command", "copy text", "copy to clipboard", "copy code to clipboard",
    "copied to clipboard", "click to copy", "kopieren", "code kopieren", "kopiert", "copier",
    "copier le code", "copié", "copiar", "copiar código", "copiado", "copia", "copia codice",
    "copiato", "kopiëren", "kopiuj", "kopyala", "копировать", "копировать код", "скопировать",
    "скопировано", "复制", "复制代码", "已复制", "複製", "複製程式碼", "已複製", "コピー",
    "コードをコピー", "コピーしました", "복사", "코드 복사", "복사됨",
)  # fmt: skip
# Each of the words holds one of these, in small letters or large.
_STEMS: Final = ("opy", "OPY", "opi", "OPI", "опир", "复制", "複製", "コピー", "복사")
_SAYS_COPY: Final = re.compile(
    rf"(?:(?:{'|'.join(sorted(map(re.escape, _WORDS), key=len, reverse=True))})[!.…]?\s*)+"
)
_NAMES_COPY: Final = re.compile(r"copy(?!right)|copied|clipboard", re.IGNORECASE)
_BUTTON: Final = tags.CODE["button"]
_IS_CODE: Final = tags.tag_table(("pre", "listing", "xmp", "plaintext", "code", "samp", "kbd"))
_IS_WHOLE: Final = tags.tag_table(("html", "body", "main", "article", "section"))


def in_copy_buttons(page: Page) -> Bools | None:
    """Say which rows are in buttons that copy code; None where there is no such button."""
    is_code = _IS_CODE[page.tag]
    if not is_code.any():
        return None
    texts = np.flatnonzero(page.visible)
    buttons = _buttons(page, texts)
    if not buttons:
        return None
    code, held = page.within(np.flatnonzero(is_code)), page.below(is_code)
    buttons = [row for row in buttons if not (code[row] and _is_token(page, row))]
    beside = [row for row in buttons if _is_beside(page, row, texts, code, held)]
    return page.within(np.array(beside, dtype=np.int32)) if beside else None


def _buttons(page: Page, texts: Numbers) -> list[int]:
    """Return the elements that say that they copy, and by tag, role or class are buttons."""
    places = [place for stem in _STEMS for place in find_offsets(page.text, stem)]
    at = np.searchsorted(page.text_start[texts], places, side="right") - 1
    buttons: set[int] = set()
    for text in set(texts[at[at >= 0]].tolist()):
        row = text
        while row >= 0 and _says_copy(page, row):
            if row != text and _is_button(page, row):
                buttons.add(row)
            row = page.parent.item(row)
    return sorted(buttons)


def _is_button(page: Page, row: int) -> bool:
    """Say whether an element is a button, or has the role or the class of one that copies."""
    if page.tag[row] == _BUTTON:
        return True
    found = row_attributes(page, row)
    named = _NAMES_COPY.search(found.get("class", "")) is not None
    return not _IS_CODE[page.tag[row]] and (named or found.get("role") == "button")


def _says_copy(page: Page, row: int) -> bool:
    """Say whether an element says that it copies, and nothing else; an icon says nothing."""
    start, stop = page.text_start.item(row), page.text_stop.item(row)
    if stop - start > LONGEST:
        return False
    return _SAYS_COPY.fullmatch(page.text[start:stop].casefold().strip()) is not None


def _is_token(page: Page, row: int) -> bool:
    """Say whether an element in code may be a part of it: no button, and in small letters."""
    text = page.text[page.text_start[row] : page.text_stop[row]].strip()
    return bool(page.tag[row] != _BUTTON) and text.isascii() and text.islower()


def _is_beside(page: Page, row: int, texts: Numbers, code: Bools, held: Numbers) -> bool:
    """Say whether an element is in code, next to it, or in a small element that holds code."""
    first, last = np.searchsorted(texts, (row, page.end[row]))
    neighbours = [*texts[max(first - 1, 0) : first].tolist(), *texts[last : last + 1].tolist()]
    if code[row] or any(code[text] for text in neighbours):
        return True
    above = int(page.parent[row])
    for _ in range(NEAR):
        if above < 0 or _IS_WHOLE[page.tag[above]]:
            return False
        if held[above]:
            return True
        above = int(page.parent[above])
    return False
