"""What the user names becomes inputs."""

from __future__ import annotations

import io
import os
import pickle
import sys
from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import pytest

from tamis.errors import InputError, SourceError
from tamis.source import Input, Skipped, expand_inputs, read_input


@pytest.fixture
def site(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder `site` in the current folder."""
    monkeypatch.chdir(tmp_path)
    names = ["b.html", "a/z.HTM", "a/c.html.gz", "c.xhtml", "x.png", ".hidden.html", ".git/d.html"]
    for name in names:
        path = tmp_path / "site" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"<p>page")
    return tmp_path / "site"


def names(*arguments: str, from_list: Path | None = None) -> list[str]:
    inputs = list(expand_inputs(arguments, from_list=from_list))
    assert [page.problem for page in inputs if page.problem] == []
    return [page.name for page in inputs]


def problem(*arguments: str, from_list: Path | None = None) -> str:
    """The only problem, which reading must raise."""
    [page] = [page for page in expand_inputs(arguments, from_list=from_list) if page.problem]
    with pytest.raises(SourceError) as raised:
        read_input(page, max_bytes=1000)
    return str(raised.value)


def give_stdin(monkeypatch: pytest.MonkeyPatch, data: bytes) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))


def test_folder_is_walked_in_order_without_hidden_and_other_files(site: Path) -> None:
    assert names("site") == ["a/c.html.gz", "a/z.HTM", "b.html", "c.xhtml"]
    assert names("site/") == names(str(site)) == names("site")


def test_inputs_of_a_folder_can_be_read(site: Path) -> None:
    page = next(page for page in expand_inputs(["site"]) if page.name == "b.html")
    assert page == Input("b.html", "file", os.path.join("site", "b.html"))
    assert read_input(page, max_bytes=100).data == b"<p>page"


def test_several_inputs_keep_the_folder_in_the_name(site: Path) -> None:
    (site.parent / "b.html").write_bytes(b"")
    assert names("site/a", "b.html", "site/b.html") == [
        "site/a/c.html.gz",
        "site/a/z.HTM",
        "b.html",
        "site/b.html",
    ]


def test_linked_folders_do_not_run_in_circles(site: Path) -> None:
    for name in ("up", "up2", "up.html"):
        (site / name).symlink_to(site)
    assert names("site") == ["a/c.html.gz", "a/z.HTM", "b.html", "c.xhtml"]
    assert names("site/**/*.html") == ["site/b.html"]


def test_what_a_folder_has_beside_pages_is_reported(site: Path) -> None:
    (site / "up").symlink_to(site)
    (site / "up.html").symlink_to(site)
    (site / "a" / "paper.pdf").write_bytes(b"")
    (site / ".git").mkdir(exist_ok=True)
    skipped: list[Skipped] = []
    inputs = list(expand_inputs(["site", "site/b.html"], skip=skipped.append))
    assert len(inputs) == 5
    reported = {(entry.reason, entry.path) for entry in skipped}
    inside = {
        ("linked", "site/up"),
        ("linked", "site/up.html"),
        ("no page", "site/a/paper.pdf"),
        ("hidden", "site/.git"),
    }
    assert inside <= reported
    everything = {str(path) for path in Path("site").rglob("*") if path.is_file()}
    hidden = {path for path in everything if "/." in path}
    assert everything - hidden == (
        {page.location for page in inputs}
        | {path for reason, path in reported if reason == "no page"}
    )
    assert {entry.folder for entry in skipped} == {"site"}


def test_a_tree_may_be_deeper_than_the_stack(site: Path) -> None:
    deep = Path("deep").joinpath(*["d"] * 1500)
    path = Path()
    for part in deep.parts:
        path /= part
        path.mkdir()
    (deep / "page.html").write_bytes(b"")
    try:
        assert len(names("deep")) == 1
    finally:
        # By hand, as the clean-up of pytest is recursive.
        (deep / "page.html").unlink()
        for folder in [deep, *deep.parents][:-1]:
            folder.rmdir()


def test_links_to_pages_are_taken(site: Path) -> None:
    (site / "link.html").symlink_to(site / "b.html")
    assert "link.html" in names("site")


def test_a_dangling_link_in_a_folder_is_reported_when_read(site: Path) -> None:
    (site / "gone.html").symlink_to(site / "nothing")
    [page] = [page for page in expand_inputs(["site"]) if page.name == "gone.html"]
    with pytest.raises(SourceError, match="link to a file that does not exist"):
        read_input(page, max_bytes=10)


def test_an_empty_folder_is_a_problem(site: Path) -> None:
    (site / "empty").mkdir()
    assert "site/empty has no pages" in problem("site/empty", "site/b.html")


def test_an_unreadable_folder_is_a_problem(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scandir = os.scandir

    def refuse(path: str) -> Iterator[os.DirEntry[str]]:
        if path.endswith("a"):
            raise PermissionError(13, "Permission denied", path)
        return scandir(path)

    monkeypatch.setattr(os, "scandir", refuse)
    inputs = list(expand_inputs(["site"]))
    assert [page.name for page in inputs] == ["a", "b.html", "c.xhtml"]
    assert inputs[0].problem is not None
    assert "Permission denied" in inputs[0].problem


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("site/*.html", ["site/b.html"]),
        ("site/?.*", ["site/b.html", "site/c.xhtml", "site/x.png"]),
        ("**/*.html", ["site/b.html"]),
        (
            "site/**",
            ["site/a/c.html.gz", "site/a/z.HTM", "site/b.html", "site/c.xhtml", "site/x.png"],
        ),
        ("site/a/../[bc].*", ["site/a/../b.html", "site/a/../c.xhtml"]),
        ("site/.*.html", ["site/.hidden.html"]),
        ("s**/b.html", ["site/b.html"]),
        ("**/**/b.html", ["site/b.html"]),
    ],
)
def test_patterns(site: Path, pattern: str, expected: list[str]) -> None:
    assert names(pattern) == expected


def test_an_absolute_pattern(site: Path) -> None:
    assert names(str(site / "*.html")) == [str(site / "b.html")]


def test_a_file_named_like_a_pattern_is_that_file(site: Path) -> None:
    Path("a[1].html").write_bytes(b"")
    Path("a1.html").write_bytes(b"")
    assert names("a[1].html") == ["a[1].html"]


@pytest.mark.parametrize("pattern", ["*.nothing", "nowhere/**", "sit[e", "s*te"])
def test_a_pattern_without_files_is_a_problem(site: Path, pattern: str) -> None:
    assert f"no file matches {pattern}" in problem(pattern)


@pytest.mark.parametrize(
    "url", ["http://a.example/?q=*", "https://a.example/#x", "HTTPS://a.example", "http://[::1]/"]
)
def test_urls(url: str) -> None:
    assert list(expand_inputs([url])) == [Input(url, "url", url)]


@pytest.mark.parametrize(
    "url", ["ftp://a.example/x", "file:///etc/hosts", "javascript:alert(1)", "data:text/html,x*"]
)
def test_other_schemes_are_a_problem(url: str) -> None:
    assert "only http:// and https:// are supported" in problem(url)


def test_an_existing_file_may_look_like_a_scheme(site: Path) -> None:
    Path("note: x.html").write_bytes(b"")
    assert names("note: x.html") == ["note: x.html"]


@pytest.mark.parametrize(
    "missing",
    ["missing.html", "a.example/page", "b\0.html", "x" * 5000],
    ids=["file", "URL without scheme", "impossible name", "long name"],
)
def test_what_does_not_exist_is_a_problem_and_the_run_goes_on(site: Path, missing: str) -> None:
    inputs = list(expand_inputs([missing, "site/b.html"]))
    assert [page.problem is None for page in inputs] == [False, True]
    assert "does not exist" in problem(missing)


@pytest.mark.parametrize("empty", ["", " "])
def test_an_empty_argument_is_not_the_current_folder(site: Path, empty: str) -> None:
    assert "empty" in problem(empty)


def test_stdin_is_given_once(monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"<p>x")
    first, second = expand_inputs(["-", "-"])
    assert first == Input("-", "stdin", "-")
    assert read_input(first, max_bytes=10).data == b"<p>x"
    assert second.problem is not None
    assert "only once" in second.problem


def test_a_list(site: Path) -> None:
    lines = "\ufeff# pages\r\nsite/b.html\r\n\n  https://a.example/#part  \n# end\nsite/a\nsite/c.*"
    Path("list").write_text(lines, encoding="utf-8")
    assert names("site/b.html", from_list=Path("list")) == [
        "site/b.html",
        "site/b.html",
        "https://a.example/#part",
        "site/a/c.html.gz",
        "site/a/z.HTM",
        "site/c.xhtml",
    ]


def test_a_list_from_stdin(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    give_stdin(monkeypatch, b"site/b.html\n-\n")
    first, second = expand_inputs([], from_list=Path("-"))
    assert first.name == "site/b.html"
    assert second.problem is not None


def test_a_list_with_undecodable_names(site: Path) -> None:
    raw = os.fsencode(site) + b"/\xff.html"
    with open(raw, "wb") as file:
        file.write(b"odd")
    Path("list").write_bytes(raw)
    [page] = expand_inputs([], from_list=Path("list"))
    assert page.name.endswith("\\xff.html")
    assert read_input(page, max_bytes=10).data == b"odd"
    assert "\\xff.html" in names("site")


def test_lists_that_cannot_be_read(site: Path) -> None:
    lists = [(Path("missing.txt"), "missing.txt cannot be read"), (site, "cannot be read")]
    for path, message in [*lists, (Path("/dev/zero"), "too long")]:
        with pytest.raises(InputError, match=message):
            list(expand_inputs(["site/b.html"], from_list=path))


def test_nothing_gives_nothing(tmp_path: Path) -> None:
    assert list(expand_inputs([])) == []


def test_locating_is_lazy(site: Path) -> None:
    def endless() -> Iterator[str]:
        while True:
            yield "site/b.html"

    assert len(list(islice(expand_inputs(endless()), 3))) == 3


def test_inputs_can_be_sent_to_another_process(site: Path) -> None:
    for page in expand_inputs(["site", "missing", "http://a.example/", "-"]):
        assert pickle.loads(pickle.dumps(page)) == page
