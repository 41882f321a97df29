"""What `tamis extract` writes: one file, or a folder with a file for each page of any name."""

from __future__ import annotations

import gzip
import json
import os
from pathlib import Path
from typing import Any

import pytest

from .called import assert_usage_error, extract, page, rows


def test_output_to_a_file(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    assert extract("-o", out, site / "a.html").stdout == ""
    assert out.read_text(encoding="utf-8") == extract(site / "a.html").stdout
    assert extract("-o", out, "--overwrite", site / "b.htm").exit_code == 0
    assert out.read_text(encoding="utf-8") == extract(site / "b.htm").stdout


def test_a_page_that_fails_leaves_the_old_file_alone(tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    out.write_text("precious", encoding="utf-8")
    assert extract("-o", out, "--overwrite", tmp_path / "missing.html").exit_code == 1
    assert out.read_text(encoding="utf-8") == "precious"


def test_a_page_that_fails_leaves_no_empty_file(tmp_path: Path) -> None:
    out, empty = tmp_path / "out.txt", tmp_path / "empty.txt"
    assert extract("-o", out, tmp_path / "missing.html").exit_code == 1
    assert not out.exists()
    empty.touch()
    assert extract("-o", empty, tmp_path / "missing.html").exit_code == 1
    assert empty.exists()


def test_rows_of_many_pages_go_to_one_file(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    assert extract("-o", out, site).exit_code == 0
    assert out.read_text(encoding="utf-8") == extract(site).stdout


@pytest.mark.parametrize(
    ("form", "ending"), [("text", "txt"), ("markdown", "md"), ("html", "html")]
)
def test_many_pages_go_to_a_folder_that_looks_like_theirs(
    form: str, ending: str, site: Path, tmp_path: Path
) -> None:
    out = tmp_path / "new" / "out"
    assert extract("-f", form, "-o", out, site).exit_code == 0
    files = sorted(path.relative_to(out) for path in out.rglob("*") if path.is_file())
    assert [path.parent.as_posix() for path in files] == [".", ".", "sub"]
    assert all(path.suffix == f".{ending}" for path in files)
    written = (out / f"sub/c.{ending}").read_text(encoding="utf-8")
    assert written == extract("-f", form, site / "sub/c.html").stdout


def test_a_slash_makes_a_folder_for_one_page(site: Path, tmp_path: Path) -> None:
    one = site / "sub" / "c.html"
    assert extract("-o", f"{tmp_path}/out/", one).exit_code == 0
    assert (tmp_path / "out/c.txt").read_text(encoding="utf-8") == extract(one).stdout


def test_rows_in_a_folder_are_json_files(site: Path, tmp_path: Path) -> None:
    (tmp_path / "out").mkdir()
    assert extract("-f", "jsonl", "-o", tmp_path / "out", site).exit_code == 0
    data = json.loads((tmp_path / "out/sub/c.json").read_text(encoding="utf-8"))
    assert data["name"] == "sub/c.html"


@pytest.mark.parametrize("form", ["text", "jsonl"])
def test_what_is_there_is_not_overwritten_by_accident(
    form: str, site: Path, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    assert extract("-f", form, "-o", out, site).exit_code == 0
    assert_usage_error(extract("-f", form, "-o", out, site), "--overwrite")
    assert extract("-f", form, "-o", out, "--overwrite", site).exit_code == 0
    if form == "jsonl":
        assert len(rows(out.read_text(encoding="utf-8"))) == 3


def test_pages_that_would_share_a_file_get_two(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    names = ["a.html", "a.htm", "a.html.gz", "a.xhtml", "A b.html", "A?b.html", "a.txt/b.html"]
    for number, name in enumerate(names):
        path = site / name
        path.parent.mkdir(exist_ok=True)
        data = page(f"Title{number}").encode()
        path.write_bytes(gzip.compress(data) if name.endswith(".gz") else data)
    assert extract("-f", "text", "-o", tmp_path / "out", site).exit_code == 0
    files = [path for path in (tmp_path / "out").rglob("*") if path.is_file()]
    said = sorted(path.read_text(encoding="utf-8").split()[0] for path in files)
    assert said == [f"Title{number}" for number in range(len(names))]


def test_a_folder_holds_whole_files_only(site: Path, tmp_path: Path, monkeypatch: Any) -> None:
    written = Path.write_text

    def full(self: Path, data: str, **options: Any) -> int:
        if self.name.startswith(".c."):
            written(self, data[:10], **options)
            raise OSError(28, "No space left on device")
        return written(self, data, **options)

    monkeypatch.setattr(Path, "write_text", full)
    result = extract("-f", "text", "-o", tmp_path / "out", site)
    assert_usage_error(result, "the disk is full")
    assert "--resume" in result.stderr
    assert {path.name for path in (tmp_path / "out/sub").iterdir()} == set()
    assert (tmp_path / "out/a.txt").exists()


@pytest.mark.parametrize(
    ("target", "said"),
    [
        ("missing/out.txt", "missing/out.txt does not exist: create it first"),
        ("/proc/out.txt", "cannot write /proc/out.txt"),
        ("a.html/out.txt", "a.html/out.txt does not exist: create it first"),
    ],
)
def test_an_output_that_cannot_be_written_is_said(target: str, said: str, site: Path) -> None:
    assert_usage_error(extract("-o", site / target, site / "a.html"), said)


def test_a_folder_that_cannot_be_made_is_said(site: Path) -> None:
    assert_usage_error(extract("-f", "text", "-o", "/proc/out", site), "cannot write")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_without_permission_is_said(site: Path, tmp_path: Path) -> None:
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o500)
    assert_usage_error(extract("-f", "text", "-o", locked, site), "cannot write")
    assert_usage_error(extract("-f", "text", "-o", locked / "x" / "y", site), "cannot write")


# Names ----------------------------------------------------------------------------------------

WEIRD = ["new\nline.html", "Übergröße 中文.html", "quo'te\".html", "a" * 250 + ".html",
         "-dash.html", "\x1b[31mred.html", "[x]*.html", "%2e%2e.html", " .html"]  # fmt: skip


def test_weird_names_of_files_are_taken_as_they_are(tmp_path: Path) -> None:
    site, out = tmp_path / "site", tmp_path / "out"
    site.mkdir()
    for name in WEIRD:
        (site / name).write_text(page("x"), encoding="utf-8")
    (site / os.fsdecode(b"bytes\xff.html")).write_text(page("x"), encoding="utf-8")
    result = extract("-f", "text", "-o", out, site)
    assert result.exit_code == 0, result.stderr
    files = [path for path in out.rglob("*") if path.is_file()]
    assert len(files) == len(WEIRD) + 1
    assert all(path.name.isprintable() for path in files)
    assert {row["name"] for row in rows(extract(site).stdout)} >= set(WEIRD)


def test_names_that_lead_out_of_the_folder_stay_in_it(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(site / "sub")
    out = tmp_path / "deep" / "out"
    result = extract("-f", "text", "-o", out, "../a.html", "../../site/b.htm", site / "sub/c.html")
    assert result.exit_code == 0
    assert len([path for path in out.rglob("*.txt") if path.is_file()]) == 3
    assert [path.name for path in (tmp_path / "deep").iterdir()] == ["out"]
    assert not list(site.rglob("*.txt")) or list(site.rglob("*.txt")) == [site / "notes.txt"]
