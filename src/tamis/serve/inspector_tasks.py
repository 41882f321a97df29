"""What workers do for the inspector: a page with its blocks, comparisons, rules and their trial."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from tamis.blocks import Blocks, Segmenter
from tamis.content import Document
from tamis.errors import InputError, PoorMatch
from tamis.metadata import read_metadata
from tamis.page import collapse_spaces, join_text, row_xpath
from tamis.pipeline import METHODS, extract
from tamis.records import Records
from tamis.serve.frame import render_frame
from tamis.serve.tasks import (
    PageInput,
    as_plain,
    describe_document,
    describe_metadata,
    encode_json,
    load_site,
    parse_page,
)
from tamis.site import (
    METHOD,
    block_form,
    build_profile,
)
from tamis.verdict.learned import find_contributions

LOCAL_HOST: Final = "local"  # the site of pages that do not say where they are from
_MAX_TEXT: Final = 400  # characters of a block that are shown
_MAX_ROWS: Final = 50_000  # of a table of records
_MAX_CHANGES: Final = 40  # blocks of a page that are listed
_MAX_LINE: Final = 2_000  # characters of a compared line


def _find_segmenter(method: str) -> Segmenter:
    """Return what cuts a page into blocks by a method; sites have the blocks of their rules."""
    return METHOD.segmenter if method == "site" else METHODS[method].segmenter


def open_document(page: PageInput, method: str, limits: Mapping[str, Any]) -> Document:
    """Return the document of a page by a method; with `site`, by what is known of its site."""
    parsed = parse_page(page, limits)
    if method == "site" and page.site is not None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorMatch)
            return load_site(page.site).extract(parsed, deadline=limits.get("deadline"))
    name = "learned" if method == "site" else method
    return extract(parsed, method=name, deadline=limits.get("deadline"))


@dataclass(frozen=True)
class OpenTask:
    """What a page is called, and which site it is of."""

    page: PageInput

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        page = parse_page(self.page, limits)
        metadata = read_metadata(page)
        url = page.url or metadata.url
        try:
            host = (urlsplit(url).hostname or "") if url else ""
        except ValueError:
            host = ""
        return encode_json({"title": metadata.title, "host": host or LOCAL_HOST})


@dataclass(frozen=True)
class ViewTask:
    """A page with its blocks, its metadata and its records."""

    page: PageInput
    method: str

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = open_document(self.page, self.method, limits)
        blocks, verdict = document.segments, document.verdict
        answer = {
            **describe_document(document),
            "blocks": [_block_dict(document, index) for index in range(len(blocks))],
            "segmenter": repr(_find_segmenter(self.method)),  # what numbers of blocks belong to
            "frame": render_frame(blocks, verdict),
            "metadata": describe_metadata(document),
            "regions": [_region_dict(records) for records in list_regions(document)],
            "records_reason": document.records.reason,
            "next_page": document.next_page,
        }
        for name in ("posts", "comments"):
            if hasattr(type(document), name):
                answer[name] = [as_plain(entry) for entry in getattr(document, name)]
        return encode_json(answer)


@dataclass(frozen=True)
class FormatsTask:
    """The document of a page, to be copied."""

    page: PageInput
    method: str

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        document = open_document(self.page, self.method, limits)
        return encode_json(
            {
                **describe_document(document),
                "text": document.text,
                "markdown": document.to_markdown(),
                "html": document.html,
                "metadata": describe_metadata(document),
            }
        )


def list_regions(document: Document) -> list[Records]:
    """Return the regions of a page, the main one first: it may be that of a rule."""
    main, others = document.records, document.regions
    if not main:
        return list(others)
    return [main, *(other for other in others if other.xpath != main.xpath)]


def _block_dict(document: Document, index: int) -> dict[str, Any]:
    blocks, verdict = document.segments, document.verdict
    text, row = collapse_spaces(blocks.text(index)), int(blocks.node[index])
    return {
        "tag": document.page.name(row),
        "xpath": row_xpath(document.page, row),
        "span": list(blocks.span(index)),
        "score": round(float(verdict.score[index]), 4),
        "informative": bool(verdict.informative[index]),
        "reason": verdict.reason(index),
        "text": text,
    }


def _region_dict(records: Records) -> dict[str, Any]:
    fields = records.as_dict()
    return {**fields, "rows": fields["rows"][:_MAX_ROWS], "count": len(records)}


@dataclass(frozen=True)
class ExplainTask:
    """Which features decided about a block, and what a rule on it would be about."""

    page: PageInput
    block: int

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        blocks = METHOD.segmenter.segment(parse_page(self.page, limits))
        check_index(blocks, self.block)
        profile = build_profile(blocks)
        answer: dict[str, Any] = {
            "path": profile.paths[self.block],
            "form": block_form(blocks, self.block),
            "can_mark": profile.fingerprints[self.block] is not None,
            "features": [
                contribution._asdict() for contribution in find_contributions(blocks, self.block)
            ],
        }
        return encode_json(answer)


def check_index(blocks: Blocks, index: int) -> None:
    """Raise InputError if a page has no block of that index."""
    if not 0 <= index < len(blocks):
        raise InputError(f"there is no block {index}: the page has {len(blocks)}")


@dataclass(frozen=True)
class CompareTask:
    """What two methods keep of a page, line by line, with the blocks of the one that is shown."""

    page: PageInput
    first: str
    second: str
    shown: str = "site"

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        first = open_document(self.page, self.first, limits)
        second = open_document(self.page, self.second, limits)
        page = first.page
        rows = page.visible.nonzero()[0]
        kept = [_kept_rows(document)[rows] for document in (first, second)]
        reference = _find_segmenter(self.shown).segment(page).owner[rows].tolist()
        lines: list[dict[str, Any]] = []
        start = 0
        keys = list(zip(reference, kept[0].tolist(), kept[1].tolist(), strict=True))
        for stop in range(1, len(keys) + 1):
            if stop < len(keys) and keys[stop] == keys[start]:
                continue
            block, in_first, in_second = keys[start]
            text = collapse_spaces(join_text(page, rows[start:stop]))
            if text:
                line = {"text": text[:_MAX_LINE], "first": in_first, "second": in_second}
                lines.append({**line, "block": block})
            start = stop
        return encode_json(
            {
                "lines": lines,
                "first": describe_document(first),
                "second": describe_document(second),
                "same": sum(line["first"] == line["second"] for line in lines),
            }
        )


def _kept_rows(document: Document) -> Any:
    """Return for each row whether its block is informative."""
    import numpy as np

    return np.append(document.verdict.informative, False)[document.segments.owner]


# Screenshots ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class ScreenshotTask:
    """A page as a browser shows it, with the boxes of its blocks."""

    page: PageInput
    method: str = "site"
    live: Any = False  # a Fetch: the page may load what it links to

    def run_in(self, browser: Any, limits: Mapping[str, Any]) -> bytes:
        """Return the answer, rendered by a browser."""
        from base64 import b64encode
        from dataclasses import replace

        from tamis.render import png_size

        charset = self.page.charset if isinstance(self.page.html, bytes) else None
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # parts without layout have no boxes
            rendered = browser.visit(
                self.page.html, self.page.url, charset=charset, live=self.live, screenshot=True
            )
        blocks = _find_segmenter(self.method).segment(parse_page(self.page, limits))
        boxes = replace(blocks, page=rendered.page).boxes
        width, height = png_size(rendered.screenshot)
        return encode_json(
            {
                "width": width,
                "height": height,
                "boxes": [[round(side) for side in box] for box in boxes.tolist()],
                "image": b64encode(rendered.screenshot).decode(),
            }
        )


def build_renderer(limits: Mapping[str, Any]) -> Callable[[ScreenshotTask], bytes]:
    """Return what the worker with the browser calls for each page."""
    from tamis.render import Browser

    return partial(_render, browser=Browser(), limits=limits)


def _render(task: ScreenshotTask, browser: Any, limits: Mapping[str, Any]) -> bytes:
    return task.run_in(browser, limits)
