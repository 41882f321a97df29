"""Routes that the inspector calls to show a page."""

from __future__ import annotations

from typing import Annotated, Any, Final, get_args

from fastapi import APIRouter, Path, Query, Request
from starlette.responses import Response

from tamis.serve.inspector_tasks import CompareTask, ExplainTask, FormatsTask, ViewTask
from tamis.serve.models import MethodName, OpenOptions, OpenRequest, ShownMethod
from tamis.serve.openapi import page_body, problems
from tamis.serve.requests import read_request
from tamis.serve.routes.shared import (
    PAGE_PROBLEMS,
    TheInspector,
    TheService,
    json_response,
    respond,
)

router: Final = APIRouter(tags=["inspector"])
_PAGE_PATH: Final = "/v1/inspector/pages/{page_id}"
_PROBLEMS: Final = problems(*PAGE_PROBLEMS, 501)
_PageId = Annotated[str, Path(min_length=1, max_length=64, description="Id of an open page.")]


@router.get("/v1/inspector", responses=problems())
async def abilities(service: TheService, inspector: TheInspector) -> Response:
    """Say what the inspector can do here."""
    return respond(
        {
            "methods": list(get_args(MethodName)),
            "store": service.has_store,
            "fetch": service.settings.can_fetch,
            "screenshots": inspector.can_render,
            "begins_with": inspector.begins_with,
        }
    )


@router.post(
    "/v1/inspector/pages",
    status_code=201,
    responses={201: {"description": "Open."}, **_PROBLEMS},
    openapi_extra=page_body(OpenRequest, OpenOptions),
)
async def open_page(request: Request, service: TheService, inspector: TheInspector) -> Response:
    """Open a page: HTML, an address, or a page of the store."""
    page, options = await read_request(request, service, OpenRequest, OpenOptions, patient=True)
    about: dict[str, Any] = {}
    if isinstance(options, OpenRequest):
        is_fetched = options.html is None and options.stored is None
        about = {"is_fetched": is_fetched, "stored": options.stored}
    opened = await inspector.open(page, options.name, **about)
    return respond(opened.as_dict(), 201)


@router.get("/v1/inspector/pages", responses=problems())
async def open_pages(inspector: TheInspector) -> Response:
    """List the pages that are open."""
    return respond({"pages": [page.as_dict() for page in inspector.workspace.pages.values()]})


@router.get(_PAGE_PATH, responses=_PROBLEMS)
async def view(inspector: TheInspector, page_id: _PageId, method: ShownMethod = "site") -> Response:
    """Return a page with its blocks, its document and its records."""
    page = inspector.page_with_site(page_id)
    return json_response(await inspector.run(ViewTask(page, method)))


@router.get(_PAGE_PATH + "/formats", responses=_PROBLEMS)
async def formats(
    inspector: TheInspector, page_id: _PageId, method: ShownMethod = "site"
) -> Response:
    """Return the document of a page as text, Markdown and HTML."""
    page = inspector.page_with_site(page_id)
    return json_response(await inspector.run(FormatsTask(page, method)))


@router.get(_PAGE_PATH + "/explain", responses=_PROBLEMS)
async def explain(
    inspector: TheInspector, page_id: _PageId, block: Annotated[int, Query(ge=0, le=10**7)]
) -> Response:
    """Say which features decided about a block."""
    page = inspector.workspace.get(page_id).page
    return json_response(await inspector.run(ExplainTask(page, block)))


@router.get(_PAGE_PATH + "/compare", responses=_PROBLEMS)
async def compare(
    inspector: TheInspector,
    page_id: _PageId,
    first: ShownMethod = "learned",
    second: ShownMethod = "feature",
    shown: Annotated[ShownMethod, Query(description="Whose blocks the lines have.")] = "site",
) -> Response:
    """Compare what two methods keep of a page."""
    page = inspector.page_with_site(page_id)
    return json_response(await inspector.run(CompareTask(page, first, second, shown)))


@router.get(_PAGE_PATH + "/screenshot", responses=_PROBLEMS)
async def screenshot(
    inspector: TheInspector, page_id: _PageId, method: ShownMethod = "site"
) -> Response:
    """Return a screenshot of a page as base64, with the boxes of the blocks of a method."""
    return json_response(await inspector.render(inspector.workspace.get(page_id), method))
