"""Routes of the fix loop: a mark is drafted, tried and saved; rules are listed and undone."""

from __future__ import annotations

from typing import Annotated, Final

from fastapi import APIRouter, Path, Request
from starlette.responses import Response, StreamingResponse

from tamis.serve.fix_tasks import SiteTask, UndoTask
from tamis.serve.models import MarkRequest, parse_json
from tamis.serve.openapi import json_body, lines_answer, problems
from tamis.serve.routes.shared import (
    PAGE_PROBLEMS,
    Host,
    TheInspector,
    TheService,
    json_response,
    respond,
)

router: Final = APIRouter(tags=["inspector"])
_SITE_PATH: Final = "/v1/inspector/sites/{host}"
_DRAFTS_PATH: Final = "/v1/inspector/drafts"
_PROBLEMS: Final = problems(*PAGE_PROBLEMS)
_DraftId = Annotated[str, Path(min_length=1, max_length=64, description="Id of a draft.")]
_RuleId = Annotated[str, Path(min_length=1, max_length=64, description="Id of a rule.")]


@router.get(_SITE_PATH, responses=_PROBLEMS)
async def rules(
    service: TheService, inspector: TheInspector, host: Host, run: bool = False
) -> Response:
    """List the rules of a site; with `run`, say whether its cases hold."""
    text = service.sites.read(host)
    if text is None:
        return respond({"host": host, "pages": 0, "rules": [], "cases": []})
    return json_response(await inspector.run(SiteTask(text, run)))


@router.post(
    _DRAFTS_PATH,
    status_code=201,
    responses={201: {"description": "Not saved yet."}, **_PROBLEMS},
    openapi_extra=json_body(MarkRequest),
)
async def draft_rule(request: Request, inspector: TheInspector) -> Response:
    """Make rules of what a person says about a page, without saving them."""
    mark = parse_json(MarkRequest, await request.body())
    draft = await inspector.make_draft(mark)
    return respond({"id": draft.id, "host": draft.host, "rules": draft.rules}, 201)


@router.get(
    _DRAFTS_PATH + "/{draft_id}/trial",
    response_class=Response,
    responses={**lines_answer("One line per page."), **problems(404)},
)
async def trial(inspector: TheInspector, draft_id: _DraftId) -> Response:
    """Try rules on the other pages of their site: those that are open, and those stored."""
    draft = inspector.workspace.get_draft(draft_id)
    return StreamingResponse(inspector.try_draft(draft), media_type="application/x-ndjson")


@router.post(_DRAFTS_PATH + "/{draft_id}/save", responses=_PROBLEMS)
async def save(inspector: TheInspector, draft_id: _DraftId) -> Response:
    """Save rules to the file of their site, with the page as a test case."""
    draft = inspector.workspace.get_draft(draft_id)
    inspector.save(draft)
    return respond({"host": draft.host, "rules": draft.rules})


@router.delete(_SITE_PATH + "/rules/{rule_id}", responses=_PROBLEMS)
async def undo(
    service: TheService, inspector: TheInspector, host: Host, rule_id: _RuleId
) -> Response:
    """Undo a rule, with its marks in test cases."""
    before = service.sites.need(host)
    after = (await inspector.run(UndoTask(before, rule_id))).decode()
    service.sites.write(host, after, before)
    return json_response(await inspector.run(SiteTask(after, run_cases=False)))
