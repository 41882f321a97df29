"""Document → plain data for JSON."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from tamis.printing import encoded_address

if TYPE_CHECKING:
    from tamis.content.document import Document


def json(document: Document, *, blocks: bool = True) -> dict[str, Any]:
    """Return a document with its text and, if asked for, all its blocks as plain data.

    A block's `span` is its place in the page's normalised source, in bytes of UTF-8; its `xpath`
    leads to the element that it is, or lies in.
    """
    page = document.page
    data: dict[str, Any] = {
        "url": None if page.url is None else encoded_address(page.url),
        "encoding": page.encoding,
        "method": document.method,
        "page_type": document.page_type,
        "confidence": document.confidence,
        "status": document.status,
        "capped": list(page.capped),
        "metadata": {**asdict(document.metadata), "tags": list(document.metadata.tags)},
        "text": document.text,
    }
    if blocks:
        described, budget = document.blocks, document.budget
        with budget.spending("describing the blocks"):
            data["blocks"] = [block.as_dict() for block in budget.watch(described)]
    return data
