"""The file of a site: JSON with one line per block, path and container, to be read and edited."""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tamis.blocks import fingerprint, term_pattern
from tamis.errors import InputError
from tamis.files import write_whole
from tamis.records import Pattern
from tamis.site.cases import Case
from tamis.site.rules import Rule
from tamis.site.scoring import Weights
from tamis.site.template import Container, PathStats, RepeatedBlock, SeenOnce, Template

if TYPE_CHECKING:
    from tamis.site.site import Site

_FORMAT: Final = "tamis site"
# Version 2 added blocks seen once and declared noise, version 3 containers, version 4 the weights
# of length and path, version 5 rules and cases. A site without these is written as version 4.
_VERSION: Final = 5
_VERSION_WITHOUT_RULES: Final = 4
# Up to version 3. The weights in None meant something else, or nothing that is still weighed.
_OLD_NAMES: Final = {"places": "paths", "place": "path", "odds": "log_odds", "once": "seen_once"}
_OLD_WEIGHTS: Final = {"place": "repetition", "others": None, "container": None, "doubt": None}
_MAX_NUMBER: Final = 10**12
_MAX_SHOWN: Final = 40  # characters of a value in a message


def write_site(site: Site, path: Path) -> None:
    """Write a site as a whole or not at all."""
    write_whole(path, site_text(site))


def site_text(site: Site) -> str:
    """Return a site as the text of its file."""
    has_rules = bool(site.rules or site.cases or not site.templates)
    head: dict[str, Any] = {
        "format": _FORMAT,
        "version": _VERSION if has_rules else _VERSION_WITHOUT_RULES,
        "host": site.host,
        "learned": site.learned.isoformat(),
        "pages": site.pages,
        "weights": vars(site.weights),
    }
    if site.patterns:
        head["records"] = [pattern.as_dict() for pattern in site.patterns]
    lines = [json.dumps(head, ensure_ascii=False, indent=1)[:-2], ' "templates": [']
    lines[0] += ","
    ends = [","] * (len(site.templates) - 1) + [""] * bool(site.templates)
    for template, end in zip(site.templates, ends, strict=True):
        lines.append(f'  {{"pages": {template.pages},')
        lines += ['   "blocks": [', *_row_lines(template.blocks), "   ],"]
        lines += ['   "paths": [', *_row_lines(template.paths), "   ],"]
        lines += ['   "containers": [', *_row_lines(template.containers), "   ],"]
        lines += ['   "seen_once": [', *_row_lines(template.seen_once), f"   ]}}{end}"]
    lines.append(" ]")
    entries: tuple[tuple[str, Sequence[Rule | Case]], ...]
    entries = (("rules", site.rules), ("cases", site.cases))
    for name, rows in entries:
        if rows:
            lines[-1] += ","
            lines += [f' "{name}": [', *_entry_lines(rows), " ]"]
    return "\n".join([*lines, "}", ""])


def _entry_lines(entries: Sequence[Rule | Case]) -> list[str]:
    """Return rules or cases as JSON, one line each."""
    ends = [","] * (len(entries) - 1) + [""]
    return [
        f"  {json.dumps(entry.as_dict(), ensure_ascii=False)}{end}"
        for entry, end in zip(entries, ends, strict=True)
    ]


_Row = RepeatedBlock | PathStats | Container | SeenOnce


def _row_lines(rows: Sequence[_Row]) -> list[str]:
    """Return rows of a template as JSON, one line per row."""
    ends = [","] * (len(rows) - 1) + [""]
    return [
        f"    {json.dumps(_row_dict(row), ensure_ascii=False)}{end}"
        for row, end in zip(rows, ends if rows else (), strict=True)
    ]


def _row_dict(row: _Row) -> dict[str, Any]:
    if isinstance(row, SeenOnce):
        return {"path": row.path, "ids": " ".join(row.ids)}
    fields = row._asdict()
    if not fields.get("noise", True):
        del fields["noise"]
    return fields


def read_site(path: Path) -> Site:
    """Read a site from its file; InputError if it is broken or has a newer version."""
    try:
        return parse_site(path.read_bytes(), str(path))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error


def parse_site(text: str | bytes, path: str) -> Site:
    """Return the site that the text of a file holds; InputError names the file."""
    try:
        content = json.loads(text.decode() if isinstance(text, bytes) else text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is no site file: {error}; repair it, or learn the site anew"
        ) from error
    if not isinstance(content, dict) or content.get("format") != _FORMAT:
        raise InputError(f"{path} is no site file: learn one with tamis site learn")
    _check_version(content.get("version"), path)
    try:
        _check_texts(content)
        return _parse_site(content)
    except (
        ValueError,
        TypeError,
        KeyError,
        AttributeError,
        OverflowError,
        RecursionError,
    ) as error:
        raise InputError(
            f"{path} is damaged ({type(error).__name__}: {error}): repair it, or learn it anew"
        ) from error


def _check_version(version: object, path: str) -> None:
    """Raise InputError for a file that this version of tamis cannot read."""
    if not isinstance(version, int) or version < 1:
        raise InputError(f"{path} is damaged: its version is {version!r}, not a number from 1")
    if version > _VERSION:
        raise InputError(
            f"{path} has version {version}, this tamis reads up to {_VERSION}: "
            "install a newer tamis"
        )


def _check_texts(content: object) -> None:
    r"""Raise ValueError for text that no file can hold: "\ud800" in JSON is half a character."""
    try:
        json.dumps(content, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object[error.start]!r} is half a character") from error


def _parse_site(content: dict[str, Any]) -> Site:
    """Return the site of a file's content; ValueError if a value is impossible."""
    from tamis.site.site import Site

    is_old = content["version"] < _VERSION_WITHOUT_RULES
    rows = [_rename_old(row) if is_old else row for row in content["templates"]]
    templates = tuple(_parse_template(row) for row in rows)
    rules = tuple(map(Rule.from_dict, content.get("rules", ())))
    cases = tuple(map(Case.from_dict, content.get("cases", ())))
    if not templates and content["version"] < _VERSION:
        raise ValueError("it has no templates")
    weights = _parse_weights(content.get("weights", {}), is_old=is_old)
    host = content.get("host")
    if host is not None and not isinstance(host, str):
        raise TypeError(f"the host is {host!r}")
    current = [row for row in content.get("records", ()) if not Pattern.is_outdated(row)]
    patterns = tuple(Pattern.from_dict(row) for row in current)
    learned = date.fromisoformat(content["learned"])
    return Site(templates, learned, host, weights, patterns, rules, cases)


def _rename_old(template: dict[str, Any]) -> dict[str, Any]:
    """Return a template of an older version with the names of this one."""
    renamed = {_OLD_NAMES.get(name, name): value for name, value in template.items()}
    for name in ("blocks", "paths", "seen_once", "containers"):
        if name in renamed:
            renamed[name] = [
                {_OLD_NAMES.get(field, field): value for field, value in row.items()}
                for row in renamed[name]
            ]
    return renamed


def _parse_weights(content: dict[str, Any], *, is_old: bool) -> Weights:
    names = {name: _OLD_WEIGHTS.get(name, name) if is_old else name for name in content}
    numbers = {new: _parse_number(content[name]) for name, new in names.items() if new}
    weights = Weights(**numbers)
    for name in ("container", "length", "path"):
        if getattr(weights, name) < 0:
            raise ValueError(f"the weight {name} is {getattr(weights, name):g}, less than 0")
    return weights


def _parse_template(content: dict[str, Any]) -> Template:
    pages = _parse_count(content["pages"])
    if not pages:
        raise ValueError("a template is of 0 pages, not of one at least")
    blocks: dict[str, RepeatedBlock] = {}
    for row in content["blocks"]:
        block = _parse_block(row)
        noise = block.noise or (block.id in blocks and blocks[block.id].noise)
        blocks[block.id] = blocks.get(block.id, block)._replace(noise=noise)
    paths = tuple(
        PathStats(
            str(row["path"]),
            _parse_count(row["pages"]),
            _parse_count(row["blocks"]),
            _parse_count(row["terms"]),
            _parse_number(row["log_odds"]),
        )
        for row in content["paths"]
    )
    seen_once = tuple(
        SeenOnce(str(row["path"]), tuple(str(row["ids"]).split()))
        for row in content.get("seen_once", ())
    )
    containers = tuple(_parse_container(row) for row in content.get("containers", ()))
    return Template(pages, tuple(blocks.values()), paths, seen_once, containers)


def _parse_container(row: dict[str, Any]) -> Container:
    container = Container(str(row["path"]), _parse_count(row["pages"]), _parse_number(row["share"]))
    if not 0 <= container.share <= 1:
        raise ValueError(f"the share of a container is {container.share:g}, not from 0 to 1")
    return container


def _parse_block(row: dict[str, Any]) -> RepeatedBlock:
    """Return a block; one without an id gets that of its text.

    Declared noise need not stand in a page that was learned from.
    """
    text, noise = str(row["text"]), row.get("noise", False)
    if not isinstance(noise, bool):
        raise TypeError(f"noise is {noise!r}, not true or false")
    pages = _parse_count(row.get("pages", 0) if noise else row["pages"])
    return RepeatedBlock(
        str(row.get("id") or _text_fingerprint(text)),
        pages,
        _parse_count(row.get("times", pages)),
        str(row.get("path", "")),
        str(row.get("xpath", "")),
        text,
        noise,
    )


def _text_fingerprint(text: str) -> str:
    terms = term_pattern().findall(text.casefold())
    if not terms:
        raise ValueError(f"the text {text!r} has no words to know it by")
    return fingerprint(terms)


def _parse_count(value: object) -> int:
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= _MAX_NUMBER:
        raise ValueError(f"{_shorten(value)} is no number from 0 to {_MAX_NUMBER:,}")
    return value


def _parse_number(value: object) -> float:
    """Return a number; the limit keeps sums of such numbers finite."""
    if (
        isinstance(value, bool)
        or not isinstance(value, (int, float))
        or not -_MAX_NUMBER <= value <= _MAX_NUMBER
    ):
        raise ValueError(f"{_shorten(value)} is no number up to {_MAX_NUMBER:,}")
    return float(value)


def _shorten(value: object) -> str:
    """Return a value for a message, without its end if it is long."""
    shown = repr(value)
    return shown if len(shown) <= _MAX_SHOWN else f"{shown[:_MAX_SHOWN]}…"
