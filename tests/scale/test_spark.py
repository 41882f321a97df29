"""Spark with several executors, which are killed: every page is there once, as it is locally."""

from __future__ import annotations

import gzip
import itertools
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections import Counter
from importlib.util import find_spec
from pathlib import Path

import pytest

from helpers.archives import http, record
from helpers.poison import KINDS, poison_page

pytest.importorskip("pyarrow")
if find_spec("pyspark") is None or shutil.which("java") is None:
    pytest.skip("needs pyspark and Java", allow_module_level=True)

import pyarrow as pa
import pyarrow.parquet as pq

from scale.archives import PAGES, TEXTS, sample_archive
from scale.processes import command_line, descendants, kill, wait_for
from scale.test_local import expect_texts, read_texts
from scale.test_sites import article
from tamis.scale import spark
from tamis.site import parse_site
from tamis.store import Tokenizer, compute_minhash, similarity

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform != "linux", reason="finds processes in /proc"),
]
CLUSTER = "local-cluster[2,1,512]"


@pytest.fixture
def spark_home(tmp_path: Path) -> Path:
    """Spark's own folder, but for what its workers write, which is not for the environment."""
    spec = find_spec("pyspark")
    assert spec is not None
    assert spec.origin is not None
    home = tmp_path / "spark"
    home.mkdir()
    for path in Path(spec.origin).parent.iterdir():
        if path.name != "work":
            (home / path.name).symlink_to(path)
    return home


def start_driver(home: Path, *arguments: str) -> subprocess.Popen[str]:
    tests = Path(__file__).parents[1]
    settings = {
        "PYTHONPATH": os.pathsep.join([str(tests), os.environ.get("PYTHONPATH", "")]),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "PYSPARK_PYTHON": sys.executable,
        "SPARK_LOCAL_DIRS": str(home),
    }
    with (home / "stderr").open("a") as log:
        return subprocess.Popen(
            [sys.executable, str(tests / "scale" / "spark_driver.py"), *arguments],
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )


def executors(driver: int) -> list[int]:
    return [
        pid for pid in descendants(driver) if "CoarseGrainedExecutorBackend" in command_line(pid)
    ]


def test_a_data_frame_with_poison_pages(tmp_path: Path, spark_home: Path) -> None:
    pages = [*PAGES, *map(poison_page, KINDS), None, *PAGES]
    table = pa.table({"html": pages, "number": range(len(pages))})
    pq.write_table(table, tmp_path / "pages.parquet")
    driver = start_driver(spark_home, "local[2,4]", "frame", str(tmp_path / "pages.parquet"))
    output, _ = driver.communicate()
    rows = sorted(map(json.loads, output.splitlines()))
    texts = [*TEXTS, *[None] * len(KINDS), None, *TEXTS]
    kinds = [*[None] * len(PAGES), *KINDS.values(), "InputError", *[None] * len(PAGES)]
    assert [row[0] for row in rows] == list(range(len(pages)))
    assert [row[1] for row in rows] == texts
    assert [row[2] for row in rows] == kinds


def test_clusters_are_those_of_comparing_all_pairs(tmp_path: Path, spark_home: Path) -> None:
    randomness, tokenizer, texts = random.Random(7), Tokenizer(), {}
    words = [f"word{number}" for number in range(3000)]
    for group in range(12):
        base = [randomness.choice(words) for _ in range(300)]
        for copy in range(5):
            text = list(base)
            for _ in range(5 * copy):
                text[randomness.randrange(len(text))] = randomness.choice(words)
            texts[f"{group}-{copy}"] = " ".join(text)
    texts |= {f"exact-{number:02}": texts["3-0"] for number in range(70)}
    texts |= {"short-1": "few words", "short-2": "few words", "short-3": "other words", "none": ""}
    hashes = {
        name: compute_minhash(tokenizer.token_line(text, None).encode())
        for name, text in texts.items()
    }
    columns = {"url": list(texts), "text": list(texts.values()), "minhash": list(hashes.values())}
    pq.write_table(pa.table(columns), tmp_path / "rows.parquet")
    driver = start_driver(spark_home, "local[2]", "clusters", str(tmp_path / "rows.parquet"))
    clusters = {row[0]: row[1:] for row in map(json.loads, driver.communicate()[0].splitlines())}

    expected = {name: name for name in texts if texts[name]}
    for a, b in itertools.combinations(sorted(expected), 2):
        first, second = hashes[a], hashes[b]
        same = texts[a] == texts[b]
        if same or (first and second and similarity(first, second) >= 0.8):
            least = min(expected[a], expected[b])
            merged = {expected[a], expected[b]}
            expected = {n: least if c in merged else c for n, c in expected.items()}
    sizes = Counter(expected.values())
    assert len(sizes) < len(expected) / 2
    assert clusters == {name: [cluster, sizes[cluster]] for name, cluster in expected.items()}


def test_templates_and_duplicates_of_inputs_as_tables(tmp_path: Path, spark_home: Path) -> None:
    """Fourteen pages of one shape, copies of one on other hosts, a poison page, a missing input."""
    pages = {f"https://news.example/2024/story-{n:02}.html": article(n) for n in range(14)}
    pages |= {f"https://copy{n}.example/a": article(3) for n in range(2)}
    pages["https://poison.example/"] = poison_page("crash")
    lines = [json.dumps({"url": url, "html": html.decode()}) for url, html in pages.items()]
    (tmp_path / "pages.jsonl").write_text("\n".join(lines))
    inputs = [str(tmp_path / name) for name in ("pages.jsonl", "gone.warc.gz")]
    output = tmp_path / "out"
    driver = start_driver(spark_home, "local[2,4]", f"sites:{output}", *inputs)
    first, second = map(json.loads, driver.communicate()[0].splitlines())
    assert first == second
    assert (first["pages"], first["failed"]) == (18, 2)
    assert (first["templates"], first["pages_with_template"]) == (1, 14)
    assert (first["clusters"], first["duplicates"]) == (1, 2)
    rows = pq.read_table(output / "pages").to_pylist()
    assert {row["url"] for row in rows} == {*pages, None}
    (missing,) = (row for row in rows if row["url"] is None)
    assert "gone.warc.gz does not exist" in missing["error"]
    (template,) = pq.read_table(output / "templates").to_pylist()
    assert (template["site_host"], template["site_shape"]) == ("news.example", "/0/*.html")
    site = parse_site(template["template"], "the table")
    texts = {row["url"]: row["text"] for row in rows}
    for url in list(pages)[:14]:
        assert texts[url] == site.extract(pages[url], url).text
    clusters = pq.read_table(output / "clusters").to_pylist()
    assert len(clusters) == 16
    similar = {row["id"] for row in clusters if row["size"] > 1}
    assert similar == {url for url in pages if "copy" in url or "story-03" in url}


def run_command(home: Path, *words: str) -> tuple[int, str]:
    """Run `tamis scale spark` where no Python is in the path, and return its code and messages."""
    java = shutil.which("java")
    assert java is not None
    settings = {
        "PATH": os.pathsep.join([str(Path(java).parent), "/usr/bin", "/bin"]),
        "SPARK_HOME": str(home),
        "SPARK_LOCAL_IP": "127.0.0.1",
        "SPARK_LOCAL_DIRS": str(home),
    }
    program = [sys.executable, "-c", "from tamis.cli import main; main()", "scale", "spark"]
    environment = {name: os.environ[name] for name in os.environ if name != "PYSPARK_PYTHON"}
    done = subprocess.run(
        [*program, *words, "--master", "local[1,4]"],
        env=environment | settings,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stderr


def test_the_command_runs_its_tasks_with_the_python_that_runs_itself(
    tmp_path: Path, spark_home: Path
) -> None:
    (tmp_path / "a.warc.gz").write_bytes(sample_archive(0, 2))
    words = [str(tmp_path / "a.warc.gz"), "-o"]
    code, messages = run_command(spark_home, *words, str(tmp_path / "out"))
    assert code == 0, messages
    assert "2 pages, 0 failed, 1 input, 0 with problems" in messages

    (tmp_path / "blocked").mkdir()
    (tmp_path / "blocked" / "pages").write_text("no folder")
    code, messages = run_command(spark_home, *words, str(tmp_path / "blocked"))
    assert code == 1
    assert ".parquet cannot be written (" in messages.splitlines()[-2]
    assert "1 input, 1 with problems" in messages.splitlines()[-1]


def test_why_spark_gave_up_is_the_last_error_of_the_traceback() -> None:
    message = (
        "An exception was thrown from the Python worker:\nTraceback (most recent call last):\n"
        '  File "worker.py", line 20, in <module>\n    raise unavailable("x: y")\n'
        "tamis.errors.Unavailable: scale needs pyarrow: pip install it\n SQLSTATE: 38000\n"
    )
    assert (
        spark.explain_failure(RuntimeError(message))
        == "Unavailable: scale needs pyarrow: pip install it"
    )
    assert spark.explain_failure(RuntimeError("job 3 was cancelled")) == "job 3 was cancelled"


def test_executors_and_the_driver_are_killed(tmp_path: Path, spark_home: Path) -> None:
    inputs, poisons, count = [str(tmp_path / "gone.warc.gz")], {}, 160
    for number in range(0, count, 20):
        path = tmp_path / f"{number}.warc.gz"
        page = poison_page(("crash", "hang")[number // 20 % 2])
        poison = gzip.compress(record(1000 + number, http(page)))
        path.write_bytes(sample_archive(number, number + 20) + poison)
        poisons[f"https://site.example/{1000 + number}"] = [None]
        inputs.append(str(path))
    output = tmp_path / "out"
    driver = start_driver(spark_home, CLUSTER, str(output), *inputs)
    killed: set[int] = set()
    for _ in range(2):
        wait_for(lambda: list(output.glob("_drafts/*.parquet.*")))
        fresh = wait_for(lambda: set(executors(driver.pid)) - killed)
        for executor in list(fresh)[:1]:
            kill(executor)
            killed.add(executor)
        time.sleep(1)
    assert len(killed) == 2
    assert driver.poll() is None
    wait_for(lambda: list(output.glob("pages/*.parquet")))
    assert len(list(output.glob("pages/*.parquet"))) < len(inputs)
    processes = descendants(driver.pid)
    kill(driver.pid)  # and its JVM, before its tasks are done
    kill(processes[0])
    driver.communicate()
    wait_for(lambda: not any(map(command_line, processes)))
    assert not any(map(command_line, processes))  # nothing is left that could write

    counts, _ = start_driver(spark_home, CLUSTER, str(output), *inputs).communicate()
    summary = json.loads(counts.splitlines()[-1])
    assert (summary["pages"], summary["inputs_with_problems"]) == (count + len(poisons), 1)
    assert summary["inputs_done_before"] > 0
    assert read_texts(output) == expect_texts(count) | poisons
    assert not (output / "_drafts").exists()
    assert "gone.warc.gz does not exist" in (output / "failed.jsonl").read_text()
