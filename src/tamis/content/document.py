"""Document: what a page says, in every form that it can be handed on."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tamis.blocks import Block, Blocks
from tamis.content import html, json, markdown, text
from tamis.content.kept import Kept
from tamis.content.metadata import Metadata, page_metadata
from tamis.content.next_page import next_page
from tamis.content.records import Records, main_records, region_records
from tamis.content.status import Status, status
from tamis.page import Page
from tamis.verdict import Verdict


@dataclass(frozen=True, eq=False)
class Document:
    """The outcome of an extraction. Everything is computed when it is asked for."""

    page: Page
    segments: Blocks
    verdict: Verdict
    method: str

    def __repr__(self) -> str:
        return f"<Document of {len(self.text)} characters by {self.method}, url={self.page.url!r}>"

    @cached_property
    def _kept(self) -> Kept:
        return Kept(self.page, self.segments, self.verdict)

    @cached_property
    def text(self) -> str:
        """The content as plain text."""
        return text.text(self._kept)

    @cached_property
    def markdown(self) -> str:
        """The content as Markdown."""
        return markdown.markdown(self._kept)

    @cached_property
    def html(self) -> str:
        """The content as clean, safe HTML."""
        return html.html(self._kept)

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself: title, author, date and more."""
        return page_metadata(self.page)

    @property
    def page_type(self) -> str | None:
        """The kind of page (article, forum, product, …), where the method tells it."""
        return self.verdict.page.page_type if self.verdict.page else None

    @property
    def confidence(self) -> float | None:
        """The word F1 that the content is expected to have, where the method tells it.

        Of a page without any blocks nothing can be told, and it is 0.5.
        """
        return self.verdict.page.confidence if self.verdict.page else None

    @cached_property
    def status(self) -> Status:
        """Whether the content is good, partial, empty, or needs-javascript to appear."""
        return status(self.page, self._kept.text_rows, self.confidence)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the page, noise included, each with its verdict."""
        return tuple(
            Block(self.segments, index, self.verdict) for index in range(len(self.segments))
        )

    @cached_property
    def records(self) -> Records:
        """The records of the page's main list; empty, with a reason, where it has none."""
        return main_records(self.page, self.segments, self.verdict)

    @cached_property
    def regions(self) -> tuple[Records, ...]:
        """All regions of records on the page, the main one first, then by score."""
        return region_records(self.page, self.segments, self.verdict)

    @cached_property
    def next_page(self) -> str | None:
        """The address of the page that goes on with the list of this one."""
        return next_page(self.page)

    @property
    def json(self) -> dict[str, Any]:
        """The document with its blocks as plain data, ready for `json.dumps`."""
        return json.json(self)
