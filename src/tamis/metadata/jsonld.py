"""JSON-LD: the entities in a page's scripts that describe the page.

`read_jsonld` parses the scripts, repairs what people often get wrong, and collects the entities.
Work is bounded, whatever the scripts contain.
"""

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

_DECODER: Final = json.JSONDecoder(strict=False)
_MAX_BYTES: Final = 1_000_000
_MAX_ENTITIES: Final = 500
_MAX_STEPS: Final = 5_000
_MAX_VALUES: Final = 20
_MAX_TEXT_CHARS: Final = 2_000
_MAX_AUTHOR_TRIES: Final = 20  # occurrences of "author" that are tried in broken JSON

Entity = dict[str, Any]

# What a page can be about, best first. A type matches by its ending: NewsArticle, LiveBlogPosting.
_MAIN_TYPES: Final = tuple(
    tuple(endings.split())
    for endings in (
        "article posting report recipe howto question",
        "product productgroup event course videoobject book movie softwareapplication service "
        "review podcastepisode dataset creativework",
        "webpage page",
    )
)
_PATHS_TO_ENTITIES: Final = ("@graph", "mainEntity", "mainEntityOfPage")
_FIELD: Final = re.compile(
    r'"(@type|headline|name|datePublished|dateCreated|dateModified|inLanguage|description)"'
    r'\s{0,20}:\s{0,20}"([^"\\\n]{1,500})"(?=\s{0,20}[,}\]])'
)
_AUTHOR: Final = re.compile(
    r'"author"\s{0,20}:\s{0,20}(?:\[\s{0,20})?'
    r'(?:\{[^{}]{0,300}?"name"\s{0,20}:\s{0,20})?"([^"\\\n]{1,200})"'
)
_WRAPPING: Final = re.compile(r"(?://|/\*)?\s?(?:<!\[CDATA\[|\]\]>|<!--|-->)\s?(?:\*/)?")
_BETWEEN: Final = re.compile(r"[\s,;]*")
_UNREADABLE: Final = re.compile("[\x00-\x1f\x7f\ud800-\udfff]")
_TRAILING_COMMA: Final = re.compile(r",\s*([}\]])")


@dataclass(frozen=True, eq=False)
class JsonLd:
    """The top-level entities of a page's JSON-LD, and all named entities by their `@id`."""

    entities: tuple[Entity, ...]
    by_id: dict[str, Entity]

    @cached_property
    def main_entities(self) -> list[Entity]:
        """The entities that the page may be about, most likely first."""
        types = [entity_types(entity) for entity in self.entities]
        is_question = [_are_of_questions(names) for names in types]
        # Several questions are an FAQ beside the text, not what the page is about.
        keeps_questions = sum(is_question) == 1
        ranked = [
            (_rank_types(names), is_asked, entity)
            for names, is_asked, entity in zip(types, is_question, self.entities, strict=True)
            if keeps_questions or not is_asked
        ]
        ranked.sort(key=lambda item: item[:2])
        return [entity for rank, _, entity in ranked if rank < len(_MAIN_TYPES)]

    def first_of_type(self, *endings: str) -> Entity | None:
        """Return the first entity whose type, in lower case, has one of these endings."""
        for entity in self.entities:
            if any(name.endswith(endings) for name in entity_types(entity)):
                return entity
        return None

    def texts(self, entity: Entity, key: str) -> list[str]:
        """Return the texts of a property, or the names of the entities in it."""
        texts = (self._text(value) for value in as_list(entity.get(key))[:_MAX_VALUES])
        return [text for text in texts if text]

    def text(self, entity: Entity | None, key: str) -> str | None:
        """Return the first text of a property."""
        texts = self.texts(entity, key) if entity else []
        return texts[0] if texts else None

    def is_person(self, entity: Entity, key: str) -> bool:
        """Say whether a property holds a person, not an organisation or a plain text."""
        values = (value for value in as_list(entity.get(key))[:1] if isinstance(value, dict))
        return any("person" in entity_types(self._resolve(value)) for value in values)

    def is_entity(self, entity: Entity, key: str) -> bool:
        """Say whether a property holds entities, not plain texts."""
        return any(isinstance(value, dict) for value in as_list(entity.get(key))[:1])

    def url(self, entity: Entity, key: str) -> str | None:
        """Return the URL that a property holds first."""
        for value in as_list(entity.get(key))[:1]:
            url = value.get("url") if isinstance(value, dict) else value
            url = url[0] if isinstance(url, list) and url else url
            if isinstance(url, str):
                return url.strip() or None
        return None

    def _text(self, value: object) -> str | None:
        """Return a text, or the name of an entity, on one line."""
        if isinstance(value, dict):
            value = self._resolve(value)
            value = value.get("name") or value.get("@value")
            value = value[0] if isinstance(value, list) and value else value
        if isinstance(value, str):
            text = unescape(_UNREADABLE.sub(" ", value[:_MAX_TEXT_CHARS]))
            return collapse_spaces(text) or None
        return None

    def _resolve(self, entity: Entity) -> Entity:
        """Return the entity that an `@id` refers to, or the entity itself."""
        identifier = entity.get("@id")
        if isinstance(identifier, str) and "name" not in entity:
            return self.by_id.get(identifier, entity)
        return entity


def read_jsonld(scripts: Iterable[bytes]) -> JsonLd:
    """Return the JSON-LD in the bodies of scripts; broken ones are read as far as possible."""
    bytes_left = _MAX_BYTES
    values: list[object] = []
    for script in scripts:
        if len(script) > bytes_left:
            continue
        bytes_left -= len(script)
        values.append(_parse_json(script.removesuffix(b"</script>").decode("utf-8", "replace")))
    return _collect_entities(values)


def entity_types(entity: Entity) -> list[str]:
    """Return the types of an entity in lower case."""
    types = as_list(entity.get("@type"))[:_MAX_VALUES]
    return [name.lower() for name in types if isinstance(name, str)]


def type_rank(entity: Entity) -> int:
    """Return how likely a page is about an entity of this type; 0 is most likely."""
    return _rank_types(entity_types(entity))


def _rank_types(types: Iterable[str]) -> int:
    """Return how likely a page is about an entity of these types; 0 is most likely."""
    for rank, endings in enumerate(_MAIN_TYPES):
        for name in types:
            if name.endswith(endings):
                return rank
    return len(_MAIN_TYPES)


def as_list(value: object) -> list[Any]:
    """Return a list as it is, None as an empty list, and any other value as a list of one."""
    if value is None:
        return []
    return value if isinstance(value, list) else [value]


def _are_of_questions(types: Iterable[str]) -> bool:
    """Say whether these are the types of a question, of a forum or of an FAQ."""
    return any(name.endswith("question") for name in types)


def _parse_json(text: str) -> object:
    """Return JSON as Python data; of broken JSON, the fields that metadata needs."""
    text = text.strip().removesuffix(";")
    try:
        return _DECODER.decode(text)
    except (ValueError, RecursionError):
        values = _parse_sequence(_repair_json(text))
    if values:
        return values
    entity: Entity = {}
    for key, value in _FIELD.findall(text):
        entity.setdefault(key, value)
    author = _find_author(text)
    if author:
        entity["author"] = author
    return entity


def _find_author(text: str) -> str | None:
    """Return the first author in broken JSON."""
    offset = text.find('"author"')
    for _ in range(_MAX_AUTHOR_TRIES):
        if offset < 0:
            return None
        if match := _AUTHOR.match(text, offset):
            return match[1]
        offset = text.find('"author"', offset + 1)
    return None


def _repair_json(text: str) -> str:
    """Return JSON without comments, CDATA marks, trailing commas and text around it."""
    text = _WRAPPING.sub("", text)
    starts = (text.find("{"), text.find("["))
    first = min((offset for offset in starts if offset >= 0), default=0)
    last = max(text.rfind("}"), text.rfind("]")) + 1
    return _TRAILING_COMMA.sub(r"\1", text[first:last])


def _parse_sequence(text: str) -> list[object]:
    """Return JSON values that follow each other, up to the first that is broken."""
    values: list[object] = []
    offset = 0
    while offset < len(text) and len(values) < _MAX_ENTITIES:
        try:
            value, offset = _DECODER.raw_decode(text, offset)
        except (ValueError, RecursionError):
            break
        values.append(value)
        between = _BETWEEN.match(text, offset)
        offset = between.end() if between else offset
    return values


def _collect_entities(values: Iterable[object]) -> JsonLd:
    """Return the entities that describe the page itself, and the index of named entities."""
    queue = deque(values)
    entities: list[Entity] = []
    for _ in range(_MAX_STEPS):
        if not queue or len(entities) >= _MAX_ENTITIES:
            break
        value = queue.popleft()
        if isinstance(value, list):
            queue.extend(value[:_MAX_ENTITIES])
        elif isinstance(value, dict):
            if "@graph" not in value or len(value) > 2:
                entities.append(value)
            queue.extend(value[key] for key in _PATHS_TO_ENTITIES if key in value)
    by_id: dict[str, Entity] = {}
    for entity in entities:
        parts = (part for value in entity.values() for part in as_list(value)[:9])
        for value in (entity, *parts):
            if isinstance(value, dict) and "name" in value and isinstance(value.get("@id"), str):
                by_id.setdefault(value["@id"], value)
    return JsonLd(tuple(entities), by_id)
