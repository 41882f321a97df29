"""Runs: interleaved, cached, interrupted, and honest about failures and times."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

import tamis
from tamis.errors import DeadlineExceeded, InputError
from tamis.lab import (
    Cache,
    Dataset,
    Item,
    code_version,
    evaluate,
    hash_files,
    is_code,
    limit_time,
    load,
    peer_version,
    summarize,
    user_cache,
)
from tamis.lab.systems import Answer, Extractor, System, method_systems

from .conftest import Writer

Function = Callable[[str, Item], str]


def system(name: str, function: Function, version: str = "1", *, is_peer: bool = True) -> System:
    """A system that is a function."""

    @contextmanager
    def started() -> Iterator[Extractor]:
        yield lambda html, item: Answer(function(html, item))

    return System(name, version, started, is_peer)


def perfect(_: str, item: Item) -> str:
    return str(item.gold["main_content"])


def broken(_: str, item: Item) -> str:
    if item.id == "p1":
        raise ValueError("no <p> here")
    return str(item.gold["main_content"])


@pytest.fixture
def dataset(tiny: Path) -> Dataset:
    return load(str(tiny))


def test_a_page_that_fails_counts_as_0_and_is_named(dataset: Dataset) -> None:
    results = evaluate(dataset, [system("broken", broken), system("perfect", perfect)])
    found = summarize(results)
    rows = {row.name: row for row in found.rows}
    assert rows["perfect"].f1.value == 1
    assert rows["broken"].f1.value == 0.75
    assert rows["broken"].failures == {"p1": "ValueError: no <p> here"}
    assert rows["broken"].by_kind["article"].value == pytest.approx(2 / 3)
    assert rows["broken"].by_kind["forum"].value == 1


def test_failing_on_an_empty_page_is_no_success(written: Writer) -> None:
    folder = written("empty", [{"id": "p1", "main_content": ""}], {"p1.html": b""})
    results = evaluate(load(str(folder)), [system("broken", broken)])
    assert results.systems[0].pages[0].f1 == 0


def test_systems_run_page_by_page(dataset: Dataset) -> None:
    seen: list[str] = []

    def noted(name: str) -> Function:
        def text(_: str, item: Item) -> str:
            seen.append(f"{item.id} {name}")
            return ""

        return text

    evaluate(dataset, [system("a", noted("a")), system("b", noted("b"))])
    assert [call.split()[0] for call in seen] == ["p0", "p0", "p1", "p1", "p2", "p2", "p3", "p3"]
    assert seen[0] == "p0 a"
    assert seen[2] == "p1 b"  # they take turns in being first


def test_methods_have_measures_of_text_snippets_and_blocks(dataset: Dataset) -> None:
    results = evaluate(dataset, method_systems(("optimum",), dataset, "v"))
    row = summarize(results).rows[0]
    assert row.f1.value > 0.9
    assert row.means["with"].value == 1
    assert row.means["without"].value == 0
    assert row.means["b_f1"].value > 0.9
    page = results.systems[0].pages[0]
    assert len(page.scores) == len(page.wanted) > 1


def test_labelled_segments_are_pooled_over_words(written: Writer) -> None:
    html = b"<body><p>Home page</p><p>One two three four five six.</p></body>"
    segments = [
        {"text": "Home page", "label": 0},
        {"text": "One two three four five six.", "label": 2},
    ]
    rows = [
        {"id": "a", "host": "h", "segments": segments},
        {"id": "p1", "host": "h", "segments": segments},
    ]
    dataset = load(str(written("labels", rows, {"a.html": html, "p1.html": html})))

    def half(_: str, item: Item) -> str:
        if item.id == "p1":
            raise ValueError
        return "Home page. One two three four five six."

    row = summarize(evaluate(dataset, [system("half", half)])).rows[0]
    assert row.means["precision"].value == 6 / 8
    assert row.means["recall"].value == 6 / 12
    assert row.f1.value == pytest.approx(12 / 20)


def test_snippets_are_counted_over_all_pages(written: Writer) -> None:
    rows = [
        {"id": "a", "domain": "a", "with": ["one", "two"], "without": ["menu"]},
        {"id": "b", "domain": "b", "with": ["x", "y"], "without": [], "comments": ["hi", "ho"]},
    ]
    folder = written("snippets", rows, {"a.html": b"<p>one", "b.html": b"<p>x"})
    answers = {"a": "one menu", "b": "x y hi"}
    found = load(str(folder))
    assert found.truth == "snippets"
    results = evaluate(found, [system("s", lambda _, item: answers[item.id])])
    means = summarize(results).rows[0].means
    assert means["precision"].value == pytest.approx(3 / 4)
    assert means["recall"].value == pytest.approx(3 / 4)
    assert means["f1"].value == pytest.approx(3 / 4)
    assert means["comments"].value == pytest.approx(1 / 2)


def test_a_set_without_methods_says_so(written: Writer) -> None:
    folder = written("segments", [{"id": "a", "blocks": []}], {"a.html": b""})
    with pytest.raises(InputError, match="is about segments, which no method gives yet"):
        evaluate(load(str(folder)), [system("perfect", perfect)])


def counted(calls: list[str]) -> System:
    """A system that notes what it was asked."""

    def text(html: str, item: Item) -> str:
        calls.append(item.id)
        return perfect(html, item)

    return system("noted", text)


def test_a_second_run_asks_nobody(dataset: Dataset, tmp_path: Path) -> None:
    calls: list[str] = []
    cache = Cache(tmp_path / "results")
    first = evaluate(dataset, [counted(calls)], cache=cache)
    second = evaluate(dataset, [counted(calls)], cache=cache)
    assert calls == ["p0", "p1", "p2", "p3"]
    assert [page for s in second.systems for page in s.pages] == list(first.systems[0].pages)


def test_only_what_is_missing_is_measured(dataset: Dataset, tmp_path: Path) -> None:
    calls: list[str] = []
    cache = Cache(tmp_path / "results")
    evaluate(dataset.spread(2), [counted(calls)], cache=cache)
    evaluate(dataset, [counted(calls)], cache=cache)
    assert sorted(calls) == ["p0", "p1", "p2", "p3"]
    evaluate(dataset, [counted(calls)], cache=cache, fresh=True)
    assert len(calls) == 8


def test_another_version_is_measured_anew(dataset: Dataset, tmp_path: Path) -> None:
    calls: list[str] = []
    cache = Cache(tmp_path / "results")
    evaluate(dataset, [counted(calls)], cache=cache)
    evaluate(dataset, [replace(counted(calls), version="2")], cache=cache)
    assert len(calls) == 8


def test_a_page_that_changed_is_measured_anew(dataset: Dataset, tmp_path: Path) -> None:
    calls: list[str] = []
    cache = Cache(tmp_path / "results")
    evaluate(dataset, [counted(calls)], cache=cache)
    path = dataset.items[2].path
    path.write_bytes(path.read_bytes() + b"\0")
    path.with_suffix("").write_bytes(b"<p>new")
    path.unlink()
    evaluate(load(str(path.parent.parent)), [counted(calls)], cache=cache)
    assert calls[4:] == ["p2"]


def test_a_damaged_cache_is_ignored_and_written_again(dataset: Dataset, tmp_path: Path) -> None:
    calls: list[str] = []
    cache = Cache(tmp_path / "results")
    evaluate(dataset, [counted(calls)], cache=cache)
    path = cache.path(counted(calls), dataset)
    whole = path.read_bytes()
    for damage in (whole[: len(whole) // 2], b"", b"nonsense", whole[:-4] + b"0000"):
        path.write_bytes(damage)
        evaluate(dataset, [counted(calls)], cache=cache)
        assert cache.read(counted(calls), dataset).keys() == {"p0", "p1", "p2", "p3"}
    assert len(calls) == 20
    assert [path.name] == [p.name for p in path.parent.iterdir()]


def test_only_the_last_versions_are_kept(dataset: Dataset, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "results")
    other = replace(system("a-0", perfect), version="0")
    evaluate(dataset, [other], cache=cache)
    for number in range(5):
        evaluate(dataset, [system("a", perfect, str(number))], cache=cache)
    assert len(list(cache.folder.iterdir())) == 4
    assert cache.read(other, dataset)
    assert cache.read(system("a", perfect, "4"), dataset)
    assert not cache.read(system("a", perfect, "0"), dataset)


def test_measures_of_another_lab_are_taken_anew_without_asking(
    dataset: Dataset, tmp_path: Path
) -> None:
    calls: list[str] = []
    cache = Cache(tmp_path / "results")
    evaluate(dataset, [counted(calls)], cache=cache)
    known = cache.read(counted(calls), dataset)
    old = [replace(page, lab="old", measures={"f1": 0.1}) for page in known.values()]
    cache.write(counted(calls), dataset, old)
    results = evaluate(dataset, [counted(calls)], cache=cache)
    assert len(calls) == 4
    assert all(page.f1 == 1 for page in results.systems[0].pages)


def test_an_interrupted_run_keeps_what_it_has(dataset: Dataset, tmp_path: Path) -> None:
    def impatient(_: str, item: Item) -> str:
        if item.id == "p2":
            raise KeyboardInterrupt
        return ""

    cache = Cache(tmp_path / "results")
    with pytest.raises(KeyboardInterrupt):
        evaluate(dataset, [system("noted", impatient)], cache=cache)
    assert cache.read(system("noted", impatient), dataset).keys() == {"p0", "p1"}


def test_times_of_different_runs_give_no_ratio(dataset: Dataset, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "results")
    reference, other = system("resiliparse", perfect), system("other", perfect)
    together = summarize(evaluate(dataset, [reference, other], cache=cache))
    assert {row.name: row.ratio is not None for row in together.rows} == {
        "resiliparse": True,
        "other": True,
    }
    late = summarize(evaluate(dataset, [reference, replace(other, version="2")], cache=cache))
    assert {row.name: row.ratio for row in late.rows}["other"] is None
    assert late.timed_apart == ("other",)


def test_a_ratio_is_of_the_pages_timed_side_by_side(dataset: Dataset, tmp_path: Path) -> None:
    cache = Cache(tmp_path / "results")
    reference, other = system("resiliparse", perfect), system("other", perfect)
    evaluate(replace(dataset, items=dataset.items[:1]), [reference], cache=cache)
    results = evaluate(dataset, [reference, other], cache=cache)
    ours, theirs = (
        sum(page.seconds for page in found.pages[1:]) for found in reversed(results.systems)
    )
    rows = {row.name: row for row in summarize(results).rows}
    assert rows["other"].ratio == pytest.approx(ours / theirs)


def test_the_version_is_that_of_the_code(tmp_path: Path) -> None:
    assert code_version() == code_version()
    assert peer_version(from_html=True) != peer_version(from_html=False)
    file = tmp_path / "a.py"
    file.write_text("x = 1")
    before = hash_files([file], tmp_path)
    file.write_text("x = 2")
    assert hash_files([file], tmp_path) != before


def test_results_depend_on_code_but_not_on_reports() -> None:
    root = Path(tamis.__file__).parent
    assert is_code(root / "pipeline.py", root)
    assert is_code(root / "verdict" / "optimum.py", root)
    assert not is_code(root / "cli" / "run.py", root)
    assert not is_code(root / "lab" / "report" / "page.py", root)


def test_the_cache_is_in_the_users_folder(cache_home: Path) -> None:
    assert user_cache().folder == cache_home / "tamis" / "evaluate"


def test_what_hangs_is_given_up_even_if_it_catches_everything() -> None:
    def stubborn() -> None:
        while True:
            try:
                time.sleep(5)
            except Exception:
                continue

    start = time.monotonic()
    with pytest.raises(DeadlineExceeded, match=r"more than 0\.1 seconds"), limit_time(0.1):
        stubborn()
    assert time.monotonic() - start < 4


def test_other_threads_work_without_a_limit() -> None:
    done: list[bool] = []

    def work() -> None:
        with limit_time(0.01):
            time.sleep(0.05)
        done.append(True)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert done == [True]


def test_sites_count_the_same(written: Writer) -> None:
    rows = [
        {"id": f"p{n}", "site": "a" if n < 3 else "b", "lang": "en", "main_content": "x"}
        for n in range(4)
    ]
    pages = {f"{row['site']}/{row['id']}.html": b"<p>x" for row in rows}
    dataset = load(str(written("sites-dev", rows, pages)))
    only_a = system("only a", lambda html, item: "x" if item.group == "a" else "y")
    found = summarize(evaluate(dataset, [only_a]))
    assert found.rows[0].f1.value == 0.5


def test_the_best_method_is_compared_with_all_others(dataset: Dataset) -> None:
    ours = system("ours", perfect, is_peer=False)
    found = summarize(evaluate(dataset, [ours, system("empty", lambda html, item: "")]))
    assert found.best == "ours"
    assert found.differences["empty"].value == 1
    assert found.differences["empty"].is_clear
