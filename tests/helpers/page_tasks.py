"""A task of the command line for pages that say what is to happen to their worker."""

from __future__ import annotations

import re

import numpy

from helpers.worker_tasks import DEEDS
from tamis.cli import Outcome, PageTask
from tamis.source import Input, Source

MAX_SECONDS = 8.0  # enough for a good page on a busy machine
LARGE = 3 << 30  # bytes: more than a worker may have, less than a system gives without a limit


class BadPageTask(PageTask):
    """Does what a page says in `<!-- do: … -->`, and extracts it if that has no end of its own."""

    max_seconds = MAX_SECONDS

    def process(self, source: Source, page_input: Input | None) -> Outcome:
        deed = re.search(rb"<!-- do: ([\w.]+) -->", source.data)
        name = deed[1].decode() if deed else ""
        if name == "large":
            numpy.empty(LARGE, numpy.uint8)  # reserved, not used
        elif name == "impossible":
            raise MemoryError
        elif name:
            DEEDS[name](name)
        return super().process(source, page_input)
