"""Rules: what a person decided about the blocks and records of a site's pages.

A rule on blocks says where they stand and what they look like, not at which position on one page:
the path signature of their element, the form of the block, the shape of the pages' URLs. So it
holds on pages that nobody has looked at. A rule on records keeps the pattern of their region; a
rule on a column gives it a name.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime
from typing import Any, Final, Literal, get_args

import numpy as np

from tamis.blocks import Blocks
from tamis.errors import InputError
from tamis.page import collapse_spaces
from tamis.records import Pattern
from tamis.site.profile import PageProfile
from tamis.site.shapes import url_shape
from tamis.verdict import Verdict, build_verdict

RuleKind = Literal["content", "noise", "region", "column"]
Reach = Literal["text", "form", "path"]  # how far a rule on blocks goes, the narrowest first
Form = Literal["text", "mixed", "links"]

_MIN_LINK_SHARE: Final = (1 / 3, 2 / 3)  # of the characters, from which on links count
_MAX_EXAMPLE_CHARS: Final = 120
_CODES: Final = 250  # reason codes have 8 bits: rules beyond share the last one


@dataclass(frozen=True)
class Rule:
    """One decision of a person.

    A rule on blocks (`content`, `noise`) holds for blocks at `path`; if set, of the tag and form
    `form` ("ul, links"), with the text of fingerprint `text`, on pages whose URLs have the shape
    `pages`. A rule on records (`region`) has a pattern; a `column` rule names the field `field` of
    the pattern at `path`.
    """

    id: str
    kind: RuleKind
    path: str
    form: str | None = None
    text: str | None = None
    pages: str | None = None
    pattern: Pattern | None = None
    field: str | None = None
    name: str | None = None
    example: str = ""  # the beginning of the text that it was made from
    created: date | None = None

    def __post_init__(self) -> None:
        if self.kind not in get_args(RuleKind):
            raise ValueError(f"a rule is of the kind {self.kind!r}")
        if self.kind == "region" and self.pattern is None:
            raise ValueError("a rule on a region has no pattern")
        if self.kind == "column" and not (self.field and self.name):
            raise ValueError("a rule on a column names no field, or gives it no name")

    @property
    def is_on_blocks(self) -> bool:
        """Whether it decides about blocks."""
        return self.kind in ("content", "noise")

    def explain(self) -> str:
        """Return what the rule does, in words."""
        where = f"at {self.path or 'the top of the page'}"
        scope = f", on pages like {self.pages}" if self.pages else ""
        if self.kind == "region":
            fields = len(self.pattern.fields) if self.pattern else 0
            return f"The records are the elements {where}, with {fields} fields{scope}."
        if self.kind == "column":
            return f"The column {self.field} of the records {where} is called {self.name}{scope}."
        if self.text is not None:
            blocks = f"Blocks {where} with this very text"
        elif self.form is not None:
            tag, _, form = self.form.partition(", ")
            kind = {"text": "text", "mixed": "text with links", "links": "links"}.get(form, form)
            blocks = f"Every <{tag}> of {kind} {where}"
        else:
            blocks = f"Every block {where}"
        return f"{blocks} is {self.kind}{scope}."

    def as_dict(self) -> dict[str, Any]:
        """Return the rule as plain data, without what is not set."""
        fields: dict[str, Any] = {"id": self.id, "kind": self.kind, "path": self.path}
        for name in ("form", "text", "pages", "field", "name", "example"):
            if getattr(self, name):
                fields[name] = getattr(self, name)
        if self.pattern is not None:
            fields["pattern"] = self.pattern.as_dict()
        if self.created is not None:
            fields["created"] = self.created.isoformat()
        return fields

    @staticmethod
    def from_dict(data: dict[str, Any]) -> Rule:
        """Return the rule of plain data; ValueError, TypeError or KeyError if it is none."""
        texts = {name: data.get(name) for name in ("form", "text", "pages", "field", "name")}
        for name, value in {**texts, "id": data["id"], "path": data["path"]}.items():
            if not isinstance(value, str | None):
                raise TypeError(f"the {name} of a rule is {value!r}, not a text")
        pattern, created = data.get("pattern"), data.get("created")
        return Rule(
            str(data["id"]),
            data["kind"],
            str(data["path"]),
            **texts,
            pattern=None if pattern is None else Pattern.from_dict(pattern),
            example=str(data.get("example", "")),
            created=None if created is None else date.fromisoformat(created),
        )


def make_block_rule(
    profile: PageProfile,
    index: int,
    kind: Literal["content", "noise"],
    reach: Reach = "form",
    *,
    only_like_page: bool = False,
) -> Rule:
    """Return the rule that a person means by marking a block of a page."""
    blocks = profile.blocks
    fingerprint = profile.fingerprints[index]
    if fingerprint is None:
        raise InputError("the block has no words: mark one that has")
    url = blocks.page.url
    return Rule(
        _new_id(),
        kind,
        profile.paths[index],
        form=block_form(blocks, index) if reach == "form" else None,
        text=fingerprint if reach == "text" else None,
        pages=url_shape(url) if only_like_page and url else None,
        example=_shorten(blocks.text(index)),
        created=datetime.now(UTC).date(),
    )


def make_region_rule(pattern: Pattern, example: str = "") -> Rule:
    """Return the rule that a person means by choosing a region of records."""
    today = datetime.now(UTC).date()
    path = pattern.paths[0]
    return Rule(
        _new_id(), "region", path, pattern=pattern, example=_shorten(example), created=today
    )


def make_column_rule(path: str, field: str, name: str) -> Rule:
    """Return the rule that gives a column of records another name."""
    name = collapse_spaces(name)
    if not name or len(name) > _MAX_EXAMPLE_CHARS:
        raise InputError("a column needs a short name")
    today = datetime.now(UTC).date()
    return Rule(_new_id(), "column", path, field=field, name=name, created=today)


def block_form(blocks: Blocks, index: int) -> str:
    """Return the tag of a block and how much of its text is links: "ul, links"."""
    page, rows = blocks.page, blocks.text_rows[index]
    total = float(page.chars[rows].sum())
    share = float(page.chars[rows][page.in_link[rows]].sum()) / total if total else 0.0
    low, high = _MIN_LINK_SHARE
    form: Form = "links" if share >= high else "mixed" if share >= low else "text"
    return f"{page.name(int(blocks.node[index]))}, {form}"


def find_matches(rules: Sequence[Rule], profile: PageProfile) -> np.ndarray:
    """Return for each block the index of the last rule that holds for it, or -1."""
    blocks = profile.blocks
    shape = url_shape(blocks.page.url) if blocks.page.url else None
    matches = np.full(len(blocks), -1, dtype=np.int64)
    by_path: dict[str, list[int]] = {}
    for number, rule in enumerate(rules):
        if rule.is_on_blocks and (rule.pages is None or rule.pages == shape):
            by_path.setdefault(rule.path, []).append(number)
    if not by_path:
        return matches
    for index, path in enumerate(profile.paths):
        for number in by_path.get(path, ()):
            rule = rules[number]
            if not profile.terms[index]:
                continue
            if rule.text is not None and rule.text != profile.fingerprints[index]:
                continue
            if rule.form is None or rule.form == block_form(blocks, index):
                matches[index] = number
    return matches


def apply_rules(rules: Sequence[Rule], profile: PageProfile, verdict: Verdict) -> Verdict:
    """Return a verdict in which rules have the last word, with their ids as reasons."""
    matches = find_matches(rules, profile)
    if not (matches >= 0).any():
        return verdict
    used = sorted(set(matches[matches >= 0].tolist()))
    start = len(verdict.templates)
    reasons = [
        f"{rules[number].kind} by rule {rules[number].id}".replace("{", "{{").replace("}", "}}")
        for number in used
    ]
    score, informative = verdict.score.copy(), verdict.informative.copy()
    code = verdict.reason_code.astype(np.int64)
    for offset, number in enumerate(used):
        of_rule, is_content = matches == number, rules[number].kind == "content"
        score[of_rule], informative[of_rule] = float(is_content), is_content
        code[of_rule] = min(start + offset, start + len(reasons) - 1, _CODES)
    return build_verdict(
        score,
        informative,
        code,
        verdict.reason_value,
        *verdict.templates,
        *reasons,
        page=verdict.page,
        not_rendered=verdict.not_rendered,
    )


def ruled_patterns(rules: Iterable[Rule]) -> tuple[Pattern, ...]:
    """Return the patterns of region rules, with the names that column rules give; newest first."""
    rules = tuple(rules)
    names: dict[tuple[str, str], str] = {
        (rule.path, rule.field): rule.name
        for rule in rules
        if rule.kind == "column" and rule.field and rule.name
    }
    patterns = []
    for rule in reversed(rules):
        if rule.kind == "region" and rule.pattern is not None:
            fields = tuple(
                replace(field, name=names.get((rule.path, field.name), field.name))
                for field in rule.pattern.fields
            )
            patterns.append(replace(rule.pattern, fields=fields))
    return tuple(patterns)


def _new_id() -> str:
    return secrets.token_hex(3)


def _shorten(text: str) -> str:
    text = collapse_spaces(text)
    if len(text) > _MAX_EXAMPLE_CHARS:
        text = f"{text[: _MAX_EXAMPLE_CHARS - 1]}…"
    return text.encode("utf-8", "replace").decode()
