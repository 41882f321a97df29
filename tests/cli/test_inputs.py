"""Folders as inputs: what is skipped in them is told, counted by reason."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

from tamis.cli import tamis as command

from .called import extract, rows


def skips(stderr: str) -> list[str]:
    return [line for line in stderr.splitlines() if ": skipped " in line]


@pytest.fixture
def mixed(site: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with three pages, four other files, a hidden folder and a link in a circle."""
    for name in ("paper.pdf", "sub/photo.png", "sub/style.css"):
        (site / name).write_bytes(b"x")
    (site / ".git").mkdir()
    (site / ".git" / "page.html").write_bytes(b"<p>x")
    (site / "sub" / "up").symlink_to(site)
    monkeypatch.chdir(site.parent)
    return site


def test_what_a_folder_has_beside_pages_is_told_by_reason(mixed: Path) -> None:
    done = extract("site")
    assert done.exit_code == 0
    assert len(rows(done.stdout)) == 3
    assert skips(done.stderr) == [
        "tamis: site: skipped 1 hidden name (.git)",
        "tamis: site: skipped 4 files not named as a page (notes.txt, paper.pdf, sub/photo.png, …);"
        " name them to read them, or use a pattern",
        "tamis: site: skipped 1 linked folder, which may lead in a circle (sub/up)",
    ]


def test_each_folder_tells_its_own(mixed: Path) -> None:
    told = skips(extract("site/sub", "site/.git", "site/a.html").stderr)
    assert [line.partition(" (")[0] for line in told] == [
        "tamis: site/sub: skipped 2 files not named as a page",
        "tamis: site/sub: skipped 1 linked folder, which may lead in a circle",
    ]


def test_nothing_is_told_where_nothing_is_skipped(mixed: Path) -> None:
    assert skips(extract("site/a.html", "site/*.htm").stderr) == []
    assert skips(extract("site/.git").stderr) == []


def test_a_folder_without_pages_tells_what_it_has(mixed: Path, tmp_path: Path) -> None:
    (tmp_path / "papers").mkdir()
    (tmp_path / "papers" / "a.pdf").write_bytes(b"x")
    done = extract("papers")
    assert done.exit_code == 1
    assert "skipped 1 file not named as a page (a.pdf)" in done.stderr
    assert "has no pages" in done.stderr


def test_names_that_command_a_terminal_are_made_harmless(mixed: Path) -> None:
    (mixed / "a\x1b[31m.pdf").write_bytes(b"")
    said = extract("site").stderr
    assert "a\\x1b[31m.pdf" in said
    assert "\x1b" not in said


@pytest.mark.parametrize("task", [["store", "add"], ["site", "learn", "-o", "x.tamis"]])
def test_other_commands_tell_it_too(mixed: Path, task: list[str]) -> None:
    done = CliRunner().invoke(command, [*task, "site"])
    assert len(skips(done.stderr)) == 3
