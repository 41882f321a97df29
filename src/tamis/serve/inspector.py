"""Inspector: what people have open, the rules that they try, the browser for screenshots."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from functools import partial
from typing import Any, Final

from tamis.errors import TamisError, Unavailable
from tamis.serve.fix_tasks import MarkTask, TrialTask
from tamis.serve.inspector_tasks import OpenTask, ScreenshotTask, build_renderer
from tamis.serve.models import MarkRequest
from tamis.serve.problems import Problem, error_problem, outcome_problem
from tamis.serve.service import Service
from tamis.serve.tasks import PageInput, Task, encode_json
from tamis.serve.workspace import Draft, OpenPage, Workspace
from tamis.workers import Pool

_MAX_TRIED: Final = 200  # stored pages of a site
_RENDER_DEADLINE: Final = 60.0


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

    def page_with_site(self, page_id: str) -> PageInput:
        """Return an open page with what is known of its site."""
        opened = self.workspace.get(page_id)
        return opened.page._replace(site=self._site_text(opened.host))

    def _site_text(self, host: str) -> str | None:
        try:
            return self.service.sites.read(host)
        except Problem:
            return None  # no host that a file can be named for

    async def render(self, opened: OpenPage, method: str) -> bytes:
        """Return a screenshot of a page with the boxes of the blocks of a method."""
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
        task = ScreenshotTask(opened.page, method, live)
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
        self.service.sites.write(draft.host, draft.after, draft.before)
        self.workspace.drafts.pop(draft.id, None)

    async def try_draft(self, draft: Draft) -> AsyncIterator[bytes]:
        """Yield what rules change, page by page, as lines of JSON; the first has their number."""
        pages = [(page.as_dict(), page.page) for page in self._open_pages(draft)]
        addresses = {page.url for _, page in pages}
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

    def _open_pages(self, draft: Draft) -> list[OpenPage]:
        """Return the open pages of a draft's site; of the versions of a page only one counts."""
        pages = [page for page in self.workspace.pages.values() if page.host == draft.host]
        pages.sort(key=lambda page: page.id != draft.page)  # the page with the mark is the one
        chosen: dict[str, OpenPage] = {}
        for page in pages:
            chosen.setdefault(page.page.url or page.id, page)
        return list(chosen.values())

    async def _stored_pages(self, host: str) -> list[PageInput]:
        if not self.service.has_store:
            return []
        return await self.service.read_site(host, _MAX_TRIED)
