"""Formats of `tamis extract`: endings of the output, fields, front matter, names of files."""

from __future__ import annotations

import csv
import gzip
import io
import json
import os
import subprocess
import sys
from pathlib import Path, PurePath

import pytest
from hypothesis import given
from hypothesis import strategies as st

import tamis
from helpers.archives import http, record
from tamis.cli import short_page_name

from .called import assert_usage_error, extract, page, rows

SAMPLES = Path(__file__).parents[2] / "samples"
ARTICLE = SAMPLES / "article.html"


@pytest.mark.parametrize(
    ("name", "attribute"),
    [("a.txt", "text"), ("a.md", "markdown"), ("a.markdown", "markdown"), ("a.html", "html"),
     ("a.MD", "markdown"), ("a", "text")],
)  # fmt: skip
def test_the_ending_sets_the_format_of_a_page(name: str, attribute: str, tmp_path: Path) -> None:
    assert extract(ARTICLE, "-o", tmp_path / name).exit_code == 0
    document = tamis.extract(ARTICLE.read_bytes())
    content = getattr(document, f"to_{attribute}")()
    assert (tmp_path / name).read_text(encoding="utf-8") == f"{content}\n"


def test_md_is_markdown() -> None:
    assert extract(ARTICLE, "-f", "md").stdout == extract(ARTICLE, "-f", "markdown").stdout


@pytest.mark.parametrize(
    ("form", "name"), [("md", "a.html"), ("jsonl", "a.md"), ("text", "a.csv"), ("csv", "a.txt")]
)
def test_an_option_that_contradicts_the_ending_is_refused(
    form: str, name: str, tmp_path: Path
) -> None:
    done = extract(ARTICLE, "-f", form, "-o", tmp_path / name)
    assert done.exit_code == 2
    assert "leave -f out" in done.stderr
    assert not (tmp_path / name).exists()


@pytest.mark.parametrize(("form", "name"), [("md", "a.txt"), ("jsonl", "a.json"), ("html", "a")])
def test_an_option_may_say_more_than_the_ending(form: str, name: str, tmp_path: Path) -> None:
    assert extract(ARTICLE, "-f", form, "-o", tmp_path / name).exit_code == 0
    assert (tmp_path / name).read_text("utf-8") == extract(ARTICLE, "-f", form).stdout


def test_a_hyphen_is_standard_output(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert extract(ARTICLE, "-f", "md", "-o", "-").stdout == extract(ARTICLE, "-f", "md").stdout
    assert not list(tmp_path.iterdir())


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    done = extract(ARTICLE, "-f", "md", "-o", f"{tmp_path}/file/")
    assert done.exit_code == 2
    assert "is a file, not a folder" in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["-o", "a.pdf"], "a.pdf: its ending sets no format; name it .txt, .md"),
        (["-o", "a.md.gz"], "only rows are written compressed"),
        (["-f", "parquet"], "name it with -o"),
        (["-f", "md", "--fields", "text"], "--fields chooses columns of rows"),
        (["-f", "jsonl", "--fields", "nope"], "no field 'nope'; there are name, url"),
        (["-f", "jsonl", "--fields", ","], "no field is named"),
        (["--front-matter"], "--front-matter is for Markdown, not for text"),
        (["-o", "a.csv", "--resume"], "must be written anew"),
        (["-o", "a.jsonl.gz", "--resume"], "must be written anew"),
        (["-o", ".", "-f", "csv"], "name a file such as pages.csv"),
    ],
)
def test_what_cannot_be_written_is_a_mistake(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert_usage_error(extract(ARTICLE, *arguments), message)
    assert not list(tmp_path.iterdir())


def test_compressed_rows(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "a.jsonl.gz"
    assert extract(site, "-o", out).exit_code == 0
    assert [row["name"] for row in rows(gzip.decompress(out.read_bytes()).decode())] == [
        "a.html",
        "b.htm",
        "sub/c.html",
    ]
    before = out.read_bytes()
    assert extract(site, "-o", out, "--overwrite").exit_code == 0
    assert out.read_bytes() == before


def test_csv_has_a_header_and_a_row_per_page(site: Path, tmp_path: Path) -> None:
    (site / "formula.html").write_text(page("=SUM(A1)"), encoding="utf-8")
    assert extract(site, "missing.html", "-o", tmp_path / "a.csv").exit_code == 1
    text = (tmp_path / "a.csv").read_text(encoding="utf-8")
    table = list(csv.DictReader(io.StringIO(text)))
    assert list(table[0])[:3] == ["name", "url", "title"]
    assert [bool(row["error"]) for row in table] == [False] * 4 + [True]
    assert "brown fox" in table[0]["text"]
    assert table[2]["text"].startswith("'=SUM")
    assert extract(site, "-f", "csv", "--fields", "status").stdout.splitlines()[0] == (
        "name,status,error"
    )


def test_parquet_has_a_row_per_page(site: Path, tmp_path: Path) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    out = tmp_path / "a.parquet"
    fields = "url,markdown,confidence,metadata"
    assert extract(site, "gone.html", "-o", out, "--fields", fields).exit_code == 1
    table = parquet.read_table(out).to_pylist()
    assert list(table[0]) == ["name", "url", "markdown", "confidence", "metadata", "error"]
    assert 0 < table[0]["confidence"] < 1
    assert json.loads(table[0]["metadata"])["tags"] == []
    assert "does not exist" in table[-1]["error"]
    assert {path.name for path in tmp_path.iterdir()} == {site.name, out.name}


def test_a_parquet_file_without_rows_is_not_written(tmp_path: Path) -> None:
    pytest.importorskip("pyarrow")
    out = tmp_path / "a.parquet"
    assert_usage_error(extract("-m", "ibdf", ARTICLE, "-o", out), "compares at least two pages")
    assert not list(tmp_path.iterdir())


def test_rows_carry_the_fields_that_are_wanted() -> None:
    row = json.loads(extract(ARTICLE, "-f", "jsonl", "--fields", "title,markdown,html").stdout)
    document = tamis.extract(ARTICLE.read_bytes())
    assert row == {
        "name": str(ARTICLE),
        "title": document.metadata.title,
        "markdown": document.markdown,
        "html": document.html,
        "error": None,
    }


def test_numbers_in_rows_are_rounded() -> None:
    row = json.loads(extract(ARTICLE, "-f", "json").stdout)
    numbers = [row["confidence"], *(block["score"] for block in row["blocks"])]
    assert numbers == [round(number, 4) for number in numbers]


def test_the_format_does_not_depend_on_the_number_of_pages_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "a.html").write_text(page("One"), encoding="utf-8")
    for arguments in ([tmp_path], [tmp_path / "*.html"]):
        single = rows(extract(*arguments).stdout)
        assert [row["error"] for row in single] == [None]
    assert "One The quick" in extract(tmp_path / "a.html").stdout.splitlines()[0]


# Folders --------------------------------------------------------------------------------------


def test_a_folder_of_markdown_has_short_names(site: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    files = [site / "a.html", site / "sub" / "c.html", ARTICLE]
    assert extract(*files, "-f", "md", "-o", f"{out}/").exit_code == 0
    assert sorted(path.name for path in out.iterdir()) == ["a.md", "article.md", "c.md"]


def test_pages_with_the_same_short_name_get_a_hash(site: Path, tmp_path: Path) -> None:
    (site / "sub" / "A.html").write_text(page("Other"), encoding="utf-8")
    out = tmp_path / "out"
    files = [site / "a.html", site / "sub" / "A.html", site / "sub" / "c.html"]
    for _ in range(2):  # the names stay the same
        assert extract(*files, "-f", "md", "-o", f"{out}/", "--resume").exit_code == 0
        names = sorted(path.name for path in out.iterdir())
        assert len(names) == 3
        assert [name[:2] for name in names] == ["A-", "a-", "c."]


def test_pages_of_a_folder_keep_their_path_in_it(site: Path, tmp_path: Path) -> None:
    assert extract(site, "-f", "md", "-o", f"{tmp_path / 'out'}/").exit_code == 0
    assert (tmp_path / "out" / "a.md").is_file()
    assert (tmp_path / "out" / "sub" / "c.md").is_file()


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("https://example.org/blog/my-post.html?x=1#y", "my-post"),
        ("https://example.org/blog/", "blog"),
        ("https://example.org", "example.org"),
        ("https://user:pw@example.org:8080/", "example.org"),
        ("https://example.org/a/index.php", "a-index"),
        ("https://example.org/index.html", "example.org-index"),
        ("https://example.org/%E4%B8%AD%2F..%2Fx", "x"),
        ("/home/someone/pages/a.html", "a"),
        ("pages/b.htm.gz", "b"),
        ("../..", "page"),
        ("", "page"),
        ("x" * 500, "x" * 80),
    ],
)
def test_short_names(name: str, short: str) -> None:
    assert short_page_name(name) == short


@given(st.text())
def test_a_short_name_is_one_part_of_a_path(name: str) -> None:
    short = short_page_name(name)
    assert PurePath(short).parts == (short,)
    assert short not in (".", "..")
    assert os.sep not in short
    assert len(short.encode()) <= 80


# Front matter ---------------------------------------------------------------------------------

EVIL_TITLE = '"quoted" \\ back: [x] # \u2028\x85 ---\t\ufeff 😀 it’s'


def test_front_matter_is_yaml_that_reads_back(tmp_path: Path) -> None:
    yaml = pytest.importorskip("yaml")
    done = extract(ARTICLE, "-f", "md", "--front-matter", "--url", "https://x.example/a")
    _, front, markdown = done.stdout.split("---\n", 2)
    values = yaml.safe_load(front)
    metadata = tamis.extract(ARTICLE.read_bytes()).metadata
    assert values["title"] == metadata.title
    assert values["url"] == "https://x.example/a"
    assert str(values["date"]) == metadata.date
    assert values["author"] == metadata.author
    assert values["language"] == "en"
    assert markdown == "\n" + extract(ARTICLE, "-f", "md", "--url", "https://x.example/a").stdout


def test_front_matter_of_a_hostile_page_reads_back() -> None:
    yaml = pytest.importorskip("yaml")
    html = page("x").replace("<body>", f"<head><title>{EVIL_TITLE}</title></head><body>")
    done = extract("-f", "md", "--front-matter", "-", data=html.encode())
    front = done.stdout.split("---\n", 2)[1] if done.stdout.startswith("---\n") else ""
    title = tamis.extract(html).metadata.title
    assert yaml.safe_load(front)["title"] == title
    assert title is not None
    assert "quoted" in title


# Parts of a page ------------------------------------------------------------------------------


def test_parts_of_a_page_are_left_out_or_added() -> None:
    document = tamis.extract(ARTICLE.read_bytes())
    options = ("--no-title", "--no-links", "--no-images", "--no-tables")
    bare = document.to_markdown(title=False, links=False, images=False, tables=False)
    assert extract(ARTICLE, "-f", "md", *options).stdout == f"{bare}\n"
    assert extract(ARTICLE, "-f", "md").stdout.startswith(f"# {document.metadata.title}\n\n")
    assert extract(ARTICLE, "-f", "text").stdout == f"{document.text}\n"
    assert extract(ARTICLE, "--title").stdout == f"{document.metadata.title}\n\n{document.text}\n"
    html = extract(ARTICLE, "-f", "html", "--no-links").stdout
    assert html == f"{document.to_html(links=False)}\n"


@pytest.mark.parametrize(
    ("option", "output", "message"),
    [
        ("--title", "html", "--title is for Markdown and text, not for html"),
        ("--no-links", "text", "--no-links is for Markdown and html, not for text"),
        ("--no-title", "jsonl", "--no-title is for Markdown and text, not for jsonl"),
        ("--comments", "html", "--comments is for Markdown and text, not for html"),
    ],
)
def test_parts_that_a_format_does_not_have(option: str, output: str, message: str) -> None:
    assert_usage_error(extract(ARTICLE, "-f", output, option), message)


# Archives -------------------------------------------------------------------------------------


def test_rows_of_archives_have_date_status_and_record(tmp_path: Path) -> None:
    pytest.importorskip("warcio")
    url = "https://example.org/news/rain.html"
    archive = tmp_path / "a.warc"
    archive.write_bytes(record(7, http(page("Rain").encode()), WARC_Target_URI=url))
    row = rows(extract(archive).stdout)[0]
    assert row["http_status"] == 200
    assert row["record_id"] == "<urn:uuid:00000000-0000-0000-0000-000000000007>"
    assert row["fetched_at"] == "2020-05-06T07:08:09+00:00"
    assert extract(archive, "-f", "md", "-o", f"{tmp_path / 'out'}/").exit_code == 0
    names = [path.name for path in (tmp_path / "out").iterdir()]
    assert len(names) == 1
    assert names[0].startswith("rain-")


@pytest.mark.parametrize("name", ["a.csv", "a.parquet", "a.jsonl.gz"])
def test_a_full_disk_is_a_message(name: str, tmp_path: Path) -> None:
    if name == "a.parquet":
        pytest.importorskip("pyarrow")
    limit = "import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (4096, 4096))"
    code = f"{limit}; from tamis.cli import main; main()"
    options = ["-o", name, "--fields", "text,html,blocks"]
    done = subprocess.run(
        [sys.executable, "-c", code, "extract", *map(str, SAMPLES.glob("*.html")), *options],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert done.stderr.endswith(f"tamis: cannot write {name}: File too large\n")
    assert not list(tmp_path.glob(".*")) or name != "a.parquet"
    assert not (tmp_path / "a.parquet").exists()
