"""The application: routes behind the guard, and what is started and ended with it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from typing import Final

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from tamis.errors import TamisError
from tamis.serve.guard import Guard
from tamis.serve.inspector import Inspector
from tamis.serve.problems import Problem, error_problem
from tamis.serve.routes import add_routes
from tamis.serve.service import Service
from tamis.serve.settings import ServeSettings
from tamis.serve.tasks import PageInput
from tamis.serve.tools import build_tool_server

_DESCRIPTION: Final = (
    "Cuts web pages into blocks, tells the informative ones from the noise, and hands on content, "
    "records and site templates. Errors are problem details after RFC 9457."
)
_HTTP_PROBLEMS: Final = {
    404: ("no-such-route", "the service has no such address: /openapi.json lists them all"),
    405: ("wrong-method", "this address does not answer to this method"),
}


def build_app(settings: ServeSettings, opened: Sequence[tuple[PageInput, str]] = ()) -> ASGIApp:
    """Return the application of a service; `opened` are pages to inspect, with their names."""
    from tamis import __version__

    service = Service(settings)
    tools, inspector = _ToolRoute(service), Inspector(service)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with AsyncExitStack() as stack:
            stack.push_async_callback(service.close)
            stack.callback(inspector.close)
            await service.start()
            for page, name in opened:
                inspector.begins_with.append((await inspector.open(page, name)).id)
            await stack.enter_async_context(tools.sessions.run())
            yield

    app = FastAPI(
        title="tamis",
        version=__version__,
        description=_DESCRIPTION,
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    add_routes(app, service, inspector)
    app.router.routes.append(Route("/mcp", tools, include_in_schema=False))
    _add_problem_handlers(app)
    return Guard(app, settings, service.metrics)


class _ToolRoute:
    """The tools for agents as streamable HTTP; hosts, origins and tokens are the guard's."""

    def __init__(self, service: Service) -> None:
        from mcp.server.transport_security import TransportSecuritySettings

        security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
        server = build_tool_server(service)
        server.streamable_http_app(
            json_response=True,
            stateless_http=True,
            max_request_body_size=service.settings.max_body,
            transport_security=security,
        )
        self.sessions = server.session_manager

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request; there are no streams, which would stay open for nothing."""
        scope["route"] = _TOOL_PATH
        if scope["method"] != "POST":
            raise Problem(405, "wrong-method", "the tools answer to POST", {"Allow": "POST"})
        await self.sessions.handle_request(scope, receive, send)


class _NamedPath:
    """What the guard's log calls a request."""

    path = "/mcp"


_TOOL_PATH: Final = _NamedPath()


def _add_problem_handlers(app: FastAPI) -> None:
    """Answer every error with a problem."""

    def respond(request: Request, problem: Problem) -> Response:
        return problem.response(request.scope["state"]["request_id"])

    @app.exception_handler(Problem)
    async def _answer_problem(request: Request, problem: Problem) -> Response:
        return respond(request, problem)

    @app.exception_handler(TamisError)
    async def _answer_error(request: Request, error: TamisError) -> Response:
        return respond(request, error_problem(error))

    @app.exception_handler(HTTPException)
    async def _answer_http_error(request: Request, error: HTTPException) -> Response:
        headers = dict(error.headers or {})
        kind, detail = _HTTP_PROBLEMS.get(error.status_code, ("refused", str(error.detail)))
        if "Allow" in headers:
            detail = f"this address answers to {headers['Allow']}"
        return respond(request, Problem(error.status_code, kind, detail, headers))

    @app.exception_handler(RequestValidationError)
    async def _answer_validation_error(request: Request, error: RequestValidationError) -> Response:
        errors = [
            {"at": ".".join(map(str, entry["loc"])), "message": entry["msg"]}
            for entry in error.errors()
        ]
        detail = f"{errors[0]['at']}: {errors[0]['message']}"
        return respond(request, Problem(422, "bad-request", detail, errors=errors))
