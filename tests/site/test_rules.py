"""Rules that people make: they hold on other pages, are saved, tested and undone."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from helpers.sites import article_page, index_page
from tamis import Site, extract
from tamis.errors import InputError
from tamis.page import parse
from tamis.records import Pattern
from tamis.site import (
    METHOD,
    Case,
    PageProfile,
    Rule,
    build_profile,
    case_id,
    make_block_rule,
    make_column_rule,
    make_region_rule,
    mark_block,
    mark_column,
    mark_region,
    parse_site,
    site_text,
)

URL = "https://pane.example/1"


def page(number: int, extra: str = "") -> str:
    related = "".join(
        f"<li><a href=/{n}>Story {n} of the day</a></li>" for n in range(number, number + 4)
    )
    return (
        f"<main><h1>Title {number}</h1><div class=body><p>Paragraph {number} tells what happened "
        f"on the {number}th of the month, at length and with care.</p>{extra}<p>Second paragraph "
        f"of {number}, with more words than the first one had, and a full stop.</p></div>"
        f"<div class=tips><p>Write to us about case {number} if you know more.</p></div>"
        f"<ul class=related>{related}</ul></main>"
    )


def profile(html: str, url: str | None = URL) -> PageProfile:
    return build_profile(METHOD.segmenter.segment(parse(html, url)))


def find(built: PageProfile, text: str) -> int:
    return next(i for i, block in enumerate(built.blocks) if text in block.text)


def block_rule(html: str, text: str, kind: str, reach: str = "form", **options: bool) -> Rule:
    built = profile(html)
    return make_block_rule(built, find(built, text), kind, reach, **options)  # type: ignore[arg-type]


def test_a_rule_holds_on_pages_that_nobody_looked_at() -> None:
    rule = block_rule(page(1), "Write to us", "noise")
    site = Site.empty("pane.example").with_rule(rule)
    for number in (2, 30, 99):
        document = site.extract(page(number), URL)
        assert "Write to us" not in document.text
        assert f"Paragraph {number}" in document.text
        block = next(block for block in document.blocks if "Write to us" in block.text)
        assert block.reason == f"noise by rule {rule.id}"
        assert block.score == 0
    assert "Write to us" in extract(page(2), URL).text


def test_a_rule_can_say_that_blocks_are_content() -> None:
    html = page(1)
    built = profile(html)
    noise = [i for i in range(len(built.blocks)) if not built.informative[i] and built.terms[i]]
    wanted = noise[0] if noise else find(built, "Story")
    rule = make_block_rule(built, wanted, "content", "path")
    document = Site.empty().with_rule(rule).extract(html, URL)
    assert document.verdict.informative[wanted]
    assert document.verdict.score[wanted] == 1


def test_reach_says_how_far_a_rule_goes() -> None:
    html = page(1, "<p>Advertisement for shoes</p>")
    links = "<p><a href=/x>Read also: another story about the same town</a></p>"
    by_text = Site.empty().with_rule(block_rule(html, "Advertisement", "noise", "text"))
    other = page(2, "<p>Advertisement for shoes</p>" + links)
    assert "Advertisement" not in by_text.extract(other).text
    assert "Paragraph 2" in by_text.extract(other).text
    html = page(1, links)
    by_form = Site.empty().with_rule(block_rule(html, "Read also", "noise", "form"))
    text = by_form.extract(page(2, links)).text
    assert "Read also" not in text
    assert "Paragraph 2" in text
    by_path = Site.empty().with_rule(block_rule(html, "Read also", "noise", "path"))
    assert "Paragraph 2" not in by_path.extract(page(2, links)).text


def test_a_rule_can_be_for_pages_of_one_shape() -> None:
    rule = block_rule(page(1), "Write to us", "noise", only_like_page=True)
    site = Site.empty().with_rule(rule)
    assert rule.pages == "/0"
    assert "Write to us" not in site.extract(page(2), "https://pane.example/2").text
    assert "Write to us" in site.extract(page(2), "https://pane.example/blog/a").text


def test_rules_stand_above_templates() -> None:
    learned = Site.learn([article_page(number) for number in range(8)])
    html = article_page(20)
    document = learned.extract(html)
    built = profile(html)
    index = next(i for i in range(len(built.blocks)) if document.verdict.informative[i])
    site = learned.with_rule(make_block_rule(built, index, "noise"))
    after = site.extract(html)
    assert not after.verdict.informative[index]
    assert after.verdict.page is not None
    assert after.verdict.page.match == document.verdict.page.match  # type: ignore[union-attr]


def test_a_newer_rule_on_the_same_blocks_replaces_the_older() -> None:
    first = block_rule(page(1), "Write to us", "noise")
    second = block_rule(page(3), "Write to us", "content")
    site = Site.empty().with_rule(first).with_rule(second)
    assert site.rules == (second,)
    assert "Write to us" in site.extract(page(2), URL).text


def case(html: str, site: Site, rule: Rule) -> Case:
    document = site.extract(html, URL)
    index = next(i for i, block in enumerate(document.blocks) if "Write to us" in block.text)
    mark = mark_block(document, index, rule.id, rule.kind)
    return Case(case_id(html.encode()), URL, html.encode(), (mark,))


def test_cases_are_saved_with_their_page_and_run_again(tmp_path: Path) -> None:
    rule = block_rule(page(1), "Write to us", "noise")
    site = Site.empty("pane.example")
    site = site.with_rule(rule, case(page(1), site, rule))
    path = tmp_path / "pane.tamis"
    site.save(path)
    loaded = Site.load(path)
    assert loaded == site
    assert [outcome.holds for outcome in loaded.run_cases()] == [True]
    assert all(len(line) < 5000 for line in path.read_text().splitlines())
    broken = replace(loaded, rules=())
    (outcome,) = broken.run_cases()
    assert not outcome.holds
    assert "is content, not noise" in outcome.failures[0]
    undone = loaded.without_rule(rule.id)
    assert not undone.rules
    assert not undone.cases
    with pytest.raises(InputError, match="no rule"):
        undone.without_rule(rule.id)


def test_tamis_site_test(tmp_path: Path) -> None:
    def run(*options: str) -> subprocess.CompletedProcess[str]:
        code = "from tamis.cli import main; main()"
        command = [sys.executable, "-c", code, "site", "test", "pane.tamis", *options]
        return subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)

    rule = block_rule(page(1), "Write to us", "noise")
    site = Site.empty("pane.example")
    site = site.with_rule(rule, case(page(1), site, rule))
    site.save(tmp_path / "pane.tamis")
    done = run()
    assert (done.returncode, done.stdout) == (0, f"ok     {URL}\n")
    assert "1 case holds" in done.stderr
    replace(site, rules=()).save(tmp_path / "pane.tamis")
    done = run("--json")
    assert done.returncode == 1
    assert json.loads(done.stdout)["holds"] is False


def test_regions_and_columns_are_rules_too() -> None:
    html = index_page(3)
    document = extract(html, URL)
    region = document.regions[0]
    rule = make_region_rule(Pattern.learn(region))
    old = region.fields[0].name
    named = make_column_rule(rule.path, old, "headline")
    site = Site.empty("pane.example").with_rule(rule).with_rule(named)
    records = site.extract(index_page(8), URL).records
    assert len(records) >= 2
    assert records.fields[0].name == "headline"
    shown = site.extract(html, URL).records
    marks = (mark_region(shown, rule.id), mark_column(shown, named.id, "headline"))
    with_case = replace(site, cases=(Case("c", URL, html.encode(), marks),))
    assert [outcome.failures for outcome in with_case.run_cases()] == [()]
    assert parse_site(site_text(with_case), "x") == with_case
    unnamed = with_case.without_rule(named.id)
    assert [outcome.failures for outcome in unnamed.run_cases()] == [()]
    broken = replace(with_case, rules=(rule,))
    assert "no column headline" in broken.run_cases()[0].failures[0]


def test_rules_explain_themselves() -> None:
    rule = block_rule(page(1), "Write to us", "noise", only_like_page=True)
    assert "of text at main/div.tips" in rule.explain()
    assert rule.explain().endswith(" is noise, on pages like /0.")
    by_text = block_rule(page(1), "Write to us", "content", "text")
    assert "this very text is content" in by_text.explain()


def test_files_without_rules_stay_readable_for_older_versions() -> None:
    site = Site.learn([article_page(number) for number in range(3)])
    assert json.loads(site_text(site))["version"] == 4
    rule = block_rule(page(1), "Write to us", "noise")
    assert json.loads(site_text(site.with_rule(rule)))["version"] == 5


@pytest.mark.parametrize(
    "change",
    [
        {"kind": "magic"},
        {"path": 5},
        {"kind": "region"},
        {"kind": "column"},
        {"form": ["p"]},
        {"created": "yesterday"},
        {"kind": "region", "pattern": {"paths": []}},
    ],
)
def test_broken_rules_are_an_error_that_names_the_file(change: dict[str, object]) -> None:
    site = Site.empty("pane.example").with_rule(block_rule(page(1), "Write to us", "noise"))
    data = json.loads(site_text(site))
    data["rules"][0] |= change
    with pytest.raises(InputError, match="my file is damaged"):
        parse_site(json.dumps(data), "my file")


@pytest.mark.parametrize("page_text", ["", "no base64!", "AAAA", 5])
def test_broken_cases_are_an_error_that_names_the_file(page_text: object) -> None:
    site = Site.empty("pane.example")
    data = json.loads(site_text(site))
    data["cases"] = [{"id": "a", "url": None, "marks": [], "page": page_text}]
    with pytest.raises(InputError, match="my file is damaged"):
        parse_site(json.dumps(data), "my file")
