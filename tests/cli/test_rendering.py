"""What of the command line needs a browser: pictures, methods that look, pages with scripts."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from helpers.chromium import needs_chromium
from tamis.cli import open_browser
from tamis.cli import tamis as command
from tamis.render import LEGEND_HEIGHT, png_size

from .called import assert_usage_error
from .conftest import Run, rows, until

SAMPLES = Path(__file__).parents[2] / "samples"
ARTICLE = SAMPLES / "article.html"
STORY = "The river rose, by four inches; nobody in the valley slept before noon, it is said. " * 6
SCRIPTED = f"<div id=root></div><script>root.innerHTML = '<p>' + {STORY!r} + '</p>'</script>"

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
ENDS = [None, *(pytest.param(number, marks=pytest.mark.slow) for number in SIGNALS)]


@pytest.fixture(scope="module", autouse=True)
def ended() -> Iterator[None]:
    """End the browser that the commands of this process share."""
    yield
    if open_browser.cache_info().currsize:
        open_browser(None).close()
        open_browser.cache_clear()


def run(*arguments: str | Path, data: str | None = None) -> Result:
    return CliRunner().invoke(command, list(map(str, arguments)), input=data)


@needs_chromium
def test_a_picture_is_written_beside_the_table(tmp_path: Path) -> None:
    path = tmp_path / "out.png"
    result = run("blocks", ARTICLE, "--picture", path)
    assert result.exit_code == 0, result.output
    assert result.stdout.startswith("block")
    assert result.stdout.splitlines()[3].split()[:2] == ["3", "B-3"]
    assert f"wrote {path}" in result.stderr
    width, height = png_size(path.read_bytes())
    assert width == 1280
    assert height > 1000 + LEGEND_HEIGHT


@needs_chromium
def test_a_picture_is_written_though_nobody_reads_the_table(tmp_path: Path) -> None:
    path = tmp_path / "out.png"
    end, start = os.pipe()
    os.close(end)
    code = "from tamis.cli import main; main()"
    try:
        subprocess.run(
            [sys.executable, "-c", code, "blocks", str(ARTICLE), "--picture", str(path)],
            stdout=start,
            timeout=120,
            check=False,
        )
    finally:
        os.close(start)
    assert png_size(path.read_bytes())[0] == 1280


@needs_chromium
def test_a_picture_to_point_at_is_a_page(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    result = run("blocks", ARTICLE, "-s", "keypattern", "--picture", path, "-f", "json")
    shown = json.loads(result.stdout)
    assert "box" in shown[0]
    text = path.read_text(encoding="utf-8")
    assert "article.html · keypattern" in text
    assert text.count('class="block plain') <= len(shown)


@needs_chromium
@pytest.mark.parametrize("name", ["visual", "vips"])
def test_segmenters_that_look_get_what_they_need(name: str) -> None:
    result = run("blocks", ARTICLE, "-s", name)
    assert result.exit_code == 0, result.output
    assert len(result.stdout.splitlines()) > 5


@needs_chromium
def test_a_method_that_looks_extracts(tmp_path: Path) -> None:
    result = run("extract", ARTICLE, "-m", "eifce")
    assert result.exit_code == 0, result.output
    assert "The messages came from a chain of water gauges" in result.stdout
    many = run("extract", ARTICLE, SAMPLES / "chinese.html", "-m", "eifce")
    rows = [json.loads(line) for line in many.stdout.splitlines()]
    assert [row["method"] for row in rows] == ["eifce", "eifce"]
    assert [row["error"] for row in rows] == [None, None]


@needs_chromium
def test_a_method_that_looks_can_have_parameters() -> None:
    options = ("-m", "eifce", "--set", "min_terms=30", "-f", "json")
    result = run("extract", ARTICLE, *options)
    assert result.exit_code == 0, result.output
    assert json.loads(result.stdout)["method"] == "eifce"


@needs_chromium
def test_scripts_run_when_asked_for(tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(SCRIPTED, encoding="utf-8")
    assert "nobody" not in run("extract", page).stdout
    assert "nobody in the valley" in run("extract", page, "--javascript").stdout
    assert "nobody in the valley" in run("extract", "-", "--javascript", data=SCRIPTED).stdout
    assert "nobody" in run("blocks", page, "--javascript", "-f", "json").stdout


@needs_chromium
@pytest.mark.parametrize("end", ENDS)
def test_browsers_of_workers_end_with_the_run(end: signal.Signals | None, tmp_path: Path) -> None:
    out = tmp_path / "out.jsonl"
    count = 4 if end is None else 400
    for number in range(count):
        (tmp_path / f"{number}.html").write_text(SCRIPTED, encoding="utf-8")
    with Run("-j", "2", "--javascript", "-o", out, tmp_path) as started:
        if end is not None:
            until(lambda: out.exists() and out.read_bytes().count(b"\n") >= 2)
            assert len(started.workers()) > 2  # and their browsers
            os.kill(started.process.pid, end)
        code, messages = started.end()
        until(lambda: not started.processes())
    if end is None:
        assert (code, [STORY.strip() in row["text"] for row in rows(out)]) == (0, [True] * 4)
    else:
        assert code == {signal.SIGINT: 130}.get(end, -end)
    assert "Traceback" not in messages


@needs_chromium
def test_limits_hold_for_rendered_pages() -> None:
    result = run("extract", ARTICLE, "-m", "eifce", "--max-nodes", "5")
    assert result.exit_code == 1
    assert "max_nodes" in result.stderr


@needs_chromium
def test_a_page_that_the_browser_understands_differently_is_told() -> None:
    html = "<p>one</p><div><template shadowrootmode=open><p>two</p></template><b>three</b></div>"
    result = run("blocks", "-", "-s", "visual", data=html)
    assert result.exit_code == 0, result.output
    assert "Warning" not in result.stderr


@pytest.mark.parametrize("name", ["out.jpg", "out"])
def test_a_picture_of_another_kind_is_a_mistake(name: str, tmp_path: Path) -> None:
    result = run("blocks", ARTICLE, "--picture", tmp_path / name)
    assert_usage_error(result, "name it .png, or .html")


def test_a_picture_in_no_folder_is_a_mistake(tmp_path: Path) -> None:
    result = run("blocks", ARTICLE, "--picture", tmp_path / "no" / "out.png")
    assert_usage_error(result, "create it first")


def test_without_chromium_the_user_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_CHROMIUM", "/nowhere/chromium")
    open_browser.cache_clear()
    result = run("blocks", ARTICLE, "-s", "visual")
    assert_usage_error(result, "TAMIS_CHROMIUM names /nowhere/chromium")


def test_an_unknown_segmenter_is_a_mistake() -> None:
    assert_usage_error(run("blocks", ARTICLE, "-s", "scissors"), "no segmenter 'scissors'")
