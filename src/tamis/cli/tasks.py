"""Tasks: the work on one page of a run. They can be pickled, so that any process can do it.

The pipeline is imported where pages are extracted: a run with several workers starts them sooner.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final, Literal, Self
from urllib.parse import quote

from tamis.cli.method_specs import rename_method, resolve_settings
from tamis.cli.options import drop_unset
from tamis.cli.rendering import Rendering
from tamis.cli.rows import (
    ROW_FORMATS,
    build_error_row,
    build_row,
    flatten,
    render_csv_row,
    render_json_row,
)
from tamis.errors import InputError, PoorMatch, StoreError, TamisError
from tamis.limits import DEADLINE, MAX_BYTES, Deadline
from tamis.source import Fetch, Input, Source, read_input

if TYPE_CHECKING:
    from tamis.content import Document
    from tamis.store import Keep, Store

_MAX_WAIT: Final = 60.0  # seconds for a store that others write to, or for a browser to start


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a task gave for one page: the page in its output format, or an error."""

    name: str
    content: str | None
    error: str | None = None
    error_type: str | None = None
    note: str | None = None  # a message about a page that was extracted
    match: float | None = None  # how well the template of its site fits the page
    url: str | None = None  # of a page in an archive
    row: Mapping[str, Any] | None = None  # for a sink that writes rows itself
    # "before" is a page that an earlier run finished, "archive" is about an archive as a whole.
    counts_as: Literal["page", "before", "archive"] = "page"


Work = Input | Source | Outcome  # an outcome is work that needs no task any more


@dataclass(frozen=True)
class PageTask:
    """Reads and extracts a page, and renders it in the output format."""

    format: str
    settings: Mapping[str, Any]  # of extract(), or a MethodSpec as its method
    fetch: Fetch
    many: bool  # whether the run is over many pages
    rendering: Rendering | None = None  # if a browser renders the pages first
    fields: tuple[str, ...] | None = None  # of rows; None for all that are usual
    parts: Mapping[str, bool] = field(default_factory=dict)  # of text, Markdown and HTML

    description: ClassVar[str] = "extracting"
    fatal_errors: ClassVar[tuple[type[TamisError], ...]] = ()  # that are about all pages

    @property
    def writes_rows(self) -> bool:
        """Whether the format has one row per page, so that one file can hold many pages."""
        return self.format in ROW_FORMATS

    @property
    def max_bytes(self) -> int:
        """The limit on the bytes of a page."""
        limit: int = self.settings.get("max_bytes", MAX_BYTES)
        return limit

    @property
    def max_seconds(self) -> float:
        """The time after which a worker hangs that is still at a page.

        The steps of the work have limits of their own, which end all pages but those that hang.
        """
        steps = 1 if self.rendering is None else 3  # laid out, in a second browser, extracted
        deadline: float = self.settings.get("deadline", DEADLINE)
        return self.fetch.timeout + steps * deadline + _MAX_WAIT

    def with_method(self, method: object) -> Self:
        """Return the task with another method."""
        return replace(self, settings={**self.settings, **drop_unset(method=method)})

    def run(self, page: Input | Source) -> Outcome:
        """Return the outcome of an input or source; an error of the page is not raised.

        MemoryError is raised, as only who runs the task knows how much memory there is.
        """
        try:
            if isinstance(page, Source):
                return self.process(page, None)
            return self.process(self.read(page), page)
        except self.fatal_errors:
            raise
        except MemoryError:
            raise
        except TamisError as error:
            return self.fail(page.name, str(error), type(error).__name__)
        except Exception as error:  # one bad page never stops a run
            return self.fail_unexpectedly(page.name, str(error), type(error).__name__)

    def process(self, source: Source, page_input: Input | None) -> Outcome:
        """Extract a page and render it in the output format."""
        clock = Deadline(self.settings.get("deadline", DEADLINE))
        document = self._extract(source, page_input)
        page_verdict = document.verdict.page
        match = page_verdict.match if page_verdict else None
        row, content = self._render(source, document)
        if self.rendering is None:  # a browser has its own deadline
            clock.check("its output was made")
        note = None if self.many and self.writes_rows else self._note(document)
        url = source.url if page_input is None else None
        return Outcome(source.name, content, note=note, match=match, url=url, row=row)

    def read(self, page_input: Input) -> Source:
        """Read an input within the limit on bytes."""
        return read_input(page_input, max_bytes=self.max_bytes, fetch=self.fetch)

    def fail(self, name: str, message: str, error_type: str) -> Outcome:
        """Return the outcome of a page that failed, with an error row if rows are written."""
        if not self.writes_rows:
            return Outcome(name, None, message, error_type)
        row, content = self._finish_row(build_error_row(name, message, error_type, self.fields))
        return Outcome(name, content, message, error_type, row=row)

    def fail_unexpectedly(self, name: str, message: str, error_type: str) -> Outcome:
        """Return the outcome of a page with an error that should not be possible."""
        return self.fail(
            name, f"unexpected {error_type}: {message}; please report this page", "Bug"
        )

    def _extract(self, source: Source, page_input: Input | None) -> Document:
        """Extract a page, after a browser rendered it if that is wanted."""
        from tamis.pipeline import DEFAULT_METHOD, extract

        settings = resolve_settings(self.settings)
        if self.rendering is not None:
            page = self.rendering.render(source, page_input, settings).page
            method, deadline = settings.get("method"), settings.get("deadline", DEADLINE)
            document = extract(page, method=method or DEFAULT_METHOD, deadline=deadline)
            return rename_method(document, self.settings.get("method"))
        url = settings.pop("url", None) or source.url
        charset = settings.pop("charset", None) or source.charset
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorMatch)  # reported from the outcome's match
            document = extract(source.data, url, charset=charset, **settings)
        return rename_method(document, self.settings.get("method"))

    def _render(
        self, source: Source, document: Document
    ) -> tuple[Mapping[str, Any] | None, str | None]:
        """Return a document as a row, or as content in the output format."""
        if self.writes_rows:
            # Describing all blocks takes longer than the rest of the work: only if they are shown.
            blocks = self.format == "json"
            return self._finish_row(build_row(source, document, self.fields, blocks=blocks))
        renderers = {"text": document.to_text, "markdown": document.to_markdown}
        return None, renderers.get(self.format, document.to_html)(**self.parts)

    def _finish_row(self, row: dict[str, Any]) -> tuple[Mapping[str, Any] | None, str | None]:
        """Return a row for a sink that writes rows itself, else as a line."""
        if self.format == "parquet":
            return {name: flatten(value) for name, value in row.items()}, None
        if self.format == "csv":
            return None, render_csv_row(list(row.values()))
        is_single = self.format == "json" and not self.many and row["error"] is None
        return None, render_json_row(row, indent=2 if is_single else None)

    def _note(self, document: Document) -> str | None:
        """Return a message about a page without content; rows have its status instead."""
        if document.status == "needs-javascript" and self.rendering is None:
            return "the page seems to need its scripts: try tamis extract --javascript"
        if document.status in ("empty", "needs-javascript"):
            return "no content was found"
        return None


@dataclass(frozen=True)
class StoreTask(PageTask):
    """Reads and extracts a page, and puts it into a store."""

    store: str = ""
    keep: Keep = "all"
    base: str | None = None  # what the URLs of files begin with
    resume: bool = False  # whether pages that are in the store are left as they are
    since: datetime = field(default_factory=lambda: datetime.now(UTC))  # when the run began

    description: ClassVar[str] = "storing"
    fatal_errors: ClassVar = (StoreError,)

    def process(self, source: Source, page_input: Input | None) -> Outcome:
        """Extract a page and store it."""
        from tamis.pipeline import extract

        settings = resolve_settings(self.settings)
        url = settings.pop("url", None) or self._find_url(source, page_input)
        charset = settings.pop("charset", None) or source.charset
        store = open_store(self.store)
        if self.resume and source.fetched_at is None and self._was_stored(store, url):
            return Outcome(source.name, None, counts_as="before")
        document = extract(source.data, url, charset=charset, **settings)
        store.put(url, document, source.fetched_at, keep=self.keep, raw_bytes=len(source.data))
        return Outcome(source.name, None)

    def _was_stored(self, store: Store, url: str) -> bool:
        """Say whether the store had a page before this run."""
        return url in store and any(old.fetched_at < self.since for old in store.history(url)[:1])

    def _find_url(self, source: Source, page_input: Input | None) -> str:
        """Return the URL that a page is stored under: its own, or one derived from its name.

        The name alone would make pages of different folders versions of one page.
        """
        if source.url:
            return source.url
        if self.base is not None:
            return f"{self.base.rstrip('/')}/{quote(source.name.lstrip('/'))}"
        if page_input is None or page_input.kind != "file":
            raise InputError(f"{source.name} has no address: give --base to make one of its name")
        return Path(os.path.abspath(page_input.location)).as_uri()


@lru_cache(maxsize=1)  # a process puts many pages into one store
def open_store(location: str) -> Store:
    """Return a store that stays open as long as the process."""
    from tamis.store import Store

    return Store.open(location)
