"""The documents for people: short, with figures, links and file names that hold."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
README = ROOT / "README.md"
QUALITY = ROOT / "docs" / "quality.md"
FRONT = [README, ROOT / "CONTRIBUTING.md", ROOT / "CHANGELOG.md"]
DOCUMENTS = [*FRONT, *sorted((ROOT / "docs").rglob("*.md"))]
LINK = re.compile(r"\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)")
NUMBERED_PAPER = re.compile(r"(?<![\d.,])(?<!\d )\b00[0-4]\b")  # no part of 12 000 or 0.001
MAX_LINES = 215
MAX_SECTION_LINES = 15  # that are not blank


def sections(text: str) -> dict[str, list[str]]:
    """Return the lines below each heading of the second level that are not blank."""
    parts = re.split(r"^## (.*)$", text, flags=re.MULTILINE)[1:]
    bodies = [[line for line in body.splitlines() if line.strip()] for body in parts[1::2]]
    return dict(zip(parts[::2], bodies, strict=True))


def table_rows(text: str, first_header: str) -> dict[str, list[str]]:
    """Return the rows of the table whose header begins so, by their first cell without marks."""
    lines = text[text.index(first_header) :].split("\n\n")[0].splitlines()[2:]
    rows = [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]
    return {row[0].replace("*", "").replace("`", ""): row[1:] for row in rows}


def anchors(text: str) -> set[str]:
    """Return the anchors of the headings of a document, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", text, flags=re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def test_the_readme_is_short() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MAX_LINES
    for heading, lines in sections(text).items():
        assert len(lines) <= MAX_SECTION_LINES, heading


def test_the_figures_of_the_readme_are_those_of_the_long_tables() -> None:
    quality = QUALITY.read_text(encoding="utf-8")
    out_of_fold = table_rows(quality, "| system | F1")
    untrained = table_rows(quality, "| system | languages-dev")
    times = table_rows(quality, "| system | time")
    compared = table_rows(README.read_text(encoding="utf-8"), "| | wcxb-dev")
    assert len(compared) == 5
    for system, figures in compared.items():
        name = "tamis learned (default)" if system == "tamis" else system
        long = [out_of_fold[name][0].split()[0], untrained[name][0], untrained[name][-1]]
        assert figures == [*long, times[name][0]], system


@pytest.mark.parametrize("document", FRONT, ids=lambda path: path.name)
def test_links_of_the_front_documents_lead_somewhere(document: Path) -> None:
    for path, anchor in LINK.findall(document.read_text(encoding="utf-8")):
        target = ROOT / path if path else document
        assert target.exists(), path
        if anchor:
            assert anchor in anchors(target.read_text(encoding="utf-8")), anchor


def test_every_file_that_contributing_names_is_there() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    names = set(re.findall(r"`((?:src|tests|docs|tools|samples)/[\w./-]+)`", text))
    assert len(names) >= 20
    assert [name for name in sorted(names) if not (ROOT / name).exists()] == []


def test_every_decision_is_in_the_index() -> None:
    folder = ROOT / "docs" / "decisions"
    index = set(re.findall(r"\]\((\d{4}-[\w-]+\.md)\)", (folder / "README.md").read_text("utf-8")))
    assert index == {path.name for path in folder.glob("0*.md")}


def test_the_layers_in_the_architecture_are_those_that_are_checked() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    checked = project["tool"]["importlinter"]["contracts"][0]["layers"]
    text = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")
    diagram = re.findall(r"^ {4,}(?:└─ )?([a-z][a-z │]*)$", text, flags=re.MULTILINE)
    assert diagram == [layer.replace("|", "│") for layer in checked]


def test_papers_are_cited_by_name() -> None:
    cited = [
        f"{path.relative_to(ROOT)}:{number}: {line}"
        for path in DOCUMENTS
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if NUMBERED_PAPER.search(line)
    ]
    assert cited == []


def test_docstrings_cite_papers_by_name() -> None:
    cited = []
    for path in sorted((ROOT / "src").rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str):
                cited += [f"{path.name}: {hit}" for hit in NUMBERED_PAPER.findall(node.value)]
    assert cited == []


def test_the_demo_shows_every_sample_in_under_a_hundred_lines() -> None:
    done = subprocess.run(
        [sys.executable, ROOT / "tools" / "demo.py"],
        env=os.environ | {"COLUMNS": "120", "PYTHONIOENCODING": "utf-8"},
        capture_output=True,
        encoding="utf-8",
        check=True,
    )
    lines = done.stdout.splitlines()
    assert len(lines) < 100
    for sample in sorted((ROOT / "samples").glob("*.html")):
        headings = [line for line in lines if line.startswith(f"{sample.name}  ")]
        assert len(headings) == 2, sample.name  # its own, and its row of the table
        assert "confidence" in headings[0], sample.name
