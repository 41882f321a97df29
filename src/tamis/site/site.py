"""Site: the templates of a site, learned from a few of its pages without labels."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from datetime import UTC, date, datetime
from functools import cached_property
from pathlib import Path
from types import NoneType
from typing import Any, Final

import numpy as np

from tamis.blocks import Block, Blocks
from tamis.content import Document
from tamis.errors import InputError, PoorMatch, WrongType, check_argument
from tamis.page import Page, parse
from tamis.pipeline import Method, extract
from tamis.records import Pattern, Records
from tamis.site.evidence import Evidence, Weights, evidence, is_repeated
from tamis.site.explanation import Explanation
from tamis.site.learning import templates_of
from tamis.site.sight import METHOD, Sight, sight
from tamis.site.template import Template
from tamis.verdict import PageVerdict, Verdict, build_verdict
from tamis.verdict.learned import ExpertProbabilities, choose_blocks

POOR: Final = 0.3  # a page that matches less is not of the site as it was learned

Input = str | bytes | Page | tuple[str | None, str | bytes]


@dataclass(frozen=True)
class Site:
    """What the pages of a site have in common: a template for each kind of page.

    Frequency is evidence beside the score of the default method (`evidence.Weights`); of all cuts
    through the chances that follow, that of the greatest expected F1 is taken, as the default
    method does. A page that no template fits is judged as if there were none, with a warning.
    """

    templates: tuple[Template, ...]
    learned: date
    host: str | None = None
    weights: Weights = field(default_factory=Weights)
    patterns: tuple[Pattern, ...] = ()  # of the records of its list pages

    @classmethod
    def learn(cls, pages: Iterable[Input], *, host: str | None = None) -> Site:
        """Learn the templates of a site from pages: HTML, (url, HTML) or Page; 5 to 10 do."""
        return cls.of(templates_of(sights(pages)), host)

    @classmethod
    def of(cls, templates: tuple[Template, ...], host: str | None = None) -> Site:
        """Return the site of templates that were learned today."""
        if not templates:
            raise InputError("there is no page to learn from: give at least one")
        check_host(host)
        return cls(templates, datetime.now(UTC).date(), host)

    def update(self, pages: Iterable[Input]) -> Site:
        """Return what is known after further pages."""
        templates = templates_of(sights(pages), self.templates)
        return replace(self, templates=templates, learned=datetime.now(UTC).date())

    def learn_records(self, page: Input) -> Site:
        """Return the site with the pattern of the records of one of its list pages."""
        found = Pattern.learn(self.extract(page_of(page)).records)
        others = tuple(known for known in self.patterns if known.paths[0] != found.paths[0])
        return replace(self, patterns=(*others, found))

    def records(self, page: Input) -> Records:
        """Return the records of a list page by the pattern that fits it best.

        Empty, with a reason, where none fits any longer.
        """
        if not self.patterns:
            raise InputError(
                "the site has no pattern of records, or only of an older version: learn one with "
                "learn_records, or tamis records learn PAGE --site SITE"
            )
        parsed = page_of(page)
        return max((pattern.apply(parsed) for pattern in self.patterns), key=len)

    @property
    def pages(self) -> int:
        """How many pages the site was learned from."""
        return sum(template.pages for template in self.templates)

    @cached_property
    def declared(self) -> frozenset[str]:
        """The fingerprints of blocks that are declared to be noise, on pages of all templates."""
        return frozenset().union(*(template.declared for template in self.templates))

    def extract(self, html: str | bytes | Page, url: str | None = None, **limits: Any) -> Document:
        """Extract the content of a page of the site.

        The options are those of `tamis.extract`, but for `method`: a site is one.
        """
        if "method" in limits:
            raise InputError(
                "a site is a method of its own: leave method out, or call tamis.extract with it"
            )
        document = extract(html, url, method=Method(METHOD.segmenter, self), **limits)
        return replace(document, method="site")

    def match(self, page: str | bytes | Page) -> float:
        """Return how well a page fits the template that fits it best, between 0 and 1."""
        return self._nearest(sight(METHOD.segmenter.segment(page_of(page))))[1]

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the verdict on the blocks of a page."""
        return self.judge(sight(blocks))

    def judge(self, page: Sight) -> Verdict:
        """Return the verdict on the blocks of a page that was seen already."""
        template, match = self._nearest(page)
        if match < POOR:
            warnings.warn(
                f"the page matches the site only by {match:.2f} and is read without its template: "
                "is it of another site or section, or was the site redesigned?",
                PoorMatch,
                stacklevel=3,
            )
            return replace(page.verdict, page=told(page, match))
        found = evidence(page, template, self.weights, self.declared)
        cut = choose_blocks(ExpertProbabilities(found.chance[None], np.ones(1)), page.terms)
        kept = cut.informative & ~found.declared
        why, detail = reasons(page, found, template, kept)
        return build_verdict(
            found.chance,
            kept,
            why,
            detail,
            "content, chance {:.2f}",
            f"in {{:.0f}} of {template.pages} pages",
            "in a place that repeats, chance {:.2f}",
            "chance {:.2f}",
            "no text",
            "declared as noise",
            page=told(page, match),
        )

    def explain(self, block: Block) -> Explanation:
        """Return what is known of a block of a page, and how its chance comes about."""
        page = sight(METHOD.segmenter.segment(block.blocks.page))
        hits = np.flatnonzero(page.blocks.node == block.blocks.node[block.index])
        same = [
            int(hit) for hit in hits if page.blocks.first[hit] == block.blocks.first[block.index]
        ]
        if not same:
            raise InputError("the block is not one that a site judges: take it from site.extract()")
        template, match = self._nearest(page)
        if match < POOR:
            return Explanation.without_template(page, template, same[0], match)
        found = evidence(page, template, self.weights, self.declared)
        return Explanation.of_block(page, found, template, same[0], match)

    def save(self, path: str | Path) -> None:
        """Write the site to a file that people can read and edit."""
        from tamis.site.file import write

        write(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Site:
        """Read a site from a file; InputError if it is broken or made by a newer version."""
        from tamis.site.file import read

        return read(Path(path))

    def _nearest(self, page: Sight) -> tuple[Template, float]:
        """Return the template that fits a page best, and how well."""
        fits = [template.match(page.structure) for template in self.templates]
        best = int(np.argmax(fits))
        return self.templates[best], fits[best]


def check_host(host: str | None) -> None:
    """Raise an error for what cannot be the name of a host, or of no one."""
    check_argument("host", host, (str, NoneType), "the name of the site's host, or None")
    try:
        (host or "").encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{host!r} is no host: give a name such as example.org") from error


def sights(pages: Iterable[Input]) -> Iterator[Sight]:
    """Yield what there is to see of pages."""
    if isinstance(pages, (str, bytes, Page)):
        raise InputError("pages is a single page: give a list of pages")
    check_argument("pages", pages, Iterable, "a list of pages")
    for page in pages:
        yield sight(METHOD.segmenter.segment(page_of(page)))


def page_of(page: Input) -> Page:
    """Return a page of whatever kind, parsed."""
    if isinstance(page, Page):
        return page
    if isinstance(page, tuple) and len(page) != 2:
        raise WrongType(f"a page is a tuple of {len(page)}: give (url, html), or html alone")
    url, html = page if isinstance(page, tuple) else (None, page)
    return parse(html, url)


def told(page: Sight, match: float) -> PageVerdict | None:
    """Return what is told of the page as a whole."""
    known = page.verdict.page
    return replace(known, match=match) if known else None


def reasons(
    page: Sight, found: Evidence, template: Template, kept: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Return the number and the detail of the reason for each block."""
    repeated = is_repeated(found, template)
    why = np.where(repeated, 1, np.where(found.repetition > 0.5, 2, 3))
    why[kept] = 0
    why[page.terms == 0] = 4
    why[found.declared] = 5
    return why, np.where(why == 1, found.pages, found.chance)
