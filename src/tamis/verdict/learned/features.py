"""Features of a page: what is read from it before the compiled code computes the numbers.

`extract_features` computes what a page says by itself, `first_features` adds what its tokens say by
the weights of a model; the first forest of each expert sees both. The second forest sees in
addition the stacked features: the probabilities that the first one gave to a block's surroundings.
"""

from __future__ import annotations

import re
from html import unescape
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tamis.blocks import Blocks
from tamis.page import Page, tags
from tamis.verdict.learned._answers import write_stacked_features
from tamis.verdict.learned._features import Features
from tamis.verdict.learned._tokens import write_token_features
from tamis.verdict.learned.feature_names import BLOCK_FEATURES, STACKED_FEATURES, TOKEN_FEATURES
from tamis.verdict.learned.feature_tables import MAX_TITLE_CHARS, OG_TYPES
from tamis.verdict.learned.tokens import TokenWeights
from tamis.verdict.verdict import Floats

_BODY: Final = tags.CODE["body"]
_TITLE: Final = tags.CODE["title"]
_MAX_PATH_DEPTH: Final = 8
_VALUE: Final = re.compile(rb'(?:content|href)="([^"]{0,500})"')


def extract_features(blocks: Blocks) -> Features:
    """Return the features of the blocks of a page, with rows for those that a model adds."""
    page = blocks.page
    more = len(TOKEN_FEATURES) + len(STACKED_FEATURES)
    return Features(blocks, read_title(page), _read_declared(page), more)


def first_features(features: Features, tokens: TokenWeights) -> NDArray[np.float32]:
    """Return the features of the first forest: those of the page, and what its tokens say.

    The latter are written into the buffer of the features, so they are valid until the next call.
    """
    stop = len(BLOCK_FEATURES) + len(TOKEN_FEATURES)
    rows = features.buffer[len(BLOCK_FEATURES) : stop]
    write_token_features(features.context, features.tokens, tokens.tables, rows)
    return features.buffer[:stop]


def second_features(features: Features, probability: Floats) -> NDArray[np.float32]:
    """Return the features of the second forest: those of the first, and the stacked features.

    The latter are written into the buffer of the features, where `first_features` wrote before, so
    they are valid until the next call.
    """
    start = len(BLOCK_FEATURES) + len(TOKEN_FEATURES)
    write_stacked_features(features, probability, features.buffer[start:])
    return features.buffer


def read_title(page: Page) -> str:
    """Return the beginning of the first `<title>` outside of SVG images."""
    codes = page.tag.tobytes()
    row = codes.find(_TITLE)
    while row >= 0 and page.flags[row] & tags.SVG:
        row = codes.find(_TITLE, row + 1)
    if row < 0:
        return ""
    inside = page.source[page.head[row] : page.stop[row]].removesuffix(b"</title>")
    return unescape(inside[: 8 * MAX_TITLE_CHARS].decode("utf-8", "replace"))[:MAX_TITLE_CHARS]


def _read_declared(page: Page) -> list[float]:
    """Return the page's type in OpenGraph, as flags, and the shape of its canonical URL."""
    head = page.source[: page.start[max(page.tag.tobytes().find(_BODY), 0)]]
    og_type = _find_value(head, b'"og:type"').decode("utf-8", "replace").lower()
    flags = [float(name in og_type) for name in OG_TYPES[:-1]]
    flags.append(float(bool(og_type) and not any(flags)))
    url = _find_value(head, b'rel="canonical"') or _find_value(head, b'"og:url"')
    path = url.split(b"?")[0].split(b"://")[-1]
    parts = [part for part in path.split(b"/")[1:] if part]
    if not path:
        return [*flags, -1.0, -1.0]
    return [*flags, float(min(len(parts), _MAX_PATH_DEPTH)), float(len(parts[-1]) if parts else 0)]


def _find_value(head: bytes, attribute: bytes) -> bytes:
    """Return the content or URL of the tag around the first occurrence of an attribute."""
    offset = head.find(attribute)
    if offset < 0:
        return b""
    start, stop = head.rfind(b"<", 0, offset), head.find(b">", offset)
    match = _VALUE.search(head, start, stop)
    return match[1] if match else b""
