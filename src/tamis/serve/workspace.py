"""Workspace: the pages that people have open in the inspector, and the rules they are trying."""

from __future__ import annotations

import json
import secrets
from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any, Final

from tamis.serve.problems import Problem
from tamis.serve.tasks import PageInput

_MAX_PAGES: Final = 200
_MAX_BYTES: Final = 256 << 20  # of all pages
_MAX_DRAFTS: Final = 50


@dataclass(frozen=True)
class OpenPage:
    """A page that is open."""

    id: str
    page: PageInput
    name: str
    title: str | None
    host: str
    is_fetched: bool = False
    stored: str | None = None  # its address in the store

    @property
    def size(self) -> int:
        """How many bytes it has, or characters."""
        return len(self.page.html)

    def as_dict(self) -> dict[str, Any]:
        """Return what the inspector lists."""
        return {
            "id": self.id,
            "url": self.page.url,
            "name": self.name,
            "title": self.title,
            "host": self.host,
            "bytes": self.size,
            "stored": self.stored,
        }


@dataclass(frozen=True)
class Draft:
    """Rules that are not saved yet."""

    id: str
    page: str
    host: str
    rules: list[dict[str, Any]]
    before: str | None  # the file of the site as it was
    after: str


@dataclass
class Workspace:
    """Open pages and drafts, bounded: the oldest are forgotten."""

    pages: OrderedDict[str, OpenPage] = field(default_factory=OrderedDict)
    drafts: OrderedDict[str, Draft] = field(default_factory=OrderedDict)

    def add(self, page: PageInput, described: bytes, name: str | None, **about: Any) -> OpenPage:
        """Keep a page; the same page of the same address is one."""
        fields = json.loads(described)
        for other in self.pages.values():
            if other.page[:3] == page[:3]:
                self.pages.move_to_end(other.id)
                return other
        opened = OpenPage(
            secrets.token_hex(8),
            page,
            name or page.url or fields["title"] or "a page",
            fields["title"],
            fields["host"],
            **about,
        )
        self.pages[opened.id] = opened
        while len(self.pages) > 1 and (
            len(self.pages) > _MAX_PAGES or sum(p.size for p in self.pages.values()) > _MAX_BYTES
        ):
            self.pages.popitem(last=False)
        return opened

    def get(self, page_id: str) -> OpenPage:
        """Return an open page; a Problem if it was forgotten."""
        if page_id not in self.pages:
            raise Problem(404, "page-closed", "the page is no longer open: open it again")
        self.pages.move_to_end(page_id)
        return self.pages[page_id]

    def keep_draft(self, **fields: Any) -> Draft:
        """Keep rules that are being tried."""
        draft = Draft(secrets.token_hex(8), **fields)
        self.drafts[draft.id] = draft
        while len(self.drafts) > _MAX_DRAFTS:
            self.drafts.popitem(last=False)
        return draft

    def get_draft(self, draft_id: str) -> Draft:
        """Return rules that are being tried; a Problem if they were forgotten."""
        if draft_id not in self.drafts:
            raise Problem(404, "draft-gone", "these rules are gone: mark the block again")
        return self.drafts[draft_id]
