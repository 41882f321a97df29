"""What workers do for the fix loop: marks become rules, rules are tried, cases are run again."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tamis.errors import InputError, PoorMatch
from tamis.metadata import read_metadata
from tamis.page import collapse_spaces, decode_html, parse
from tamis.pipeline import METHODS, Method, extract
from tamis.records import Pattern, Records
from tamis.serve.inspector_tasks import check_index, list_regions, open_document
from tamis.serve.tasks import PageInput, encode_json, load_site, parse_page
from tamis.site import (
    METHOD,
    Case,
    Mark,
    Reach,
    Rule,
    Site,
    build_profile,
    case_id,
    make_block_rule,
    make_column_rule,
    make_region_rule,
    mark_block,
    mark_column,
    mark_region,
    site_text,
)

_MAX_TEXT: Final = 400  # characters of a block that are shown
_MAX_CHANGES: Final = 40  # blocks of a page that are listed
_MAX_MARKED: Final = 5_000  # and that are marked on the page itself


@dataclass(frozen=True)
class MarkTask:
    """What a person says about a page, as rules with a case: returns the site's file with them."""

    page: PageInput
    host: str
    kind: str
    block: int | None = None
    region: int | None = None
    field: str | None = None
    name: str | None = None
    reach: Reach = "form"
    only_like_page: bool = False

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the new rules, explained, and the file of the site with them."""
        site = load_site(self.page.site) if self.page.site else Site.empty(self.host)
        if self.kind in ("content", "noise"):
            site, rules = self._mark_block(site, limits)
        elif self.kind == "region":
            site, rules = self._mark_region(site, limits)
        else:
            site, rules = self._mark_column(site, limits)
        answer = {"rules": [describe_rule(rule) for rule in rules], "file": site_text(site)}
        return encode_json(answer)

    def _case(self, *marks: Mark) -> Case:
        charset = self.page.charset if isinstance(self.page.html, bytes) else None
        html = decode_html(self.page.html, charset)[0]
        return Case(case_id(html), self.page.url, html, marks)

    def _mark_block(self, site: Site, limits: Mapping[str, Any]) -> tuple[Site, list[Rule]]:
        page = parse_page(self.page, limits)
        blocks = METHOD.segmenter.segment(page)
        index = -1 if self.block is None else self.block
        check_index(blocks, index)
        rule = make_block_rule(
            build_profile(blocks),
            index,
            "content" if self.kind == "content" else "noise",
            self.reach,
            only_like_page=self.only_like_page,
        )
        document = extract(page, method=Method(METHOD.segmenter, METHODS["learned"].identifier))
        case = self._case(mark_block(document, index, rule.id, rule.kind))
        return site.with_rule(rule, case), [rule]

    def _mark_region(self, site: Site, limits: Mapping[str, Any]) -> tuple[Site, list[Rule]]:
        document = open_document(self.page, "site", limits)
        regions = list_regions(document)
        if self.region is None or not 0 <= self.region < len(regions):
            raise InputError(f"there is no region {self.region}: the page has {len(regions)}")
        records = regions[self.region]
        rule = _region_rule(records)
        return site.with_rule(rule, self._case(mark_region(records, rule.id))), [rule]

    def _mark_column(self, site: Site, limits: Mapping[str, Any]) -> tuple[Site, list[Rule]]:
        document = open_document(self.page, "site", limits)
        if not document.records:
            raise InputError("the page has no records: choose their region first")
        path = _region_rule(document.records).path
        rules = []
        region = next(
            (rule for rule in site.rules if rule.kind == "region" and rule.path == path), None
        )
        field = self.field or ""
        if region is None:
            region = _region_rule(document.records)
            site = site.with_rule(region, self._case(mark_region(document.records, region.id)))
            rules.append(region)
        named_before = {rule.name: rule.field for rule in site.rules if rule.path == path}
        rule = make_column_rule(path, named_before.get(field) or field, self.name or "")
        site = site.with_rule(rule)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorMatch)
            after = site.extract(parse_page(self.page, limits))
        mark = mark_column(after.records, rule.id, rule.name or "")
        return site.with_rule(rule, self._case(mark)), [*rules, rule]


def _region_rule(records: Records) -> Rule:
    first = next(iter(records), {})
    example = next((str(value) for value in first.values() if value is not None), "")
    return make_region_rule(Pattern.learn(records), example)


def describe_rule(rule: Rule) -> dict[str, Any]:
    """Return a rule for people."""
    return {
        "id": rule.id,
        "kind": rule.kind,
        "path": rule.path,
        "form": rule.form,
        "pages": rule.pages,
        "example": rule.example,
        "created": rule.created.isoformat() if rule.created else None,
        "meaning": rule.explain(),
    }


@dataclass(frozen=True)
class TrialTask:
    """What rules change on a page: its document before and after."""

    page: PageInput
    after: str  # the file of the site with the rules; without them it is that of the page

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the blocks that change, and whether the records do."""
        page = parse_page(self.page, limits)
        site = load_site(self.page.site) if self.page.site else Site.empty()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PoorMatch)
            before, after = site.extract(page), load_site(self.after).extract(page)
        changed = before.verdict.informative != after.verdict.informative
        changes = [
            {
                "block": int(index),
                "text": collapse_spaces(before.segments.text(int(index)))[:_MAX_TEXT],
                "informative": bool(after.verdict.informative[index]),
                "reason": after.verdict.reason(int(index)),
            }
            for index in changed.nonzero()[0][:_MAX_CHANGES]
        ]
        tables = [_table(document.records) for document in (before, after)]
        answer: dict[str, Any] = {"title": before.metadata.title, "blocks": changes}
        answer["count"] = int(changed.sum())
        is_content = after.verdict.informative
        answer["kept"] = (changed & is_content).nonzero()[0][:_MAX_MARKED].tolist()
        answer["dropped"] = (changed & ~is_content).nonzero()[0][:_MAX_MARKED].tolist()
        if tables[0] != tables[1]:
            answer["records"] = {"before": tables[0], "after": tables[1]}
        return encode_json(answer)


def _table(records: Records) -> dict[str, Any]:
    """Return what a table of records is like."""
    return {
        "rows": len(records),
        "fields": [field.name for field in records.fields],
        "xpath": records.xpath,
    }


@dataclass(frozen=True)
class SiteTask:
    """The rules of a site, explained, and whether its cases hold."""

    file: str
    run_cases: bool = True

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the answer."""
        site = load_site(self.file)
        outcomes = site.run_cases() if self.run_cases else []
        return encode_json(
            {
                "host": site.host,
                "pages": site.pages,
                "rules": [describe_rule(rule) for rule in site.rules],
                "cases": [
                    {
                        "id": outcome.case.id,
                        "url": outcome.case.url,
                        "title": read_metadata(parse(outcome.case.html)).title,
                        "marks": len(outcome.case.marks),
                        "failures": list(outcome.failures),
                    }
                    for outcome in outcomes
                ],
            }
        )


@dataclass(frozen=True)
class UndoTask:
    """The file of a site without one of its rules."""

    file: str
    rule: str

    def run(self, limits: Mapping[str, Any]) -> bytes:
        """Return the text of the file."""
        return site_text(load_site(self.file).without_rule(self.rule)).encode()
