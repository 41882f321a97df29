"""The file of a site: whole, readable, editable, and clear about what is wrong with it."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers.html_strategies import pages, patient
from helpers.sites import article_page, site_pages
from tamis import Site
from tamis.errors import InputError
from tamis.page import Page
from tamis.site import Weights, read_site, site_text


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "pane.tamis"
    Site.learn(site_pages(6, index_every=3), host="pane.example").save(path)
    return path


def test_a_site_is_the_same_after_saving_and_loading(saved: Path) -> None:
    site = Site.learn(site_pages(6, index_every=3), host="pane.example")
    assert Site.load(saved) == site
    assert (
        Site.load(str(saved)).extract(article_page(70)).text == site.extract(article_page(70)).text
    )


@settings(patient, max_examples=30)
@given(st.lists(pages(), min_size=1, max_size=3))
def test_any_site_is_the_same_after_saving_and_loading(
    tmp_path_factory: pytest.TempPathFactory, parsed: list[Page]
) -> None:
    path = tmp_path_factory.mktemp("sites") / "any.tamis"
    site = Site.learn(parsed)
    site.save(path)
    assert read_site(path) == site


def test_the_file_has_a_line_for_each_block_and_path(saved: Path) -> None:
    lines = saved.read_text(encoding="utf-8").splitlines()
    data = json.loads("\n".join(lines))
    assert (data["format"], data["version"], data["host"]) == ("tamis site", 4, "pane.example")
    for template in data["templates"]:
        for row in (
            *template["blocks"],
            *template["paths"],
            *template["containers"],
            *template["seen_once"],
        ):
            assert any(
                json.loads(line.strip().rstrip(",")) == row
                for line in lines
                if '": ' in line and line.startswith("    {")
            )
    assert any("Copyright The Daily Pane" in line for line in lines)


def use_old_names(data: dict[str, Any]) -> None:
    """Rename what had other names up to version 3."""
    for template in data["templates"]:
        template["places"] = template.pop("paths")
        template["once"] = template.pop("seen_once")
        for name in ("blocks", "places", "containers", "once"):
            for row in template[name]:
                row["place"] = row.pop("path")
        for row in template["places"]:
            row["odds"] = row.pop("log_odds")


def test_a_file_of_the_first_version_is_read(saved: Path) -> None:
    def older(data: dict[str, Any]) -> None:
        use_old_names(data)
        data["version"] = 1
        data["weights"] = {"block": 3.0, "place": 6.0, "others": 0.6, "doubt": 3.0}
        for template in data["templates"]:
            del template["once"], template["containers"]

    before = Site.load(saved)
    edited(saved, older)
    after = Site.load(saved)
    assert [(t.blocks, t.paths) for t in after.templates] == [
        (t.blocks, t.paths) for t in before.templates
    ]
    assert after.extract(article_page(70)).text == before.extract(article_page(70)).text
    assert after.update(site_pages(2)).pages == before.pages + 2


def test_a_file_of_the_second_version_is_read_and_says_less(saved: Path) -> None:
    def older(data: dict[str, Any]) -> None:
        use_old_names(data)
        data["version"] = 2
        data["weights"] = {"block": 2.0, "place": 6.0, "others": 0.6, "doubt": 3.0}
        for template in data["templates"]:
            del template["containers"]

    before = Site.load(saved)
    edited(saved, older)
    after = Site.load(saved)
    assert after.weights == Weights(block=2.0)
    assert [t.containers for t in after.templates] == [(), ()]
    assert [(t.blocks, t.paths, t.seen_once) for t in after.templates] == [
        (t.blocks, t.paths, t.seen_once) for t in before.templates
    ]
    assert after.extract(article_page(70)).text == before.extract(article_page(70)).text
    after.update(site_pages(2)).save(saved)
    again = json.loads(saved.read_text(encoding="utf-8"))
    assert again["version"] == 4
    assert any(template["containers"] for template in again["templates"])


def test_weights_that_meant_something_else_in_the_third_version_are_left_out(saved: Path) -> None:
    def older(data: dict[str, Any]) -> None:
        use_old_names(data)
        data["version"] = 3
        data["weights"] = {"block": 2.0, "place": 6.0, "container": 0.5, "doubt": 1.0}

    before = Site.load(saved)
    edited(saved, older)
    after = Site.load(saved)
    assert after.weights == Weights(block=2.0)
    assert after.templates == before.templates


def edited(path: Path, change: Any) -> None:
    data = json.loads(path.read_text(encoding="utf-8"))
    change(data)
    path.write_text(json.dumps(data), encoding="utf-8")


def test_a_block_that_a_person_adds_by_its_text_is_noise(saved: Path) -> None:
    html = article_page(80).replace("<main>", "<main><p>Subscribe to our weekly letter, now.</p>")
    before = Site.load(saved).extract(html)

    def add(data: dict[str, Any]) -> None:
        pages = data["templates"][0]["pages"]
        row = {"pages": pages, "text": "Subscribe to our weekly letter, now."}
        data["templates"][0]["blocks"].append(row)

    edited(saved, add)
    after = Site.load(saved).extract(html)
    index = next(block.index for block in before.blocks if block.text.startswith("Subscribe"))
    assert after.blocks[index].score < before.blocks[index].score  # type: ignore[operator]
    assert after.blocks[index].reason == "in 4 of 4 pages"


def declared(path: Path, text: str) -> Site:
    """A site with one more block that is declared to be noise, as the documents say."""
    at = path.with_name("declared.tamis")
    at.write_bytes(path.read_bytes())
    edited(at, lambda data: data["templates"][-1]["blocks"].append({"noise": True, "text": text}))
    return Site.load(at)


def test_a_block_that_a_person_declares_to_be_noise_is_noise(saved: Path) -> None:
    html = article_page(80)
    wanted = [b.text for b in Site.load(saved).extract(html).blocks if b.informative and b.text]
    assert len(wanted) > 5
    for text in wanted:
        site = declared(saved, text)
        blocks = [b for b in site.extract(html).blocks if b.text == text]
        assert [(b.informative, b.score, b.reason) for b in blocks] == [
            (False, 0.0, "declared as noise")
        ]
        assert text not in site.extract(html).text.splitlines()
        assert str(site.explain(blocks[0])).startswith("declared as noise; ")


def test_declared_noise_stays_declared(saved: Path) -> None:
    text = "Subscribe to our weekly letter, now."
    site = declared(saved, text)
    html = article_page(80).replace("<main>", f"<main><p>{text}</p>")
    many = site.update([html, *site_pages(300)])
    many.save(saved)
    (block,) = [b for t in Site.load(saved).templates for b in t.blocks if b.text == text]
    assert block.noise
    assert sum('"noise"' in line for line in saved.read_text(encoding="utf-8").splitlines()) == 1
    learned = next(b for b in site.templates[-1].blocks if not b.noise)
    again = declared(saved, learned.text)
    assert [b.noise for b in again.templates[-1].blocks if b.id == learned.id] == [True]


def test_a_block_that_a_person_takes_out_is_not_known_any_more(saved: Path) -> None:
    edited(saved, lambda data: [t["blocks"].clear() for t in data["templates"]])
    document = Site.load(saved).extract(article_page(80))
    assert not any("pages" in (block.reason or "") for block in document.blocks)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is no site file: Expecting value"),
        ("{", "is no site file"),
        ("[" * 100_000, "is no site file"),
        ("[]", "is no site file: learn one"),
        ('{"format": "other"}', "is no site file: learn one"),
        ('{"format": "tamis site"}', "its version is None"),
        ('{"format": "tamis site", "version": "1"}', "its version is '1'"),
        ('{"format": "tamis site", "version": 6}', "version 6, this tamis reads up to 5: install"),
        ('{"format": "tamis site", "version": 1}', "is damaged .KeyError: 'templates'"),
        ('{"format": "tamis site", "version": 1, "templates": []}', "it has no templates"),
        ('{"format": "tamis site", "version": 1, "templates": [1]}', "is damaged"),
        ('{"format": "tamis site", "version": 1, "templates": 7}', "is damaged"),
    ],
)
def test_a_broken_file_is_a_clear_error(tmp_path: Path, content: str, message: str) -> None:
    path = tmp_path / "broken.tamis"
    path.write_text(content, encoding="utf-8")
    with pytest.raises(InputError, match=message):
        Site.load(path)


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data.pop("learned"),
        lambda data: data.update(learned="yesterday"),
        lambda data: data.update(host=3),
        lambda data: data.update(weights={"luck": 1.0}),
        lambda data: data.update(weights={"block": "much"}),
        lambda data: data.update(host="\ud800"),
        lambda data: data.update(weights={"doubt": 1}),
        lambda data: data.update(weights={"length": -100}),
        lambda data: data.update(weights={"container": -1}),
        lambda data: data.update(weights={"block": 1e308}),
        lambda data: data["templates"][0].update(pages=0),
        lambda data: data["templates"][0].update(pages=10**400),
        lambda data: data["templates"][0]["paths"][0].update(terms=10**400),
        lambda data: data["templates"][0]["paths"][0].update(log_odds=10**400),
        lambda data: data["templates"][0]["paths"][0].update(path="\udfff"),
        lambda data: data["templates"][0]["blocks"][0].update(text="\ud800"),
        lambda data: data["templates"][0].update(pages=-1),
        lambda data: data["templates"][0].update(pages=True),
        lambda data: data["templates"][0]["blocks"][0].pop("text"),
        lambda data: data["templates"][0]["blocks"][0].update(pages="two"),
        lambda data: data["templates"][0]["paths"][0].update(log_odds=float("nan")),
        lambda data: data["templates"][0]["paths"].append([]),
        lambda data: data["templates"][0]["containers"].append([]),
        lambda data: data["templates"][0]["containers"][0].update(share=1.5),
        lambda data: data["templates"][0]["containers"][0].update(pages=-1),
        lambda data: data.update(weights={"others": 0.6}),
        lambda data: data.update(weights={"place": 6.0}),
        lambda data: data["templates"][0]["blocks"].append({"noise": True, "text": " … "}),
        lambda data: data["templates"][0]["blocks"].append({"noise": 1, "text": "word"}),
    ],
)
def test_a_damaged_field_is_a_clear_error(saved: Path, change: Any) -> None:
    edited(saved, change)
    with pytest.raises(InputError, match=r"is damaged \(") as raised:
        Site.load(saved)
    assert len(str(raised.value)) < 200 + len(str(saved))


def test_very_large_numbers_can_be_used(saved: Path) -> None:
    def enlarge(data: dict[str, Any]) -> None:
        names = ("block", "repetition", "container", "length", "path")
        data["weights"] = dict.fromkeys(names, 10**12)
        for template in data["templates"]:
            for block in template["blocks"]:
                block.update(pages=10**11, times=10**11)
            for row in template["paths"]:
                row.update(blocks=0, log_odds=-(10**12))
            for container in template["containers"]:
                container.update(pages=10**11, share=1.0)

    edited(saved, enlarge)
    site = Site.load(saved)
    document = site.extract(article_page(80))
    assert all(0 <= block.score <= 1 for block in document.blocks if block.score is not None)
    assert all(0 <= site.explain(block).probability <= 1 for block in document.blocks)
    site.update(site_pages(2)).save(saved)
    assert Site.load(saved).pages == site.pages + 2


def test_every_cut_of_a_file_is_a_clear_error(saved: Path) -> None:
    content = saved.read_bytes()
    for offset in range(0, len(content) - 2, max(len(content) // 60, 1)):
        saved.write_bytes(content[:offset])
        with pytest.raises(InputError):
            Site.load(saved)


def test_binary_files_and_folders_are_clear_errors(tmp_path: Path) -> None:
    (tmp_path / "x").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(InputError, match="is no site file"):
        Site.load(tmp_path / "x")
    with pytest.raises(InputError, match="cannot read"):
        Site.load(tmp_path)
    with pytest.raises(InputError, match=r"cannot read .*: No such file"):
        Site.load(tmp_path / "nothing.tamis")


def test_a_file_that_cannot_be_written_leaves_what_was_there(saved: Path) -> None:
    before = saved.read_bytes()
    site = Site.load(saved)
    with pytest.raises(InputError, match="cannot write"):
        site.save(saved / "below.tamis")
    with pytest.raises(InputError, match="cannot write"):
        site.save(saved.parent / "missing" / "a.tamis")
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["pane.tamis"]


FULL = """
import resource, signal, sys
from tamis import Site
site = Site.load(sys.argv[1])
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, 100))
site.save(sys.argv[1])
"""


def test_a_full_disk_leaves_what_was_there(saved: Path) -> None:
    pytest.importorskip("resource")  # what limits the size of files, where there is such a thing
    before = saved.read_bytes()
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(saved)], capture_output=True, text=True, check=False
    )
    assert "InputError: cannot write" in done.stderr
    assert saved.read_bytes() == before
    assert [path.name for path in saved.parent.iterdir()] == ["pane.tamis"]


def test_the_file_can_be_read_by_others(saved: Path) -> None:
    mask = os.umask(0)
    os.umask(mask)
    assert stat.S_IMODE(saved.stat().st_mode) == 0o666 & ~mask


def test_equal_sites_are_equal_texts() -> None:
    assert site_text(Site.learn(site_pages(5))) == site_text(Site.learn(site_pages(5)))
