"""What the API answers with, as models that its OpenAPI document describes.

Workers encode answers; nothing is validated against these models when the service runs. The tests
hold answers against them.
"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field

if TYPE_CHECKING:
    from tamis.store import Hit

_DOCUMENT = {
    "url": "https://example.org/rain",
    "method": "learned",
    "page_type": "article",
    "confidence": 0.93,
    "status": "good",
    "match": None,
    "truncated": [],
}


def _example(**members: Any) -> ConfigDict:
    return ConfigDict(json_schema_extra={"examples": [members]})


# Documents --------------------------------------------------------------------------------------


class DocumentAnswer(BaseModel):
    """What every answer says about a document."""

    url: str | None
    method: str
    page_type: str | None
    confidence: float | None = Field(description="The word F1 that the content should have.")
    status: str = Field(description="good, partial, empty or needs-javascript.")
    match: float | None = Field(description="How well the page matches its site.")
    truncated: list[str] = Field(description="What was left out because of limits.")


class RecordField(BaseModel):
    """A column of records."""

    name: str
    type: str
    xpaths: list[str | None] = []


class Region(BaseModel):
    """A region of a page with its records as rows."""

    main: bool
    reason: str
    xpath: str
    score: float
    share: float
    agreement: str | None
    fields: list[RecordField]
    rows: list[dict[str, Any]]


class ExtractAnswer(DocumentAnswer):
    """A document in the formats that were wanted; others are left out."""

    model_config = _example(
        **_DOCUMENT,
        markdown="# Rain\n\nIt rained all day in the old town.",
        metadata={"title": "Rain", "language": "en", "tags": []},
    )

    text: str | None = None
    markdown: str | None = None
    html: str | None = None
    json_: dict[str, Any] | None = Field(None, alias="json")
    records: dict[str, Any] | None = None
    metadata: dict[str, Any] | None = None
    chunks: list[dict[str, Any]] | None = None
    posts: list[dict[str, Any]] | None = None
    comments: list[dict[str, Any]] | None = None


class BlockAnswer(BaseModel):
    """A block with its verdict; `span` is in bytes of the normalised source."""

    model_config = ConfigDict(extra="allow")

    index: int
    label: str
    parent: int | None
    tag: str
    xpath: str
    span: list[int]
    informative: bool
    score: float
    reason: str
    text: str


class BlocksAnswer(DocumentAnswer):
    """The blocks of a page."""

    blocks: list[BlockAnswer]


class RecordsAnswer(DocumentAnswer):
    """The records of a page, and the address of the page that goes on with them."""

    reason: str
    next_page: str | None
    regions: list[Region]


# The store --------------------------------------------------------------------------------------


class SearchHit(BaseModel):
    """A page of the store that has the words."""

    url: str
    title: str | None
    site: str
    fetched_at: str
    published: str | None
    page_type: str | None
    language: str | None
    score: float
    snippet: str = Field(description="A part of the text, with the words in `**`.")
    copies: list[str] = Field(description="Pages with the same text.")


def describe_hit(hit: Hit) -> dict[str, Any]:
    """Return a hit of a search as plain data."""
    return asdict(hit) | {
        "fetched_at": hit.fetched_at.isoformat(),
        "published": hit.published.isoformat() if hit.published else None,
    }


class SearchAnswer(BaseModel):
    """The pages that have the words, the best first."""

    hits: list[SearchHit]


class VersionAnswer(BaseModel):
    """A version of a stored page."""

    url: str
    site: str
    fetched_at: str
    keep: str
    title: str | None
    author: str | None
    published: str | None
    language: str | None
    page_type: str | None
    raw_bytes: int
    source_bytes: int
    pieces: int


class PagesAnswer(BaseModel):
    """Pages of the store, each in its newest version."""

    pages: list[VersionAnswer]


class PieceAnswer(BaseModel):
    """A piece of a page: an informative block, or noise between blocks."""

    id: int
    informative: bool
    text: str


class ChangesAnswer(BaseModel):
    """What changed between two versions."""

    before: VersionAnswer
    after: VersionAnswer
    removed: list[PieceAnswer]
    added: list[PieceAnswer]
    kept: int = Field(description="Pieces that both have.")


class HistoryAnswer(BaseModel):
    """The versions of a page, the oldest first."""

    versions: list[VersionAnswer]
    changes: ChangesAnswer | None = None


# Sites and state --------------------------------------------------------------------------------


class SitesAnswer(BaseModel):
    """The hosts that have a site file."""

    model_config = _example(hosts=["example.org"])

    hosts: list[str]


class LearnedAnswer(BaseModel):
    """What was learned of a site."""

    model_config = _example(host="example.org", pages=7, templates=2)

    host: str
    pages: int
    templates: int


class HealthAnswer(BaseModel):
    """That the service runs."""

    status: str


class ReadyAnswer(HealthAnswer):
    """That the service can read pages."""

    pages_under_way: int


class VersionOfTamis(BaseModel):
    """The version of tamis."""

    version: str


class ProblemAnswer(BaseModel):
    """An error after RFC 9457."""

    model_config = _example(
        type="urn:tamis:problem:queue-full",
        title="Service Unavailable",
        status=503,
        detail="all workers are busy and the queue is full: try again later",
        request_id="9f86d081884c7d65",
    )

    type: str
    title: str
    status: int
    detail: str
    request_id: str
    errors: list[dict[str, Any]] | None = None
