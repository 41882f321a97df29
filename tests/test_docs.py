"""The examples in the documents are run: Python sessions as doctests, console sessions in a shell.

In a ```console fence, lines after `$ ` are commands; what follows is what they must print, with `…`
standing for anything.
"""

from __future__ import annotations

import doctest
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(r"^```(python|console)\n(.*?)^```", re.MULTILINE | re.DOTALL)
# `tamis.…` as an expression: not what is imported, run as a module, or the name of a file.
NAME = re.compile(
    r"(?<!import )(?<!from )(?<!-m )(?<!:: )(?<![\w/.-])tamis(?:\.[A-Za-z_]\w*)+(?![\w-])(?<!\.db)"
)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def fences(language: str) -> list[tuple[str, str]]:
    """All fences of a language in all documents, with where they stand."""
    found = []
    for document in DOCUMENTS:
        text = document.read_text(encoding="utf-8")
        for match in FENCE.finditer(text):
            line = text.count("\n", 0, match.start()) + 1
            if match[1] == language:
                found.append((f"{document.relative_to(ROOT)}:{line}", match[2]))
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of the reader's own, with the samples in it."""
    (tmp_path / "samples").symlink_to(ROOT / "samples")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_readme_has_examples_of_both_kinds() -> None:
    for language in ("python", "console"):
        assert any(place.startswith("README.md") for place, _ in fences(language))


@pytest.mark.parametrize(("place", "code"), fences("python"))
def test_python_examples_print_what_the_documents_say(place: str, code: str, folder: Path) -> None:
    session = doctest.DocTestParser().get_doctest(code, {}, place, place, 0)
    assert session.examples, f"{place}: a python fence without >>>"
    runner = doctest.DocTestRunner(optionflags=FLAGS)
    said: list[str] = []
    runner.run(session, out=said.append)
    assert not runner.failures, "".join(said)


def test_names_in_the_documents_are_there_after_import_tamis() -> None:
    texts = {path: path.read_text(encoding="utf-8") for path in DOCUMENTS}
    names = {name for text in texts.values() for name in NAME.findall(text)}
    assert "tamis.metadata.read_metadata" in names
    for name in sorted(names):
        done = subprocess.run(
            [sys.executable, "-c", f"import tamis; {name}"], capture_output=True, text=True
        )
        assert done.returncode == 0, f"{name}: {done.stderr}"


@pytest.mark.parametrize(("place", "code"), fences("console"))
def test_console_examples_print_what_the_documents_say(place: str, code: str, folder: Path) -> None:
    (folder / "bin").mkdir()
    command = folder / "bin" / "tamis"
    script = "from tamis.cli import main\nif __name__ == '__main__':\n    main()\n"
    command.write_text(f"#!{sys.executable}\n{script}")
    command.chmod(0o755)
    path = f"{folder / 'bin'}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path}
    environment.pop("COLUMNS", None)  # what a shell keeps to itself
    sessions = re.split(r"^\$ ", code, flags=re.MULTILINE)[1:]
    assert sessions, f"{place}: a console fence without $"
    for session in sessions:
        line, _, wanted = session.partition("\n")
        done = subprocess.run(
            ["bash", "-c", line],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
            check=False,
        )
        got = done.stdout.rstrip("\n") + "\n"
        checker = doctest.OutputChecker()
        expected = wanted.replace("…", "...").rstrip("\n") + "\n"
        assert checker.check_output(expected, got.replace("…", "..."), FLAGS), (
            f"{place}: {line}\nexpected:\n{expected}\ngot:\n{got}"
        )
