"""Files of sites and record patterns that were edited or damaged: used as they are, or refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tamis
from helpers.bounds import bounded
from helpers.mutations import NESTED, mutations
from helpers.sites import article_page, index_page, site_pages
from tamis import Site
from tamis.errors import InputError
from tamis.records import Pattern

pytestmark = pytest.mark.filterwarnings("ignore::tamis.errors.PoorMatch")


@pytest.fixture(scope="module")
def data() -> Any:
    """A site with everything that a site may have, in its file."""
    site = Site.learn(site_pages(4, index_every=2), host="pane.example")
    site = site.learn_records(index_page(0))
    from tamis.site import site_text

    content = json.loads(site_text(site))
    for template in content["templates"]:
        template["blocks"] = template["blocks"][:4]
        template["paths"] = template["paths"][:4]
        template["seen_once"] = template["seen_once"][:2]
    content["templates"][0]["blocks"][0]["noise"] = True
    return content


def use_site(path: Path) -> None:
    site = Site.load(path)
    document = site.extract(PAGE)
    assert all(0 <= block.score <= 1 for block in document.blocks if block.score is not None)
    for block in list(document.blocks)[:3]:
        assert 0 <= site.explain(block).probability <= 1
    assert 0 <= site.match(PAGE) <= 1
    assert json.dumps(site.records(LISTED).rows if site.patterns else [])
    site.save(path)
    assert Site.load(path) == site


PAGE = tamis.parse(article_page(9))
LISTED = tamis.parse(index_page(1))


@pytest.mark.slow
def test_a_changed_site_file_is_used_or_refused(data: Any, tmp_path: Path) -> None:
    path = tmp_path / "pane.tamis"
    used = 0
    for changed in mutations(data):
        path.write_text(json.dumps(changed), encoding="utf-8")
        with bounded():
            try:
                use_site(path)
                used += 1
            except InputError as error:
                message = str(error)
            else:
                continue
        assert any(word in message for word in ("learn", "install", "not a number from 1")), message
    assert used  # so not all of it is refused


@pytest.mark.slow
def test_a_changed_pattern_file_is_used_or_refused(tmp_path: Path) -> None:
    path = tmp_path / "pattern.json"
    Pattern.learn(tamis.extract(LISTED).records).save(path)
    data = json.loads(path.read_text(encoding="utf-8"))
    used = 0
    for changed in mutations(data):
        path.write_text(json.dumps(changed), encoding="utf-8")
        with bounded():
            try:
                records = Pattern.load(path).apply(LISTED)
            except InputError as error:
                message = str(error)
            else:
                assert json.dumps(records.rows, ensure_ascii=False).encode()
                used += 1
                continue
        assert "tamis records learn" in message
    assert used


@pytest.mark.parametrize("text", [NESTED, f'{{"format": "tamis site", "a": {NESTED}}}', "1" * 9000])
def test_endless_nesting_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text, encoding="utf-8")
    for load in (Site.load, Pattern.load):
        with pytest.raises(InputError, match="learn"):
            load(path)


@pytest.mark.parametrize("depth", range(100, 1500, 50))
def test_nesting_near_the_limit_is_read_or_refused(data: Any, tmp_path: Path, depth: int) -> None:
    path = tmp_path / "x.json"
    deep = "[" * depth + "]" * depth
    path.write_text(json.dumps({**data, "more": 0}).replace('"more": 0', f'"more": {deep}'))
    try:
        Site.load(path)
    except InputError as error:
        message = str(error)
    else:
        return
    assert "learn" in message
