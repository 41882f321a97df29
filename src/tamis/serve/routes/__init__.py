"""Routes: what the service answers at which address.

`pages`, `store`, `sites` and `state` are the API, `inspector` and `fixes` what the inspector calls,
`assets` its page. A route reads its request, has a worker or the store do the work, and answers.
"""

from __future__ import annotations

from fastapi import FastAPI

from tamis.serve.inspector import Inspector
from tamis.serve.routes import assets, fixes, inspector, pages, sites, state, store
from tamis.serve.service import Service

__all__ = ["add_routes"]


def add_routes(app: FastAPI, service: Service, inspected: Inspector) -> None:
    """Add all routes to an application, with what they share."""
    app.state.service, app.state.inspector = service, inspected
    for module in (pages, store, sites, state, inspector, fixes, assets):
        app.include_router(module.router)
