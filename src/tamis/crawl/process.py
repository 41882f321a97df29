"""`crawl()`: a crawl in a process of its own, for programs.

Scrapy's reactor runs once in a process and wants its main thread and its signals. So the crawl
runs in another process, which ends with the one that started it, and a program may crawl as
often as it likes.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from typing import IO, Any, Final

from tamis import errors
from tamis.crawl.settings import (
    CrawlSettings,
    settings_from_json,
    settings_to_json,
    start_addresses,
)
from tamis.crawl.summary import Counts, HostSummary, Summary

# Ctrl-C ends a crawl that has not begun yet without a traceback.
_CODE: Final = (
    "import signal; signal.signal(signal.SIGINT, signal.SIG_DFL); "
    "from tamis.crawl.process import run_for_parent; run_for_parent()"
)


def crawl(
    addresses: str | Sequence[str],
    store: str | os.PathLike[str],
    *,
    on_progress: Callable[[Counts], None] | None = None,
    **settings: Any,
) -> Summary:
    """Crawl from addresses into a store, and return what came of it.

    The settings are those of `CrawlSettings`: query, scope, depth, max_pages, delay, per_host,
    sitemap, javascript, warc, records, refresh, allow_private, user_agent and more. With the same
    addresses, scope and query a crawl goes on where it was. `on_progress` is called twice a second.
    After KeyboardInterrupt the crawl ends when what is in flight is done, after a second one at
    once.
    """
    chosen = CrawlSettings(start_addresses(addresses), os.fspath(store), **settings)
    process = subprocess.Popen(
        [sys.executable, "-c", _CODE],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,  # Ctrl-C is passed on below, once
    )
    assert process.stdin is not None
    assert process.stdout is not None
    interrupts = 0
    try:
        process.stdin.write(settings_to_json(chosen).encode() + b"\n")
        process.stdin.flush()
        while True:
            try:
                summary = _read_events(process.stdout, on_progress)
                break
            except KeyboardInterrupt:
                interrupts += 1
                process.send_signal(signal.SIGINT if interrupts == 1 else signal.SIGKILL)
                if interrupts > 1:
                    raise
    finally:
        process.stdin.close()  # the crawl ends with it
        process.stdout.close()
        process.wait()
    if interrupts:
        raise KeyboardInterrupt
    if summary is None:
        raise errors.TamisError(
            "the crawl ended without a word: was its process killed? Start it again"
        )
    return summary


def _read_events(stream: IO[bytes], on_progress: Callable[[Counts], None] | None) -> Summary | None:
    """Return the summary that a crawl ends with, None if there is none, or raise its error."""
    while line := stream.readline():
        event = json.loads(line)
        if "summary" in event:
            return _decode_summary(event["summary"])
        if "error" in event:
            error_class = getattr(errors, event["kind"], errors.TamisError)
            raise error_class(event["error"])
        if on_progress is not None:
            on_progress(Counts(**event["progress"]))
    return None


def _decode_summary(values: dict[str, Any]) -> Summary:
    hosts = [
        HostSummary(**{**host, "reasons": Counter(host["reasons"])}) for host in values["hosts"]
    ]
    return Summary(
        addresses=tuple(values["addresses"]),
        hosts=hosts,
        seconds=values["seconds"],
        fetched=values["fetched"],
    )


def run_for_parent() -> None:
    """Run the crawl that standard input describes; events go to standard output, as JSON."""
    from tamis.crawl.engine import run_crawl

    out = os.fdopen(os.dup(sys.stdout.fileno()), "w")
    sys.stdout = sys.stderr  # whatever prints must not be taken for an event

    def tell(**event: Any) -> None:
        print(json.dumps(event), file=out, flush=True)

    try:
        settings = settings_from_json(sys.stdin.buffer.readline())
        threading.Thread(target=_end_with_parent, daemon=True).start()
        summary = run_crawl(settings, lambda counts: tell(progress=vars(counts)))
    except errors.TamisError as error:
        tell(error=str(error), kind=type(error).__name__)
    except Exception as error:
        tell(error=f"{type(error).__name__}: {error}", kind="TamisError")
    else:
        tell(summary=summary.as_dict())


def _end_with_parent() -> None:
    """End at once when the process is gone that started this one."""
    # Not through the buffer, whose lock would be waited for at the end of the interpreter.
    while os.read(sys.stdin.fileno(), 1_024):
        pass
    os._exit(1)
