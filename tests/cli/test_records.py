"""`tamis records`: tables, files, patterns, and what goes wrong."""

from __future__ import annotations

import csv
import gzip
import io
import json
from pathlib import Path

import pytest

from tamis.cli import escape_formula
from tamis.site import Site

from .called import assert_usage_error, csv_rows, records

SAMPLES = Path(__file__).parents[2] / "samples"
GRID = SAMPLES / "lists" / "grid.html"
ARTICLE = SAMPLES / "article.html"


def test_a_table_is_shown() -> None:
    result = records(GRID, columns=120)
    assert result.exit_code == 0, result.output
    head, *rows = result.stdout.splitlines()
    assert head.split()[:3] == ["sale", "image", "title"]
    assert len(rows) == 7
    assert "Cast iron pot" in rows[1]
    assert all(len(line) <= 120 for line in (head, *rows))
    assert "next page is /pots?page=2" in result.stderr


def test_rows_as_json_lines_and_json() -> None:
    lines = records(GRID, "-f", "jsonl", "--url", "https://x.example/").stdout.splitlines()
    assert json.loads(lines[0])["url"] == "https://x.example/p/round"
    whole = json.loads(records("-f", "json", GRID).stdout)
    assert len(whole["rows"]) == len(lines) == 7
    places = {field["name"]: field["xpaths"] for field in whole["fields"]}
    assert places["title"][0] == "/html/body/main/div[1]/div[1]/h3/a/text()"


def test_csv_is_safe_for_spreadsheets() -> None:
    page = "".join(
        f"<li><h3><a href=/{i}>{sign}SUM(A1:A9) of it {i}</a></h3><p>words and words {i}</p></li>"
        for i, sign in enumerate("=+-@=+-@")
    )
    result = records("-", "-f", "csv", data=f"<body><main><ul>{page}</ul></main>")
    assert result.exit_code == 0, result.output
    titles = [row["title"] for row in csv.DictReader(io.StringIO(result.stdout))]
    assert len(titles) == 8
    assert all(title.startswith("'") for title in titles)


@pytest.mark.parametrize(
    "value", ["=1+1", "+1", "-1", "@x", "\tx", "\rx", "＝1", "＋1", "－1", "＠x"]
)
def test_texts_that_look_like_formulas_are_made_harmless(value: str) -> None:
    assert escape_formula(value) == f"'{value}"


@pytest.mark.parametrize("value", ["a=1", "", None, -5, -0.5, True])
def test_all_else_stays_as_it_is(value: str | float | None) -> None:
    assert escape_formula(value) == value


def test_parquet_goes_to_a_file(tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    target = tmp_path / "out.parquet"
    result = records(GRID, "-o", target)
    assert result.exit_code == 0, result.output
    assert parquet.read_table(target).num_rows == 7
    assert_usage_error(records(GRID, "-f", "parquet"), "name it with -o")


def test_rows_are_compressed_by_the_name_of_the_file(tmp_path: Path) -> None:
    rows = records(GRID, "-f", "jsonl").stdout
    for name, options in (("a.jsonl.gz", []), ("b.gz", ["-f", "jsonl"])):
        done = records(GRID, "-o", tmp_path / name, *options)
        assert done.exit_code == 0, done.stderr
        assert gzip.decompress((tmp_path / name).read_bytes()).decode() == rows
    assert_usage_error(records(GRID, "-o", tmp_path / "a.jsonl.gz"), "exists")


@pytest.mark.parametrize(
    ("name", "options", "message"),
    [
        ("a.pdf", [], "its ending sets no format; name it .txt, .json, .jsonl, .csv, .parquet or"),
        ("a.pdf", ["--regions"], "its ending sets no format"),
        ("a.gz", [], "its ending sets no format"),
        ("a.csv.gz", [], "only rows are written compressed; name it .jsonl.gz"),
        ("a.jsonl.gz", ["-f", "csv"], "only rows are written compressed"),
        (".", [], "is a folder: name a file"),
    ],
)
def test_an_ending_that_sets_no_format_is_a_mistake(
    name: str, options: list[str], message: str, tmp_path: Path
) -> None:
    assert_usage_error(records(GRID, "-o", tmp_path / name, *options), message)
    assert not list(tmp_path.iterdir())


def test_files_are_not_replaced_unasked(tmp_path: Path) -> None:
    target = tmp_path / "out.csv"
    assert records(GRID, "-o", target).exit_code == 0
    before = target.read_text()
    assert before.startswith("sale,image,title")
    assert_usage_error(records(GRID, "-o", target), "exists")
    assert records(GRID, "-o", target, "--overwrite").exit_code == 0
    assert target.read_text() == before
    assert records(GRID, "-o", tmp_path / "no" / "out.csv").exit_code == 2
    assert list(tmp_path.iterdir()) == [target]


def test_a_page_without_a_list_is_no_error_unless_records_are_required() -> None:
    result = records(ARTICLE)
    assert result.exit_code == 0
    assert result.stdout == ""
    assert "no records: 0." in result.stderr
    required = records(ARTICLE, "--require")
    assert required.exit_code == 1
    assert "no records" in required.stderr


def test_all_regions_are_shown() -> None:
    result = records(GRID, "--regions", columns=150)
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 6
    assert "in <nav>" in result.stdout


def test_a_pattern_is_learned_and_applied(tmp_path: Path) -> None:
    pattern = tmp_path / "p.json"
    learned = records("learn", GRID, "-o", pattern)
    assert learned.exit_code == 0, learned.output
    assert "title" in learned.stderr
    assert_usage_error(records("learn", GRID, "-o", pattern), "exists")
    applied = records("apply", pattern, GRID, "-f", "jsonl")
    assert applied.stdout == records(GRID, "-f", "jsonl").stdout
    other = records("apply", pattern, SAMPLES / "forum.html", "--require")
    assert other.exit_code == 1
    assert "no longer fits" in other.stderr
    assert records("learn", ARTICLE, "-o", tmp_path / "q.json").exit_code == 2
    assert not (tmp_path / "q.json").exists()
    assert records("apply", GRID, GRID).exit_code == 2


def test_a_pattern_of_an_older_version_is_to_be_learned_anew(tmp_path: Path) -> None:
    pattern = tmp_path / "p.json"
    pattern.write_text('{"format": "tamis records 1", "record": "html", "fields": []}')
    result = records("apply", pattern, GRID)
    assert result.exit_code == 2
    assert "older version: learn it anew" in result.stderr


def test_mistakes_are_messages() -> None:
    assert records("no-such-file.html").exit_code == 1
    assert "Traceback" not in records("no-such-file.html").output
    assert records(GRID, "-f", "xml").exit_code == 2
    assert "PAGE" in records("--help").stdout
    assert records("").exit_code != 0


def test_a_pattern_is_part_of_a_site(tmp_path: Path) -> None:
    site = tmp_path / "site.json"
    Site.learn([GRID.read_bytes()]).save(site)
    before = records("apply", site, GRID)
    assert before.exit_code == 2
    assert "learn_records" in before.stderr
    learned = records("learn", GRID, "--site", site)
    assert learned.exit_code == 0, learned.output
    assert "title" in learned.stderr
    assert Site.load(site).patterns[0].fields
    applied = records("apply", site, GRID, "-f", "jsonl")
    assert applied.stdout == records(GRID, "-f", "jsonl").stdout
    other = records("apply", site, SAMPLES / "forum.html", "--require")
    assert other.exit_code == 1
    assert "no longer fits" in other.stderr
    damaged = site.read_text().replace('"paths"', '"piths"')
    site.write_text(damaged)
    assert records("apply", site, GRID).exit_code == 2


def test_an_empty_page_is_no_error_unless_records_are_required(tmp_path: Path) -> None:
    empty = tmp_path / "empty.html"
    empty.write_bytes(b"")
    assert records(empty).exit_code == 0
    assert "no records" in records(empty).stderr
    assert records(empty, "--require").exit_code == 1


def test_a_page_beyond_the_limits_is_refused_with_a_message(tmp_path: Path) -> None:
    page = tmp_path / "huge.html"
    page.write_text("<ul>" + "<li><h3><a href=/a>Title</a></h3><p>some words</p></li>" * 2_000)
    result = records(page, "--max-nodes", "5000", "-f", "csv")
    assert result.exit_code == 1
    assert "--max-nodes" in result.stderr
    assert result.stdout == ""


# Several pages --------------------------------------------------------------------------------


def test_several_pages_become_one_table(lists: Path, tmp_path: Path) -> None:
    for inputs in ([lists], sorted(lists.iterdir())):
        table = csv_rows(records(*inputs, "-f", "csv").stdout)
        assert len(table) == 24
        assert [Path(row["page"]).name for row in table[::8]] == ["p1.html", "p2.html", "p3.html"]
        assert table[8]["title"] == "Entry 2 0 of it"
    whole = json.loads(records(lists, "-f", "json").stdout)
    assert [page["records"] for page in whole["pages"]] == [8, 8, 8]
    assert whole["rows"][0]["price"] == 0.99


def test_pages_with_different_columns_share_a_table(lists: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "out.parquet"
    assert records(lists, GRID, "-o", out).exit_code == 0
    table = parquet.read_table(out).to_pylist()
    assert len(table) == 31
    assert {"page", "title", "price", "sale", "description"} <= set(table[0])


def test_a_page_that_cannot_be_read_is_reported(lists: Path) -> None:
    done = records(lists / "p1.html", "gone.html", ARTICLE, "-f", "jsonl")
    assert done.exit_code == 1
    assert len(done.stdout.splitlines()) == 8
    assert "gone.html does not exist" in done.stderr
    assert "article.html: no records: 0." in done.stderr


def test_pages_and_records_are_counted(lists: Path, tmp_path: Path) -> None:
    for arguments in ([lists], [lists, "-o", tmp_path / "out.csv"]):
        done = records(*arguments, "-f", "csv")
        assert done.stderr.endswith("tamis: 3 pages, 24 records\n")
    done = records(lists / "p1.html", "gone.html", ARTICLE)
    assert done.stderr.endswith("tamis: 3 pages, 8 records, 1 failed\n")
    assert "records" not in records(lists / "p1.html").stderr


def test_only_some_pages_without_records_are_named(lists: Path) -> None:
    for number in range(5):
        (lists / f"a{number}.html").write_bytes(ARTICLE.read_bytes())
    done = records(lists, "-f", "csv")
    assert done.exit_code == 0, done.stderr
    assert done.stderr.count(": no records: ") == 3
    assert done.stderr.endswith("tamis: no records on 5 pages\ntamis: 8 pages, 24 records\n")
    (lists / "a4.html").unlink()
    (lists / "a3.html").unlink()
    done = records(lists, "-f", "csv")
    assert done.stderr.count(": no records: ") == 3
    assert "no records on" not in done.stderr


def test_the_header_of_picked_columns_is_written_without_records(tmp_path: Path) -> None:
    out = tmp_path / "out.csv"
    for pages in ([ARTICLE], [ARTICLE, ARTICLE]):
        done = records(*pages, "--columns", "title,price=cost", "-o", out, "--overwrite")
        assert done.exit_code == 0, done.stderr
        assert out.read_text(encoding="utf-8") == "title,cost\n"
    assert records(ARTICLE, "--columns", "title").stdout == ""
    assert records(ARTICLE, "-f", "csv").stdout == ""


def test_columns_are_picked_and_renamed(lists: Path) -> None:
    for inputs in ([lists], [lists / "p1.html"]):
        done = records(*inputs, "-f", "csv", "--columns", "price=cost,title")
        assert done.stdout.splitlines()[:2] == ["cost,title", "0.99,Entry 1 0 of it"]
    for columns, message in (
        ("nope", "no column 'nope'; there are page, title"),
        ("title,price=title", "the name 'title' is there twice"),
        ("price, url , url", "the name 'url' is there twice"),
        (",", "name columns as in"),
        ("", "name columns as in"),
        ("price,title=", "'title=' has no new name: write title=NEW, or title alone"),
        ("=x", "'=x' names no column: write NAME=x"),
        ("=", "names no column"),
    ):
        assert_usage_error(records(lists, "--columns", columns), message)
    assert records(ARTICLE, "--columns", "title").exit_code == 0  # no records, no columns


def test_json_of_a_single_page_keeps_its_shape_with_columns(lists: Path) -> None:
    page = lists / "p1.html"
    full = json.loads(records(page, "-f", "json").stdout)
    done = records(page, "-f", "json", "--columns", "price=cost,page,title")
    picked = json.loads(done.stdout)
    assert list(picked) == list(full)
    assert {name: picked[name] for name in picked if name not in ("fields", "rows")} == {
        name: full[name] for name in full if name not in ("fields", "rows")
    }
    fields = {field["name"]: field for field in full["fields"]}
    assert picked["fields"] == [
        {**fields["price"], "name": "cost"},
        {"name": "page", "type": "text", "xpaths": [None] * 8},
        fields["title"],
    ]
    assert picked["rows"][0] == {"cost": 0.99, "page": str(page), "title": "Entry 1 0 of it"}
    empty = json.loads(records(ARTICLE, "-f", "json", "--columns", "title").stdout)
    assert empty["main"] is False
    assert empty["fields"] == empty["rows"] == []
    assert_usage_error(records(page, "-f", "json", "--columns", "nope"), "no column 'nope'")


def test_options_without_effect_are_mistakes(lists: Path, tmp_path: Path) -> None:
    page = lists / "p1.html"
    pattern = tmp_path / "p.json"
    assert records("learn", page, "-o", pattern).exit_code == 0
    for arguments in ([page], ["apply", pattern, page], [page, "--regions"]):
        result = records(*arguments, "--max-pages", "10")
        assert_usage_error(result, "--max-pages is the limit of --follow: give --follow as well")
    for options in (["--columns", "title"], ["--columns", ""], ["--follow"]):
        result = records(page, "--regions", *options)
        assert_usage_error(result, f"leave --regions out, or {options[0]}")


def test_the_name_of_a_single_page_can_be_picked(lists: Path) -> None:
    page = lists / "p1.html"
    done = records(page, "-f", "csv", "--columns", "page,title")
    assert done.stdout.splitlines()[:2] == ["page,title", f"{page},Entry 1 0 of it"]
    assert "page" not in csv_rows(records(page, "-f", "csv").stdout)[0]
    data = page.read_text(encoding="utf-8")
    done = records("-", "-f", "jsonl", "--columns", "title,page=from", data=data)
    assert json.loads(done.stdout.splitlines()[0]) == {"title": "Entry 1 0 of it", "from": "-"}


def test_a_column_of_a_single_page_goes_before_the_name_of_the_page(tmp_path: Path) -> None:
    entries = "".join(
        f"<tr><td><a href=/{i}>Chapter {i} of the book</a></td><td>{i * 10}</td></tr>"
        for i in range(1, 9)
    )
    book = tmp_path / "book.html"
    table = f"<table><tr><th>Chapter</th><th>Page</th></tr>{entries}</table>"
    book.write_text(f"<html><body><main>{table}</main></body></html>", encoding="utf-8")
    done = records(book, "-f", "csv", "--columns", "page")
    assert done.stdout.splitlines()[:2] == ["page", "10"]


def test_a_pattern_reads_several_pages(lists: Path, tmp_path: Path) -> None:
    pattern = tmp_path / "p.json"
    assert records("learn", lists / "p1.html", "-o", pattern).exit_code == 0
    done = records("apply", pattern, lists, "-f", "csv")
    assert len(csv_rows(done.stdout)) == 24
