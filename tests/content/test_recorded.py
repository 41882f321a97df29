"""The sample pages look as they were recorded; `python tests/content/record.py` records them."""

from __future__ import annotations

import runpy
from pathlib import Path

import pytest

HERE = Path(__file__).parent
SAMPLES = sorted((HERE.parents[1] / "samples").glob("*.html"))
render_sample = runpy.run_path(str(HERE / "record.py"))["render_sample"]


def test_every_sample_is_recorded_in_every_form_and_nothing_else() -> None:
    names = {f"{sample.stem}.{ending}" for sample in SAMPLES for ending in ("txt", "md", "html")}
    assert len(SAMPLES) >= 7
    assert {path.name for path in (HERE / "recorded").iterdir()} == names


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: str(sample.stem))
def test_a_sample_looks_as_it_was_recorded(sample: Path) -> None:
    for name, content in render_sample(sample).items():
        assert content == (HERE / "recorded" / name).read_text(encoding="utf-8"), name
