"""Pages as a browser lays them out, through Playwright and an installed Chromium."""

from tamis.render.browser import Browser, Rendered, render
from tamis.render.chromium import PREFIX, UNHELD, chromium_path, family, held, memory, new_folder
from tamis.render.layout import (
    LONG,
    TYPES,
    codes,
    colour,
    elements_of_rows,
    matches,
    same_ends,
    texts_of_rows,
    warn_of_gaps,
)
from tamis.render.resources import (
    MAX_BYTES,
    Folder,
    Network,
    Nothing,
    Resource,
    Wanted,
    resources_of,
)
from tamis.render.screenshot import BAR, EDGE, blocks_page, blocks_png, crosses, placed, png_size

__all__ = [
    "BAR",
    "EDGE",
    "LONG",
    "MAX_BYTES",
    "PREFIX",
    "TYPES",
    "UNHELD",
    "Browser",
    "Folder",
    "Network",
    "Nothing",
    "Rendered",
    "Resource",
    "Wanted",
    "blocks_page",
    "blocks_png",
    "chromium_path",
    "codes",
    "colour",
    "crosses",
    "elements_of_rows",
    "family",
    "held",
    "matches",
    "memory",
    "new_folder",
    "placed",
    "png_size",
    "render",
    "resources_of",
    "same_ends",
    "texts_of_rows",
    "warn_of_gaps",
]
