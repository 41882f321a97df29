"""Ray with two nodes, one of which is killed: every page is there once, as it is locally."""

from __future__ import annotations

import gzip
import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import pytest

from helpers.archives import http, record
from helpers.poison import KINDS, poison_page

pytest.importorskip("pyarrow")
if find_spec("ray") is None:
    pytest.skip("needs ray", allow_module_level=True)

from scale.archives import PAGES, TEXTS, sample_archive
from scale.test_local import expect_texts, read_texts

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="kills a node"),
]


def test_an_output_that_cannot_be_written_is_a_message(tmp_path: Path) -> None:
    (tmp_path / "a.warc.gz").write_bytes(sample_archive(0, 2))
    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "pages").write_text("no folder")
    program = [sys.executable, "-c", "from tamis.cli import main; main()", "scale", "ray"]
    done = subprocess.run(
        [*program, str(tmp_path / "a.warc.gz"), "-o", str(tmp_path / "blocked")],
        env={**os.environ, "RAY_USAGE_STATS_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2
    assert ".parquet cannot be written (" in done.stderr.splitlines()[-1]
    assert "Traceback" not in done.stderr


def test_a_node_is_killed_in_the_middle(tmp_path: Path) -> None:
    inputs, poisons, count = [str(tmp_path / "gone.warc.gz")], {}, 120
    for number in range(0, count, 20):
        path = tmp_path / f"{number}.warc.gz"
        page = poison_page(("hang", "crash")[number // 20 % 2])
        poison = gzip.compress(record(1000 + number, http(page)))
        path.write_bytes(sample_archive(number, number + 20) + poison)
        poisons[f"https://site.example/{1000 + number}"] = [None]
        inputs.append(str(path))
    output, tests = tmp_path / "out", Path(__file__).parents[1]
    path_variable = os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")])
    done = subprocess.run(
        [sys.executable, str(tests / "scale" / "ray_driver.py"), str(output), *inputs],
        env={**os.environ, "PYTHONPATH": path_variable, "RAY_USAGE_STATS_ENABLED": "0"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith(("{", "["))]
    summary, rows = lines[0], sorted(lines[1:])
    assert summary["alive"] == 1
    assert (summary["pages"], summary["inputs_with_problems"]) == (count + len(poisons), 1)
    assert read_texts(output) == expect_texts(count) | poisons
    assert not (output / "_drafts").exists()
    assert [row[1] for row in rows] == [*TEXTS, *[None] * len(KINDS)]
    assert [row[2] for row in rows] == [*[None] * len(PAGES), *KINDS.values()]
