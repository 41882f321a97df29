"""Generated requests over all endpoints: no 5xx but the declared ones, and answers as described."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings

from helpers.sites import article_page
from serve.servers import ServerProcess
from tamis.store import Store

EXAMPLES = 15
DECLARED = {501, 502, 503, 504, 507}


@pytest.fixture(scope="module")
def fuzzed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    folder: Path = tmp_path_factory.mktemp("fuzzed")
    with Store.open(folder / "pages.db") as store:
        store.put("https://pane.example/1", article_page(1))
    options = ("--workers", "1", "--queue", "64", "--store", "pages.db", "--no-render")
    with ServerProcess(*options, folder=folder) as running:
        yield running


@schemathesis.serializer("application/x-ndjson")
def serialize_lines(_: Any, value: Any) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "replace")


def operations(running: ServerProcess) -> Iterator[Any]:
    schema: Any = schemathesis.openapi.from_dict(running.get("/openapi.json").json())
    for operation in schema.get_all_operations():
        yield operation.ok()


@pytest.mark.slow
def test_no_request_breaks_the_service(fuzzed: ServerProcess) -> None:
    headers = {"Authorization": f"Bearer {fuzzed.token}"}
    names = set()
    for operation in operations(fuzzed):
        names.add(operation.label)

        @given(case=operation.as_strategy())
        @settings(
            max_examples=EXAMPLES,
            deadline=None,
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
        )
        def send(case: Any) -> None:
            declared = case.operation.definition.raw["responses"]
            response = case.call(base_url=fuzzed.url, headers=headers, timeout=120)
            status = response.status_code
            assert status < 500 or (status in DECLARED and str(status) in declared), response.text
            if status >= 400:
                assert response.headers["content-type"] == ["application/problem+json"]
                assert response.json()["status"] == status

        send()
    assert len(names) >= 20
    assert fuzzed.get("/readyz").status_code == 200
