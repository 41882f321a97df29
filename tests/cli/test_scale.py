"""`tamis scale`: summaries, problems and mistakes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from tamis.cli import tamis as command

pytest.importorskip("pyarrow")
pytest.importorskip("fsspec")

SAMPLES = Path(__file__).parents[2] / "samples"


def test_a_job_is_summed_up_and_goes_on(tmp_path: Path) -> None:
    arguments = ["scale", "local", str(SAMPLES / "docs.html"), "-o", str(tmp_path / "out")]
    done = CliRunner().invoke(command, [*arguments, "--formats", "markdown", "--jobs", "1"])
    assert done.exit_code == 0
    assert "docs.html" in done.stdout
    assert "1 page, 0 failed, 1 input, 0 with problems" in done.stderr
    again = CliRunner().invoke(
        command, [*arguments, str(tmp_path / "gone.warc"), "--formats", "markdown", "--json"]
    )
    assert again.exit_code == 1
    assert "gone.warc does not exist" in again.stderr
    assert "1 input done before" in again.stderr
    summary = json.loads(again.stdout)
    assert (summary["inputs"], summary["pages"], summary["inputs_with_problems"]) == (2, 1, 1)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.warc", "-o", "out", "--formats", "html5"], "no format 'html5'"),
        (["a.warc", "-o", "https://site.example/out"], "cannot be written"),
        (["list.txt", "-o", "out"], "list.txt does not exist"),
        (["a.warc"], "--output"),
        (["a.warc", "-o", "out", "--method", "eifce"], "needs layout"),
    ],
)
def test_mistakes_are_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: list[str], message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(command, ["scale", "local", *words])
    assert done.exit_code in (1, 2)
    assert message in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
