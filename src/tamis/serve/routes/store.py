"""Routes for what is in the store: search, pages, history."""

from __future__ import annotations

from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Path, Query
from pydantic import BeforeValidator
from starlette.responses import Response

from tamis.serve.answers import (
    ExtractAnswer,
    HistoryAnswer,
    PagesAnswer,
    SearchAnswer,
    describe_hit,
)
from tamis.serve.models import FormatName
from tamis.serve.openapi import problems
from tamis.serve.problems import Problem
from tamis.serve.routes.shared import PAGE_PROBLEMS, TheService, json_response, respond
from tamis.serve.tasks import ExtractTask

if TYPE_CHECKING:
    from tamis.store import Difference, Hit, Piece, Store

router: Final = APIRouter(tags=["store"])
_MAX_LISTED: Final = 1_000
_MAX_OFFSET: Final = 10**6

_Words = Annotated[
    str, Query(min_length=1, max_length=500, description="Words to look for.", examples=["rain"])
]
_Site = Annotated[str | None, Query(max_length=200, description="Only pages of this host.")]
_Url = Annotated[
    str,
    Path(
        min_length=1,
        description="The address, percent-encoded.",
        examples=["https://example.org/rain"],
    ),
]
_Number = Annotated[int, Query(ge=-(2**31), le=2**31 - 1)]


def _split_names(values: Any) -> Any:
    """Return names that stand in an address several times, or with commas between them."""
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        return values
    return [name.strip() for value in values for name in value.split(",")]


_Formats = Annotated[
    list[FormatName] | None,
    BeforeValidator(_split_names),
    Query(max_length=9, description="What is given out."),
]


@router.get("/v1/search", responses={200: {"model": SearchAnswer}, **problems(409, 422, 503)})
async def search(
    service: TheService,
    q: _Words,
    site: _Site = None,
    since: Annotated[date | None, Query(description="Published, or fetched, from then on.")] = None,
    until: Annotated[date | None, Query(description="Published, or fetched, until then.")] = None,
    page_type: Annotated[str | None, Query(max_length=200)] = None,
    limit: Annotated[int, Query(ge=1, le=100)] = 10,
) -> Response:
    """Search the pages of the store; the best come first."""

    def find(store: Store) -> list[Hit]:
        return store.search(
            q, site=site, since=since, until=until, page_type=page_type, limit=limit
        )

    hits = await service.read_store(find)
    return respond({"hits": [describe_hit(hit) for hit in hits]})


@router.get("/v1/pages", responses={200: {"model": PagesAnswer}, **problems(409, 422, 503)})
async def list_pages(
    service: TheService,
    site: _Site = None,
    offset: Annotated[int, Query(ge=0, le=_MAX_OFFSET)] = 0,
    limit: Annotated[int, Query(ge=1, le=_MAX_LISTED)] = 100,
) -> Response:
    """List pages of the store."""

    def list_versions(store: Store) -> list[dict[str, Any]]:
        pages = islice(store.pages(site), offset, offset + limit)
        return [page.version.as_dict() for page in pages]

    return respond({"pages": await service.read_store(list_versions)})


@router.get(
    "/v1/pages/{url:path}",
    responses={200: {"model": ExtractAnswer}, **problems(*PAGE_PROBLEMS)},
)
async def stored_page(
    service: TheService, url: _Url, version: _Number = -1, formats: _Formats = None
) -> Response:
    """Read a page of the store, in the formats that are wanted."""
    page = await service.read_stored(url, version)
    task = ExtractTask(page, tuple(formats or ("markdown", "metadata")))
    return json_response(await service.run(task))


@router.get(
    "/v1/history/{url:path}",
    responses={200: {"model": HistoryAnswer}, **problems(404, 409, 422, 503)},
)
async def history(
    service: TheService, url: _Url, before: _Number | None = None, after: _Number | None = None
) -> Response:
    """List the versions of a page; with `before` or `after`, also what changed between two."""

    def read(store: Store) -> dict[str, Any]:
        versions = store.history(url)
        answer: dict[str, Any] = {"versions": [version.as_dict() for version in versions]}
        if versions and (before is not None or after is not None):
            first, second = -2 if before is None else before, -1 if after is None else after
            answer["changes"] = _difference_dict(store.diff(url, first, second))
        return answer

    answer = await service.read_store(read)
    if not answer["versions"]:
        raise Problem(404, "not-in-store", f"{url} is not in the store: see /v1/search")
    return respond(answer)


def _difference_dict(difference: Difference) -> dict[str, Any]:
    return {
        "before": difference.before.as_dict(),
        "after": difference.after.as_dict(),
        "removed": [_piece_dict(piece) for piece in difference.removed],
        "added": [_piece_dict(piece) for piece in difference.added],
        "kept": difference.kept,
    }


def _piece_dict(piece: Piece) -> dict[str, Any]:
    return {"id": piece.id, "informative": piece.informative, "text": piece.text}
