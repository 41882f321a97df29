"""Running a service: a socket, uvicorn, logs, and an orderly end."""

from __future__ import annotations

import asyncio
import logging
import os
import secrets
import socket
import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Final, cast

import uvicorn

from tamis.errors import InputError
from tamis.serve.app import build_app
from tamis.serve.connection import BoundedProtocol
from tamis.serve.guard import LOGGER
from tamis.serve.settings import ServeSettings
from tamis.serve.tasks import PageInput

_KEEP_ALIVE: Final = 30  # seconds that an idle connection is kept
_BACKLOG: Final = 512
_MAX_CONNECTIONS: Final = 1_000


def run_server(
    settings: ServeSettings,
    announce: Callable[[str, ServeSettings], None],
    *,
    opened: Sequence[tuple[PageInput, str]] = (),
    quiet: bool = False,
) -> None:
    """Serve until a signal comes; then what is under way is finished.

    `announce` gets the address, and the settings with the token that holds. A port of 0 takes any
    that is free. `opened` are pages to inspect, with their names.
    """
    if not settings.tokens:
        settings = replace(settings, tokens=(secrets.token_urlsafe(24),))
    _set_up_logs(quiet=quiet)
    listener = _bind(settings)
    port = listener.getsockname()[1]
    shown_host = f"[{settings.host}]" if ":" in settings.host else settings.host
    config = uvicorn.Config(
        build_app(settings, opened),
        http=cast("type[asyncio.Protocol]", partial(BoundedProtocol, settings.body_timeout)),
        log_config=None,
        access_log=False,
        server_header=False,
        date_header=True,
        timeout_keep_alive=_KEEP_ALIVE,
        timeout_graceful_shutdown=max(1, round(settings.drain_timeout)),
        limit_concurrency=_MAX_CONNECTIONS,
        lifespan="on",
    )
    announce(f"http://{shown_host}:{port}/", settings)
    with listener:
        server = uvicorn.Server(config)
        server.run(sockets=[listener])
    if not server.started:
        raise InputError("the service did not start: the message above says why")


def _bind(settings: ServeSettings) -> socket.socket:
    """Return a socket that listens; InputError says why there is none."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((settings.host, settings.port))
        listener.listen(_BACKLOG)
    except (socket.gaierror, UnicodeError, TypeError) as error:  # unknown, or cannot be encoded
        listener.close()
        raise InputError(
            f"{settings.host!r} is no host: give a name or an IP address with --host"
        ) from error
    except OSError as error:
        listener.close()
        raise InputError(
            f"cannot listen on {settings.host}:{settings.port}: {error.strerror or error}; "
            "is it in use? Choose another with --port"
        ) from error
    return listener


def _set_up_logs(*, quiet: bool) -> None:
    """Write logs to standard error, one line of JSON per request; never contents or tokens."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(message)s"))
    LOGGER.handlers[:] = [handler]
    LOGGER.propagate = False
    LOGGER.setLevel(logging.WARNING if quiet else logging.INFO)
    for name in ("uvicorn", "uvicorn.error", "mcp"):
        logger = logging.getLogger(name)
        logger.handlers[:] = [handler]
        logger.propagate = False
        logger.setLevel(logging.WARNING)
