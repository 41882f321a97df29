"""Document: what an extraction gives, in every form that it can be handed on."""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from datetime import date
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from tamis.blocks import Block, Blocks
from tamis.content.selection import Selection
from tamis.content.status import Status, determine_status
from tamis.content.text import render_text
from tamis.content.tokens import MAX_TOKENS, Tokenizer, count_tokens
from tamis.errors import DeadlineExceeded
from tamis.page import UNLIMITED, Budget, Page
from tamis.printing import encode_url
from tamis.verdict import Verdict

# All forms but the text are imported by the property that gives them.
if TYPE_CHECKING:
    from tamis.content.chunks import Chunk
    from tamis.content.posts import Comment, Post
    from tamis.metadata import Metadata
    from tamis.records import Records, Threads


@dataclass(frozen=True, eq=False)
class Document:
    """The outcome of an extraction. Its properties are computed on first use.

    All of them together take no more computing time than the deadline of the extraction has left.
    Beyond that they raise DeadlineExceeded; what was computed before stays. A document that is not
    made by an extraction has no deadline unless it is given a budget.
    """

    page: Page
    segments: Blocks
    verdict: Verdict
    method: str
    budget: Budget = UNLIMITED
    fetched: date | None = None  # the day on which the page was fetched, if it is known

    def __repr__(self) -> str:
        try:
            size = f"{len(self.text)} characters"
        except DeadlineExceeded:
            size = "unknown length"
        return f"<Document of {size} by {self.method}, url={self.page.url!r}>"

    @cached_property
    def _selection(self) -> Selection:
        return Selection(self.page, self.segments, self.verdict, self.budget)

    @cached_property
    def text(self) -> str:
        """The content as plain text."""
        with self.budget.spending("rendering the text"):
            return render_text(self._selection)

    @cached_property
    def markdown(self) -> str:
        """The content as Markdown."""
        from tamis.content.markdown import render_markdown

        with self.budget.spending("rendering the Markdown"):
            return render_markdown(self._selection)

    @cached_property
    def html(self) -> str:
        """The content as clean, safe HTML."""
        from tamis.content.html import render_html

        with self.budget.spending("rendering the HTML"):
            return render_html(self._selection)

    def to_text(self, *, title: bool = False, tables: bool = True, comments: bool = False) -> str:
        """Return the content as plain text.

        `title` puts the page's title above it where it does not begin with it; `tables=False`
        leaves its tables out; `comments` adds what readers wrote below.
        """
        from tamis.content.file_parts import render_comments_as_text

        written = self.comments if comments else ()
        with self.budget.spending("rendering the text"):
            text = render_text(replace(self._selection, tables=tables))
            heading = self._missing_title(text) if title else None
            below = render_comments_as_text(written)
        return "\n\n".join(filter(None, (heading, text, below)))

    def to_markdown(
        self,
        *,
        title: bool = True,
        front_matter: bool = False,
        links: bool = True,
        images: bool = True,
        tables: bool = True,
        comments: bool = False,
    ) -> str:
        """Return the content as a file of Markdown, without links, images or tables if so wished.

        `title` puts the page's title above it where the content does not begin with it, and
        `front_matter` title, URL, date, author and language as YAML; `comments` adds what readers
        wrote below. `markdown` is the content alone.
        """
        from tamis.content.file_parts import render_comments, render_front_matter, render_title
        from tamis.content.markdown import render_markdown

        selection = replace(self._selection, links=links, images=images, tables=tables)
        written = self.comments if comments else ()
        with self.budget.spending("rendering the Markdown"):
            parts = [render_markdown(selection)]
            heading = self._missing_title(render_text(selection)) if title else None
            if heading:
                parts.insert(0, render_title(heading))
            parts.append(render_comments(written))
            url = None if self.page.url is None else encode_url(self.page.url)
            above = render_front_matter(self.metadata, url) if front_matter else ""
        return above + "\n\n".join(filter(None, parts))

    def _missing_title(self, text: str) -> str | None:
        """Return the title of the page if a text does not begin with it."""
        from tamis.content.file_parts import begins_with_title

        title = self.metadata.title
        return title if title and not begins_with_title(text, title) else None

    def to_html(
        self, *, links: bool = True, images: bool = True, tables: bool = True, roles: bool = False
    ) -> str:
        """Return the content as clean HTML, without links, images or tables if so wished.

        With `roles` it is an item of schema.org: the body, comments, authors and dates have the
        attributes of microdata.
        """
        from tamis.content.html import render_html
        from tamis.content.roles import find_roles, render_roles

        metadata = self.metadata if roles else None
        with self.budget.spending("rendering the HTML"):
            selection = replace(self._selection, links=links, images=images, tables=tables)
            if metadata is None:
                return render_html(selection)
            html = render_html(selection, find_roles(selection, metadata))
            return render_roles(html, selection, metadata, self.page_type)

    def chunks(
        self,
        max_tokens: int = MAX_TOKENS,
        overlap: int = 0,
        tokenizer: Tokenizer = count_tokens,
    ) -> tuple[Chunk, ...]:
        """Return the Markdown in chunks of at most `max_tokens`, for retrieval.

        Chunks end before sections and between units (paragraphs, lists, tables, code). A unit that
        is longer than a chunk is cut at its rows, items and lines, then at sentences, then at
        words. `tokenizer` returns the tokens of a text or their number; the default estimates it
        without a model. With `overlap`, at most half of `max_tokens`, a chunk that does not begin
        with a heading begins with up to so many tokens of the one before it; without, the texts
        joined are `markdown`.
        """
        from tamis.content.chunks import cut_chunks

        with self.budget.spending("cutting chunks"):
            return cut_chunks(self._selection, max_tokens, overlap, tokenizer)

    @cached_property
    def metadata(self) -> Metadata:
        """What the page says about itself: title, author, date and more."""
        from tamis.metadata import read_metadata

        with self.budget.spending("reading the metadata"):
            return read_metadata(self.page, budget=self.budget)

    @property
    def page_type(self) -> str | None:
        """The page type (article, forum, product, …), None if the method does not predict it."""
        return self.verdict.page.page_type if self.verdict.page else None

    @property
    def confidence(self) -> float | None:
        """The word F1 that the content is expected to have, None if the method does not predict it.

        It is 0.5 for a page without blocks, of which nothing can be predicted.
        """
        return self.verdict.page.confidence if self.verdict.page else None

    @cached_property
    def status(self) -> Status:
        """Whether the content is good, partial, empty, or needs-javascript to appear."""
        with self.budget.spending("determining the status"):
            return determine_status(self.page, self._selection.text_rows, self.confidence)

    @cached_property
    def blocks(self) -> tuple[Block, ...]:
        """All blocks of the page, noise included, each with its verdict."""
        with self.budget.spending("listing the blocks"):
            indices = self.budget.watch(range(len(self.segments)))
            return tuple(Block(self.segments, i, self.verdict, self.budget) for i in indices)

    @property
    def _row_probabilities(self) -> np.ndarray | None:
        """The probability of each row to be content, None if the method gives no probabilities."""
        if self.verdict.page is None:
            return None
        return np.append(self.verdict.score, 0.0)[self.segments.owner]  # rows without owner have -1

    @cached_property
    def records(self) -> Records:
        """The records of the page's main list; empty, with a reason, if it has none."""
        from tamis.records import find_main_records

        with self.budget.spending("finding the records"):
            return find_main_records(
                self.page, self._row_probabilities, self.page_type, self.budget, self.fetched
            )

    @cached_property
    def regions(self) -> tuple[Records, ...]:
        """All regions of records on the page, the main one first, then by score."""
        from tamis.records import find_all_records

        with self.budget.spending("finding the regions"):
            return find_all_records(
                self.page, self._row_probabilities, self.page_type, self.budget, self.fetched
            )

    @cached_property
    def _threads(self) -> Threads:
        """The posts and comments of the page, as rows."""
        from tamis.records import find_threads

        with self.budget.spending("finding posts and comments"):
            probabilities = self._row_probabilities
            return find_threads(self.page, probabilities, self.page_type, self.budget)

    @cached_property
    def posts(self) -> tuple[Post, ...]:
        """The posts of a page that is a thread, in page order."""
        from tamis.content.posts import build_posts

        threads = self._threads
        with self.budget.spending("reading the posts"):
            return build_posts(self._selection, threads)

    @cached_property
    def comments(self) -> tuple[Comment, ...]:
        """The comments below the text of a page, or on the posts of a thread, in page order."""
        from tamis.content.posts import build_comments

        threads = self._threads
        with self.budget.spending("reading the comments"):
            return build_comments(self._selection, threads)

    @cached_property
    def next_page(self) -> str | None:
        """The URL of the page that continues the list of this one."""
        from tamis.records import find_next_page

        with self.budget.spending("finding the next page"):
            return find_next_page(self.page, self.budget)

    @property
    def json(self) -> dict[str, Any]:
        """The document with its blocks as plain data, ready for `json.dumps`."""
        return build_json(self)


def build_json(document: Document, *, blocks: bool = True) -> dict[str, Any]:
    """Return a document as plain data: its properties, its text and, by default, all its blocks.

    A block's `span` is its start and end in the page's normalised source, in bytes of UTF-8. Its
    `xpath` leads to the element that it is, or lies in.
    """
    page = document.page
    properties: dict[str, Any] = {
        "url": None if page.url is None else encode_url(page.url),
        "encoding": page.encoding,
        "method": document.method,
        "page_type": document.page_type,
        "confidence": document.confidence,
        "status": document.status,
        "truncated": list(page.truncated),
        "metadata": {**asdict(document.metadata), "tags": list(document.metadata.tags)},
        "text": document.text,
        "posts": [post.as_dict() for post in document.posts],
        "comments": [comment.as_dict() for comment in document.comments],
    }
    if blocks:
        listed, budget = document.blocks, document.budget
        with budget.spending("describing the blocks"):
            properties["blocks"] = [block.as_dict() for block in budget.watch(listed)]
    return properties
