"""Routes for pages: extract, blocks, records, read, batch."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from tamis.serve.answers import BlocksAnswer, ExtractAnswer, RecordsAnswer
from tamis.serve.batch import Batch, BatchResponse
from tamis.serve.models import (
    BatchLine,
    BlocksOptions,
    BlocksRequest,
    ExtractOptions,
    ExtractRequest,
    RecordsOptions,
    RecordsRequest,
)
from tamis.serve.openapi import lines_answer, lines_body, page_body, problems
from tamis.serve.problems import Problem
from tamis.serve.requests import media_type, read_request, rendering, target_url
from tamis.serve.routes.shared import PAGE_PROBLEMS, TheService, json_response
from tamis.serve.tasks import BlocksTask, ExtractTask, RecordsTask

router: Final = APIRouter(tags=["pages"])
_LINES_TYPES: Final = ("application/x-ndjson", "application/jsonl", "application/json-lines")
_READ_PREFIX: Final = "/v1/read/"


@router.post(
    "/v1/extract",
    responses={200: {"model": ExtractAnswer}, **problems(*PAGE_PROBLEMS)},
    openapi_extra=page_body(ExtractRequest, ExtractOptions),
)
async def extract(request: Request, service: TheService) -> Response:
    """Extract the content of a page, in the formats that are wanted."""
    page, options = await read_request(request, service, ExtractRequest, ExtractOptions)
    formats = tuple(options.formats)
    task = ExtractTask(page, formats, options.method, options.favor, rendering(options))
    return json_response(await service.run(task))


@router.post(
    "/v1/blocks",
    responses={200: {"model": BlocksAnswer}, **problems(*PAGE_PROBLEMS)},
    openapi_extra=page_body(BlocksRequest, BlocksOptions),
)
async def blocks(request: Request, service: TheService) -> Response:
    """Cut a page into blocks, each with score, verdict, reason, XPath and span."""
    page, options = await read_request(request, service, BlocksRequest, BlocksOptions)
    task = BlocksTask(page, options.method, options.favor, options.only_informative)
    return json_response(await service.run(task))


@router.post(
    "/v1/records",
    responses={200: {"model": RecordsAnswer}, **problems(*PAGE_PROBLEMS)},
    openapi_extra=page_body(RecordsRequest, RecordsOptions),
)
async def records(request: Request, service: TheService) -> Response:
    """Read a list page as records with typed fields."""
    page, options = await read_request(request, service, RecordsRequest, RecordsOptions)
    return json_response(await service.run(RecordsTask(page, options.regions)))


@router.get(
    _READ_PREFIX + "{url:path}",
    response_class=Response,
    responses={
        200: {"description": "Markdown.", "content": {"text/markdown": {}}},
        **problems(404, 413, 422, 500, 502, 503, 504, 507),
    },
)
async def read(
    request: Request,
    service: TheService,
    url: Annotated[
        str, Path(description="The address of the page.", examples=["https://example.org/"])
    ],
) -> Response:
    """Fetch a page and return its content as Markdown; all that follows is its address."""
    page = await service.fetch(target_url(request, _READ_PREFIX))
    task = ExtractTask(page, ("markdown",), plain=True)
    return Response(await service.run(task), media_type="text/markdown; charset=utf-8")


@router.post(
    "/v1/batch",
    response_class=Response,
    responses={
        **lines_answer("One line per page, with its id, as pages are done."),
        **problems(408, 415, 422),
    },
    openapi_extra=lines_body(BatchLine),
)
async def batch(
    request: Request,
    service: TheService,
    ordered: Annotated[bool, Query(description="Keep the order of the lines.")] = False,
) -> Response:
    """Extract many pages: lines of JSON in, lines of JSON out."""
    if media_type(request)[0] not in _LINES_TYPES:
        raise Problem(415, "wrong-media-type", "the body is not application/x-ndjson")
    request_id = request.scope["state"]["request_id"]
    return BatchResponse(Batch(service, request, request_id, ordered=ordered))
