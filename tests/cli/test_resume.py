"""`--resume`: what is finished is left alone, what failed or was cut off is done again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

import tamis
from tamis.cli import tamis as command
from tamis.files import open_draft

WORDS = "The quick brown fox jumps over the lazy dog, and then it sleeps for a while. "


def extract(*arguments: str | Path) -> Result:
    return CliRunner().invoke(command, ["extract", *map(str, arguments)])


def rows(path: Path) -> list[dict[str, Any]]:
    text = path.read_text(encoding="utf-8")
    assert text == "" or text.endswith("\n")
    return [json.loads(line) for line in text.splitlines()]


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    root.mkdir()
    for number in range(5):
        (root / f"{number}.html").write_text(f"<p>Page{number} {WORDS * 3}</p>", encoding="utf-8")
    return root


@pytest.fixture
def done(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The pages that were worked on, by their first word."""
    found: list[str] = []
    original = tamis.extract

    def noting(data: bytes, *arguments: Any, **options: Any) -> tamis.Document:
        found.append(data.decode().removeprefix("<p>").split()[0])
        return original(data, *arguments, **options)

    monkeypatch.setattr("tamis.pipeline.extract", noting)
    return found


def test_finished_rows_are_skipped(site: Path, tmp_path: Path, done: list[str]) -> None:
    out = tmp_path / "out.jsonl"
    assert extract("-o", out, site / "0.html", site / "1.html").exit_code == 0
    before = out.read_bytes()
    done.clear()
    result = extract("--resume", "-o", out, *sorted(site.glob("*.html")))
    assert result.exit_code == 0
    assert done == ["Page2", "Page3", "Page4"]
    assert out.read_bytes().startswith(before)
    assert [row["name"] for row in rows(out)] == [str(site / f"{n}.html") for n in range(5)]
    assert "2 were done before" in result.stderr


def test_resuming_what_is_finished_changes_nothing(
    site: Path, tmp_path: Path, done: list[str]
) -> None:
    out = tmp_path / "out.jsonl"
    extract("-o", out, site)
    before = out.read_bytes()
    done.clear()
    assert extract("--resume", "-o", out, site).exit_code == 0
    assert (done, out.read_bytes()) == ([], before)


def test_resume_without_an_earlier_run_is_a_first_run(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert extract("--resume", "-o", out, site).exit_code == 0
    assert len(rows(out)) == 5


def test_failed_pages_are_tried_again_and_leave_one_row_each(
    site: Path, tmp_path: Path, done: list[str]
) -> None:
    out = tmp_path / "out.jsonl"
    late = site / "late.html"
    assert extract("-o", out, site / "0.html", late, site / "1.html", "gone.html").exit_code == 1
    assert [row["error"] is None for row in rows(out)] == [True, False, True, False]
    late.write_text(f"<p>Late {WORDS * 3}</p>", encoding="utf-8")
    done.clear()
    assert extract("--resume", "-o", out, site / "0.html", late, site / "1.html").exit_code == 0
    assert done == ["Late"]
    found = rows(out)
    assert [row["name"] for row in found] == [
        str(site / "0.html"),
        str(site / "1.html"),
        "gone.html",  # not asked for this time, so its failure still stands
        str(late),
    ]
    assert [row["error"] is None for row in found] == [True, True, False, True]
    assert [path.name for path in tmp_path.iterdir() if path.name.endswith(".part")] == []


@pytest.mark.parametrize("cut", [1, 2, 40, 10_000])
def test_a_row_that_was_cut_off_is_written_again(
    cut: int, site: Path, tmp_path: Path, done: list[str]
) -> None:
    out = tmp_path / "out.jsonl"
    extract("-o", out, site)
    whole = out.read_bytes()
    out.write_bytes(whole[: max(0, len(whole) - cut)])
    done.clear()
    assert extract("--resume", "-o", out, site).exit_code == 0
    assert out.read_bytes() == whole
    assert done


def test_every_place_to_cut_a_file_at_can_be_repaired(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    extract("-o", out, site / "0.html", site / "1.html")
    whole = out.read_bytes()
    for size in range(0, len(whole), 37):
        out.write_bytes(whole[:size])
        assert extract("--resume", "-o", out, site / "0.html", site / "1.html").exit_code == 0
        assert out.read_bytes() == whole, size


@pytest.mark.parametrize("line", ["some notes\n", '{"other": 1}\n', "[1, 2]\n", '"text"\n'])
def test_a_file_of_something_else_is_not_touched(line: str, site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    out.write_text(line, encoding="utf-8")
    result = extract("--resume", "-o", out, site)
    assert result.exit_code == 2
    assert "no row of tamis" in result.stderr
    assert out.read_text(encoding="utf-8") == line


def test_files_in_a_folder_are_skipped_and_failed_pages_tried_again(
    site: Path, tmp_path: Path, done: list[str]
) -> None:
    out = tmp_path / "out"
    late = site / "late.html"
    late.write_bytes(b"\x1f\x8bbroken")
    assert extract("-f", "text", "-o", out, site).exit_code == 1
    assert not (out / "late.txt").exists()
    late.write_text(f"<p>Late {WORDS * 3}</p>", encoding="utf-8")
    (out / "1.txt").unlink()
    (out / "0.txt").write_text("edited", encoding="utf-8")
    done.clear()
    assert extract("-f", "text", "-o", out, "--resume", site).exit_code == 0
    assert done == ["Page1", "Late"]
    assert (out / "0.txt").read_text(encoding="utf-8") == "edited"


def test_a_draft_of_an_earlier_run_is_no_finished_page(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    with open_draft(out / "0.txt") as draft:
        draft.touch()
    (out / "0.txt").rename(draft)  # as kill -9 leaves it
    (out / ".notes.part").touch()
    assert extract("-f", "text", "-o", out, "--resume", site).exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == [
        ".notes.part",
        *(f"{number}.txt" for number in range(5)),
    ]
    assert (out / "0.txt").read_text(encoding="utf-8").startswith("Page0 ")
