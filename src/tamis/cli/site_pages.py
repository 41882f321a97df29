"""Pages of sites: read for the commands that learn, and watched by the one that applies."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal, Self
from urllib.parse import urlsplit

from tamis.cli.inputs import has_archives
from tamis.cli.messages import describe_problem
from tamis.cli.progress import RunProgress
from tamis.cli.tasks import Outcome
from tamis.errors import InputError, TamisError
from tamis.metadata import read_metadata
from tamis.page import MAX_BYTES, Page, parse
from tamis.site import METHOD, PageProfile, Site, SiteLearner, Watch, build_profile
from tamis.source import Failure, Fetch, Input, Source, read_pages


class SitePages(RunProgress):
    """The pages of inputs, parsed; what cannot be read is reported."""

    def __init__(self, inputs: Sequence[Input], limits: Mapping[str, Any], fetch: Fetch) -> None:
        super().__init__("learning", None if has_archives(inputs) else len(inputs))
        self._inputs = inputs
        self._limits = limits  # of parse()
        self._fetch = fetch

    def __enter__(self) -> Self:
        return super().__enter__()

    def __iter__(self) -> Iterator[tuple[Input | Source, Page]]:
        """Yield pages, each with what it can be read from again."""
        for page_input in self._inputs:
            for source in self._read(page_input):
                page = self._parse(source)
                if page is not None and isinstance(source, Source):
                    self.count(Outcome(source.name, None))
                    yield page_input if page_input.kind == "file" else source, page

    def read_again(self, inputs: Iterable[Input | Source]) -> Iterator[Page]:
        """Yield pages once more."""
        for page_input in inputs:
            for source in (
                [page_input] if isinstance(page_input, Source) else self._read(page_input)
            ):
                page = self._parse(source)
                if page is not None:
                    yield page

    def _read(self, page_input: Input) -> Iterator[Source | Failure]:
        max_bytes = self._limits.get("max_bytes", MAX_BYTES)
        return read_pages([page_input], max_bytes=max_bytes, fetch=self._fetch)

    def _parse(self, source: Source | Failure) -> Page | None:
        """Return a page; one that cannot be read is counted and reported."""
        try:
            if isinstance(source, Failure):
                raise source.error
            charset = self._limits.get("charset") or source.charset
            return parse(source.data, source.url, **{**self._limits, "charset": charset})
        except TamisError as error:
            of_archive = isinstance(source, Failure) and source.of_archive
            counts_as: Literal["archive", "page"] = "archive" if of_archive else "page"
            self.count(Outcome(source.name, None, str(error), counts_as=counts_as))
            return None


def learn_sites(pages: SitePages, wanted_host: str | None) -> dict[str | None, Site]:
    """Return the sites of pages by host, or only that of a wanted host.

    A page without a host belongs to the wanted one, or to the only one there is.
    """
    groups: dict[str | None, SiteLearner] = {}
    without_host: list[Input | Source] = []
    for page_input, page in pages:
        host = _page_host(page)
        if host is None:
            without_host.append(page_input)
        elif wanted_host is None or host == wanted_host:
            groups.setdefault(host, SiteLearner()).learn(_profile(page))
    only_host = wanted_host or (next(iter(groups)) if len(groups) == 1 else None)
    for page in pages.read_again(without_host):
        groups.setdefault(only_host, SiteLearner()).learn(_profile(page))
    if not groups:
        of_host = f" of {wanted_host}" if wanted_host else ""
        raise InputError(f"no page{of_host} was learned from: check what was named")
    return {host: Site.from_templates(group.templates(), host) for host, group in groups.items()}


def select_pages(pages: SitePages, host: str | None) -> Iterator[Page]:
    """Yield the pages of a host, and those without a host."""
    for _, page in pages:
        if host is None or _page_host(page) in (None, host):
            yield page


def _page_host(page: Page) -> str | None:
    """Return the host of a page, by its URL or by its metadata."""
    url = page.url or read_metadata(page).url
    try:
        return (urlsplit(url).hostname or None) if url else None
    except ValueError:
        return None


def _profile(page: Page) -> PageProfile:
    """Return the profile of a page, from which a template is learned."""
    return build_profile(METHOD.segmenter.segment(page))


class DriftWarnings:
    """Warns of pages that do not match their site, and once when the site seems to have changed."""

    def __init__(self, pages: int) -> None:
        self._watch = Watch(pages)
        self._is_reported = False

    def __call__(self, outcome: Outcome) -> str | None:
        """Return the warnings after an outcome."""
        if outcome.match is None:
            return None
        lines = []
        if outcome.match < self._watch.limit:
            warning = f"matches the site only by {outcome.match:.2f}, read without its template"
            lines.append(f"tamis: {describe_problem(outcome.name, warning)}")
        if self._watch.add(outcome.match) and not self._is_reported:
            self._is_reported = True
            lines.append(f"tamis: {self._watch.report}")
        return "\n".join(lines) or None
