"""Peers that run in processes of their own: in Node, or in another Python.

Each has one long-lived process that answers line by line.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

from tamis.errors import TamisError, Unavailable

_NODE_SCRIPT: Final = Path(__file__).with_name("peers.mjs")
_PYTHON_SCRIPT: Final = Path(__file__).with_name("rs_trafilatura_peer.py")
# Peers in Node, and the packages that they need. The first has the version that counts.
NODE_PEERS: Final[Mapping[str, tuple[str, ...]]] = {
    "readability.js": ("@mozilla/readability", "jsdom"),
    "defuddle": ("defuddle", "jsdom"),
}
RS_TRAFILATURA: Final = "rs-trafilatura"
PROCESS_PEERS: Final = (*NODE_PEERS, RS_TRAFILATURA)
_INSTALL: Final = (
    "npm install @mozilla/readability defuddle jsdom, and set TAMIS_NODE_MODULES to the "
    "node_modules folder unless it is in the current folder"
)
_PYTHON_VARIABLE: Final = "TAMIS_RS_TRAFILATURA_PYTHON"
_PROBE: Final = "from importlib.metadata import version; print(version('rs-trafilatura'))"
_PROBE_SECONDS: Final = 60.0


class Ask(Protocol):
    """What sends pages to a process that answers."""

    def __call__(self, html: str, url: str | None = None) -> tuple[str, float]:
        """Return the content of a page, and the seconds that it took."""


class PeerFailed(TamisError):
    """A peer could not read a page."""


@dataclass(frozen=True)
class ProcessPeer:
    """A peer that can be run: the command of a process that answers line by line."""

    name: str
    command: tuple[str, ...]
    version: str


def find_process_peer(name: str) -> ProcessPeer:
    """Return how a peer is run; raises Unavailable where it is not installed."""
    return _find_rs_trafilatura() if name == RS_TRAFILATURA else _find_node_peer(name)


def _find_node_peer(name: str) -> ProcessPeer:
    """Return how a peer in Node is run."""
    program = shutil.which("node")
    if program is None:
        raise Unavailable(f"{name} runs in Node: install Node 20 or newer, then {_INSTALL}")
    modules = Path(os.environ.get("TAMIS_NODE_MODULES") or "node_modules").resolve()
    versions = []
    for package in NODE_PEERS[name]:
        try:
            about = json.loads((modules / package / "package.json").read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise Unavailable(f"{name} is not installed ({package} is missing): {_INSTALL}") from (
                error
            )
        versions.append(f"{package} {about.get('version')}")
    versions.append("linkedom" if (modules / "linkedom").is_dir() else "no linkedom")
    done = subprocess.run([program, "--version"], capture_output=True, text=True, check=False)
    command = (program, str(_NODE_SCRIPT), name, str(modules))
    return ProcessPeer(name, command, f"{', '.join(versions)}, node {done.stdout.strip()}")


def _find_rs_trafilatura() -> ProcessPeer:
    """Return how rs-trafilatura is run, in this Python or in the one that a variable names.

    It has wheels for some versions of Python only.
    """
    python = os.environ.get(_PYTHON_VARIABLE) or sys.executable
    try:
        done = subprocess.run(
            [python, "-c", _PROBE],
            capture_output=True,
            text=True,
            check=True,
            timeout=_PROBE_SECONDS,
        )
    except (OSError, subprocess.SubprocessError) as error:
        raise Unavailable(
            f"{RS_TRAFILATURA} is not installed: install that package with pip and Python 3.12, "
            f"and set {_PYTHON_VARIABLE} to that python unless it is this one"
        ) from error
    version = f"{RS_TRAFILATURA} {done.stdout.strip()}"
    return ProcessPeer(RS_TRAFILATURA, (python, str(_PYTHON_SCRIPT)), version)


class PeerProcess:
    """A peer at work. A process that was cut off in the middle of a page is started anew."""

    def __init__(self, peer: ProcessPeer) -> None:
        self.peer = peer
        self.process: subprocess.Popen[bytes] | None = None

    @contextmanager
    def running(self) -> Iterator[Ask]:
        """Give a function from HTML to the content and the seconds it took."""
        try:
            yield self.ask
        finally:
            self.stop()

    def ask(self, html: str, url: str | None = None) -> tuple[str, float]:
        """Send a page and wait for the answer."""
        process = self.process or self.start()
        try:
            answer = _exchange(process, {"html": html, "url": url})
        except BaseException:  # also a time-out: the answer would come to the next question
            self.stop()
            raise
        if "error" in answer:
            raise PeerFailed(str(answer["error"]))
        return str(answer["content"]), float(str(answer["seconds"]))

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process, and wait until it has loaded everything."""
        self.process = subprocess.Popen(
            self.peer.command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,  # Ctrl-C is for us, who then end it
        )
        _exchange(self.process, {"html": "<p>Hello</p>", "url": None})
        return self.process

    def stop(self) -> None:
        """End the process."""
        process, self.process = self.process, None  # first: ending it may be cut off as well
        if process is not None:
            process.kill()
            process.communicate()


def _exchange(
    process: subprocess.Popen[bytes], question: dict[str, str | None]
) -> dict[str, object]:
    """Send a line and return the answer."""
    assert process.stdin is not None
    assert process.stdout is not None
    process.stdin.write(json.dumps(question).encode() + b"\n")
    process.stdin.flush()
    line = process.stdout.readline()
    if not line:
        raise PeerFailed("its process ended")
    answer: dict[str, object] = json.loads(line)
    return answer
