"""Methods on the command line: those that compare pages, parameters, models of svm, the list."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

import tamis
from helpers.sites import site_pages
from tamis.cli import tamis as command
from tamis.pipeline import MULTI_PAGE_METHODS

from .called import assert_usage_error, rows

ARTICLE = Path(__file__).parents[2] / "samples" / "article.html"


def call(*arguments: object, data: str | None = None) -> Result:
    return CliRunner().invoke(command, [*map(str, arguments)], input=data)


@pytest.fixture
def pages(tmp_path: Path) -> Path:
    """A folder with pages of one site."""
    folder = tmp_path / "pages"
    folder.mkdir()
    for number, (_, html) in enumerate(site_pages(5)):
        (folder / f"p{number}.html").write_text(html, encoding="utf-8")
    return folder


def expected_text(name: str, folder: Path, page: Path) -> str:
    method = MULTI_PAGE_METHODS[name]
    parsed = [tamis.parse(path.read_bytes()) for path in sorted(folder.glob("*.html"))]
    identifier = method.identifier.fit(map(method.segmenter.segment, parsed))  # type: ignore[attr-defined]
    fitted = tamis.Method(method.segmenter, identifier)
    return tamis.extract(page.read_bytes(), method=fitted).text


@pytest.mark.parametrize("name", ["ibdf", "shingle", "entropy", "sitestyle"])
def test_methods_that_compare_pages_learn_from_those_given(name: str, pages: Path) -> None:
    if name == "entropy":
        pytest.importorskip("snowballstemmer")
    done = call("extract", "-m", name, pages)
    assert done.exit_code == 0, done.stderr
    texts = {row["name"]: row["text"] for row in rows(done.stdout)}
    assert texts["p1.html"] == expected_text(name, pages, pages / "p1.html")


def test_they_work_in_several_processes_and_on_standard_input(pages: Path) -> None:
    files = sorted(pages.glob("*.html"))
    alone = [row["text"] for row in rows(call("extract", "-m", "ibdf", *files).stdout)]
    many = call("extract", "-m", "ibdf", "-j", 2, *files)
    assert [row["text"] for row in rows(many.stdout)] == alone
    html = files[0].read_text(encoding="utf-8")
    piped = call("extract", "-m", "ibdf", "-", *files[1:], data=html)
    assert [row["text"] for row in rows(piped.stdout)] == alone


def test_a_page_that_cannot_be_read_is_one_failure(pages: Path) -> None:
    done = call("extract", "-m", "ibdf", pages / "p0.html", "gone.html", pages / "p1.html")
    assert done.exit_code == 1
    assert [row["error"] is None for row in rows(done.stdout)] == [True, False, True]
    assert done.stderr.count("gone.html does not exist") == 1


@pytest.mark.parametrize("name", ["ibdf", "entropy", "shingle", "sitestyle"])
def test_one_page_cannot_be_compared(name: str, pages: Path, tmp_path: Path) -> None:
    out = tmp_path / "out.txt"
    done = call("extract", "-m", name, pages / "p0.html", "-o", out)
    assert_usage_error(
        done, f"{name} compares at least two pages of one site, and 1 page was given"
    )
    assert not out.exists()
    done = call("extract", "-m", name, pages / "p0.html", "gone.html")
    assert_usage_error(done, "and 1 of 2 could be read, not gone.html. gone.html does not exist")
    done = call("extract", "-m", name, *(f"gone{number}.html" for number in range(5)))
    assert_usage_error(done, "and 0 of 5 could be read, not gone0.html, gone1.html, gone2.h")
    assert "gone2.html and 2 more. gone0.html does not exist: check" in done.stderr


def test_an_error_of_a_comparison_is_reported_itself(
    pages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object) -> None:
        raise tamis.errors.InputError("the pages cannot be learned from")

    monkeypatch.setattr(tamis.IDENTIFIERS["ibdf"], "fit", refuse)
    done = call("extract", "-m", "ibdf", pages / "p0.html", pages / "p1.html")
    assert_usage_error(done, "the pages cannot be learned from")


@pytest.mark.parametrize("options", [[], ["--set", "theta=0.1"]])
def test_rows_name_the_method_as_the_user_did(options: list[str], pages: Path) -> None:
    done = call("extract", "-m", "ibdf", *options, pages)
    assert {row["method"] for row in rows(done.stdout)} == {"ibdf"}


def test_blocks_are_compared_with_further_pages(pages: Path) -> None:
    done = call("blocks", "-m", "ibdf", pages / "p0.html", pages, "-f", "json")
    assert done.exit_code == 0, done.stderr
    reasons = {block["reason"] for block in json.loads(done.stdout)}
    assert "in 5 of 5 pages" in reasons
    assert "in 1 of 5 pages" in reasons  # the page itself is counted once


def test_a_further_page_that_cannot_be_read_is_reported(pages: Path) -> None:
    further = ["gone.html", pages / "p1.html"]
    done = call("blocks", "-m", "ibdf", pages / "p0.html", *further, "-f", "json")
    assert done.exit_code == 0, done.stderr
    assert "left out of the comparison: gone.html does not exist" in done.stderr
    assert "in 2 of 2 pages" in {block["reason"] for block in json.loads(done.stdout)}
    first = call("blocks", "-m", "ibdf", "gone.html", pages / "p0.html", pages / "p1.html")
    assert first.exit_code == 1
    assert first.stderr.count("gone.html does not exist") == 1


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["blocks", "a.html", "b.html"], "further pages are for methods that compare pages"),
        (["blocks", "-m", "ibdf", "a.html"], "and 1 page was given"),
        (["blocks", "-m", "ibdf", ".", "a.html"], "name one of them"),
        (["extract", "-m", "ibdf", "--javascript", "a.html"], "leave --javascript and --live out"),
        (["extract", "--set", "x", "a.html"], "'x' is no name=value"),
        (
            ["extract", "--set", "x=1", "a.html"],
            "the method learned has no parameter x; it has tags, tables, favor",
        ),
        (["extract", "-m", "keypattern", "--set", "tags=p", "a.html"], "it has threshold"),
        (
            ["extract", "-m", "optimum", "--set", "beta=high", "a.html"],
            "give a number, such as 0.7",
        ),
        (
            ["extract", "-m", "tagwindow", "--set", "alpha=1,2", "a.html"],
            "4 numbers with commas or none, such as 0.5,0.5,0.5,0.5",
        ),
        (["extract", "-m", "tagwindow", "--set", "as_printed=2", "a.html"], "give true or false"),
        (["extract", "--set", "tables=x", "a.html"], "--set tables=x: give cut or whole"),
        (
            ["extract", "-m", "kfeature", "--set", "ks=2,x", "a.html"],
            "give whole numbers with commas, such as 2,3",
        ),
        (["extract", "-m", "eifce", "--set", "min_area=1", "a.html"], "segmenter.min_area"),
        (
            ["blocks", "-s", "fragments", "--set", "size=1", "a.html"],
            "the segmenter fragments has no parameter size; it has min_size",
        ),
        (["extract", "-m", "tagwindow", "--set", "tags=table,foo", "a.html"], "no tag 'foo': take"),
        (["extract", "-m", "feature", "--set", "desired=nosuch", "a.html"], "no feature 'nosuch'"),
        (["extract", "-m", "kfeature", "--set", "weights=foo:2", "a.html"], "no feature 'foo'"),
        (["extract", "-m", "kfeature", "--set", "desired=", "a.html"], "desired is empty"),
        (["extract", "-m", "optimum", "--set", "beta=nan", "a.html"], "beta is nan: take a number"),
        (["extract", "-m", "shingle", "--set", "window=0", "a.html", "b.html"], "window is 0"),
        (["extract", "-m", "shingle", "--set", "count=0", "a.html", "b.html"], "count is 0"),
        (["extract", "-m", "shingle", "--set", "min_match=5", "a.html", "b.html"], "is 5.0: take"),
        (["extract", "-m", "keypattern", "--set", "threshold=x", "a.html"], "none, such as 0.5"),
        (["extract", "-m", "feature", "--set", "weights=x", "a.html"], "commas, such as img:0.5"),
        (["extract", "-m", "eifce", "--set", "x=1", "a.html"], "eifce has no parameter x; it has"),
        (["methods", "magic"], "no method 'magic': take one of feature"),
    ],
)
def test_mistakes(
    arguments: list[str], message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("a.html", "b.html"):
        Path(name).write_text("<p>Some words of a page.</p>", encoding="utf-8")
    done = call(*arguments)
    assert done.exit_code == 2, done.output
    assert message in " ".join(done.stderr.split())


@pytest.mark.parametrize(
    ("name", "settings", "method"),
    [
        (
            "feature",
            ["desired=text,form", "min_terms=5", "tables=cut"],
            tamis.Method(
                tamis.SEGMENTERS["tagset"](),
                tamis.IDENTIFIERS["feature"](("text", "form"), 5),  # type: ignore[call-arg]
            ),
        ),
        (
            "optimum",
            ["max_link=0.2"],
            tamis.Method(
                tamis.SEGMENTERS["tagset"](),
                tamis.IDENTIFIERS["optimum"](0.2),  # type: ignore[call-arg]
            ),
        ),
    ],
)
def test_parameters_are_set(name: str, settings: list[str], method: tamis.Method) -> None:
    options = [word for setting in settings for word in ("--set", setting)]
    done = call("extract", "-m", name, *options, ARTICLE)
    assert done.exit_code == 0, done.stderr
    assert done.stdout == tamis.extract(ARTICLE.read_bytes(), method=method).text + "\n"


def test_parameters_of_a_segmenter_are_set() -> None:
    few, many = (
        json.loads(call("blocks", "-s", "tagset", "--set", tags, "-f", "json", ARTICLE).stdout)
        for tags in ("tags=table,", "tags=p,div")
    )
    assert len(few) < len(many)


def test_a_model_of_svm_can_be_used(tmp_path: Path) -> None:
    from tamis.verdict import SVM_FEATURES

    weights = dict.fromkeys(SVM_FEATURES, 0.0)
    for bias, informative in ((1.0, True), (-1.0, False)):
        model = tmp_path / f"{informative}.json"
        model.write_text(json.dumps({"weights": weights, "bias": bias}), encoding="utf-8")
        for options in ([], ["-m", "svm"]):
            done = call("blocks", "--model", model, *options, "-f", "json", ARTICLE)
            assert done.exit_code == 0, done.stderr
            assert {block["informative"] for block in json.loads(done.stdout)} == {informative}


@pytest.mark.parametrize("options", [["-m", "learned"], ["--favor", "recall"]])
def test_a_model_of_svm_is_not_one_of_the_learned_method(
    options: list[str], tmp_path: Path
) -> None:
    model = tmp_path / "svm.json"
    model.write_text('{"weights": {"text": 1}, "bias": 0}', encoding="utf-8")
    done = call("extract", "--model", model, *options, ARTICLE)
    assert_usage_error(done, "svm.json is a model of svm, and not of the learned method: leave --")
    model.write_text("{}", encoding="utf-8")
    for choice in (options, [], ["-m", "svm"]):
        done = call("extract", "--model", model, *choice, ARTICLE)
        assert_usage_error(done, "svm.json: no linear model: give a JSON object with the weights")
        assert "Error(" not in done.stderr


def test_rows_name_svm_where_its_model_is_given(tmp_path: Path) -> None:
    model = tmp_path / "svm.json"
    model.write_text('{"weights": {"text": 1}, "bias": 0}', encoding="utf-8")
    done = call("extract", "--model", model, "-f", "json", ARTICLE)
    assert json.loads(done.stdout)["method"] == "svm"


def test_the_example_in_the_help_works() -> None:
    from click import unstyle

    (example,) = re.findall(
        r"such as (\w+=\w+);", " ".join(unstyle(call("extract", "--help").stdout).split())
    )
    assert call("extract", "--set", example, ARTICLE).exit_code == 0


def test_the_list_has_every_method_with_its_parameters() -> None:
    listed = json.loads(call("methods", "--json").stdout)
    assert [method["name"] for method in listed] == [*tamis.METHODS, *MULTI_PAGE_METHODS]
    shown = call("methods").stdout
    for method in listed:
        assert method["description"]
        assert f"{method['name']}" in shown
        for parameter in method["parameters"]:
            value = parameter["default"] or "''"
            assert f"{parameter['name']}={value}" in "".join(shown.split())
    assert "Debnath et al. 2005" in shown
    assert "several pages of one site" in shown
    assert call("methods", "svm").stdout.startswith("svm: ")


@pytest.mark.parametrize("width", [50, 80])
def test_the_list_fits_the_terminal(width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = call("methods").stdout.splitlines()
    assert max(map(len, lines)) <= width


def test_the_list_has_the_titles_of_papers() -> None:
    documented = (ARTICLE.parents[1] / "docs" / "algorithms.md").read_text(encoding="utf-8")
    titles = {
        method["name"]: method["paper"] for method in json.loads(call("methods", "--json").stdout)
    }
    assert all(f"*{title}*" in documented for title in titles.values() if title)
    assert [name for name, title in titles.items() if not title] == [
        "optimum",  # these papers have no titles
        "tagwindow",
        "learned",  # no paper
    ]
    assert titles["entropy"].startswith("Discovering")  # a second paper only describes it
    assert titles["ibdf"] in " ".join(call("methods", "ibdf").stdout.split())


def test_a_default_that_is_listed_can_be_set() -> None:
    for method in json.loads(call("methods", "--json").stdout):
        if method["name"] in tamis.METHODS and "browser" not in str(method["needs"]):
            options = [
                word
                for parameter in method["parameters"]
                for word in (
                    "--set",
                    f"{parameter['part']}.{parameter['name']}={parameter['default']}",
                )
            ]
            done = call("extract", "-m", method["name"], *options, ARTICLE)
            assert done.exit_code == 0, done.stderr
            assert done.stdout == call("extract", "-m", method["name"], ARTICLE).stdout
