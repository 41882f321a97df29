"""`tamis blocks`: the blocks of one page, as a table for people or as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len

import tamis
from helpers.instances import PLAIN_METHODS, PLAIN_SEGMENTERS
from tamis.cli import tamis as command

SAMPLES = Path(__file__).parents[2] / "samples"
PAGES = len(list(SAMPLES.rglob("*.html")))
ARTICLE, CHINESE = SAMPLES / "article.html", SAMPLES / "chinese.html"


def blocks(*arguments: str | Path, data: str | None = None, columns: int | None = None) -> Result:
    env = {"COLUMNS": str(columns) if columns else None}
    return CliRunner().invoke(command, ["blocks", *map(str, arguments)], input=data, env=env)


def table(result: Result) -> tuple[str, list[str]]:
    """The head and the rows of a table."""
    head, *rows = result.stdout.splitlines()
    return head, rows


def column(rows: list[str], place: int) -> list[str]:
    return [row[place : place + 1] for row in rows]


# JSON -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", PLAIN_METHODS)
def test_json_is_the_blocks_of_the_document(method: str) -> None:
    result = blocks("-f", "json", "-m", method, ARTICLE)
    assert result.exit_code == 0
    document = tamis.extract(ARTICLE.read_bytes(), method=method)
    assert json.loads(result.stdout) == document.json["blocks"]


@pytest.mark.parametrize("name", PLAIN_SEGMENTERS)
def test_a_segmenter_alone_gives_blocks_without_a_verdict(name: str) -> None:
    found = json.loads(blocks("-f", "json", "-s", name, ARTICLE).stdout)
    segmented = tamis.segment(tamis.parse(ARTICLE.read_bytes()), name)
    assert [block["text"] for block in found] == [block.text for block in segmented]
    assert {block["informative"] for block in found} == {None}
    assert {block["reason"] for block in found} == {None}


def test_json_is_as_wide_as_it_is(tmp_path: Path) -> None:
    assert blocks("-f", "json", ARTICLE, columns=40).stdout == blocks("-f", "json", ARTICLE).stdout


@pytest.mark.parametrize(("option", "kept"), [("--informative", True), ("--noise", False)])
def test_only_the_blocks_that_are_asked_for(option: str, kept: bool) -> None:
    found = json.loads(blocks("-f", "json", option, ARTICLE).stdout)
    document = tamis.extract(ARTICLE.read_bytes())
    assert found == [block for block in document.json["blocks"] if block["informative"] is kept]
    assert found


def test_standard_input_and_the_limits_of_a_page() -> None:
    found = json.loads(blocks("-f", "json", "-", data="<p>Some words.</p>").stdout)
    assert [block["text"] for block in found] == ["Some words."]
    result = blocks("--max-bytes", "5", "-", data="<p>Some words.</p>")
    assert result.exit_code == 1
    assert result.stderr.startswith("tamis: ")


# The table ------------------------------------------------------------------------------------


@pytest.mark.parametrize("sample", [ARTICLE, CHINESE])
@pytest.mark.parametrize("width", [60, 80, 100, 120, 160, 250])
def test_a_table_is_as_wide_as_the_terminal_and_no_wider(sample: Path, width: int) -> None:
    head, rows = table(blocks(sample, columns=width))
    assert len(rows) == len(tamis.extract(sample.read_bytes()).blocks)
    assert max(cell_len(row) for row in rows) in range(width - 2, width + 1) or width > 200
    assert head.split() == [
        "block",
        "score",
        "xpath" if width >= 110 else "tag",
        "text",
        "reason",
    ]


@pytest.mark.parametrize("width", [60, 100, 160])
def test_columns_stand_below_each_other_chinese_or_not(width: int) -> None:
    head, rows = table(blocks(CHINESE, columns=width))
    for name in ("text", "reason"):
        place = head.index(name)
        for row in rows:
            # Each cell begins where its head does, counted as a terminal counts.
            before = ""
            for char in row:
                if cell_len(before) >= place:
                    break
                before += char
            assert cell_len(before) == place, row
            assert before.endswith("  ") or not row[len(before) :], row


def test_a_row_says_verdict_score_xpath_text_and_reason() -> None:
    document = tamis.extract(ARTICLE.read_bytes())
    _, rows = table(blocks(ARTICLE, columns=2000))
    for row, block in zip(rows, document.blocks, strict=True):
        label, mark, score, *_ = row.split()
        assert label == block.label
        assert mark == ("✓" if block.informative else "·")
        assert float(score) == pytest.approx(block.score, abs=0.006)
        assert row.endswith(block.reason or "")
        assert " ".join(block.text.split())[:380] in row
        assert block.xpath[-29:] in row


def test_a_narrow_terminal_gets_tags_instead_of_xpaths() -> None:
    _, narrow = table(blocks(ARTICLE, columns=80))
    _, wide = table(blocks(ARTICLE, columns=140))
    assert not any("/html" in row for row in narrow)
    assert any("/html/body" in row for row in wide)
    assert [row.split()[3] for row in narrow] == [
        block.tag for block in tamis.extract(ARTICLE.read_bytes()).blocks
    ]


def test_what_is_cut_off_ends_with_a_sign_of_it() -> None:
    _, rows = table(blocks(ARTICLE, columns=80))
    assert sum("…" in row for row in rows) > 10


def test_a_segmenter_alone_gives_a_table_without_verdicts() -> None:
    head, rows = table(blocks("-s", "chunks", ARTICLE))
    assert head.split() == ["block", "xpath", "text"]
    assert not any("✓" in row or "·" in row.split()[:2] for row in rows)


def test_without_a_terminal_the_table_is_wide() -> None:
    _, rows = table(blocks(ARTICLE))
    assert 150 < max(cell_len(row) for row in rows) <= 160


def test_a_tiny_terminal_still_gets_a_row_a_block() -> None:
    _, rows = table(blocks(ARTICLE, columns=20))
    assert len(rows) == len(tamis.extract(ARTICLE.read_bytes()).blocks)


def test_a_table_commands_no_terminal() -> None:
    html = "<x-\x1b[31m>Some words \x1b[31m in it \x07</x-\x1b[31m>"
    for arguments in (["-"], ["-s", "tagset", "-"]):
        shown = blocks(*arguments, data=html, columns=200).stdout
        assert "Some words" in shown
        assert not re.search(r"[\x00-\x09\x0b-\x1f\x7f]", shown)


def test_an_empty_page_is_an_empty_table() -> None:
    result = blocks("-", data="")
    assert result.exit_code == 0
    assert len(result.stdout.splitlines()) == 1
    assert result.stderr == "tamis: the page has no blocks\n"
    assert json.loads(blocks("-f", "json", "-", data="").stdout) == []


def test_blocks_that_are_not_there_are_said_to_be_missing() -> None:
    result = blocks("--noise", "-", data="<p>Some words.</p>")
    assert result.stderr == "tamis: the page has no noisy blocks\n"
    assert blocks("--informative", "-", data="<p>Some words.</p>").stderr == ""


# Mistakes -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("arguments", "code", "said"),
    [
        ([], 2, "Missing argument"),
        (
            ["-s", "magic", ARTICLE],
            2,
            "no segmenter 'magic': take one of tagset, keypattern, chunks",
        ),
        (["-m", "magic", ARTICLE], 2, "no method 'magic'"),
        (["-m", "feature", "-s", "tagset", ARTICLE], 2, "give one of the two"),
        ([SAMPLES], 2, f"stands for {PAGES} pages"),
        (["missing.html"], 1, "does not exist"),
        (["http://127.0.0.1:1/"], 1, "not a public address"),
        (["--deadline", "0", ARTICLE], 1, "deadline"),
    ],
)
def test_a_mistake_is_a_message(arguments: list[Any], code: int, said: str) -> None:
    result = blocks(*arguments)
    assert result.exit_code == code
    assert said in result.stderr
    assert result.stdout == ""
    assert isinstance(result.exception, SystemExit)
