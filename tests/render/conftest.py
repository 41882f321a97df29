"""One browser for all tests that do nothing bad to it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tamis.render import Browser


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with Browser(timeout=60) as shared:
        yield shared
