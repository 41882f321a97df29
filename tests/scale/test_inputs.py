"""What the user names becomes inputs: each once, with an output name of its own."""

from __future__ import annotations

import gzip
import os
from pathlib import Path

import pytest

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

from tamis.errors import InputError
from tamis.scale import InputFile, find_inputs


def touch(folder: Path, *names: str) -> None:
    for name in names:
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"")


def test_kinds_are_known_by_names(tmp_path: Path) -> None:
    names = {
        "a.warc.gz": "archive",
        "a.arc": "archive",
        "b.parquet": "parquet",
        "c.jsonl.gz": "jsonl",
        "d.cdxj": "index",
        "cdx-00001.gz": "index",
        "e.html": "pages",
    }
    for name, kind in names.items():
        (source,) = find_inputs([str(tmp_path / name)])
        assert (source.kind, source.problem) == (kind, None)


def test_folders_are_walked_and_their_pages_are_one_input(tmp_path: Path) -> None:
    touch(tmp_path, "x/1.html", "x/2.html.gz", "x/y/3.htm", "z.warc", ".hidden/4.html", "_x/5.html")
    touch(tmp_path, "notes.md")
    inputs = find_inputs([str(tmp_path)])
    assert [(source.location, source.kind) for source in inputs] == [
        (str(tmp_path / "x"), "pages"),
        (str(tmp_path / "x/y"), "pages"),
        (str(tmp_path / "z.warc"), "archive"),
    ]
    assert find_inputs([str(tmp_path / "**/*.warc"), str(tmp_path)])[0] == inputs[2]
    assert len(find_inputs([str(tmp_path / "**/*.warc"), str(tmp_path)])) == 3


def test_lists_are_read_below_a_base(tmp_path: Path) -> None:
    lines = "# a comment\ncrawl/1.warc.gz\n\n/abs/2.warc.gz\ns3://bucket/3.warc.gz\ncrawl/1.warc.gz"
    path = tmp_path / "warc.paths.gz"
    path.write_bytes(gzip.compress(lines.encode()))
    locations = [source.location for source in find_inputs([str(path)], "https://data.example/")]
    assert locations == [
        "https://data.example/crawl/1.warc.gz",
        "/abs/2.warc.gz",
        "s3://bucket/3.warc.gz",
    ]
    with pytest.raises(InputError, match="does not exist"):
        find_inputs([str(tmp_path / "gone.txt")])


def test_what_is_missing_is_a_problem_of_its_own(tmp_path: Path) -> None:
    touch(tmp_path, "empty/readme.md", "a.warc")
    arguments = [tmp_path / name for name in ("gone", "*.arc", "empty", "a.warc")]
    problems = [source.problem for source in find_inputs(map(str, arguments))]
    assert problems[3] is None
    for problem, words in zip(problems, ("does not exist", "no file", "no inputs"), strict=False):
        assert words in str(problem)
    with pytest.raises(InputError, match="no input"):
        find_inputs([])


def test_output_names_are_readable_stable_and_unique(monkeypatch: pytest.MonkeyPatch) -> None:
    same = InputFile("s3://bucket/a/CC-MAIN-1.warc.gz", "archive").output_name
    other = InputFile("s3://bucket/b/CC-MAIN-1.warc.gz", "archive").output_name
    assert same == "CC-MAIN-1.warc.gz-591f43847ef6.parquet"
    assert other.startswith("CC-MAIN-1.warc.gz-")
    assert same != other
    for location in ("/x/_odd name?.warc", "/x/" + "n" * 300 + ".warc", "/x/ä/", "/", "/\udcff"):
        name = InputFile(location, "archive").output_name
        assert len(name) < 150
        assert not name.startswith(("_", "."))
        assert "/" not in name
        name.encode()
    monkeypatch.chdir("/usr")
    (here,) = find_inputs(["a.warc"])
    assert here == find_inputs([os.path.join("/usr", "a.warc")])[0]
