"""Calls `tamis extract` and `tamis records` in the process of the test, and reads what it says."""

from __future__ import annotations

import csv
import io
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


def records(*arguments: str | Path, data: str | None = None, columns: int | None = None) -> Result:
    env = {"COLUMNS": str(columns) if columns else None}
    return CliRunner().invoke(command, ["records", *map(str, arguments)], input=data, env=env)


def list_page(number: int, next_page: str = "") -> str:
    entries = "".join(
        f"<li><h3><a href=/i{number}{i}>Entry {number} {i} of it</a></h3>"
        f"<p>words and more words {i}</p><span>$ {i}.99</span></li>"
        for i in range(8)
    )
    link = f'<nav><a rel=next href="{next_page}">Next</a></nav>' if next_page else ""
    return f"<html><body><main><ul>{entries}</ul></main>{link}</body></html>"


def csv_rows(text: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(text)))


def rows(text: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in text.splitlines()]


def assert_usage_error(result: Result, said: str) -> None:
    """A user's mistake: exit code 2, a message, and no traceback."""
    assert result.exit_code == 2, result.output
    assert said in result.stderr
    assert "Traceback" not in result.stderr
    assert result.exception is None or isinstance(result.exception, SystemExit)
