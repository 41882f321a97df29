"""JSON-LD → the entities that describe the page."""

from __future__ import annotations

import json
import re
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from html import unescape
from typing import Any, Final

from tamis.page import collapse_spaces

_MOST_BYTES: Final = 1_000_000
_MOST_NODES: Final = 500
_MOST_STEPS: Final = 5_000
_MOST_VALUES: Final = 20
_LONGEST: Final = 2_000

Node = dict[str, Any]

# What a page can be about, best first. A type counts by its ending: NewsArticle, LiveBlogPosting.
_MAIN: Final = tuple(
    tuple(endings.split())
    for endings in (
        "article posting report recipe howto question",
        "product productgroup event course videoobject book movie softwareapplication service "
        "review podcastepisode dataset creativework",
        "webpage page",
    )
)
_STEPS: Final = ("@graph", "mainEntity", "mainEntityOfPage")
_QUESTION: Final = "question"
_FIELD: Final = re.compile(
    r'"(@type|headline|name|datePublished|dateCreated|dateModified|inLanguage|description)"'
    r'\s{0,20}:\s{0,20}"([^"\\\n]{1,500})"(?=\s{0,20}[,}\]])'
)
_AUTHOR: Final = re.compile(
    r'"author"\s{0,20}:\s{0,20}(?:\[\s{0,20})?'
    r'(?:\{[^{}]{0,300}?"name"\s{0,20}:\s{0,20})?"([^"\\\n]{1,200})"'
)
_MOST_AUTHORS: Final = 20  # places where a broken text is searched for one
_WRAPPING: Final = re.compile(r"(?://|/\*)?\s?(?:<!\[CDATA\[|\]\]>|<!--|-->)\s?(?:\*/)?")
_BETWEEN: Final = re.compile(r"[\s,;]*")
_UNREADABLE: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_TRAILING_COMMA: Final = re.compile(r",\s*([}\]])")


@dataclass(frozen=True, eq=False)
class JsonLd:
    """The entities of a page's JSON-LD that are no parts of others, and all that have an `@id`."""

    nodes: tuple[Node, ...]
    named: dict[str, Node]

    @cached_property
    def mains(self) -> list[Node]:
        """The entities that the page may be about, likeliest first."""
        asked = [node for node in self.nodes if is_question(node)]
        # Many questions are what readers often ask beside the text, not what the page is about.
        nodes = [node for node in self.nodes if len(asked) == 1 or not is_question(node)]
        ranked = [((rank(node), is_question(node)), node) for node in nodes]
        return [node for place, node in sorted(ranked, key=_place) if place[0] < len(_MAIN)]

    def of_type(self, *endings: str) -> Node | None:
        """Return the first entity whose type ends in one of some words in lower case."""
        for node in self.nodes:
            if any(kind.endswith(endings) for kind in entity_types(node)):
                return node
        return None

    def texts(self, node: Node, key: str) -> list[str]:
        """Return the texts, or the names of the entities, that a property of a node holds."""
        found = (self._text(value) for value in as_list(node.get(key))[:_MOST_VALUES])
        return [text for text in found if text]

    def text(self, node: Node | None, key: str) -> str | None:
        """Return the first text of a property of a node."""
        found = self.texts(node, key) if node else []
        return found[0] if found else None

    def is_person(self, node: Node, key: str) -> bool:
        """Whether a property of a node holds a person, not an organisation or a bare text."""
        values = (value for value in as_list(node.get(key))[:1] if isinstance(value, dict))
        return any("person" in entity_types(self.resolved(value)) for value in values)

    def is_entity(self, node: Node, key: str) -> bool:
        """Whether a property of a node holds entities, not bare texts."""
        return any(isinstance(value, dict) for value in as_list(node.get(key))[:1])

    def address(self, node: Node, key: str) -> str | None:
        """Return the first address that a property of a node holds."""
        for value in as_list(node.get(key))[:1]:
            found = value.get("url") if isinstance(value, dict) else value
            found = found[0] if isinstance(found, list) and found else found
            if isinstance(found, str):
                return found.strip() or None
        return None

    def _text(self, value: object) -> str | None:
        if isinstance(value, dict):
            value = self.resolved(value)
            value = value.get("name") or value.get("@value")
            value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str):
            return collapse_spaces(unescape(_UNREADABLE.sub(" ", value[:_LONGEST]))) or None
        return None

    def resolved(self, node: Node) -> Node:
        """Return the node that an `@id` stands for, or the node itself."""
        name = node.get("@id")
        if isinstance(name, str) and "name" not in node:
            return self.named.get(name, node)
        return node


def read_jsonld(bodies: Iterable[bytes]) -> JsonLd:
    """Read the bodies of JSON-LD scripts; what is broken is read as far as it can be."""
    budget = _MOST_BYTES
    values: list[object] = []
    for body in bodies:
        if len(body) > budget:
            continue
        budget -= len(body)
        values.append(loaded(body.removesuffix(b"</script>").decode("utf-8", "replace")))
    return entities(values)


def loaded(text: str) -> object:
    """Return a JSON text as Python data; of a broken one the fields that are looked for."""
    text = text.strip().removesuffix(";")
    try:
        return json.loads(text, strict=False)
    except (ValueError, RecursionError):
        values = sequence(repaired(text))
    if values:
        return values
    node: Node = {}
    for key, value in _FIELD.findall(text):
        node.setdefault(key, value)
    author = author_in(text)
    if author:
        node["author"] = author
    return node


def author_in(text: str) -> str | None:
    """Return the first author that a broken JSON text names."""
    place = text.find('"author"')
    for _ in range(_MOST_AUTHORS):
        if place < 0:
            return None
        if found := _AUTHOR.match(text, place):
            return found[1]
        place = text.find('"author"', place + 1)
    return None


def repaired(text: str) -> str:
    """Return a JSON text without what people most often put into it by mistake."""
    text = _WRAPPING.sub("", text)
    first = min((place for place in (text.find("{"), text.find("[")) if place >= 0), default=0)
    last = max(text.rfind("}"), text.rfind("]")) + 1
    return _TRAILING_COMMA.sub(r"\1", text[first:last])


def sequence(text: str) -> list[object]:
    """Return the values of JSON texts that follow each other, as far as they can be read."""
    decoder = json.JSONDecoder(strict=False)
    values: list[object] = []
    place = 0
    while place < len(text) and len(values) < _MOST_NODES:
        try:
            value, place = decoder.raw_decode(text, place)
        except (ValueError, RecursionError):
            break
        values.append(value)
        between = _BETWEEN.match(text, place)
        place = between.end() if between else place
    return values


def entities(values: Iterable[object]) -> JsonLd:
    """Walk from the roots to the entities that describe the page itself, and index the named."""
    queue = deque(values)
    nodes: list[Node] = []
    for _ in range(_MOST_STEPS):
        if not queue or len(nodes) >= _MOST_NODES:
            break
        value = queue.popleft()
        if isinstance(value, list):
            queue.extend(value[:_MOST_NODES])
        elif isinstance(value, dict):
            if "@graph" not in value or len(value) > 2:
                nodes.append(value)
            queue.extend(value[step] for step in _STEPS if step in value)
    named: dict[str, Node] = {}
    for node in nodes:
        for value in (node, *(item for part in node.values() for item in as_list(part)[:9])):
            if isinstance(value, dict) and "name" in value and isinstance(value.get("@id"), str):
                named.setdefault(value["@id"], value)
    return JsonLd(tuple(nodes), named)


def entity_types(node: Node) -> list[str]:
    """Return the types of a node in lower case."""
    found = as_list(node.get("@type"))[:_MOST_VALUES]
    return [kind.lower() for kind in found if isinstance(kind, str)]


def rank(node: Node) -> int:
    """Return how likely a page is about a node of its type; 0 is best."""
    kinds = entity_types(node)
    for place, endings in enumerate(_MAIN):
        if any(kind.endswith(endings) for kind in kinds):
            return place
    return len(_MAIN)


def as_list(value: object) -> list[Any]:
    """Return a value, or the values of a list, as a list."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def is_question(node: Node) -> bool:
    """Whether a node is a question, of a forum or of a list of such."""
    return any(kind.endswith(_QUESTION) for kind in entity_types(node))


def _place(pair: tuple[tuple[int, bool], Node]) -> tuple[int, bool]:
    return pair[0]
