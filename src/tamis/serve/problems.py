"""Problems: errors as RFC 9457 has them, each with its status and what to do about it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus
from typing import Any, Final

from starlette.responses import Response

from tamis.errors import TamisError
from tamis.workers import Outcome

_URN: Final = "urn:tamis:problem:"

# The class of an error → status and type. Other errors of a page are bugs: 500.
_BY_KIND: Final[Mapping[str, tuple[int, str]]] = {
    "TooLarge": (413, "too-large"),
    "FetchTooLarge": (413, "too-large"),
    "PrivateAddress": (403, "private-address"),
    "FetchError": (502, "fetch-failed"),
    "SourceError": (422, "unusable-input"),
    "InputError": (422, "unusable-input"),
    "NeedsLayout": (422, "needs-layout"),
    "RenderError": (422, "not-rendered"),
    "WrongType": (422, "unusable-input"),
    "UnknownName": (422, "unknown-name"),
    "DeadlineExceeded": (504, "deadline-exceeded"),
    "OutOfMemory": (507, "out-of-memory"),
    "WorkerDied": (507, "worker-died"),
    "WorkerStartFailed": (503, "no-workers"),
    "Unavailable": (501, "not-installed"),
    "StoreError": (503, "store-failed"),
}
# All that a service may answer with: the types by status, for the API's description.
STATUSES: Final[Mapping[int, str]] = {
    400: "The request cannot be read: its body is no JSON, or its encoding is unknown.",
    401: "The token is missing or wrong.",
    403: "Not allowed: a private address, a foreign origin, or fetching is switched off.",
    404: "There is no such page, site or rule.",
    408: "The request did not arrive in time.",
    409: "The service has no store, or what is to be changed has changed.",
    413: "The page or the request is too large.",
    415: "The body is neither application/json nor text/html.",
    421: "The service does not answer to this host name.",
    422: "The request can be read, but not done as it is.",
    429: "Too many requests at once with this token.",
    500: "A bug: the page could not be read.",
    501: "A part that is not installed.",
    502: "The address could not be fetched.",
    503: "All workers are busy and the queue is full, or the store is not there.",
    504: "The page took too long. Its worker was replaced.",
    507: "The page needs too much memory, or killed its worker. The worker was replaced.",
}


@dataclass
class Problem(Exception):
    """An answer that is not what was wanted: a status, a type and what to do."""

    status: int
    kind: str
    detail: str
    headers: dict[str, str] = field(default_factory=dict)
    errors: list[dict[str, Any]] | None = None  # of a request, one each

    def as_dict(self, request_id: str) -> dict[str, Any]:
        """Return the problem as RFC 9457 has it."""
        members: dict[str, Any] = {
            "type": _URN + self.kind,
            "title": HTTPStatus(self.status).phrase,
            "status": self.status,
            "detail": self.detail.encode("utf-8", "replace").decode(),
            "request_id": request_id,
        }
        if self.errors is not None:
            members["errors"] = self.errors
        return members

    def response(self, request_id: str) -> Response:
        """Return the problem as a response."""
        return Response(
            json.dumps(self.as_dict(request_id), ensure_ascii=False),
            self.status,
            self.headers,
            "application/problem+json",
        )


def error_problem(error: TamisError) -> Problem:
    """Return the problem that an error of tamis is."""
    for base in type(error).__mro__:
        if base.__name__ in _BY_KIND:
            status, kind = _BY_KIND[base.__name__]
            return Problem(status, kind, str(error), _retry_headers(status))
    return Problem(500, "bug", f"{type(error).__name__}: {error}")


def outcome_problem(outcome: Outcome[Any, Any]) -> Problem:
    """Return the problem that the error of a page is; only tamis' own errors are quoted."""
    name = outcome.kind or ""
    if name in _BY_KIND:
        status, kind = _BY_KIND[name]
        return Problem(status, kind, outcome.error or name, _retry_headers(status))
    return Problem(
        500, "bug", f"the page could not be read: {outcome.kind}; please report it as a bug"
    )


def queue_full(seconds: int = 1) -> Problem:
    """Return the problem of a service that has enough to do."""
    return Problem(
        503,
        "queue-full",
        "all workers are busy and the queue is full: try again later",
        {"Retry-After": str(seconds)},
    )


def _retry_headers(status: int) -> dict[str, str]:
    return {"Retry-After": "5"} if status == 503 else {}
