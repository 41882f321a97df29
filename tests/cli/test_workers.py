"""Work spread over workers: pages that hang, crash or eat memory cost themselves alone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from helpers.page_tasks import MAX_SECONDS, BadPageTask
from helpers.processes import NewChildren, is_running
from tamis.cli import Outcome, PageTask, run_tasks
from tamis.errors import StoreError
from tamis.source import Fetch, Input, Source

from .conftest import MAIN, WORDS, Run, rows

TESTS = Path(__file__).parents[1]
BAD_TASKS = (
    f"import sys; sys.path.insert(0, {str(TESTS)!r})\n"
    "import tamis.cli.tasks, helpers.page_tasks\n"
    "tamis.cli.tasks.PageTask = helpers.page_tasks.BadPageTask\n"
)
TASK = BadPageTask("jsonl", {}, Fetch(), many=True)


def bad_page(deed: str) -> Source:
    return Source(deed, None, f"<!-- do: {deed} --><p>{WORDS}</p>".encode(), None)


def good_pages(count: int, first: int = 0) -> list[Source]:
    return [
        Source(f"{number}", None, f"<p>Page{number} {WORDS}</p>".encode(), None)
        for number in range(first, first + count)
    ]


# Bad pages ------------------------------------------------------------------------------------


def test_bad_pages_of_a_run_cost_themselves_alone(tmp_path: Path) -> None:
    site = tmp_path / "site"
    site.mkdir()
    deeds = {7: "crash", 15: "hold", 16: "kill", 30: "large", 38: "sys.exit"}
    for number in range(40):
        deed = f"<!-- do: {deeds[number]} -->" if number in deeds else ""
        text = f"{deed}<p>Page{number} {WORDS}</p>"
        (site / f"{number:02}.html").write_text(text, encoding="utf-8")
    out = tmp_path / "out.jsonl"
    with Run("-j", "2", "-o", out, site, code=f"{BAD_TASKS}{MAIN}") as run:
        code, messages = run.end()
        assert not run.processes()
    assert code == 1
    *lost, summary = messages.splitlines()
    assert [line.removeprefix("tamis: ") for line in lost] == [
        "07.html: the worker that read this page was ended by SIGSEGV",
        f"15.html: the page took more than {MAX_SECONDS:g} s: its worker was ended",
        "16.html: the worker that read this page was ended by SIGKILL (out of memory?)",
        "30.html: the page needs more memory than a worker may use: 2048 MB",
        "38.html: unexpected SystemExit: 0; please report this page",
    ]
    assert "40 pages, 5 failed" in summary
    table = rows(out)
    assert [row["name"] for row in table] == [f"{number:02}.html" for number in range(40)]
    kinds = {number: row["kind"] for number, row in enumerate(table) if row["error"]}
    assert kinds == {
        7: "WorkerDied", 15: "DeadlineExceeded", 16: "WorkerDied", 30: "OutOfMemory",
        38: "Bug",
    }  # fmt: skip
    texts = [row.get("text") or "" for row in table]
    assert all(f"Page{number} " in texts[number] for number in range(40) if number not in deeds)


def test_a_page_without_memory_does_not_end_a_single_process() -> None:
    pages = [*good_pages(2), bad_page("impossible"), *good_pages(2, 2)]
    outcomes = list(run_tasks(pages, TASK, 1))
    assert [outcome.name for outcome in outcomes] == ["0", "1", "impossible", "2", "3"]
    assert [outcome.error_type for outcome in outcomes] == [None, None, "OutOfMemory", None, None]


# Order, ends ----------------------------------------------------------------------------------


def test_outcomes_keep_their_order_among_pages() -> None:
    before = Outcome("before", None, counts_as="before")
    missing = Input("missing.html", "file", "/nowhere/missing.html")
    work: list[Outcome | Input | Source] = [
        before,
        *good_pages(70),
        missing,
        before,
        *good_pages(70, 70),
        before,
    ]
    outcomes = list(run_tasks(work, TASK, 2))
    assert [outcome.name for outcome in outcomes] == [page.name for page in work]
    assert [outcome.error_type for outcome in outcomes if outcome.error] == ["SourceError"]
    assert outcomes[0] is outcomes[-1] is before


def test_a_standard_input_that_cannot_be_read_keeps_its_index(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("sys.stdin", None)
    work: list[Input | Source] = [*good_pages(3), Input("-", "stdin", "-"), *good_pages(3, 3)]
    outcomes = list(run_tasks(work, TASK, 2))
    assert [outcome.name for outcome in outcomes] == ["0", "1", "2", "-", "3", "4", "5"]
    assert outcomes[3].error_type == "SourceError"


def test_pages_are_not_read_far_ahead() -> None:
    count = 0

    def pages() -> Iterator[Source]:
        nonlocal count
        for page in good_pages(1000):
            count += 1
            yield page

    outcomes = run_tasks(pages(), TASK, 2)
    next(outcomes)
    outcomes.close()
    assert 0 < count < 500


def test_work_that_is_given_up_leaves_no_process() -> None:
    children = NewChildren()
    outcomes = run_tasks([*good_pages(1), bad_page("sleep"), *good_pages(5)], TASK, 2)
    assert next(outcomes).error is None
    pids = children()
    assert pids
    outcomes.close()
    assert not any(map(is_running, pids))


class FatalTask(PageTask):
    fatal_errors = (StoreError,)

    def process(self, source: Source, page_input: Input | None) -> Outcome:
        raise StoreError("the store is full")


def test_an_error_about_all_pages_ends_the_run() -> None:
    children = NewChildren()
    task = FatalTask("text", {}, Fetch(), many=True)
    with pytest.raises(StoreError, match="the store is full"):
        list(run_tasks(good_pages(20), task, 2))
    assert not children()
