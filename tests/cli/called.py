"""Calls `tamis extract` in the process of the test, and reads what it says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from click.testing import CliRunner, Result

from tamis.cli import tamis as command

WORDS = "The quick brown fox jumps over the lazy dog, and then it sleeps for a while. "


def page(title: str, *, times: int = 3) -> str:
    return f"<html><body><nav><a href=/>Home</a></nav><p>{title} {WORDS * times}</p></body>"


def extract(*arguments: str | Path, data: str | bytes | None = None) -> Result:
    return CliRunner().invoke(command, ["extract", *map(str, arguments)], input=data)


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def assert_usage_error(result: Result, said: str) -> None:
    """A user's mistake: exit code 2, a message, and no traceback."""
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)
