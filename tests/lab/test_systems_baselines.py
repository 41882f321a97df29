"""Baselines: every table of methods carries them."""

from __future__ import annotations

from pathlib import Path

import pytest
from click.testing import CliRunner

import tamis
from helpers.contracts import check_identifier
from helpers.samples import SAMPLES, sample
from tamis.cli import tamis as command
from tamis.lab import load
from tamis.lab.metrics import word_counts
from tamis.lab.systems import BASELINES, baseline_systems, choose_systems

HTML = (
    "<nav><a href=/>Home</a></nav><p>The river rose by four inches.</p><p>Nobody slept.</p>"
    "<script>var x</script><footer>© us</footer>"
)


def test_all_text_is_what_the_page_shows() -> None:
    document = tamis.extract(HTML, method=BASELINES["all text"])
    assert document.text.split("\n\n") == [
        "Home",
        "The river rose by four inches.",
        "Nobody slept.",
        "© us",
    ]
    copy_buttons = {"docs": 2}  # Content writes the code of a block, not the button above it.
    for name in SAMPLES:
        page = sample(name)
        shown = "\n".join(block.text for block in tamis.segment(page, "tagset"))
        counts = word_counts(tamis.extract(page, method=BASELINES["all text"]).text, shown)
        assert counts.precision == 1
        assert counts.wanted - counts.common == copy_buttons.get(name, 0)


def test_the_largest_is_the_block_with_most_words() -> None:
    document = tamis.extract(HTML, method=BASELINES["largest"])
    assert document.text == "The river rose by four inches."
    equal = tamis.extract("<p>one two</p><p>three four</p>", method=BASELINES["largest"])
    assert equal.text == "one two"
    assert tamis.extract("<img src=x>", method=BASELINES["largest"]).text == ""


@pytest.mark.parametrize("name", BASELINES)
def test_baselines_keep_the_contract(name: str) -> None:
    method = BASELINES[name]
    for page in map(sample, SAMPLES):
        check_identifier(method.identifier, method.segmenter.segment(page))


def test_every_run_has_the_baselines_and_none_is_the_best_method(tiny: Path) -> None:
    done = CliRunner().invoke(
        command, ["evaluate", str(tiny), "--methods", "feature", "--peers", "none"]
    )
    assert done.exit_code == 0
    for name in BASELINES:
        assert f"\n{name} " in done.stdout
    assert "feature against the others" in done.stdout


def test_without_anything_to_compare_there_is_no_baseline(tiny: Path) -> None:
    assert choose_systems("none", "none", load(str(tiny))) == ([], [])


def test_baselines_are_marked_as_no_methods_of_ours() -> None:
    assert [(system.name, system.is_peer) for system in baseline_systems("v")] == [
        ("all text", True),
        ("largest", True),
    ]
