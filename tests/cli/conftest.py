"""Runs the command as users do: in a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

COMMAND = [sys.executable, "-c", "from tamis.cli import main; main()"]
Done = subprocess.CompletedProcess[str]
Tamis = Callable[..., Done]


@pytest.fixture
def tamis(tmp_path: Path) -> Tamis:
    """Run `tamis` with arguments in a folder of its own."""

    def run(*arguments: object, stdin: bytes | None = None, **variables: str) -> Done:
        done = subprocess.run(
            [*COMMAND, *map(str, arguments)],
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            cwd=tmp_path,
            env=os.environ | variables,
            timeout=120,
            check=False,
        )
        out, err = done.stdout.decode("utf-8"), done.stderr.decode("utf-8")
        assert "Traceback" not in err, err
        return subprocess.CompletedProcess(done.args, done.returncode, out, err)

    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder of ten pages, some in folders of their own."""
    pages = tmp_path / "pages"
    for number in range(10):
        place = pages / f"part{number % 3}" / f"page{number}.html"
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(page(number), encoding="utf-8")
    return pages


def page(number: int) -> str:
    """A page with a menu, an article and a footer."""
    return (
        f"<title>{number}</title><nav><a href=/>Home</a> <a href=/a>About</a></nav><article>"
        f"<h1>Page {number}</h1><p>It rained on day {number}, and it rained well.</p>"
        "<p>The river rose, the bridge held, and nobody was surprised.</p></article>"
        "<footer>© us</footer>"
    )
