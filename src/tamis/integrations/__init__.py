"""tamis in the contracts of other libraries: each module is named for the library it is for.

A module needs its library (an extra of the same name), and is imported when it is first used.
Scrapy's item pipeline and mixin are in `tamis.crawl`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tamis.integrations import haystack, langchain, llama_index, pandas, trafilatura

__all__ = ["haystack", "langchain", "llama_index", "pandas", "trafilatura"]


def __getattr__(name: str) -> object:
    """Return the module for a library, imported when it is first used."""
    if name not in __all__:
        raise AttributeError(f"module 'tamis.integrations' has no attribute {name!r}")
    return import_module(f"tamis.integrations.{name}")
