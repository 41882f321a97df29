"""Peers that run in Node: one long-lived process that answers line by line."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tamis.errors import TamisError, Unavailable

SCRIPT: Final = Path(__file__).with_name("peers.mjs")
# Peers, and the packages that they need. The first has the version that counts.
PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    "readability.js": ("@mozilla/readability", "jsdom"),
    "defuddle": ("defuddle", "jsdom"),
}
INSTALL: Final = (
    "npm install @mozilla/readability defuddle jsdom, and set TAMIS_NODE_MODULES to the "
    "node_modules folder unless it is in the current folder"
)

Ask = Callable[[str], tuple[str, float]]


class PeerFailed(TamisError):
    """A peer could not read a page."""


@dataclass(frozen=True)
class Installed:
    """A peer that can be run."""

    name: str
    node: str
    modules: Path
    version: str


def installed(name: str) -> Installed:
    """Return where Node and the packages of a peer are; raises Unavailable where they are not."""
    program = shutil.which("node")
    if program is None:
        raise Unavailable(f"{name} runs in Node: install Node 20 or newer, then {INSTALL}")
    modules = Path(os.environ.get("TAMIS_NODE_MODULES") or "node_modules").resolve()
    versions = []
    for package in PEERS[name]:
        try:
            about = json.loads((modules / package / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Unavailable(f"{name} is not installed ({package} is missing): {INSTALL}") from (
                error
            )
        versions.append(f"{package} {about.get('version')}")
    versions.append("linkedom" if (modules / "linkedom").is_dir() else "no linkedom")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    return Installed(name, program, modules, f"{', '.join(versions)}, node {done.stdout.strip()}")


class Process:
    """A peer at work. A process that was cut off in the middle of a page is started anew."""

    def __init__(self, peer: Installed) -> None:
        self.peer = peer
        self.process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def running(self) -> Iterator[Ask]:
        """Give a function from HTML to the HTML of its content and the seconds it took."""
        try:
            yield self.ask
        finally:
            self.stop()

    def ask(self, html: str) -> tuple[str, float]:
        """Send a page and wait for the answer."""
        process = self.process or self.start()
        try:
            answer = exchange(process, {"html": html})
        except BaseException:  # also a time-out: the answer would come to the next question
            self.stop()
            raise
        if "error" in answer:
            raise PeerFailed(str(answer["error"]))
        return str(answer["html"]), float(str(answer["seconds"]))

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process, and wait until it has loaded everything."""
        self.process = subprocess.Popen(
            [self.peer.node, str(SCRIPT), self.peer.name, str(self.peer.modules)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us, who then end it
        )
        exchange(self.process, {"html": "<p>Hello</p>"})
        return self.process

    def stop(self) -> None:
        """End the process."""
        process, self.process = self.process, None  # first: ending it may be cut off as well
        if process is not None:
            process.kill()
            process.communicate()


def exchange(process: subprocess.Popen[bytes], question: dict[str, str]) -> dict[str, object]:
    """Send a line and return the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(question).encode() + b"\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise PeerFailed("the Node process ended")
    answer: dict[str, object] = json.loads(line)
    return answer
