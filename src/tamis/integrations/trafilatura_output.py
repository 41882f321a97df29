"""trafilatura's document, and the forms of output that it has."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import dataclass, fields
from hashlib import blake2b
from html import escape
from typing import Any, Final
from urllib.parse import urlsplit

from tamis.metadata import Metadata

_HEADER_FIELDS: Final = (
    *"title author url hostname description sitename date".split(),
    *"categories tags fingerprint id license".split(),
)
_CSV_FIELDS: Final = (
    *"url id fingerprint hostname title image date text comments license pagetype".split(),
)
_JSON_NAMES: Final = {"url": "source", "sitename": "source-hostname", "description": "excerpt"}
_LISTS: Final = ("categories", "tags")
# Words that YAML reads as something else than text.
_YAML_WORDS: Final = frozenset("true false yes no on off y n null none ~".split())


@dataclass(slots=True)
class Document:
    """What trafilatura says about a page; `body` and `commentsbody` are trees there, None here."""

    title: str | None = None
    author: str | None = None
    url: str | None = None
    hostname: str | None = None
    description: str | None = None
    sitename: str | None = None
    date: str | None = None
    categories: list[str] | None = None
    tags: list[str] | None = None
    fingerprint: str | None = None
    id: str | None = None
    license: str | None = None
    body: None = None
    comments: str | None = None
    commentsbody: None = None
    raw_text: str | None = None
    text: str | None = None
    language: str | None = None
    image: str | None = None
    pagetype: str | None = None
    filedate: str | None = None

    def as_dict(self) -> dict[str, Any]:
        """Return the document as a dict."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


def describe_page(metadata: Metadata, url: str | None, page_type: str | None) -> Document:
    """Return the metadata of a page under trafilatura's names."""
    address = metadata.url or url
    return Document(
        title=metadata.title,
        author=metadata.author,
        url=address,
        hostname=_host_name(address),
        description=metadata.description,
        sitename=metadata.site_name,
        date=metadata.date,
        categories=[],
        tags=list(metadata.tags),
        language=metadata.language,
        image=metadata.image,
        pagetype=page_type,
    )


def hash_content(title: str | None, text: str) -> str:
    """Return a hash of a title and a text, of as many digits as trafilatura's."""
    return blake2b(f"{title} {text}".encode("utf-8", "replace"), digest_size=8).hexdigest()


def render_header(document: Document) -> str:
    """Return the metadata as a YAML header."""
    lines = [
        f"{name}: {_yaml_value(value)}\n"
        for name in _HEADER_FIELDS
        if (value := getattr(document, name))
    ]
    return "".join(["---\n", *lines, "---\n"])


def render_json(document: Document, *, with_metadata: bool) -> str:
    """Return the text as JSON, with the metadata under the names that trafilatura has there."""
    texts = {"text": document.text, "comments": document.comments or ""}
    metadata = document.as_dict() if with_metadata else {}
    values = {
        _JSON_NAMES.get(name, name): ";".join(value or ()) if name in _LISTS else value
        for name, value in metadata.items()
        if name not in ("body", "commentsbody", *texts)
    }
    return json.dumps({**values, **texts}, ensure_ascii=False)


def render_csv(document: Document) -> str:
    """Return the document as a row of values between tabs, null where there is none."""
    output = io.StringIO()
    values = (getattr(document, name) or "null" for name in _CSV_FIELDS)
    csv.writer(output, delimiter="\t").writerow(values)
    return output.getvalue()


def render_html(document: Document, *, with_metadata: bool) -> str:
    """Return the text, which is HTML, as a page with the metadata in its head."""
    head = ""
    if with_metadata:
        head = "".join(
            f'<meta name="{name}" content="{escape(_join_values(value))}">\n'
            for name in _HEADER_FIELDS
            if (value := getattr(document, name))
        )
        head = f"<head>\n{head}</head>\n"
    return f"<html>\n{head}<body>\n{document.text}\n</body>\n</html>"


def _join_values(value: str | list[str]) -> str:
    """Return a value, or several as one text."""
    return value if isinstance(value, str) else ";".join(value)


def _yaml_value(value: str | list[str]) -> str:
    """Return a value as YAML reads it back; a JSON string is one of YAML as well."""
    if not isinstance(value, str):
        return json.dumps(value, ensure_ascii=False)
    is_plain = (
        value[0].isalpha()
        and value == value.strip()
        and value.isprintable()
        and not any(sign in value for sign in (": ", " #"))
        and not value.endswith(":")
        and value.lower() not in _YAML_WORDS
    )
    return value if is_plain else json.dumps(value, ensure_ascii=False)


def _host_name(url: str | None) -> str | None:
    """Return the host of a URL without `www.`."""
    try:
        host = urlsplit(url).hostname if url else None
    except ValueError:
        return None
    return host.removeprefix("www.") if host else None
