"""The methods that options stand for.

A `MethodSpec` is what options say about a method. It is small, so that it can be sent to any
process, and the method is built there.
"""

from __future__ import annotations

import os
import pickle
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal

import click

if TYPE_CHECKING:
    from tamis.blocks import Segmenter
    from tamis.content import Document
    from tamis.pipeline import Method
    from tamis.source import Fetch, Input, Source

    _TextType = click.ParamType[str]
    _PairType = click.ParamType[tuple[str, str]]
else:
    _TextType = _PairType = click.ParamType

Favor = Literal["precision", "recall"]
_MIN_PAGES: Final = 2  # that can be compared
_MAX_PROBLEMS: Final = 3  # of pages that a message names
_PARSE_LIMITS: Final = ("max_bytes", "max_nodes", "deadline")


@dataclass(frozen=True)
class MethodSpec:
    """A method by its name, with what options change about it."""

    name: str
    favor: Favor | None = None
    model: Path | None = None
    parameters: tuple[tuple[str, str], ...] = ()
    fitted: Path | None = None  # the method as it was fitted to pages, pickled in this run


@dataclass(frozen=True)
class SiteSpec:
    """A site's template as the method; its file is read in the process that uses it."""

    path: Path


class MethodName(_TextType):
    """The name of a method, checked when the command runs: `METHODS` takes time to import."""

    name = "method"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Return a name of a method; any other is a mistake."""
        if value not in all_methods():
            names = ", ".join(all_methods())
            self.fail(f"no method {value!r}: take one of {names}", param, ctx)
        return str(value)


class ParameterSetting(_PairType):
    """A parameter and its value, as in `tables=whole`."""

    name = "name=value"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[str, str]:
        """Return the name and the value, both still text."""
        if isinstance(value, tuple):  # click converts values twice
            return value
        name, equals, text = str(value).partition("=")
        if not equals or not name.strip():
            self.fail(f"{value!r} is no name=value such as tables=whole", param, ctx)
        return name.strip(), text


def all_methods() -> Mapping[str, Method]:
    """Return the methods for a page and those for several pages of a site, by name."""
    from tamis.pipeline import METHODS, MULTI_PAGE_METHODS

    return {**METHODS, **MULTI_PAGE_METHODS}


def choose_method(
    method: str | None,
    favor: Favor | None = None,
    model: Path | None = None,
    parameters: Sequence[tuple[str, str]] = (),
) -> str | MethodSpec | None:
    """Return the method that options name, or None if they name none.

    `favor` implies the learned method, and a model the method that it is for. The method is built
    once here, so that a bad model or parameter is reported before any work.
    """
    if favor is not None and method not in (None, "learned"):
        raise click.UsageError(
            f"--favor is for the learned method, not for {method}: leave --method out"
        )
    if model is not None and method not in (None, "learned", "svm"):
        raise click.UsageError(
            f"--model is for the learned method and for svm, not for {method}: leave --method out"
        )
    if favor is None and model is None and not parameters:
        return MethodSpec(method) if method and needs_several_pages(method) else method
    if model is not None and method != "svm" and _is_json(model):
        _check_not_svm(model, method, favor)
        method = "svm"
    spec = MethodSpec(method or "learned", favor, model, tuple(parameters))
    build_method(spec)
    return spec


def _is_json(path: Path) -> bool:
    """Say whether a model is JSON, as those of svm are, by its beginning."""
    try:
        with path.open("rb") as file:
            return file.read(64).lstrip().startswith(b"{")
    except OSError:
        return False  # reading the model reports it


def _check_not_svm(model: Path, method: str | None, favor: Favor | None) -> None:
    """Raise an error if a model of svm is given for the learned method."""
    option = "--favor" if favor is not None else "--method" if method is not None else None
    if option is not None:
        _read_model("svm", model)  # a file that is no model at all has an error of its own
        raise click.UsageError(
            f"{model} is a model of svm, and not of the learned method: leave {option} out"
        )


def check_no_comparison(method: str | MethodSpec | None) -> None:
    """Raise an error for a method that compares pages, where a browser renders them first."""
    if needs_several_pages(method):
        raise click.UsageError(
            "methods that compare pages take them as they are: leave --javascript and --live out"
        )


def needs_several_pages(method: str | MethodSpec | None) -> bool:
    """Say whether a method compares the pages of a site."""
    if method is None:
        return False
    from tamis.pipeline import MULTI_PAGE_METHODS

    name = method if isinstance(method, str) else method.name
    return name in MULTI_PAGE_METHODS


def resolve_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of extract(), with the method itself instead of its spec."""
    method = settings.get("method")
    if isinstance(method, (MethodSpec, SiteSpec)):
        return {**settings, "method": build_method(method)}
    return dict(settings)


def rename_method(document: Document, method: object) -> Document:
    """Return a document with the name that the user called its method by."""
    if isinstance(method, SiteSpec):
        return replace(document, method="site")
    return replace(document, method=method.name) if isinstance(method, MethodSpec) else document


@lru_cache(maxsize=2)  # a process works on many pages with one method
def build_method(spec: MethodSpec | SiteSpec) -> Method:
    """Return the method of a spec."""
    if isinstance(spec, SiteSpec):
        from tamis.pipeline import Method
        from tamis.site import METHOD, Site

        return Method(METHOD.segmenter, Site.load(spec.path))
    if spec.fitted is not None:
        fitted: Method = pickle.loads(spec.fitted.read_bytes())
        return fitted
    method = all_methods()[spec.name]
    changes: dict[str, Any] = {} if spec.favor is None else {"favor": spec.favor}
    if spec.model is not None:
        changes["model"] = _read_model(spec.name, spec.model)
    if changes:
        identifier: Any = method.identifier
        method = replace(method, identifier=replace(identifier, **changes))
    if not spec.parameters:
        return method
    from tamis.cli.parameters import set_parameters

    return set_parameters(method, spec.parameters, spec.name)


def _read_model(name: str, path: Path) -> object:
    if name == "svm":
        from tamis.verdict import read_linear_model

        return read_linear_model(path)
    from tamis.verdict.learned import read_model

    return read_model(path)


def build_segmenter(name: str, parameters: Sequence[tuple[str, str]]) -> Segmenter:
    """Return a segmenter by its name, with parameters that the user set."""
    from tamis.blocks import SEGMENTERS
    from tamis.cli.parameters import set_component_parameters
    from tamis.pipeline import look_up

    segmenter: Segmenter = look_up(SEGMENTERS, name, "segmenter")()
    return set_component_parameters(segmenter, parameters, name)


@dataclass
class _Comparison:
    """What was read while pages were compared."""

    inputs: list[Input | Source] = field(default_factory=list)  # to extract
    # The names of pages that could not be read, with the reasons.
    problems: list[tuple[str, str]] = field(default_factory=list)
    page_count: int = 0
    is_complete: bool = False  # whether all inputs were read

    def check(self, method: str) -> None:
        """Raise InputError if there are too few pages to compare."""
        if not self.is_complete or self.page_count >= _MIN_PAGES:
            return
        from tamis.cli.messages import count_things, describe_problem
        from tamis.errors import InputError

        needed = f"{method} compares at least two pages of one site"
        if not self.problems:
            verb = "was" if self.page_count == 1 else "were"
            raise InputError(f"{needed}, and {count_things(self.page_count, 'page')} {verb} given")
        given = self.page_count + len(self.problems)
        names = ", ".join(name for name, _ in self.problems[:_MAX_PROBLEMS])
        rest = len(self.problems) - _MAX_PROBLEMS
        more = f" and {rest:,} more" if rest > 0 else ""
        raise InputError(
            f"{needed}, and {self.page_count} of {given:,} could be read, not {names}{more}. "
            f"{describe_problem(*self.problems[0])}"
        )


@contextmanager
def fit_to_pages(
    spec: str | MethodSpec | None,
    inputs: Sequence[Input],
    limits: Mapping[str, Any],
    fetch: Fetch,
    *,
    report: bool = False,
) -> Iterator[tuple[str | MethodSpec | None, Sequence[Input | Source]]]:
    """Fit a method to the pages of inputs if it compares pages; give it and the inputs to extract.

    What can be read only once, standard input or a URL, becomes the source that was read. Pages
    that cannot be read are left out. Extracting them reports it; `report` does so where they are
    only compared with.
    """
    from tamis.cli.messages import describe_problem, say
    from tamis.errors import InputError
    from tamis.terminal import Progress

    if not isinstance(spec, MethodSpec) or not needs_several_pages(spec):
        yield spec, inputs
        return
    method = build_method(spec)
    identifier: Any = method.identifier
    comparison = _Comparison()
    with Progress("comparing", None, unit="pages") as progress:
        pages = _segment_pages(method, inputs, comparison, limits, fetch, progress)
        try:
            fitted = identifier.fit(pages)
        except InputError:
            comparison.check(spec.name)  # too few pages are the likelier reason
            raise
    comparison.check(spec.name)
    if report:
        problems = comparison.problems
        is_first = bool(problems) and problems[0][0] == inputs[0].name  # reading it reports it
        for problem in problems[is_first:]:
            say(f"left out of the comparison: {describe_problem(*problem)}")
    with tempfile.TemporaryDirectory(prefix="tamis-") as folder:
        path = Path(folder) / "method.pickle"
        path.write_bytes(pickle.dumps(replace(method, identifier=fitted)))
        yield replace(spec, fitted=path), comparison.inputs


def _segment_pages(
    method: Method,
    inputs: Sequence[Input],
    comparison: _Comparison,
    limits: Mapping[str, Any],
    fetch: Fetch,
    progress: Any,
) -> Iterator[Any]:
    """Yield the blocks of all pages that can be read, and collect the inputs to extract."""
    from tamis.errors import InputError, TamisError
    from tamis.page import MAX_BYTES, parse
    from tamis.source import Failure, read_pages

    parse_limits = {name: limits[name] for name in _PARSE_LIMITS if limits.get(name) is not None}
    max_bytes = parse_limits.get("max_bytes", MAX_BYTES)
    kept = comparison.inputs
    compared: set[str] = set()
    for page_input in inputs:
        if page_input.kind == "archive" and page_input.location == "-":
            raise InputError("an archive on standard input can be read only once: save it first")
        is_rereadable = page_input.kind in ("file", "archive") or page_input.problem is not None
        if is_rereadable:
            kept.append(page_input)
            path = os.path.realpath(page_input.location)
            if path in compared:  # a page is not compared with itself
                continue
            compared.add(path)
        for source in read_pages([page_input], max_bytes=max_bytes, fetch=fetch):
            if isinstance(source, Failure):
                comparison.problems.append((source.name, str(source.error)))
                if not is_rereadable:
                    kept.append(replace(page_input, problem=str(source.error)))
                continue
            if not is_rereadable:
                kept.append(source)
            charset = limits.get("charset") or source.charset
            try:
                page = parse(source.data, source.url, charset=charset, **parse_limits)
            except TamisError as error:
                comparison.problems.append((source.name, str(error)))
                continue
            progress.advance()
            comparison.page_count += 1
            yield method.segmenter.segment(page)
    comparison.is_complete = True
