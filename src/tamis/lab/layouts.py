"""Pages of a data set with layout, kept on disk: a browser lays each out once."""

from __future__ import annotations

import hashlib
import io
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass, fields, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tamis.arrays import Arrays
from tamis.errors import Misaligned, TamisError
from tamis.files import open_draft
from tamis.lab.cache import DIGEST, user_cache
from tamis.lab.datasets import Item
from tamis.page import CLEARS, DISPLAYS, FLOATS, POSITIONS, Layout, Page, freeze, parse
from tamis.render import COLUMN_TYPES, Browser, Folder

CODE: Final = ("columns.js", "layout.py", "chromium.py")  # what layouts depend on
PATIENCE: Final = 180.0  # seconds for one page: a busy machine is no fault of a segmenter
SIZES: Final = ("screen", "size")
FARTHEST: Final = 1e9  # pixels: browsers have no places beyond
KINDS: Final = dict(zip((f.name for f in fields(Layout)[len(SIZES) :]), COLUMN_TYPES, strict=True))
CODED: Final = {
    "display": DISPLAYS,
    "position": POSITIONS,
    "floated": FLOATS,
    "cleared": CLEARS,
}


@dataclass(frozen=True)
class Layouts:
    """A folder of layouts, a file a page."""

    folder: Path

    def path(self, item: Item) -> Path:
        """Return the file of a page's layout."""
        key = f"{item.id}\n{item.stamp}\n{code()}"
        digest = hashlib.sha256(key.encode()).hexdigest()[:DIGEST]
        return self.folder / f"{digest}.npz"

    def read(self, item: Item, page: Page) -> Layout | None:
        """Return a layout that was kept; None if there is none that fits."""
        try:
            kept = Arrays(self.path(item).read_bytes())
            columns = {f.name: kept[f.name] for f in fields(Layout)}
        except (OSError, ValueError, KeyError):
            return None
        if not all(is_layout_of(page, name, column) for name, column in columns.items()):
            return None
        sizes: dict[str, Any] = {name: tuple(columns.pop(name).tolist()) for name in SIZES}
        frozen_columns: dict[str, Any] = {name: freeze(c) for name, c in columns.items()}
        return Layout(**sizes, **frozen_columns)

    def write(self, item: Item, layout: Layout) -> None:
        """Keep a layout, as a whole or not at all."""
        buffer = io.BytesIO()
        columns = {f.name: np.asarray(getattr(layout, f.name)) for f in fields(Layout)}
        np.savez_compressed(buffer, **columns)  # type: ignore[arg-type]
        path = self.path(item)
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            with open_draft(path) as draft:
                draft.write_bytes(buffer.getvalue())
        except OSError as error:
            raise TamisError(
                f"cannot write layouts to {path.parent}: {error.strerror or error}; set "
                "XDG_CACHE_HOME to a folder with room"
            ) from error


def is_layout_of(page: Page, name: str, column: NDArray[Any]) -> bool:
    """Say whether a column that was kept is one of a page's layout."""
    if name in SIZES:
        is_of_kind = column.shape == (2,) and column.dtype.kind in "iuf"
    else:
        is_of_kind = column.shape == (len(page),) and column.dtype == KINDS[name]
    if not is_of_kind or (name in CODED and not (column < len(CODED[name])).all()):
        return False
    return column.dtype.kind != "f" or bool((np.abs(column) <= FARTHEST).all())


@cache
def code() -> str:
    """Return a hash of the code that layouts depend on."""
    parts = files("tamis.render")
    return hashlib.sha256(b"".join(parts.joinpath(n).read_bytes() for n in CODE)).hexdigest()


def user_layouts() -> Layouts:
    """Return the layouts in the user's cache folder."""
    return Layouts(user_cache().folder.parent / "layouts")


def laid_out(items: tuple[Item, ...], kept: Layouts) -> Iterator[tuple[Item, Page | TamisError]]:
    """Yield pages with layout; of a page that cannot be laid out, why."""
    browser: Browser | None = None
    with ExitStack() as stack:
        for item in items:
            page = parse(item.html, item.url, deadline=None)
            layout = kept.read(item, page)
            if layout is None:
                browser = browser or stack.enter_context(Browser(timeout=PATIENCE))
                try:
                    layout = layout_of_item(item, browser)
                except TamisError as error:
                    yield item, error
                    continue
                kept.write(item, layout)
            yield item, replace(page, layout=layout)


def layout_of_item(item: Item, browser: Browser) -> Layout:
    """Let a browser lay out a page of a data set, with the files that came with it."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Misaligned)  # such pages count as they are
        layout = browser.render(item.html, files=files_of(item)).layout
    assert layout is not None
    return layout


def files_of(item: Item) -> Folder | None:
    """Return the folder with the files of a page: that of its site, or the page's own."""
    inside = item.gold.get("page")
    if isinstance(inside, str) and inside.count("/") >= 2:
        below = Path(inside.removesuffix(".gz")).parts[2:]
        return Folder(item.path.parents[len(below) - 1], "/".join(below))
    own = item.path.parent.name == item.id
    return Folder(item.path.parent, item.path.name.removesuffix(".gz")) if own else None
