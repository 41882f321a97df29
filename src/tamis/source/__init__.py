"""Where bytes come from: files, folders, patterns, lists, archives, standard input and URLs.

`locate` turns what the user typed into places, cheaply; `read` turns one place into bytes, and
`pages` turns places into all their pages, those of archives too. A place can be sent to another
process, so that the reading can be spread.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tamis.source.archives import is_archive, read_archive
from tamis.source.fetch import MAX_BYTES, MAX_REDIRECTS, TIMEOUT, Fetch
from tamis.source.files import (
    Failure,
    Input,
    Reason,
    Skipped,
    Source,
    binary_kind,
    gunzip,
    inflate,
    printable_name,
)
from tamis.source.inputs import expand_inputs, is_list, read_input, read_list, read_pages

if TYPE_CHECKING:
    from tamis.source import transport
    from tamis.source.transport import Deadline, GuardedTransport, is_public, resolve_host

__all__ = [
    "MAX_BYTES",
    "MAX_REDIRECTS",
    "TIMEOUT",
    "Deadline",
    "Failure",
    "Fetch",
    "GuardedTransport",
    "Input",
    "Reason",
    "Skipped",
    "Source",
    "binary_kind",
    "expand_inputs",
    "gunzip",
    "inflate",
    "is_archive",
    "is_list",
    "is_public",
    "printable_name",
    "read_archive",
    "read_input",
    "read_list",
    "read_pages",
    "resolve_host",
    "transport",
]

# These load an HTTP client, which takes longer than most extractions.
_LATER = frozenset({"Deadline", "GuardedTransport", "is_public", "resolve_host"})


def __getattr__(name: str) -> object:
    """Return a name of the transport, which is loaded when it is first used."""
    if name not in _LATER:
        raise AttributeError(f"module 'tamis.source' has no attribute {name!r}")
    return getattr(import_module("tamis.source.transport"), name)
