"""The examples in the documents are run: Python sessions as doctests, console sessions in a shell.

In a ```console fence, lines after `$ ` are commands; what follows is what they must print, with `…`
standing for anything. A ```markdown fence after a ```python fence is the `doc.markdown` of that
session.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(python|console|markdown)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# `tamis.…` as an expression: not what is imported, run as a module, or the name of a file.
NAME = re.compile(
    r"(?<!import )(?<!from )(?<!-m )(?<!:: )(?<![\w/.-])tamis(?:\.[A-Za-z_]\w*)+(?![\w-])(?<!\.db)"
)
# Evaluates each name in a process of its own, in which nothing but tamis was imported before.
EVALUATE_EACH = """
import os, sys, tamis
for name in sys.argv[1:]:
    if not (child := os.fork()):
        try:
            eval(name)
        except Exception as error:
            print(f"{name}: {error}", flush=True)
        os._exit(0)
    os.waitpid(child, 0)
"""
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def all_fences() -> list[tuple[str, str, str]]:
    """Return all fences of all documents in order: where each stands, its language, its code."""
    fences = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            fences.append((f"{document.relative_to(ROOT)}:{line}", match[1], match[2]))
    return fences


def fences(language: str) -> list[tuple[str, str]]:
    """Return the fences of a language in all documents, with where they stand."""
    return [(location, code) for location, other, code in all_fences() if other == language]


def markdown_examples() -> list[tuple[str, str, str]]:
    """Return each markdown fence with where it stands and the python fence before it."""
    pairs = pairwise(all_fences())
    return [
        (location, code, markdown)
        for (_, before, code), (location, language, markdown) in pairs
        if language == "markdown" and before == "python"
    ]


def matches(expected: str, printed: str) -> bool:
    """Say whether a text is the expected one, in which `…` stands for anything."""
    return doctest.OutputChecker().check_output(
        expected.replace("…", "...").rstrip("\n") + "\n",
        printed.replace("…", "...").rstrip("\n") + "\n",
        FLAGS,
    )


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the reader's own, with the samples in it."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_readme_has_examples_of_both_kinds() -> None:
    for language in ("python", "console"):
        assert any(location.startswith("README.md") for location, _ in fences(language))
    assert any(location.startswith("README.md") for location, _, _ in markdown_examples())


@pytest.mark.parametrize(("location", "code"), fences("python"))
def test_python_examples_print_what_the_documents_say(
    location: str, code: str, folder: Path
) -> None:
    session = doctest.DocTestParser().get_doctest(code, {}, location, location, 0)
    assert session.examples, f"{location}: a python fence without >>>"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    messages: list[str] = []
    runner.run(session, out=messages.append)
    assert not runner.failures, "".join(messages)


@pytest.mark.parametrize(("location", "code", "markdown"), markdown_examples())
def test_markdown_in_the_documents_is_what_comes_out(
    location: str, code: str, markdown: str, folder: Path
) -> None:
    session = doctest.DocTestParser().get_doctest(code, {}, location, location, 0)
    doctest.DocTestRunner(optionflags=FLAGS).run(session, clear_globs=False)
    assert matches(markdown, session.globs["doc"].markdown), location


def test_names_in_the_documents_are_there_after_import_tamis() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}
    names = {name for text in texts.values() for name in NAME.findall(text)}
    assert "tamis.metadata.read_metadata" in names
    done = subprocess.run(
        [sys.executable, "-c", EVALUATE_EACH, *sorted(names)], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize(("location", "code"), fences("console"))
def test_console_examples_print_what_the_documents_say(
    location: str, code: str, folder: Path
) -> None:
    (folder / "bin").mkdir()
    command = folder / "bin" / "tamis"
    script = "from tamis.cli import main\nif __name__ == '__main__':\n    main()\n"
    command.write_text(f"#!{sys.executable}\n{script}")
    command.chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    environment.pop("COLUMNS", None)  # what a shell keeps to itself
    sessions = re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]
    assert sessions, f"{location}: a console fence without $"
    for session in sessions:
        line, _, expected = session.partition("\n")
        done = subprocess.run(
            ["bash", "-c", line],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        assert matches(expected, done.stdout), (
            f"{location}: {line}\nexpected:\n{expected}\ngot:\n{done.stdout}"
        )
