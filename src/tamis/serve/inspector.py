"""The inspector: its page at /, and the routes under /v1/inspector that it calls."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from importlib.resources import files
from itertools import islice
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, Self

from fastapi import APIRouter, Path, Query, Request
from pydantic import BaseModel, ConfigDict, Field, model_validator
from starlette.responses import Response, StreamingResponse

from tamis.errors import TamisError, Unavailable
from tamis.serve.api import json_response, page_body, problems
from tamis.serve.guard import PAGE_POLICY
from tamis.serve.inspector_tasks import (
    CompareTask,
    ExplainTask,
    FormatsTask,
    MarkTask,
    OpenTask,
    ScreenshotTask,
    SiteTask,
    TrialTask,
    UndoTask,
    ViewTask,
    build_renderer,
)
from tamis.serve.models import MethodName, PageRequest, inline_schema, parse_json
from tamis.serve.problems import Problem, error_problem, outcome_problem
from tamis.serve.requests import read_request
from tamis.serve.service import Service
from tamis.serve.tasks import PageInput, Task, encode_json
from tamis.serve.workspace import Draft, OpenPage, Workspace
from tamis.workers import Pool

if TYPE_CHECKING:
    from tamis.store import Store

_TYPES: Final = {
    "index.html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_MAX_TRIED: Final = 200  # stored pages of a site
_RENDER_DEADLINE: Final = 60.0

Host = Annotated[str, Path(min_length=1, max_length=200)]
PageId = Annotated[str, Path(min_length=1, max_length=64)]
Method = Literal["site"] | MethodName


class OpenOptions(BaseModel):
    """What a page is called."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str | None = Field(None, max_length=300, description="What the page is called.")


class OpenRequest(PageRequest, OpenOptions):
    """A page that is to be looked at."""


class MarkRequest(BaseModel):
    """What a person says about a page."""

    model_config = ConfigDict(
        extra="forbid",
        frozen=True,
        json_schema_extra={"examples": [{"page": "0123456789abcdef", "kind": "noise", "block": 3}]},
    )

    page: str = Field(min_length=1, max_length=64)
    kind: Literal["content", "noise", "region", "column"]
    block: int | None = Field(None, ge=0, le=10**7)
    region: int | None = Field(None, ge=0, le=10**4)
    field: str | None = Field(None, max_length=200, description="The column that gets a name.")
    name: str | None = Field(None, max_length=100)
    reach: Literal["text", "form", "path"] = "form"
    only_like_page: bool = Field(False, description="Only on pages whose addresses are alike.")

    @model_validator(mode="after")
    def _check_subject(self) -> Self:
        needed = {"region": ("region",), "column": ("field", "name")}.get(self.kind, ("block",))
        for name in needed:
            if getattr(self, name) in (None, ""):
                raise ValueError(f"a mark of the kind {self.kind} needs {name}")
        return self


class Inspector:
    """What the routes of the inspector share."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.workspace = Workspace()
        self.begins_with: list[str] = []  # pages that were opened before anybody came
        self._renderer: Pool[ScreenshotTask, bytes] | None = None

    def close(self) -> None:
        """End the browser."""
        if self._renderer is not None:
            self._renderer.close()

    @property
    def can_render(self) -> bool:
        """Whether there is a browser for screenshots."""
        if not self.service.settings.can_render:
            return False
        try:
            import playwright  # noqa: F401

            from tamis.render import chromium_path

            chromium_path()
        except (ImportError, Unavailable):
            return False
        return True

    async def open(self, page: PageInput, name: str | None = None, **about: Any) -> OpenPage:
        """Keep a page, and say what it is."""
        described = await self.run(OpenTask(page))
        return self.workspace.add(page, described, name, **about)

    async def run(self, task: Task) -> bytes:
        """Have a worker do a task; people wait rather than be refused."""
        return await self.service.run(task, patient=True)

    def with_site(self, opened: OpenPage) -> PageInput:
        """Return an open page with what is known of its site."""
        return opened.page._replace(site=self._site_text(opened.host))

    def _site_text(self, host: str) -> str | None:
        try:
            return self.service.sites.read(host)
        except Problem:
            return None  # no host that a file can be named for

    async def render(self, opened: OpenPage) -> bytes:
        """Return a screenshot of a page with the boxes of its blocks."""
        if not self.can_render:
            raise Problem(501, "no-browser", "there is no Chromium, or playwright is missing")
        settings = self.service.settings
        if self._renderer is None:
            self._renderer = Pool(
                partial(build_renderer, dict(self.service.limits)),
                workers=1,
                deadline=_RENDER_DEADLINE,
                memory=None,  # the browser has its own limit
            )
        live = settings.fetch if opened.is_fetched and settings.can_fetch else False
        task = ScreenshotTask(opened.page, live)
        try:
            outcome = await asyncio.wrap_future(self._renderer.submit(task))
        except TamisError as error:
            raise error_problem(error) from error
        if outcome.kind is not None or outcome.value is None:
            raise outcome_problem(outcome)
        return outcome.value

    async def make_draft(self, mark: MarkRequest) -> Draft:
        """Make rules of what a person says."""
        opened = self.workspace.get(mark.page)
        before = self.service.sites.read(opened.host)
        fields = mark.model_dump(exclude={"page"})
        answer = await self.run(MarkTask(opened.page._replace(site=before), opened.host, **fields))
        drafted = json.loads(answer)
        return self.workspace.keep_draft(
            page=mark.page,
            host=opened.host,
            rules=drafted["rules"],
            before=before,
            after=drafted["file"],
        )

    def save(self, draft: Draft) -> None:
        """Write rules to the file of their site, unless it has changed in the meantime."""
        if self.service.sites.read(draft.host) != draft.before:
            raise Problem(
                409, "site-changed", f"the rules of {draft.host} have changed: mark it again"
            )
        self.service.sites.write(draft.host, draft.after)
        self.workspace.drafts.pop(draft.id, None)

    async def try_draft(self, draft: Draft) -> AsyncIterator[bytes]:
        """Yield what rules change, page by page, as lines of JSON; the first has their number."""
        others = [page for page in self.workspace.pages.values() if page.host == draft.host]
        pages = [(page.as_dict(), page.page) for page in others]
        addresses = {page.page.url for page in others}
        pages += [
            ({"url": page.url, "stored": page.url, "name": page.url}, page)
            for page in await self._stored_pages(draft.host)
            if page.url not in addresses
        ]
        yield encode_json({"total": len(pages)}) + b"\n"
        slots = asyncio.Semaphore(max(1, self.service.settings.worker_count))

        async def run_one(about: dict[str, Any], page: PageInput) -> bytes:
            async with slots:
                task = TrialTask(page._replace(site=draft.before), draft.after)
                try:
                    answer = json.loads(await self.run(task))
                except Problem as problem:
                    answer = {"problem": problem.detail}
            return encode_json({**about, **answer}) + b"\n"

        tasks = [asyncio.create_task(run_one(*entry)) for entry in pages]
        try:
            for task in asyncio.as_completed(tasks):
                yield await task
        finally:
            for task in tasks:
                task.cancel()

    async def _stored_pages(self, host: str) -> list[PageInput]:
        if not self.service.has_store:
            return []

        def read(store: Store) -> list[PageInput]:
            pages = islice(store.pages(host), _MAX_TRIED)
            return [PageInput(page.source, page.url, "utf-8") for page in pages]

        return await self.service.read_store(read)


def build_inspector_router(inspector: Inspector) -> APIRouter:
    """Return the routes of the inspector."""
    router = APIRouter()
    _add_assets(router)
    _add_page_routes(router, inspector)
    _add_rule_routes(router, inspector)
    return router


def _add_assets(router: APIRouter) -> None:
    folder = files("tamis.serve").joinpath("assets")
    assets = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}

    def respond(name: str) -> Response:
        kind = _TYPES.get(name) or _TYPES.get(name.rpartition(".")[2])
        if kind is None or name not in assets:
            raise Problem(404, "no-such-route", "there is no such file")
        headers = {"Content-Security-Policy": PAGE_POLICY, "Cache-Control": "no-cache"}
        return Response(assets[name], 200, headers, kind)

    @router.get("/", include_in_schema=False)
    async def index() -> Response:
        """Return the inspector."""
        return respond("index.html")

    @router.get("/favicon.ico", include_in_schema=False)
    async def icon() -> Response:
        """Return the icon."""
        return respond("icon.svg")

    @router.get("/assets/{name}", include_in_schema=False)
    async def asset(name: str) -> Response:
        """Return a file of the inspector."""
        return respond(name)


_PROBLEMS: Final = (400, 404, 408, 409, 413, 415, 422, 500, 501, 502, 503, 504, 507)


def _add_page_routes(router: APIRouter, inspector: Inspector) -> None:
    service, workspace = inspector.service, inspector.workspace

    @router.get("/v1/inspector", tags=["inspector"], responses=problems())
    async def abilities() -> Response:
        """Say what the inspector can do here."""
        from typing import get_args

        return json_response(
            encode_json(
                {
                    "methods": list(get_args(MethodName)),
                    "store": service.has_store,
                    "fetch": service.settings.can_fetch,
                    "screenshots": inspector.can_render,
                    "begins_with": inspector.begins_with,
                }
            )
        )

    @router.post(
        "/v1/inspector/pages",
        tags=["inspector"],
        status_code=201,
        responses={201: {"description": "Open."}, **problems(*_PROBLEMS)},
        openapi_extra=page_body(OpenRequest, OpenOptions),
    )
    async def open_page(request: Request) -> Response:
        """Open a page: HTML, an address, or a page of the store."""
        page, options = await read_request(request, service, OpenRequest, OpenOptions, patient=True)
        is_fetched = isinstance(options, OpenRequest) and options.html is None
        stored = options.stored if isinstance(options, OpenRequest) else None
        opened = await inspector.open(
            page, options.name, is_fetched=is_fetched and stored is None, stored=stored
        )
        return json_response(encode_json(opened.as_dict()), 201)

    @router.get("/v1/inspector/pages", tags=["inspector"], responses=problems())
    async def open_pages() -> Response:
        """List the pages that are open."""
        return json_response(
            encode_json({"pages": [page.as_dict() for page in workspace.pages.values()]})
        )

    @router.get("/v1/inspector/pages/{page_id}", tags=["inspector"], responses=problems(*_PROBLEMS))
    async def view(page_id: PageId, method: Method = "site") -> Response:
        """Return a page with its blocks, its document and its records."""
        opened = workspace.get(page_id)
        return json_response(await inspector.run(ViewTask(inspector.with_site(opened), method)))

    @router.get(
        "/v1/inspector/pages/{page_id}/formats",
        tags=["inspector"],
        responses=problems(*_PROBLEMS),
    )
    async def formats(page_id: PageId, method: Method = "site") -> Response:
        """Return the document of a page as text, Markdown and HTML."""
        opened = workspace.get(page_id)
        return json_response(await inspector.run(FormatsTask(inspector.with_site(opened), method)))

    @router.get(
        "/v1/inspector/pages/{page_id}/explain",
        tags=["inspector"],
        responses=problems(*_PROBLEMS),
    )
    async def explain(page_id: PageId, block: Annotated[int, Query(ge=0, le=10**7)]) -> Response:
        """Say which features decided about a block."""
        return json_response(await inspector.run(ExplainTask(workspace.get(page_id).page, block)))

    @router.get(
        "/v1/inspector/pages/{page_id}/compare",
        tags=["inspector"],
        responses=problems(*_PROBLEMS),
    )
    async def compare(
        page_id: PageId, first: Method = "learned", second: Method = "feature"
    ) -> Response:
        """Compare what two methods keep of a page."""
        page = inspector.with_site(workspace.get(page_id))
        return json_response(await inspector.run(CompareTask(page, first, second)))

    @router.get(
        "/v1/inspector/pages/{page_id}/screenshot",
        tags=["inspector"],
        responses=problems(*_PROBLEMS),
    )
    async def screenshot(page_id: PageId) -> Response:
        """Return a screenshot of a page as base64, with the boxes of its blocks."""
        return json_response(await inspector.render(workspace.get(page_id)))


def _add_rule_routes(router: APIRouter, inspector: Inspector) -> None:
    service, workspace = inspector.service, inspector.workspace

    @router.get("/v1/inspector/sites/{host}", tags=["inspector"], responses=problems(*_PROBLEMS))
    async def rules(host: Host, run: bool = False) -> Response:
        """List the rules of a site; with `run`, say whether its cases hold."""
        text = service.sites.read(host)
        if text is None:
            answer = {"host": host, "pages": 0, "rules": [], "cases": []}
            return json_response(encode_json(answer))
        return json_response(await inspector.run(SiteTask(text, run)))

    @router.post(
        "/v1/inspector/drafts",
        tags=["inspector"],
        status_code=201,
        responses={201: {"description": "Not saved yet."}, **problems(*_PROBLEMS)},
        openapi_extra={
            "requestBody": {
                "required": True,
                "content": {"application/json": {"schema": inline_schema(MarkRequest)}},
            }
        },
    )
    async def draft_rule(request: Request) -> Response:
        """Make rules of what a person says about a page, without saving them."""
        mark = parse_json(MarkRequest, await request.body())
        draft = await inspector.make_draft(mark)
        answer = {"id": draft.id, "host": draft.host, "rules": draft.rules}
        return json_response(encode_json(answer), 201)

    @router.get(
        "/v1/inspector/drafts/{draft_id}/trial",
        tags=["inspector"],
        response_class=Response,
        responses={
            200: {"description": "A line per page.", "content": {"application/x-ndjson": {}}},
            **problems(404),
        },
    )
    async def trial(draft_id: PageId) -> Response:
        """Try rules on the other pages of their site: those that are open, and those stored."""
        draft = workspace.get_draft(draft_id)
        return StreamingResponse(inspector.try_draft(draft), media_type="application/x-ndjson")

    @router.post(
        "/v1/inspector/drafts/{draft_id}/save",
        tags=["inspector"],
        responses=problems(*_PROBLEMS),
    )
    async def save(draft_id: PageId) -> Response:
        """Save rules to the file of their site, with the page as a test case."""
        draft = workspace.get_draft(draft_id)
        inspector.save(draft)
        return json_response(encode_json({"host": draft.host, "rules": draft.rules}))

    @router.delete(
        "/v1/inspector/sites/{host}/rules/{rule_id}",
        tags=["inspector"],
        responses=problems(*_PROBLEMS),
    )
    async def undo(host: Host, rule_id: PageId) -> Response:
        """Undo a rule, with its marks in test cases."""
        text = service.sites.need(host)
        after = await inspector.run(UndoTask(text, rule_id))
        service.sites.write(host, after.decode())
        return json_response(await inspector.run(SiteTask(after.decode(), run_cases=False)))
