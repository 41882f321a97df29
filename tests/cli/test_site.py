"""`tamis site`: learn, apply, show, update; mistakes are told in a line."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helpers.archives import gzipped, http, record, zstd
from helpers.samples import sample_bytes
from helpers.sites import article_page, site_pages
from tamis import Site
from tamis.cli import tamis as command

from .called import assert_usage_error, extract, rows

pytest.importorskip("warcio")


def site(*arguments: str | Path) -> Result:
    return CliRunner(env={"COLUMNS": "120"}).invoke(command, ["site", *map(str, arguments)])


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Eight pages of a site, as files that do not know their address."""
    root = tmp_path / "pages"
    root.mkdir()
    for number, (_, html) in enumerate(site_pages(8)):
        (root / f"{number}.html").write_text(html, encoding="utf-8")
    return root


@pytest.fixture
def learned(tmp_path: Path, folder: Path) -> Path:
    path = tmp_path / "pane.tamis"
    assert site("learn", folder, "-o", path).exit_code == 0
    return path


def archive(path: Path, pages: list[tuple[str, str]]) -> Path:
    records = (
        record(number, http(html.encode(), kind="text/html; charset=utf-8"), WARC_Target_URI=url)
        for number, (url, html) in enumerate(pages)
    )
    path.write_bytes(b"".join(map(gzip.compress, records)))
    return path


def test_a_folder_is_learned_into_one_file(learned: Path, folder: Path) -> None:
    assert Site.load(learned).templates == Site.learn(site_pages(8)).templates
    result = site("learn", folder, "-o", learned)
    assert_usage_error(result, "exists: replace it with --overwrite")
    result = site("learn", folder, "-o", learned, "--overwrite")
    assert result.exit_code == 0
    assert "8 pages, 1 template, " in result.stderr
    assert not result.stdout


def test_a_list_is_what_stands_in_it(learned: Path, folder: Path, tmp_path: Path) -> None:
    by_list = tmp_path / "by-list.tamis"
    names = tmp_path / "Pages.TXT"
    names.write_text(f"\ufeff# of a site\n\n{folder}\n", encoding="utf-8")
    assert site("learn", names, "-o", by_list).exit_code == 0
    assert Site.load(by_list).templates == Site.load(learned).templates
    names.write_text(f"{folder / '0.html'}\n{folder / 'none.html'}\n", encoding="utf-8")
    result = site("update", by_list, names)
    assert (result.exit_code, Site.load(by_list).pages) == (1, 9)
    assert "none.html does not exist" in result.stderr
    names.write_text("# nothing\n", encoding="utf-8")
    assert_usage_error(site("learn", names, "-o", tmp_path / "x"), "names no input")


@pytest.mark.parametrize("code", ["utf-8", "utf-8-sig", "utf-16"])
def test_a_page_is_no_list_by_its_name(tmp_path: Path, code: str) -> None:
    page = tmp_path / "page.txt"
    page.write_text(f"\n {article_page(1)}", encoding=code)
    result = site("learn", page, "-o", tmp_path / "s.tamis")
    assert (result.exit_code, Site.load(tmp_path / "s.tamis").pages) == (0, 1), result.output


def test_pages_are_read_with_the_template(learned: Path, tmp_path: Path) -> None:
    page = tmp_path / "new.html"
    page.write_text(article_page(99), encoding="utf-8")
    result = site("apply", learned, page)
    assert result.exit_code == 0
    assert result.stdout.strip() == Site.load(learned).extract(article_page(99)).text.strip()
    assert not result.stderr


def test_many_pages_become_rows_with_their_match(
    learned: Path, folder: Path, tmp_path: Path
) -> None:
    out = tmp_path / "rows.jsonl"
    assert site("apply", learned, folder, "-o", out, "-j", "2").exit_code == 0
    found = rows(out.read_text(encoding="utf-8"))
    assert [row["name"] for row in found] == [f"{number}.html" for number in range(8)]
    assert all(row["method"] == "site" and row["match"] > 0.8 for row in found)


def test_pages_that_do_not_fit_and_drift_are_told(learned: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    for name in ("article", "docs", "forum", "product"):
        (other / f"{name}.html").write_bytes(sample_bytes(name))
    result = site("apply", learned, other, "--drift", "3")
    assert result.exit_code == 0
    for name in ("article", "docs", "forum", "product"):
        assert f"{name}.html: matches the site only by 0.0" in result.stderr
    assert result.stderr.count("3 of the last 3 pages do not fit the template") == 1
    text = rows(result.stdout)[0]["text"]
    assert text == rows(extract(other).stdout)[0]["text"]


def test_an_update_adds_pages(learned: Path, tmp_path: Path) -> None:
    more = tmp_path / "more.html"
    more.write_text(article_page(50), encoding="utf-8")
    result = site("update", learned, more)
    assert result.exit_code == 0
    assert Site.load(learned).pages == 9
    before = learned.read_bytes()
    result = site("update", learned, tmp_path / "nothing.html")
    assert result.exit_code == 2
    assert "no page of the site was learned from" in result.stderr
    assert learned.read_bytes() == before


def test_the_noise_is_shown_as_a_table_and_as_json(learned: Path) -> None:
    shown = site("show", learned).stdout
    assert "8 pages, learned 20" in shown
    line = next(line for line in shown.splitlines() if "Copyright" in line)
    assert line.split()[:2] == ["8", "100%"]
    assert "/html/body/footer/p[1]" in line
    data = json.loads(site("show", learned, "-f", "json", "-n", "3").stdout)
    assert len(data["templates"][0]["blocks"]) == 3
    assert data["templates"][0]["blocks"][0]["pages"] == 8
    paths = site("show", learned, "--paths").stdout
    assert next(line for line in paths.splitlines() if "footer/p" in line).split()[3] == "100%"
    data = json.loads(site("show", learned, "-f", "json", "--paths").stdout)
    assert "paths" in data["templates"][0]


def test_declared_noise_is_shown_as_such(learned: Path) -> None:
    data = json.loads(learned.read_text(encoding="utf-8"))
    data["templates"][0]["blocks"].append({"noise": True, "text": "Our weekly letter"})
    learned.write_text(json.dumps(data), encoding="utf-8")
    (line,) = [row for row in site("show", learned).stdout.splitlines() if "weekly letter" in row]
    assert line.split()[:2] == ["0", "noise"]


def test_an_archive_is_split_by_host(tmp_path: Path) -> None:
    pages = [*site_pages(4), *(("https://other.example/a", html) for _, html in site_pages(3))]
    warc = archive(tmp_path / "crawl.warc.gz", pages)
    result = site("learn", warc, "-o", tmp_path / "one.tamis")
    assert_usage_error(result, "the pages are of 2 hosts: pane.example (4), other.example (3)")
    assert not (tmp_path / "one.tamis").exists()
    result = site("learn", warc, "-o", tmp_path / "one.tamis", "--site", "other.EXAMPLE")
    assert result.exit_code == 0
    assert (Site.load(tmp_path / "one.tamis").host, Site.load(tmp_path / "one.tamis").pages) == (
        "other.example",
        3,
    )
    result = site("learn", warc, "-o", f"{tmp_path}/sites/")
    assert result.exit_code == 0
    found = {path.name: Site.load(path).pages for path in (tmp_path / "sites").iterdir()}
    assert found == {"pane.example.tamis": 4, "other.example.tamis": 3}
    result = site("update", tmp_path / "sites" / "pane.example.tamis", warc)
    assert Site.load(tmp_path / "sites" / "pane.example.tamis").pages == 8


def test_pages_without_an_address_go_with_the_only_host(tmp_path: Path, folder: Path) -> None:
    known = '<link rel="canonical" href="https://pane.example/x">'
    page = folder / "0.html"
    page.write_text(page.read_text(encoding="utf-8").replace("<head>", f"<head>{known}"))
    path = tmp_path / "pane.tamis"
    assert site("learn", folder, "-o", path).exit_code == 0
    assert (Site.load(path).host, Site.load(path).pages) == ("pane.example", 8)


def test_a_page_that_cannot_be_read_is_told_and_the_others_are_learned(
    folder: Path, tmp_path: Path
) -> None:
    (folder / "bad.html.gz").write_bytes(b"no gzip")
    path = tmp_path / "pane.tamis"
    result = site("learn", folder, "-o", path)
    assert result.exit_code == 1
    assert "is not a gzip file" in result.stderr
    assert Site.load(path).pages == 8


@pytest.mark.parametrize("command_name", ["apply", "update", "show"])
def test_a_file_that_is_no_site_is_a_mistake(command_name: str, folder: Path) -> None:
    page = folder / "0.html"
    inputs = () if command_name == "show" else (folder,)
    result = site(command_name, page, *inputs)
    assert result.exit_code == 2
    assert "is no site file" in result.stderr
    assert "Traceback" not in result.stderr


def test_mistakes_in_the_call_are_told(tmp_path: Path, learned: Path, folder: Path) -> None:
    assert_usage_error(site("learn", "-o", tmp_path / "x.tamis"), "name a file, a folder")
    assert_usage_error(
        site("learn", folder, "-o", tmp_path / "no" / "x.tamis"), "does not exist: create it first"
    )
    assert_usage_error(site("apply", learned), "name a file, a folder, a URL")
    assert_usage_error(site("apply", learned, folder, "--resume", "--overwrite"), "one of the two")
    result = site("learn", folder, "-o", tmp_path / "x.tamis", "--site", "nobody.example")
    assert result.exit_code == 0  # files that know no host belong to the one that is wanted
    result = site("learn", tmp_path / "nothing", "-o", tmp_path / "y.tamis")
    assert result.exit_code == 2
    assert "no page was learned from" in result.stderr


def test_arguments_that_are_no_text_are_told_or_work(learned: Path, folder: Path) -> None:
    odd = os.fsdecode(b"\xff")
    page = folder / "0.html"
    for result in (
        site("learn", folder, "-o", folder / "x.tamis", "--site", odd),
        site("update", learned, folder, "--site", odd),
    ):
        assert_usage_error(result, "is no host such as example.org")
    for result in (
        site("apply", learned, page, "--url", f"http://a/{odd}"),
        extract(page, "--url", f"http://a/{odd}", "-f", "json"),
    ):
        assert_usage_error(result, "is no whole address")
    assert site("apply", learned, f"http://a/{odd}").exit_code == 1
    assert "does not exist" in site("learn", odd, "-o", folder / "x.tamis").stderr
    try:
        (folder / odd).mkdir()
    except OSError:
        pytest.skip("the system has no such names")
    path = folder / odd / f"{odd}.tamis"
    assert site("learn", page, "-o", path).exit_code == 0
    assert site("show", path).exit_code == 0
    assert site("apply", path, page, "-o", folder / odd / "page.txt").exit_code == 0


def test_archives_are_inputs_of_extract(tmp_path: Path) -> None:
    warc = archive(tmp_path / "crawl.warc.gz", list(site_pages(5)))
    result = extract(warc)
    assert result.exit_code == 0
    found = rows(result.stdout)
    assert [row["url"] for row in found] == [f"https://pane.example/{n}" for n in range(5)]
    assert found[0]["name"] == f"{warc}#1"
    out = tmp_path / "out.jsonl"
    warc.write_bytes(warc.read_bytes()[:-900])
    result = extract(warc, "-o", out, "-j", "2")
    assert result.exit_code == 1
    assert "1 damaged record was skipped" in result.stderr
    assert "tamis: 4 pages, 0 failed, " in result.stderr
    assert "problems in 1 archive\n" in result.stderr
    lines = out.read_text(encoding="utf-8").splitlines()
    out.write_text("\n".join(lines[:2]) + "\n", encoding="utf-8")
    assert extract(warc, "-o", out, "--resume").exit_code == 1
    again = rows(out.read_text(encoding="utf-8"))
    assert sorted(row["name"] for row in again) == sorted(
        json.loads(line)["name"] for line in lines
    )
    texts = extract(warc, "-f", "text", "-o", f"{tmp_path}/texts/")
    assert texts.exit_code == 1
    assert len(list((tmp_path / "texts").rglob("*.txt"))) == len(lines) - 1


def test_an_archive_is_not_one_page(tmp_path: Path) -> None:
    warc = archive(tmp_path / "crawl.warc.gz", list(site_pages(2)))
    result = CliRunner().invoke(command, ["blocks", str(warc)])
    assert result.exit_code == 2
    assert "is an archive of many pages" in result.stderr


@pytest.mark.parametrize("pack", [b"".join, gzipped, zstd])
def test_an_archive_may_come_on_standard_input(
    tmp_path: Path, pack: Callable[[list[bytes]], bytes]
) -> None:
    pages = list(site_pages(5))
    data = pack([record(n, http(html.encode())) for n, (_, html) in enumerate(pages)])
    found = rows(extract("-", data=data).stdout)
    assert [row["name"] for row in found] == [f"-#{number}" for number in range(1, 6)]
    assert {row["error"] for row in found} == {None}
    path = tmp_path / "site.tamis"
    result = CliRunner().invoke(command, ["site", "learn", "-", "-o", str(path)], input=data)
    assert result.exit_code == 0, result.stderr
    assert Site.load(path).pages == 5
    store = ["store", "add", "-", "--store", str(tmp_path / "s.db")]
    result = CliRunner().invoke(command, store, input=data)
    assert "5 pages, 0 failed" in result.stderr
    # A page, packed or not, is still one page.
    for page in (pages[0][1].encode(), gzip.compress(pages[0][1].encode())):
        assert not extract("-", data=page).stdout.startswith("{")


@pytest.mark.parametrize("option", ["--max-bytes=50", "--max-nodes=3", "--deadline=0"])
def test_pages_past_a_limit_are_told_and_left_out(
    learned: Path, folder: Path, tmp_path: Path, option: str
) -> None:
    result = site("learn", folder, "-o", tmp_path / "no.tamis", option)
    assert result.exit_code == 2
    assert len([line for line in result.stderr.splitlines() if "0.html" in line]) == 1
    assert "no page was learned from" in result.stderr
    assert site("update", learned, folder, option).exit_code == 2
    assert Site.load(learned).pages == 8
    result = site("apply", learned, folder, option)
    assert result.exit_code == 1
    assert {row["error"] is None for row in rows(result.stdout)} == {False}
    added = ["store", "add", str(folder), "--store", str(tmp_path / "s.db"), option]
    assert CliRunner().invoke(command, added).exit_code == 1
