"""Names of pages become names of files: inside the folder, short enough, one for each page."""

from __future__ import annotations

from pathlib import Path, PurePath

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tamis.cli import describe_problem, page_file_name
from tamis.printing import printable

anytime = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
tricky = st.sampled_from(
    ["/", "\\", "..", ".", "a", "A", "_", "-", ".html", ".txt", "?", "中", "\n"]
)
names = st.lists(tricky, max_size=8).map("".join) | st.text(max_size=300)


@pytest.mark.parametrize(
    ("name", "path"),
    [
        ("a.html", "a.txt"),
        ("sub/b.html", "sub/b.txt"),
        ("Über uns, 2.html", "Über uns, 2.txt"),
        ("a.b.html", "a.b.txt"),
    ],
)
def test_a_plain_name_keeps_its_stem(name: str, path: str) -> None:
    assert page_file_name(name, "txt") == PurePath(path)


@pytest.mark.parametrize(
    "name",
    ["a.htm", "a", "-", "../a.html", "/a.html", "a//b.html", "a/./b.html", "https://h/a.html",
     "a?b.html", "a.txt/b.html", "", ".html", "a" * 300 + ".html", "中" * 100 + ".html"],
)  # fmt: skip
def test_any_other_name_gets_a_hash(name: str) -> None:
    assert len(page_file_name(name, "txt").stem.rsplit("-", 1)[-1]) == 12


@anytime
@given(names)
def test_a_file_stays_in_its_folder_and_can_be_made(name: str) -> None:
    path = page_file_name(name, "txt")
    assert not path.is_absolute()
    assert not {"", ".", ".."} & set(path.parts)
    assert all(part.isprintable() and len(part.encode()) < 200 for part in path.parts)
    assert len(str(path).encode()) < 1024
    assert path.name.endswith(".txt")


@anytime
@given(names, names)
def test_two_pages_never_share_a_file_nor_is_one_the_folder_of_the_other(a: str, b: str) -> None:
    first, second = page_file_name(a, "txt"), page_file_name(b, "txt")
    assert (first == second) == (a == b)
    assert first not in second.parents


def test_names_are_made_on_a_real_file_system(tmp_path: Path) -> None:
    long = ["中" * 200 + ".html", "x" * 1000 + ".html", "/".join(["dir" * 30] * 60) + ".html"]
    for name in long:
        path = tmp_path / page_file_name(name, "txt")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.with_name(f".{path.name}.part").write_text("x", encoding="utf-8")
        path.write_text("x", encoding="utf-8")
    assert len([path for path in tmp_path.rglob("*.txt") if path.is_file()]) == len(long)


@anytime
@given(st.text())
def test_what_is_shown_is_one_line_without_commands(text: str) -> None:
    shown = printable(text)
    assert shown.isprintable()
    assert (shown == text) == text.isprintable()


@pytest.mark.parametrize(
    ("name", "error", "said"),
    [
        ("a.html", "a.html does not exist", "a.html does not exist"),
        ("a.html", "/b/a.html may not be read", "/b/a.html may not be read"),
        ("b", "folder b has no pages (.html)", "folder b has no pages (.html)"),
        ("*.x", "no file matches *.x: check it", "no file matches *.x: check it"),
        ("http://h/", "http://h/ is no HTML", "http://h/ is no HTML"),
        ("http://h/", "host h was not found", "http://h/: host h was not found"),
        ("a", "a.html does not exist", "a: a.html does not exist"),
        ("a.html", "the page has 9 nodes", "a.html: the page has 9 nodes"),
        ("a\nb", "a\nb does not exist", "a\\nb does not exist"),
        ("a\nb", "9 nodes", "a\\nb: 9 nodes"),
        ("", "an input is empty", "an input is empty"),
    ],
)
def test_the_name_of_a_page_is_told_once(name: str, error: str, said: str) -> None:
    assert describe_problem(name, error) == said
