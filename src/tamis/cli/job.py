"""The work on one page of a run, picklable, so that it can be done in any process."""

from __future__ import annotations

import json
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal

from tamis.cli.choice import SiteChoice, extraction_settings
from tamis.cli.rendering import Rendering
from tamis.content import Document
from tamis.content import build_json as plain
from tamis.errors import PoorMatch, TamisError
from tamis.page import DEADLINE, MAX_BYTES, Deadline
from tamis.pipeline import DEFAULT_METHOD, extract
from tamis.source import Fetch, Input, Source, read_input


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of one place: its rendered page, or the reason why there is none."""

    name: str
    data: str | None
    error: str | None = None
    kind: str | None = None  # class of the error
    note: str | None = None  # what to know of a page that is done
    match: float | None = None  # how well the template of its site fits the page
    counts_as: Literal["page", "before", "archive"] = (
        "page"  # done before, or no page but all of it
    )


@dataclass(frozen=True)
class Job:
    """Read, extract and render one page after the other."""

    form: str
    settings: Mapping[str, Any]  # of extract(), or a LearnedChoice as its method
    fetch: Fetch
    many: bool
    rendering: Rendering | None = None  # where a browser renders the pages first

    @property
    def is_rows(self) -> bool:
        """Whether the format is one row a page, so that many pages fit in one file."""
        return self.form in ("json", "jsonl")

    ends_run: ClassVar[tuple[type[TamisError], ...]] = ()  # what is the matter with all pages

    def outcome(self, place: Input | Source) -> Outcome:
        """Return what became of a place; nothing a page does raises."""
        try:
            at = None if isinstance(place, Source) else place
            return self.done(place if isinstance(place, Source) else self.read(place), at)
        except self.ends_run:
            raise
        except TamisError as error:
            return self.failure(place.name, str(error), type(error).__name__)
        except Exception as error:  # one bad page never stops a run
            said = f"unexpected {type(error).__name__}: {error}; please report this page"
            return self.failure(place.name, said, "Bug")

    def done(self, source: Source, place: Input | None) -> Outcome:
        """Extract a page, and return it in the format asked for."""
        clock = Deadline(self.settings.get("deadline", DEADLINE))
        document = self.document(source, place)
        about = document.verdict.page
        match = about.match if about else None
        data = self.formatted(source.name, document)
        if self.rendering is None:  # a browser has a deadline of its own
            clock.check("its output was made")
        note = None if self.many and self.is_rows else self.note(document)
        return Outcome(source.name, data, note=note, match=match)

    def note(self, document: Document) -> str | None:
        """Return what there is to say of a page that has no content; rows say it themselves."""
        if document.status == "needs-javascript" and self.rendering is None:
            return "the page seems to need its scripts: try tamis extract --javascript"
        if document.status in ("empty", "needs-javascript"):
            return "no content was found"
        return None

    def read(self, place: Input) -> Source:
        """Read a place within the limit on bytes."""
        return read_input(
            place, max_bytes=self.settings.get("max_bytes", MAX_BYTES), fetch=self.fetch
        )

    def document(self, source: Source, place: Input | None) -> Document:
        """Extract a page, which a browser may have rendered first."""
        settings = extraction_settings(self.settings)
        if self.rendering is not None:
            page = self.rendering.rendered(source, place, settings).page
            method, deadline = settings.get("method"), settings.get("deadline", DEADLINE)
            return extract(page, method=method or DEFAULT_METHOD, deadline=deadline)
        url = settings.pop("url", None) or source.url
        charset = settings.pop("charset", None) or source.charset
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorMatch)  # told by whoever hears of the outcome
            document = extract(source.data, url, charset=charset, **settings)
        of_site = isinstance(self.settings.get("method"), SiteChoice)
        return replace(document, method="site") if of_site else document

    def formatted(self, name: str, document: Document) -> str:
        """Return a document in the format asked for."""
        if self.is_rows:
            return self.row(name, document)
        said: str = getattr(document, self.form)
        return said

    def row(self, name: str, document: Document) -> str:
        """Return a document as JSON: one line a page, or indented for a single one."""
        # Describing all blocks takes longer than the rest of the work: only where they are shown.
        whole = self.form == "json"
        data = {"name": name, **plain(document, blocks=whole), "error": None}
        if document.verdict.page and document.verdict.page.match is not None:
            data["match"] = round(document.verdict.page.match, 3)
        indent = 2 if whole and not self.many else None
        return json.dumps(data, ensure_ascii=False, indent=indent)

    def failure(self, name: str, message: str, kind: str) -> Outcome:
        """Return the outcome of a page that failed, with an error row where rows are written."""
        row = None
        if self.is_rows:
            row = json.dumps({"name": name, "error": message, "kind": kind}, ensure_ascii=False)
        return Outcome(name, row, message, kind)


def job_of(
    places: Sequence[Input],
    form: str | None,
    settings: Mapping[str, Any],
    fetch: Fetch,
    rendering: Rendering | None = None,
) -> Job:
    """Return the work on places: unless the user names a format, text for one and rows for many."""
    many = len(places) > 1 or any(place.kind == "archive" for place in places)
    return Job(form or ("jsonl" if many else "text"), settings, fetch, many, rendering)
