"""Standard streams that are closed or full, and Ctrl-C before the command has begun."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

START = "from tamis.cli import main; main()"
ARTICLE = str(Path(__file__).parents[2] / "samples" / "article.html")
WRITING = [
    ["--version"],
    ["--help"],
    ["extract", "--help"],
    ["extract", ARTICLE],
    ["extract", ARTICLE, ARTICLE],
    ["blocks", ARTICLE],
    ["blocks", "-f", "json", ARTICLE],
]


def run(*arguments: str, to: str = "", code: str = START) -> subprocess.CompletedProcess[str]:
    """Run the command with its streams redirected as a shell would."""
    return subprocess.run(
        ["bash", "-c", f'"$@" {to}', "bash", sys.executable, "-c", code, *arguments],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.parametrize("arguments", WRITING)
def test_a_closed_output_is_one_line(arguments: list[str]) -> None:
    done = run(*arguments, to=">&-")
    assert done.stderr == "tamis: cannot write standard output: it is closed\n"
    assert done.returncode == 2


def test_a_file_needs_no_standard_output(tmp_path: Path) -> None:
    done = run("extract", ARTICLE, "-o", str(tmp_path / "out.txt"), to=">&-")
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == run("extract", ARTICLE).stdout


def test_closed_messages_keep_the_output_as_it_is() -> None:
    done = run("extract", ARTICLE, "missing.html", to="2>&-")
    assert done.returncode == 1
    assert done.stdout == run("extract", ARTICLE, "missing.html").stdout
    assert len(done.stdout.splitlines()) == 2


@pytest.mark.parametrize("arguments", [["--version"], ["--help"], ["blocks", ARTICLE]])
def test_a_full_disk_is_one_line(arguments: list[str]) -> None:
    done = run(*arguments, to="> /dev/full")
    assert done.stderr == "tamis: cannot write standard output: the disk is full; make room\n"
    assert done.returncode == 2


def test_only_an_error_of_standard_output_is_told_as_one(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text("<p>It rained all day.</p>", encoding="utf-8")
    gold = '{"id": "a", "main_content": "It rained all day."}\n'
    (tmp_path / "gold.jsonl").write_text(gold, encoding="utf-8")
    code = f"import os; os.environ['XDG_CACHE_HOME'] = '{tmp_path}/a.html/x'; {START}"
    done = run("evaluate", str(tmp_path), "-m", "feature", "-p", "none", code=code)
    assert done.returncode == 2
    assert "standard output" not in done.stderr
    assert f"{tmp_path}/a.html/x" in done.stderr
    assert "XDG_CACHE_HOME" in done.stderr


def test_an_error_of_the_system_that_nobody_expects_names_its_file() -> None:
    code = f"from tamis.cli import tamis\n{REFUSED}\n{START}"
    done = run("refused", code=code)
    assert (done.returncode, done.stderr) == (2, "tamis: /nowhere/x: No such file or directory\n")


REFUSED = """
@tamis.command()
def refused() -> None:
    open("/nowhere/x")
"""

INTERRUPTED = """
import sys
class Interrupted:
    def find_spec(self, name, path=None, target=None):
        if name == {module!r}:
            raise KeyboardInterrupt
sys.meta_path.insert(0, Interrupted())
"""


@pytest.mark.parametrize(
    ("module", "arguments"),
    [
        ("click", ["extract", ARTICLE]),
        ("tamis.cli.evaluate", ["extract", ARTICLE]),
        ("importlib.metadata", ["--version"]),
        ("tamis.cli.tasks", ["extract", ARTICLE]),
        ("numpy", ["blocks", ARTICLE]),
        ("tamis.cli.tables", ["blocks", ARTICLE]),
    ],
)
def test_ctrl_c_while_modules_are_loaded_is_no_traceback(module: str, arguments: list[str]) -> None:
    done = run(*arguments, code=INTERRUPTED.format(module=module) + START)
    assert (done.returncode, done.stdout, done.stderr) == (130, "", "tamis: interrupted\n")
