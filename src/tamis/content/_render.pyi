"""Types of the compiled pass over selected rows, and of what it renders into."""

from collections.abc import Iterable
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.content.markdown_blocks import Cell
from tamis.page import Bools, Budget, Ints, Page

_Names = Iterable[str]

class Writer:
    """Takes what a walk comes to."""

def walk(
    page: Page,
    leaves: Bools,
    included: Bools,
    formulas: dict[int, str],
    writer: Writer,
    budget: Budget,
) -> None: ...
def select_text_rows(
    page: Page, owner: Ints, informative: Bools, excluded: Bools | None, signs: str
) -> NDArray[np.int32]: ...
def join_slices(
    page: Page,
    rows: NDArray[np.int32],
    is_list: NDArray[np.uint8],
    item: int,
    budget: Budget,
) -> str: ...
def escape_html(text: str) -> str: ...

class HtmlWriter(Writer):
    """Writes tags and text."""

    def __init__(
        self,
        page: Page,
        names: tuple[str, ...],
        name_of: NDArray[np.uint8],
        is_block: NDArray[np.uint8],
        has_attributes: NDArray[np.uint8],
    ) -> None: ...
    def start_tag(self, row: int, name: str) -> str: ...
    def result(self) -> str: ...

class Piece:
    """A piece of a line."""

    kind: Final[str]
    text: Final[str]
    row: Final[int]
    def __init__(self, kind: str, text: str, row: int = -1) -> None: ...

SPACE: Final[Piece]
BREAK: Final[Piece]
NO_ROWS: Final[tuple[int, int]]

class Block:
    """A rendered block."""

    kind: Final[str]
    text: Final[str]
    blocks: Final[tuple[Block, ...]]
    number: Final[int]
    label: Final[str]
    rows: Final[tuple[int, int]]
    def __init__(
        self,
        kind: str,
        text: str = "",
        blocks: tuple[Block, ...] = (),
        number: int = 1,
        label: str = "",
        rows: tuple[int, int] = ...,
    ) -> None: ...
    def with_text(self, text: str) -> Block: ...

class OpenElement:
    """What has been rendered of an open element."""

    row: Final[int]
    name: Final[str]
    nesting: Final[int]
    blocks: list[Block]
    line: list[Piece]
    rows: list[list[Cell]]
    language: str | None
    has_link: bool
    has_loose_items: bool
    @property
    def code_text(self) -> str: ...
    def end_line(self) -> None: ...
    def finish(self) -> None: ...
    def add(self, *blocks: Block) -> None: ...
    def take(self, element: OpenElement) -> None: ...

def line_rows(line: list[Piece]) -> tuple[int, int]: ...
def build_roles(
    *,
    block: _Names,
    marked: _Names,
    link: _Names,
    code: _Names,
    preformatted: _Names,
    nested: _Names,
) -> NDArray[np.uint8]: ...

class MarkdownWriter(Writer):
    """Renders an element when it closes, from what is inside it."""

    stack: Final[list[OpenElement]]
    def __init__(self, page: Page, roles: NDArray[np.uint8]) -> None: ...
    def render_element(self, element: OpenElement, above: OpenElement) -> None: ...
    def render_code(self, element: OpenElement, above: OpenElement) -> None: ...
    def link_end(self, row: int) -> str: ...
    def code_language(self, row: int) -> str | None: ...
    def code_span(self, text: str) -> str: ...
    def place_marks(self, pieces: list[Piece]) -> list[Piece]: ...
    def group_blocks(self, element: OpenElement) -> None: ...
    def take_blocks(self) -> list[Block]: ...

def merge_pieces(pieces: list[Piece]) -> list[Piece]: ...
def escape_text(text: str, before: str = "", after: str = "") -> str: ...
