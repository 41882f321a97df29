"""Site: the templates of a site, learned from a few of its pages without labels.

`Watch` notices when the pages of a site no longer fit them.
"""

from __future__ import annotations

import warnings
from collections import deque
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
from tamis.site.cases import Case, CaseOutcome, add_case, drop_marks, run_case
from tamis.site.document import SiteDocument
from tamis.site.explanation import Explanation
from tamis.site.knowledge import SiteKnowledge
from tamis.site.learning import learn_templates
from tamis.site.profile import METHOD, PageProfile, build_profile
from tamis.site.rules import Rule, apply_rules, ruled_patterns
from tamis.site.scoring import BlockScores, Weights, is_frequent, score_blocks
from tamis.site.template import Template
from tamis.verdict import PageVerdict, Verdict, build_verdict

MIN_MATCH: Final = 0.3  # a page that matches less is read without a template
_NO_TEMPLATE: Final = Template(0, (), ())  # of a site with rules alone
_OTHER_STRUCTURE: Final = "is it of another site or section, or was the site redesigned?"
_OTHER_CONTENT: Final = "other pages of the site have their content elsewhere; was it redesigned?"

Input = str | bytes | Page | tuple[str | None, str | bytes]


@dataclass(frozen=True)
class Site:
    """What the pages of a site have in common: a template for each structure of pages.

    The verdict of the default method on a page stands, except where other pages change it
    (`scoring.score_blocks`): text that they repeat is noise, and where their content stands a block
    needs a lower probability. A page that no template fits, or on which page and site disagree
    widely, is judged without a template, with a warning. Rules, which people made, have the last
    word on every page; a site may have rules alone.
    """

    templates: tuple[Template, ...]
    learned: date
    host: str | None = None
    weights: Weights = field(default_factory=Weights)
    patterns: tuple[Pattern, ...] = ()  # of the records of its list pages
    rules: tuple[Rule, ...] = ()
    cases: tuple[Case, ...] = ()  # pages that rules were made on

    @classmethod
    def learn(cls, pages: Iterable[Input], *, host: str | None = None) -> Site:
        """Learn the templates of a site from pages: HTML, (url, HTML) or Page; 5 to 10 do."""
        return cls.from_templates(learn_templates(_build_profiles(pages)), host)

    @classmethod
    def from_templates(cls, templates: tuple[Template, ...], host: str | None = None) -> Site:
        """Return the site of templates that were learned today."""
        if not templates:
            raise InputError("there is no page to learn from: give at least one")
        _check_host(host)
        return cls(templates, datetime.now(UTC).date(), host)

    @classmethod
    def empty(cls, host: str | None = None) -> Site:
        """Return a site of which nothing is known yet, for rules."""
        _check_host(host)
        return cls((), datetime.now(UTC).date(), host)

    def with_rule(self, rule: Rule, case: Case | None = None) -> Site:
        """Return the site with another rule, and the case that it came from.

        A rule on the same blocks, region or column as an older one replaces it.
        """
        old = {other.id for other in self.rules if _is_same_thing(rule, other)}
        cases = self.cases
        for rule_id in old:
            cases = drop_marks(cases, rule_id)
        rules = tuple(other for other in self.rules if other.id not in old)
        cases = cases if case is None else add_case(cases, case)
        return replace(self, rules=(*rules, rule), cases=cases)

    def without_rule(self, rule_id: str) -> Site:
        """Return the site without a rule and its marks; InputError if there is none."""
        rules = tuple(rule for rule in self.rules if rule.id != rule_id)
        if len(rules) == len(self.rules):
            raise InputError(f"the site has no rule {rule_id}: see its file")
        return replace(self, rules=rules, cases=drop_marks(self.cases, rule_id))

    def run_cases(self) -> list[CaseOutcome]:
        """Read the page of every case again, and say which no longer hold."""
        return [run_case(self, case) for case in self.cases]

    def update(self, pages: Iterable[Input]) -> Site:
        """Return the site after learning from further pages."""
        templates = learn_templates(_build_profiles(pages), self.templates)
        return replace(self, templates=templates, learned=datetime.now(UTC).date())

    def learn_records(self, page: Input) -> Site:
        """Return the site with the pattern of the records of one of its list pages."""
        pattern = Pattern.learn(self.extract(_parse_page(page)).records)
        others = tuple(other for other in self.patterns if other.paths[0] != pattern.paths[0])
        return replace(self, patterns=(*others, pattern))

    def records(self, page: Input) -> Records:
        """Return the records of a list page by the pattern that fits it best.

        Empty, with a reason, where none fits any longer.
        """
        patterns = (*self.ruled_patterns, *self.patterns)
        if not patterns:
            raise InputError(
                "the site has no pattern of records, or only of an older version: learn one with "
                "learn_records, or tamis records learn PAGE --site SITE"
            )
        parsed = _parse_page(page)
        return max((pattern.apply(parsed) for pattern in patterns), key=len)

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
        document = replace(document, method="site")
        patterns = self.ruled_patterns
        return SiteDocument.from_document(document, patterns) if patterns else document

    @cached_property
    def ruled_patterns(self) -> tuple[Pattern, ...]:
        """The patterns of the regions that people chose."""
        return ruled_patterns(self.rules)

    @cached_property
    def knowledge(self) -> SiteKnowledge:
        """What all templates say together."""
        return SiteKnowledge.from_templates(self.templates)

    def match(self, page: str | bytes | Page) -> float:
        """Return how well a page fits the site, between 0 and 1.

        It is the similarity of its path signatures to those of the most similar template or, if
        that is less, how far the page alone and the site agree on what is informative.
        """
        return self._score(build_profile(METHOD.segmenter.segment(_parse_page(page))))[2]

    def identify(self, blocks: Blocks) -> Verdict:
        """Return the verdict on the blocks of a page."""
        return self.judge(build_profile(blocks))

    def judge(self, profile: PageProfile) -> Verdict:
        """Return the verdict on the blocks of a page whose profile was built already."""
        verdict = self._judge_by_template(profile) if self.templates else profile.verdict
        return apply_rules(self.rules, profile, verdict) if self.rules else verdict

    def _judge_by_template(self, profile: PageProfile) -> Verdict:
        template, scores, match = self._score(profile)
        if scores is None or match < MIN_MATCH:
            warnings.warn(
                f"the page matches the site only by {match:.2f} and is read without its template: "
                f"{_OTHER_STRUCTURE if scores is None else _OTHER_CONTENT}",
                PoorMatch,
                stacklevel=4,
            )
            return replace(profile.verdict, page=_page_verdict(profile, match))
        reason_code, reason_value = _find_reasons(profile, scores, template)
        return build_verdict(
            scores.probability,
            scores.informative,
            reason_code,
            reason_value,
            "content, probability {:.2f}",
            f"in {{:.0f}} of {template.pages} pages",
            "at a path that repeats, probability {:.2f}",
            "probability {:.2f}",
            "no text",
            "declared as noise",
            "where other pages have their content, probability {:.2f}",
            page=_page_verdict(profile, match),
        )

    def explain(self, block: Block) -> Explanation:
        """Explain the verdict on a block of a page."""
        profile = build_profile(METHOD.segmenter.segment(block.blocks.page))
        blocks, row = profile.blocks, block.blocks.node[block.index]
        same = [
            int(index)
            for index in np.flatnonzero(blocks.node == row)
            if blocks.first[index] == block.blocks.first[block.index]
        ]
        if not same:
            raise InputError("the block is not one that a site judges: take it from site.extract()")
        template, scores, match = self._score(profile)
        if scores is None or match < MIN_MATCH:
            return Explanation.without_template(profile, template, same[0], match)
        return Explanation.from_scores(profile, scores, template, same[0], match)

    def save(self, path: str | Path) -> None:
        """Write the site to a file that people can read and edit."""
        from tamis.site.file import write_site

        write_site(self, Path(path))

    @classmethod
    def load(cls, path: str | Path) -> Site:
        """Read a site from a file; InputError if it is broken or made by a newer version."""
        from tamis.site.file import read_site

        return read_site(Path(path))

    def find_template(self, profile: PageProfile) -> tuple[Template, float]:
        """Return the template that is most similar to a page, and how similar it is."""
        if not self.templates:
            return _NO_TEMPLATE, 0.0
        similarities = [template.match(profile.path_weights) for template in self.templates]
        best = int(np.argmax(similarities))
        return self.templates[best], similarities[best]

    def _score(self, profile: PageProfile) -> tuple[Template, BlockScores | None, float]:
        """Return the most similar template, the scores if it is similar enough, and the match."""
        template, similarity = self.find_template(profile)
        if similarity < MIN_MATCH:
            return template, None, similarity
        scores = score_blocks(profile, template, self.knowledge, self.weights, self.declared)
        return template, scores, min(similarity, scores.agreement)


class Watch:
    """Takes the match of each page, and says when most of the last pages fit poorly."""

    def __init__(self, pages: int = 20, limit: float = MIN_MATCH) -> None:
        self.limit = limit
        self.last: deque[float] = deque(maxlen=pages)

    def add(self, match: float) -> bool:
        """Add the match of a page; return whether the site seems to have changed."""
        self.last.append(match)
        return self.has_drifted

    @property
    def has_drifted(self) -> bool:
        """Whether there were enough pages and most of the last ones fit poorly."""
        is_full = len(self.last) == self.last.maxlen
        return is_full and 2 * sum(match < self.limit for match in self.last) > len(self.last)

    @property
    def report(self) -> str:
        """What to tell a user, in words."""
        poor = sum(match < self.limit for match in self.last)
        return (
            f"{poor} of the last {len(self.last)} pages do not fit the template: the site may have "
            "changed; learn it anew, or update it with these pages"
        )


def _is_same_thing(rule: Rule, other: Rule) -> bool:
    """Say whether two rules decide about the same blocks, region or column."""
    if rule.is_on_blocks != other.is_on_blocks or rule.path != other.path:
        return False
    if rule.is_on_blocks:
        return (rule.form, rule.text, rule.pages) == (other.form, other.text, other.pages)
    return rule.kind == other.kind and rule.field == other.field


def _check_host(host: str | None) -> None:
    """Raise an error for a host that is neither None nor a name that a file can hold."""
    check_argument("host", host, (str, NoneType), "the name of the site's host, or None")
    try:
        (host or "").encode()
    except UnicodeEncodeError as error:
        raise InputError(f"{host!r} is no host: give a name such as example.org") from error


def _build_profiles(pages: Iterable[Input]) -> Iterator[PageProfile]:
    if isinstance(pages, (str, bytes, Page)):
        raise InputError("pages is a single page: give a list of pages")
    check_argument("pages", pages, Iterable, "a list of pages")
    for page in pages:
        yield build_profile(METHOD.segmenter.segment(_parse_page(page)))


def _parse_page(page: Input) -> Page:
    """Return a page of any accepted type, parsed."""
    if isinstance(page, Page):
        return page
    if isinstance(page, tuple) and len(page) != 2:
        raise WrongType(f"a page is a tuple of {len(page)}: give (url, html), or html alone")
    url, html = page if isinstance(page, tuple) else (None, page)
    return parse(html, url)


def _page_verdict(profile: PageProfile, match: float) -> PageVerdict | None:
    """Return the verdict on the page as a whole, with its match."""
    verdict = profile.verdict.page
    return replace(verdict, match=match) if verdict else None


def _find_reasons(
    profile: PageProfile, scores: BlockScores, template: Template
) -> tuple[np.ndarray, np.ndarray]:
    """Return reason code and reason value for each block; codes count the reasons in `judge`."""
    code = np.where(is_frequent(scores, template), 1, np.where(scores.repetition > 0.5, 2, 3))
    code[scores.informative] = 0
    code[scores.informative & ~profile.informative] = 6
    code[profile.terms == 0] = 4
    code[scores.declared] = 5
    return code, np.where(code == 1, scores.pages, scores.probability)
