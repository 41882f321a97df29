"""Batches: pages as lines of JSON in, answers as lines of JSON out, as they are done.

Lines are read no faster than pages are done and answers are taken: at most so many pages are under
way, and so many bytes of answers wait. Beyond that the body of the request is not read on.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Final

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from tamis.errors import TamisError
from tamis.serve.models import BatchLine, parse_json
from tamis.serve.problems import Problem, error_problem
from tamis.serve.requests import find_page, rendering
from tamis.serve.service import Service
from tamis.serve.tasks import ExtractTask

_MAX_WAITING_BYTES: Final = 32 << 20  # of answers, for clients that send all before they read
_PAGES_PER_WORKER: Final = 2  # under way: batches leave room for others


class BatchResponse(Response):
    """The answer to a batch, which is sent while the request is still being read."""

    media_type = "application/x-ndjson"

    def __init__(self, batch: Batch) -> None:
        super().__init__()
        del self.headers["content-length"]
        self._batch = batch

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send the answers, until they end or the client goes away."""
        status = self.status_code
        await send({"type": "http.response.start", "status": status, "headers": self.raw_headers})
        async for line in self._batch.answers():
            await send({"type": "http.response.body", "body": line, "more_body": True})
        await send({"type": "http.response.body", "body": b""})


class Batch:
    """One batch: a task that reads lines, tasks for pages, and their answers."""

    def __init__(self, service: Service, request: Request, request_id: str, *, ordered: bool):
        self._service = service
        self._request = request
        self._request_id = request_id
        self._ordered = ordered
        self._slots = asyncio.Semaphore(_PAGES_PER_WORKER * service.settings.worker_count)
        self._answers: asyncio.Queue[bytes | asyncio.Task[bytes] | None] = asyncio.Queue()
        self._waiting_bytes = 0
        self._has_space = asyncio.Event()
        self._has_space.set()
        self._tasks: set[asyncio.Task[bytes]] = set()

    async def answers(self) -> AsyncIterator[bytes]:
        """Yield the answers: as they are done or, if so wished, in the order of the lines."""
        reader = asyncio.create_task(self._read_lines())
        try:
            while (answer := await self._answers.get()) is not None:
                line = answer if isinstance(answer, bytes) else await answer
                self._waiting_bytes -= len(line)
                if self._waiting_bytes <= _MAX_WAITING_BYTES:
                    self._has_space.set()
                yield line
        finally:
            reader.cancel()
            for task in self._tasks:
                task.cancel()

    async def _read_lines(self) -> None:
        """Start a task for each line; an unreadable body ends with a line that says so."""
        number = 0
        try:
            lines = aiter(self._lines())
            while True:
                number += 1
                line = await anext(lines, None)
                if line is None:
                    break
                if number > self._service.settings.max_batch:
                    limit = self._service.settings.max_batch
                    raise Problem(
                        413, "batch-too-large", f"a batch has at most {limit:,} pages: split it"
                    )
                await self._has_space.wait()
                await self._slots.acquire()
                self._start(line, number)
        except ClientDisconnect:
            self._answers.put_nowait(None)
            return
        except Problem as problem:
            self._put(self._problem_line(problem, number, None))
        watch = asyncio.ensure_future(self._wait_for_departure())
        while self._tasks and not watch.done():
            await asyncio.wait({*self._tasks, watch}, return_when=asyncio.FIRST_COMPLETED)
        watch.cancel()
        self._answers.put_nowait(None)

    async def _wait_for_departure(self) -> None:
        """Return when the client leaves; what may still come of the body is not looked at."""
        while True:
            with suppress(Problem):
                if (await self._request.receive())["type"] == "http.disconnect":
                    return

    def _start(self, line: bytes, number: int) -> None:
        task = asyncio.create_task(self._read_page(line, number))
        self._tasks.add(task)
        if self._ordered:
            self._answers.put_nowait(task)
        task.add_done_callback(self._finish)

    def _finish(self, task: asyncio.Task[bytes]) -> None:
        self._tasks.discard(task)
        self._slots.release()
        if task.cancelled():
            return
        answer = task.result()
        if self._ordered:
            self._count(answer)
        else:
            self._put(answer)

    def _put(self, answer: bytes) -> None:
        self._count(answer)
        self._answers.put_nowait(answer)

    def _count(self, answer: bytes) -> None:
        self._waiting_bytes += len(answer)
        if self._waiting_bytes > _MAX_WAITING_BYTES:
            self._has_space.clear()

    async def _lines(self) -> AsyncIterator[bytes]:
        """Yield the lines of the body; one that is too long is a Problem."""
        limit, rest = self._service.settings.max_body, bytearray()
        async for received in self._request.stream():
            rest += received
            while (end := rest.find(b"\n")) >= 0:
                line = bytes(rest[:end]).strip()
                del rest[: end + 1]
                if line:
                    yield line
            if len(rest) > limit:
                raise Problem(413, "too-large", f"a line has more than {limit:,} bytes")
        if line := bytes(rest).strip():
            yield line

    async def _read_page(self, line: bytes, number: int) -> bytes:
        """Return the answer to a line; raises nothing."""
        line_id: str | int | None = None
        try:
            try:
                entry = parse_json(BatchLine, line)
            except Problem:
                line_id = _find_id(line)
                raise
            line_id = entry.id
            page = await find_page(self._service, entry)
            formats = tuple(entry.formats)
            task = ExtractTask(page, formats, entry.method, entry.favor, rendering(entry))
            answer = await self._service.run(task, patient=True)
        except Problem as problem:
            return self._problem_line(problem, number, line_id)
        except TamisError as error:
            return self._problem_line(error_problem(error), number, line_id)
        head = _line_head(number, line_id)
        return head + b', "answer": ' + answer + b"}\n"

    def _problem_line(self, problem: Problem, number: int, line_id: str | int | None) -> bytes:
        members = json.dumps(problem.as_dict(self._request_id), ensure_ascii=False)
        return _line_head(number, line_id) + b', "problem": ' + members.encode() + b"}\n"


def _find_id(line: bytes) -> str | int | None:
    """Return the id of a line that is no request, as far as it has one."""
    with suppress(ValueError, RecursionError):
        entry = json.loads(line)
        given = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(given, str | int) and not isinstance(given, bool):
            return given
    return None


def _line_head(number: int, line_id: str | int | None) -> bytes:
    """Return the beginning of an answer: the id of its line, null if it has none, and its number.

    A number in place of an id could be the id of another line.
    """
    head = f'{{"id": {json.dumps(line_id, ensure_ascii=False)}, "line": {number}'
    return head.encode("utf-8", "replace")
