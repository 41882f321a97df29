"""Where bytes come from: files, folders, patterns, lists, archives, standard input and URLs.

`expand_inputs` turns what the user names into inputs, cheaply; `read_input` turns one input into a
source, and `read_pages` turns inputs into all their pages, including those of archives.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from tamis.lazy import defer_imports
from tamis.source.compression import gunzip, inflate
from tamis.source.fetch import MAX_BYTES, MAX_REDIRECTS, TIMEOUT, Fetch
from tamis.source.files import binary_kind, unpack_page
from tamis.source.sources import Failure, Input, Skipped, SkipReason, Source, printable_name

if TYPE_CHECKING:
    from tamis.source import transport
    from tamis.source.archives import is_archive, read_archive, read_archive_file
    from tamis.source.inputs import expand_inputs, is_list, read_input, read_list, read_pages
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
    "SkipReason",
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
    "read_archive_file",
    "read_input",
    "read_list",
    "read_pages",
    "resolve_host",
    "transport",
    "unpack_page",
]

# The transport needs an HTTP client, which takes longer to load than most extractions take.
_import_name = defer_imports(
    __name__,
    {
        "archives": "is_archive read_archive read_archive_file",
        "inputs": "expand_inputs is_list read_input read_list read_pages",
        "transport": "Deadline GuardedTransport is_public resolve_host",
    },
)


def __getattr__(name: str) -> object:
    """Return a name, or the transport, which are loaded when they are first used."""
    return import_module("tamis.source.transport") if name == "transport" else _import_name(name)
