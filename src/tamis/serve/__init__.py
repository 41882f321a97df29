"""Serve: an HTTP API, a page for people to inspect and mend extractions, and tools for agents.

    client ──guard──▶ api · inspector · tools ──service──▶ workers · store · site files

`run_server` serves; `build_app` is the application, for servers of others.
"""

from __future__ import annotations

from tamis.errors import unavailable

try:
    from tamis.serve import service, tasks
    from tamis.serve.app import build_app
    from tamis.serve.models import FormatName, MethodName
    from tamis.serve.server import run_server
    from tamis.serve.settings import PORT, ServeSettings
    from tamis.serve.tasks import FORMATS, ExtractTask, PageInput, build_runner
    from tamis.serve.tools import run_tools
except ModuleNotFoundError as error:
    if str(error.name).startswith("tamis"):
        raise
    raise unavailable(f"the service needs {error.name}", "serve") from error

__all__ = [
    "FORMATS",
    "PORT",
    "ExtractTask",
    "FormatName",
    "MethodName",
    "PageInput",
    "ServeSettings",
    "build_app",
    "build_runner",
    "run_server",
    "run_tools",
    "service",
    "tasks",
]
