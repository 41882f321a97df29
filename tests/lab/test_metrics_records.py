"""The lab on records: measures by hand, baselines, tables, and a run on a small set."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

import tamis
from helpers.samples import FOLDER
from tamis.cli import tamis as command
from tamis.lab.metrics import (
    aligned_share,
    comparable_value,
    field_counts,
    field_measures,
    price_counts,
)
from tamis.lab.systems import mdr_records, sibling_records

from .conftest import Writer

WORDS = "and some more words about it that tell one from another"
LIST = "".join(f"<li><a href=/{i}>Thing {i}</a> <p>{WORDS} {i}</p></li>" for i in range(6))
PAGE = f"<body><nav><a href=/>Home</a></nav><main><ul>{LIST}</ul></main></body>"
GOLD = [[f"Thing {i}", f"{WORDS} {i}"] for i in range(6)]


def test_field_values_are_counted_after_the_best_matching_of_columns() -> None:
    found = [["x", "a1", "b1"], ["", "a2", "b2"], ["", "a3", "no"]]
    wanted = [["b1", "a1"], ["b2", "a2"], ["b3", "a3"]]
    counts = field_counts(found, wanted, [(0, 0), (1, 1), (2, 2)])
    assert (counts.common, counts.predicted, counts.wanted) == (5, 7, 6)
    unmatched = field_counts(found, wanted, [(0, 0)])
    assert (unmatched.common, unmatched.predicted, unmatched.wanted) == (2, 7, 6)
    assert field_counts([], wanted, []).recall == 0


def test_alignment_counts_pairs_in_one_column() -> None:
    wanted = [["a1"], ["a2"], ["a3"]]
    pairs = [(0, 0), (1, 1), (2, 2)]
    assert aligned_share([["a1"], ["a2"], ["a3"]], wanted, pairs) == 1
    assert aligned_share([["a1", ""], ["", "a2"], ["a3", ""]], wanted, pairs) == pytest.approx(
        1 / 3
    )
    assert aligned_share([], wanted, []) == 0
    assert aligned_share([], [], []) == 1


def test_prices_are_compared_by_amount() -> None:
    counts = price_counts([["CA$", "3.90"], ["$5"]], [["CA$ 3.9"], ["$6.00"]], [(0, 0), (1, 1)])
    assert (counts.common, counts.predicted, counts.wanted) == (1, 2, 2)


@pytest.mark.parametrize(
    ("one", "other"), [("$3.90", "3.9"), ("(6)", "-6"), ("1,234.50", "1234.5"), ("A b!", "ab")]
)
def test_cells_are_compared_by_value(one: str, other: str) -> None:
    assert comparable_value(one) == comparable_value(other)


def test_all_measures_are_one_for_the_truth_itself() -> None:
    measures = field_measures(GOLD, GOLD, priced=True)
    assert set(measures.values()) == {1.0}


def test_baselines_find_a_plain_list() -> None:
    page = tamis.parse(PAGE)
    assert mdr_records(page) == GOLD
    assert sibling_records(page) == GOLD
    assert mdr_records(tamis.parse("")) == []
    assert sibling_records(tamis.parse("<p>a")) == []


def test_a_run_on_records_has_tables_by_site(written: Writer, tmp_path: Path) -> None:
    gold = [
        {"id": f"s{n}-1", "site": f"s{n}.example", "category": "Shops", "has_price": n == 0,
         "records": GOLD}
        for n in range(2)
    ]  # fmt: skip
    folder = written("lists", gold, {f"html/s{n}-1.html": PAGE.encode() for n in range(2)})
    report = tmp_path / "report.html"
    out = CliRunner().invoke(
        command,
        ["evaluate", str(folder), "--peers", "mdr,siblings", "--report", str(report)],
        env={"COLUMNS": "200"},
    )
    assert out.exit_code == 0, out.output
    assert "by site (the tag-window paper, Table 2)" in out.stdout
    line = next(line for line in out.stdout.splitlines() if line.startswith("s0.example"))
    assert line.split()[1:7] == ["1", "6", "0", "0", "100.0", "100.0"]
    assert "on sites with prices" in out.stdout
    assert "s1.example" in report.read_text(encoding="utf-8")
    again = CliRunner().invoke(command, ["evaluate", str(folder), "--peers", "none", "--json", "-"])
    rows = {row["name"]: row for row in json.loads(again.stdout)["rows"]}
    assert rows["records"]["means"]["field_f1"]["value"] == 1
    assert rows["records-structure"]["means"]["chosen"]["value"] == 1


def test_extruct_reads_lists_of_items() -> None:
    pytest.importorskip("extruct")
    from tamis.lab.systems import read_by_extruct

    items = "".join(
        f'<li itemscope itemtype="https://schema.org/Product"><b itemprop=name>Thing {i}</b></li>'
        for i in range(3)
    )
    assert read_by_extruct(f"<ul>{items}</ul>") == [[f"Thing {i}"] for i in range(3)]
    assert read_by_extruct("<p>a</p>") == []
    page = (FOLDER / "lists" / "grid.html").read_text(encoding="utf-8")
    assert len(read_by_extruct(page)) == 6
