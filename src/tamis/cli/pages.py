"""Reading the pages that arguments name, for commands that work on documents themselves."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tamis.cli.method_specs import resolve_settings
from tamis.content import Document
from tamis.errors import InputError
from tamis.page import MAX_BYTES
from tamis.pipeline import extract
from tamis.source import Fetch, Input, Source, expand_inputs, read_input


def extract_single_page(argument: str, fetch: Fetch, settings: Mapping[str, Any]) -> Document:
    """Return the document of the page that an argument names."""
    _, source, page_settings = read_single_page(argument, fetch, settings)
    return extract(source.data, **page_settings)


def read_single_page(
    origin: str | Input | Source, fetch: Fetch, settings: Mapping[str, Any]
) -> tuple[Input | None, Source, dict[str, Any]]:
    """Read the page that an argument names; return its input, its source and its settings."""
    page_input = None
    if isinstance(origin, Source):
        source = origin
    else:
        page_input = find_single_input(origin) if isinstance(origin, str) else origin
        max_bytes = settings.get("max_bytes", MAX_BYTES)
        source = read_input(page_input, max_bytes=max_bytes, fetch=fetch)
    page_settings = resolve_settings(settings)
    page_settings["url"] = page_settings.get("url") or source.url
    page_settings["charset"] = page_settings.get("charset") or source.charset
    return page_input, source, page_settings


def find_single_input(argument: str) -> Input:
    """Return the input that an argument stands for; several pages are an error."""
    inputs = list(expand_inputs([argument]))
    if len(inputs) != 1:
        raise InputError(f"{argument} stands for {len(inputs)} pages; name one of them")
    if inputs[0].kind == "archive":
        raise InputError(f"{argument} is an archive of many pages; tamis extract reads them all")
    return inputs[0]
