"""Routes for sites: list them, learn one, read a page with what is known of its site."""

from __future__ import annotations

from typing import Final

from fastapi import APIRouter, Request
from starlette.responses import Response

from tamis.serve.answers import ExtractAnswer, LearnedAnswer, SitesAnswer
from tamis.serve.models import LearnRequest, SiteExtractOptions, SiteExtractRequest, parse_json
from tamis.serve.openapi import json_body, page_body, problems
from tamis.serve.problems import Problem
from tamis.serve.requests import find_page, read_request, rendering
from tamis.serve.routes.shared import PAGE_PROBLEMS, Host, TheService, json_response, respond
from tamis.serve.tasks import ExtractTask, LearnTask
from tamis.site import parse_site

router: Final = APIRouter(tags=["sites"])


@router.get("/v1/sites", responses={200: {"model": SitesAnswer}, **problems()})
async def list_sites(service: TheService) -> Response:
    """List the hosts of which something is known."""
    return respond({"hosts": service.sites.hosts()})


@router.post(
    "/v1/sites",
    responses={201: {"model": LearnedAnswer}, **problems(*PAGE_PROBLEMS)},
    status_code=201,
    openapi_extra=json_body(LearnRequest),
)
async def learn_site(request: Request, service: TheService) -> Response:
    """Learn the templates of a site from some of its pages; five to ten do."""
    learn = parse_json(LearnRequest, await request.body())
    service.sites.path(learn.host)
    pages = [await find_page(service, page) for page in learn.pages]
    if learn.from_store:
        stored = await service.read_site(learn.host, learn.from_store)
        if not stored:
            raise Problem(404, "not-in-store", f"the store has no page of {learn.host}")
        pages += stored
    before = service.sites.read(learn.host)
    text = await service.run(LearnTask(tuple(pages), learn.host, before, learn.update))
    service.sites.write(learn.host, text.decode(), before)
    site = parse_site(text.decode(), learn.host)
    answer = {"host": learn.host, "pages": site.pages, "templates": len(site.templates)}
    return respond(answer, 201)


@router.post(
    "/v1/sites/{host}/extract",
    responses={200: {"model": ExtractAnswer}, **problems(*PAGE_PROBLEMS)},
    openapi_extra=page_body(SiteExtractRequest, SiteExtractOptions),
)
async def extract_with_site(request: Request, service: TheService, host: Host) -> Response:
    """Extract the content of a page with what is known of its site: templates and rules."""
    site = service.sites.need(host)
    page, options = await read_request(request, service, SiteExtractRequest, SiteExtractOptions)
    formats = tuple(options.formats)
    task = ExtractTask(page._replace(site=site), formats, rendering=rendering(options))
    return json_response(await service.run(task))
