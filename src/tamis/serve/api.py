"""The API: routes under /v1, and what tells how the service is."""

from __future__ import annotations

from dataclasses import asdict
from datetime import date
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel
from starlette.responses import Response

from tamis.serve.batch import Batch, BatchResponse
from tamis.serve.models import (
    BatchLine,
    BlocksOptions,
    BlocksRequest,
    DocumentAnswer,
    ExtractOptions,
    ExtractRequest,
    FormatName,
    LearnRequest,
    ProblemAnswer,
    RecordsOptions,
    RecordsRequest,
    RenderingRequest,
    SiteExtractOptions,
    SiteExtractRequest,
    inline_schema,
    parse_json,
    query_parameters,
)
from tamis.serve.problems import STATUSES, Problem
from tamis.serve.requests import find_page, read_request, target_url
from tamis.serve.service import Service
from tamis.serve.tasks import (
    BlocksTask,
    ExtractTask,
    LearnTask,
    PageInput,
    RecordsTask,
    Rendering,
    encode_json,
)
from tamis.site import parse_site

if TYPE_CHECKING:
    from tamis.store import Difference, Hit, Piece, Store

_MAX_LISTED: Final = 1_000
_URL_PARAMETER: Final = {
    "name": "url",
    "in": "query",
    "required": False,
    "description": "The address of a page that is sent as HTML.",
    "schema": {"type": "string", "maxLength": 8000},
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of the problems that a route may answer with."""
    always = (401, 421, 403, 429)
    content = {"application/problem+json": {"schema": inline_schema(ProblemAnswer)}}
    return {
        status: {"description": STATUSES[status], "content": content}
        for status in sorted({*always, *statuses})
    }


def page_body(model: type[BaseModel], options: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a body that is JSON, or a page with options in the address."""
    html = {"schema": {"type": "string"}, "example": "<p>A page.</p>"}
    return {
        "requestBody": {
            "required": True,
            "content": {"application/json": {"schema": inline_schema(model)}, "text/html": html},
        },
        "parameters": [*query_parameters(options), _URL_PARAMETER],
    }


def json_response(content: bytes, status: int = 200) -> Response:
    """Return JSON that is encoded already."""
    return Response(content, status, media_type="application/json")


_PAGE_PROBLEMS: Final = (400, 404, 408, 409, 413, 415, 422, 500, 502, 503, 504, 507)


def build_router(service: Service) -> APIRouter:
    """Return the routes of a service."""
    router = APIRouter()
    _add_page_routes(router, service)
    _add_batch_routes(router, service)
    _add_store_routes(router, service)
    _add_site_routes(router, service)
    _add_state_routes(router, service)
    return router


def _rendering(options: RenderingRequest) -> Rendering:
    return Rendering(
        options.links, options.images, options.tables, options.max_tokens, options.overlap
    )


# Pages ------------------------------------------------------------------------------------------


def _add_page_routes(router: APIRouter, service: Service) -> None:
    @router.post(
        "/v1/extract",
        tags=["pages"],
        responses={200: {"model": DocumentAnswer}, **problems(*_PAGE_PROBLEMS)},
        openapi_extra=page_body(ExtractRequest, ExtractOptions),
    )
    async def extract(request: Request) -> Response:
        """Extract the content of a page, in the formats that are wanted."""
        page, options = await read_request(request, service, ExtractRequest, ExtractOptions)
        formats, rendering = tuple(options.formats), _rendering(options)
        task = ExtractTask(page, formats, options.method, options.favor, rendering)
        return json_response(await service.run(task))

    @router.post(
        "/v1/blocks",
        tags=["pages"],
        responses={200: {"model": DocumentAnswer}, **problems(*_PAGE_PROBLEMS)},
        openapi_extra=page_body(BlocksRequest, BlocksOptions),
    )
    async def blocks(request: Request) -> Response:
        """Cut a page into blocks, each with score, verdict, reason, XPath and span."""
        page, options = await read_request(request, service, BlocksRequest, BlocksOptions)
        task = BlocksTask(page, options.method, options.favor, options.only_informative)
        return json_response(await service.run(task))

    @router.post(
        "/v1/records",
        tags=["pages"],
        responses={200: {"model": DocumentAnswer}, **problems(*_PAGE_PROBLEMS)},
        openapi_extra=page_body(RecordsRequest, RecordsOptions),
    )
    async def records(request: Request) -> Response:
        """Read a list page as records with typed fields."""
        page, options = await read_request(request, service, RecordsRequest, RecordsOptions)
        return json_response(await service.run(RecordsTask(page, options.regions)))

    @router.get(
        "/v1/read/{url:path}",
        tags=["pages"],
        response_class=Response,
        responses={
            200: {"description": "Markdown.", "content": {"text/markdown": {}}},
            **problems(404, 413, 422, 500, 502, 503, 504, 507),
        },
    )
    async def read(
        request: Request,
        url: Annotated[
            str, Path(description="The address of the page.", examples=["https://example.org/"])
        ],
    ) -> Response:
        """Fetch a page and return its content as Markdown; all that follows is its address."""
        page = await service.fetch(target_url(request, "/v1/read/"))
        task = ExtractTask(page, ("markdown",), plain=True)
        return Response(await service.run(task), media_type="text/markdown; charset=utf-8")


def _add_batch_routes(router: APIRouter, service: Service) -> None:
    @router.post(
        "/v1/batch",
        tags=["pages"],
        response_class=Response,
        responses={
            200: {
                "description": "One line per page, with its id, as pages are done.",
                "content": {"application/x-ndjson": {}},
            },
            **problems(408, 415, 422),
        },
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {
                    "application/x-ndjson": {
                        "schema": {"type": "string"},
                        "x-line-schema": inline_schema(BatchLine),
                        "example": '{"id": 1, "html": "<p>A page.</p>"}\n',
                    }
                },
            }
        },
    )
    async def batch(
        request: Request,
        ordered: Annotated[bool, Query(description="Keep the order of the lines.")] = False,
    ) -> Response:
        """Extract many pages: lines of JSON in, lines of JSON out."""
        declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
        if declared not in ("application/x-ndjson", "application/jsonl", "application/json-lines"):
            raise Problem(415, "wrong-media-type", "the body is not application/x-ndjson")
        request_id = request.scope["state"]["request_id"]
        return BatchResponse(Batch(service, request, request_id, ordered=ordered))


# The store --------------------------------------------------------------------------------------

Words = Annotated[str, Query(min_length=1, max_length=500, description="Words to look for.")]
Limit = Annotated[int, Query(ge=1, le=100)]
PathUrl = Annotated[str, Path(description="The address, percent-encoded.", min_length=1)]
Number = Annotated[int, Query(ge=-(2**31), le=2**31 - 1)]
Name = Annotated[str | None, Query(max_length=200)]


def _add_store_routes(router: APIRouter, service: Service) -> None:
    @router.get("/v1/search", tags=["store"], responses=problems(409, 422, 503))
    async def search(
        q: Words,
        site: Name = None,
        since: date | None = None,
        until: date | None = None,
        page_type: Name = None,
        limit: Limit = 10,
    ) -> Response:
        """Search the pages of the store; the best come first."""

        def find(store: Store) -> list[Hit]:
            return store.search(
                q, site=site, since=since, until=until, page_type=page_type, limit=limit
            )

        hits = await service.read_store(find)
        return json_response(encode_json({"hits": [hit_dict(hit) for hit in hits]}))

    @router.get("/v1/pages", tags=["store"], responses=problems(409, 422, 503))
    async def list_pages(
        site: Name = None,
        offset: Annotated[int, Query(ge=0, le=10**6)] = 0,
        limit: Annotated[int, Query(ge=1, le=_MAX_LISTED)] = 100,
    ) -> Response:
        """List pages of the store."""

        def list_versions(store: Store) -> list[dict[str, Any]]:
            pages = islice(store.pages(site), offset, offset + limit)
            return [page.version.as_dict() for page in pages]

        return json_response(encode_json({"pages": await service.read_store(list_versions)}))

    @router.get("/v1/pages/{url:path}", tags=["store"], responses=problems(*_PAGE_PROBLEMS))
    async def stored_page(
        url: PathUrl,
        version: Number = -1,
        formats: Annotated[list[FormatName] | None, Query(max_length=9)] = None,
    ) -> Response:
        """Read a page of the store, in the formats that are wanted."""
        page = await service.read_stored(url, version)
        task = ExtractTask(page, tuple(formats or ("markdown", "metadata")))
        return json_response(await service.run(task))

    @router.get("/v1/history/{url:path}", tags=["store"], responses=problems(404, 409, 422, 503))
    async def history(
        url: PathUrl, before: Number | None = None, after: Number | None = None
    ) -> Response:
        """List the versions of a page; with `before` or `after`, also what changed between two."""

        def read(store: Store) -> dict[str, Any]:
            versions = store.history(url)
            answer: dict[str, Any] = {"versions": [version.as_dict() for version in versions]}
            if versions and (before is not None or after is not None):
                difference = store.diff(
                    url, -2 if before is None else before, -1 if after is None else after
                )
                answer["changes"] = _difference_dict(difference)
            return answer

        answer = await service.read_store(read)
        if not answer["versions"]:
            raise Problem(404, "not-in-store", f"{url} is not in the store: see /v1/search")
        return json_response(encode_json(answer))


def hit_dict(hit: Hit) -> dict[str, Any]:
    """Return a hit of a search as plain data."""
    return asdict(hit) | {
        "fetched_at": hit.fetched_at.isoformat(),
        "published": hit.published.isoformat() if hit.published else None,
    }


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


# Sites ------------------------------------------------------------------------------------------

Host = Annotated[str, Path(min_length=1, max_length=200, examples=["example.org"])]


def _add_site_routes(router: APIRouter, service: Service) -> None:
    @router.get("/v1/sites", tags=["sites"], responses=problems())
    async def list_sites() -> Response:
        """List the hosts of which something is known."""
        return json_response(encode_json({"hosts": service.sites.hosts()}))

    @router.post(
        "/v1/sites",
        tags=["sites"],
        responses={201: {"description": "Learned."}, **problems(*_PAGE_PROBLEMS)},
        status_code=201,
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": inline_schema(LearnRequest)}},
            }
        },
    )
    async def learn_site(request: Request) -> Response:
        """Learn the templates of a site from some of its pages; five to ten do."""
        learn = parse_json(LearnRequest, await request.body())
        service.sites.path(learn.host)
        pages = [await find_page(service, page) for page in learn.pages]
        if learn.from_store:
            pages += await stored_pages(service, learn.host, learn.from_store)
        before = service.sites.read(learn.host)
        task = LearnTask(tuple(pages), learn.host, before, learn.update)
        text = (await service.run(task)).decode()
        service.sites.write(learn.host, text)
        site = parse_site(text, learn.host)
        answer = {"host": learn.host, "pages": site.pages, "templates": len(site.templates)}
        return json_response(encode_json(answer), 201)

    @router.post(
        "/v1/sites/{host}/extract",
        tags=["sites"],
        responses={200: {"model": DocumentAnswer}, **problems(*_PAGE_PROBLEMS)},
        openapi_extra=page_body(SiteExtractRequest, SiteExtractOptions),
    )
    async def extract_with_site(request: Request, host: Host) -> Response:
        """Extract the content of a page with what is known of its site: templates and rules."""
        site = service.sites.need(host)
        page, options = await read_request(request, service, SiteExtractRequest, SiteExtractOptions)
        task = ExtractTask(
            page._replace(site=site), tuple(options.formats), rendering=_rendering(options)
        )
        return json_response(await service.run(task))


async def stored_pages(service: Service, host: str, count: int) -> list[PageInput]:
    """Return pages of a host in the store; a Problem if there are none."""

    def read(store: Store) -> list[PageInput]:
        pages = islice(store.pages(host), count)
        return [PageInput(page.source, page.url, "utf-8") for page in pages]

    pages = await service.read_store(read)
    if not pages:
        raise Problem(404, "not-in-store", f"the store has no page of {host}")
    return pages


# State ------------------------------------------------------------------------------------------


def _add_state_routes(router: APIRouter, service: Service) -> None:
    @router.get("/healthz", tags=["state"])
    async def healthz() -> dict[str, str]:
        """Say that the service runs."""
        return {"status": "ok"}

    @router.get("/readyz", tags=["state"], responses=problems(503))
    async def readyz() -> dict[str, Any]:
        """Say whether the service can read pages."""
        if not service.is_ready:
            raise Problem(503, "not-ready", "workers are starting", {"Retry-After": "1"})
        return {"status": "ready", "pages_under_way": service.pages_under_way}

    @router.get("/version", tags=["state"], responses=problems())
    async def version() -> dict[str, str]:
        """Return the version of tamis."""
        from tamis import __version__

        return {"version": __version__}

    @router.get(
        "/metrics",
        tags=["state"],
        response_class=Response,
        responses={200: {"content": {"text/plain": {}}}, **problems()},
    )
    async def metrics() -> Response:
        """Return counters for Prometheus."""
        return Response(service.metrics.render(), media_type="text/plain; version=0.0.4")
