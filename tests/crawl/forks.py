"""Crawls in processes that start at once: forks of one that has imported everything.

A crawl needs a process of its own, for its reactor. Importing what it needs takes seconds, and so
does starting workers; with forks, and threads that read pages instead of workers, a test may start
many, and kill them. Run as a script, this is the process that is forked.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import traceback
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import IO, Any, Self

from tamis.crawl import HostSummary, Summary


@dataclass
class Run:
    """A crawl that was started."""

    forks: Forks
    pid: int
    out: Path

    def kill(self, number: int = signal.SIGKILL) -> None:
        os.kill(self.pid, number)

    def wait(self) -> int:
        """Return the exit code, negative for a signal."""
        return int(self.forks.ask(wait=self.pid)["status"])

    def summary(self) -> Summary:
        """Wait for the end, and return the summary."""
        status = self.wait()
        result: dict[str, Any] = json.loads(self.out.read_text() or "{}")
        assert "error" not in result, result["traceback"]
        assert status == 0
        hosts = [HostSummary(**{**h, "reasons": Counter(h["reasons"])}) for h in result["hosts"]]
        return Summary(
            tuple(result["addresses"]),
            hosts,
            fetched=result["fetched"],
            is_interrupted=result["is_interrupted"],
        )


class Forks:
    """The process that is forked, for as long as tests need it."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._process = subprocess.Popen(
            [sys.executable, __file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        self._count = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for stream in (self._process.stdin, self._process.stdout):
            assert stream is not None
            stream.close()
        self._process.wait()
        self._folder.cleanup()

    def ask(self, **request: Any) -> dict[str, Any]:
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps(request), file=self._process.stdin, flush=True)
        answer: dict[str, Any] = json.loads(self._process.stdout.readline())
        return answer

    def start(
        self, address: str | list[str], store: str | Path, setup: str = "", **settings: Any
    ) -> Run:
        """Start a crawl; `setup` is code that its process runs before."""
        self._count += 1
        out = Path(self._folder.name) / f"{self._count}.json"
        out.write_text("")
        chosen = {"delay": 0, "allow_private": True, "backoff": 0.02, **settings}
        addresses = [address] if isinstance(address, str) else address
        chosen |= {"addresses": addresses, "store": str(store)}
        answer = self.ask(settings=chosen, out=str(out), setup=setup)
        return Run(self, answer["pid"], out)

    def run(self, address: str | list[str], store: str | Path, **settings: Any) -> Summary:
        """Run a crawl, and return its summary."""
        return self.start(address, store, **settings).summary()


# In the process that is forked ------------------------------------------------------------------


@dataclass
class ThreadPool:
    """Reads pages in a thread, with the methods of a `Pool` that a session uses."""

    factory: Callable[[], Callable[[Any], Any]]
    executor: ThreadPoolExecutor = field(default_factory=lambda: ThreadPoolExecutor(1))

    def start(self) -> None:
        pass

    def submit(self, task: Any) -> Future[Any]:
        return self.executor.submit(self._run, task)

    def _run(self, task: Any) -> Any:
        from tamis.workers import Outcome

        try:
            return Outcome(task, self.factory()(task))
        except Exception as error:
            return Outcome(task, error=str(error), kind=type(error).__name__)

    def close(self) -> None:
        self.executor.shutdown(cancel_futures=True)


def run_child(request: dict[str, Any]) -> None:
    import tamis.crawl.worker_pools
    from tamis.crawl import CrawlSettings, make_reader, run_crawl

    reader = make_reader()
    module: Any = tamis.crawl.worker_pools
    module.Pool = lambda factory, **_: ThreadPool(lambda: reader)
    exec(request["setup"], {})
    try:
        values = {**request["settings"], "addresses": tuple(request["settings"]["addresses"])}
        summary = run_crawl(CrawlSettings(**values))
        result = {**summary.as_dict(), "is_interrupted": summary.is_interrupted}
    except Exception as error:
        message = f"{type(error).__name__}: {error}"
        result = {"error": message, "traceback": traceback.format_exc()}
    Path(request["out"]).write_text(json.dumps(result))


def handle(request: dict[str, Any], out: IO[str]) -> None:
    if "wait" in request:
        _, status = os.waitpid(request["wait"], 0)
        print(json.dumps({"status": os.waitstatus_to_exitcode(status)}), file=out, flush=True)
        return
    pid = os.fork()
    if pid:
        print(json.dumps({"pid": pid}), file=out, flush=True)
        return
    try:
        run_child(request)
    except BaseException:
        traceback.print_exc()
        os._exit(1)
    os._exit(0)


def main() -> None:
    import tamis
    import tamis.crawl.engine
    import tamis.crawl.reader

    tamis.extract("<p>Load the model before the first fork.").text  # noqa: B018
    for line in sys.stdin:
        handle(json.loads(line), sys.stdout)


if __name__ == "__main__":
    main()
