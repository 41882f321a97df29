"""The file of a site: JSON, a line for each block and each place, to be read and edited."""

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
from tamis.site.evidence import Weights
from tamis.site.template import Container, Once, Repeated, Spot, Template

if TYPE_CHECKING:
    from tamis.site.site import Site

FORMAT: Final = "tamis site"
# Since 2 with what was seen once, and with noise that is declared; since 3 with containers, which
# have the weights that places had; since 4 with weights of length and path.
VERSION: Final = 4
OLD_WEIGHTS: Final = ("others", "container", "doubt")  # up to version 3

MOST: Final = 10**12  # of anything that is counted
LONGEST: Final = 40  # characters of a value in a message


def write(site: Site, path: Path) -> None:
    """Write a site as a whole or not at all."""
    write_whole(path, text(site))


def text(site: Site) -> str:
    """Return a site as text."""
    head: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "host": site.host,
        "learned": site.learned.isoformat(),
        "pages": site.pages,
        "weights": vars(site.weights),
    }
    if site.patterns:
        head["records"] = [pattern.as_dict() for pattern in site.patterns]
    lines = [json.dumps(head, ensure_ascii=False, indent=1)[:-2], ' "templates": [']
    lines[0] += ","
    ends = [","] * (len(site.templates) - 1) + [""]
    for template, end in zip(site.templates, ends, strict=True):
        lines.append(f'  {{"pages": {template.pages},')
        lines += ['   "blocks": [', *rows(template.blocks), "   ],"]
        lines += ['   "places": [', *rows(template.places), "   ],"]
        lines += ['   "containers": [', *rows(template.containers), "   ],"]
        lines += ['   "once": [', *rows(template.once), f"   ]}}{end}"]
    return "\n".join([*lines, " ]", "}", ""])


def rows(things: Sequence[Repeated | Spot | Container | Once]) -> list[str]:
    """Return blocks or places, a line each."""
    found = []
    for number, thing in enumerate(things):
        end = "," if number < len(things) - 1 else ""
        found.append(f"    {json.dumps(row(thing), ensure_ascii=False)}{end}")
    return found


def row(thing: Repeated | Spot | Container | Once) -> dict[str, Any]:
    """Return a block or a place as plain data."""
    if isinstance(thing, Once):
        return {"place": thing.place, "ids": " ".join(thing.ids)}
    data = thing._asdict()
    if not data.get("noise", True):
        del data["noise"]
    return data


def read(path: Path) -> Site:
    """Read a site."""
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"cannot read {path}: {error.strerror or error}") from error
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is no site file: {error}; repair it, or learn the site anew"
        ) from error
    if not isinstance(data, dict) or data.get("format") != FORMAT:
        raise InputError(f"{path} is no site file: learn one with tamis site learn")
    check_version(data.get("version"), path)
    try:
        check_texts(data)
        return site_of(data)
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


def check_version(version: object, path: Path) -> None:
    """Raise InputError for a file that this version cannot read."""
    if not isinstance(version, int) or version < 1:
        raise InputError(f"{path} is damaged: its version is {version!r}, not a number from 1")
    if version > VERSION:
        raise InputError(
            f"{path} has version {version}, this tamis reads up to {VERSION}: install a newer tamis"
        )


def check_texts(data: object) -> None:
    r"""Raise ValueError for texts that no file can hold: "\ud800" in JSON is half a character."""
    try:
        json.dumps(data, ensure_ascii=False).encode()
    except UnicodeEncodeError as error:
        raise ValueError(f"{error.object[error.start]!r} is half a character") from error


def site_of(data: dict[str, Any]) -> Site:
    """Return the site that plain data stands for; ValueError if something is impossible."""
    from tamis.site.site import Site

    templates = tuple(template_of(template) for template in data["templates"])
    if not templates:
        raise ValueError("it has no templates")
    weights = weights_of(data.get("weights", {}), data["version"])
    host = data.get("host")
    if host is not None and not isinstance(host, str):
        raise TypeError(f"the host is {host!r}")
    learned = [pattern for pattern in data.get("records", ()) if not Pattern.is_outdated(pattern)]
    patterns = tuple(Pattern.from_dict(pattern) for pattern in learned)
    return Site(templates, date.fromisoformat(data["learned"]), host, weights, patterns)


def weights_of(data: dict[str, Any], version: int) -> Weights:
    """Return weights.

    Those of an older version for which there is nothing to weigh any more, or which meant something
    else, are left out.
    """
    names = [name for name in data if version >= VERSION or name not in OLD_WEIGHTS]
    weights = Weights(**{name: number(data[name]) for name in names})
    for name in ("container", "length", "path"):
        if getattr(weights, name) < 0:
            raise ValueError(f"the weight {name} is {getattr(weights, name):g}, less than 0")
    return weights


def template_of(data: dict[str, Any]) -> Template:
    """Return a template; a block without an id gets that of its text."""
    pages = count(data["pages"])
    if not pages:
        raise ValueError("a template is of 0 pages, not of one at least")
    blocks: dict[str, Repeated] = {}
    for row in data["blocks"]:
        block = block_of(row)
        noise = block.noise or (block.id in blocks and blocks[block.id].noise)
        blocks[block.id] = blocks.get(block.id, block)._replace(noise=noise)
    places = tuple(
        Spot(
            str(spot["place"]),
            count(spot["pages"]),
            count(spot["blocks"]),
            count(spot["terms"]),
            number(spot["odds"]),
        )
        for spot in data["places"]
    )
    once = tuple(
        Once(str(row["place"]), tuple(str(row["ids"]).split())) for row in data.get("once", ())
    )
    containers = tuple(container_of(row) for row in data.get("containers", ()))
    return Template(pages, tuple(blocks.values()), places, once, containers)


def container_of(data: dict[str, Any]) -> Container:
    """Return a container."""
    known = Container(str(data["place"]), count(data["pages"]), number(data["share"]))
    if not 0 <= known.share <= 1:
        raise ValueError(f"the share of a container is {known.share:g}, not from 0 to 1")
    return known


def block_of(data: dict[str, Any]) -> Repeated:
    """Return a block; what is declared as noise may stand in no page that was learned from."""
    said, noise = str(data["text"]), data.get("noise", False)
    if not isinstance(noise, bool):
        raise TypeError(f"noise is {noise!r}, not true or false")
    pages = count(data.get("pages", 0) if noise else data["pages"])
    return Repeated(
        str(data.get("id") or id_of(said)),
        pages,
        count(data.get("times", pages)),
        str(data.get("place", "")),
        str(data.get("xpath", "")),
        said,
        noise,
    )


def id_of(said: str) -> str:
    """Return the fingerprint of a text."""
    terms = term_pattern().findall(said.casefold())
    if not terms:
        raise ValueError(f"the text {said!r} has no words to know it by")
    return fingerprint(terms)


def count(value: object) -> int:
    """Return a number of things."""
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= MOST:
        raise ValueError(f"{shortened(value)} is no number from 0 to {MOST:,}")
    return value


def number(value: object) -> float:
    """Return a number of which a sum of all its kind is finite."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not -MOST <= value <= MOST:
        raise ValueError(f"{shortened(value)} is no number up to {MOST:,}")
    return float(value)


def shortened(value: object) -> str:
    """Return a value of a file, as long as a message may be."""
    said = repr(value)
    return said if len(said) <= LONGEST else f"{said[:LONGEST]}…"
