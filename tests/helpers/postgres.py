"""A PostgreSQL server of the tests' own, on a free port of this machine, in a temporary folder."""

from __future__ import annotations

import os
import pwd
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

INITDB = ("-U", "tamis", "-A", "trust", "-N", "-E", "UTF8", "--locale=C.UTF-8")
PATIENCE = 60.0  # seconds until a server that does not answer is given up


class NoServer(Exception):
    """There is no server to be had; the message says why."""


def programs() -> Path:
    """The folder of Debian's newest PostgreSQL, or of the one on the path."""
    found = sorted(
        Path("/usr/lib/postgresql").glob("*/bin"), key=lambda path: int(path.parent.name)
    )
    on_path = shutil.which("initdb")
    if not found and not on_path:
        raise NoServer("PostgreSQL is not installed: apt-get install postgresql")
    return found[-1] if found else Path(str(on_path)).resolve().parent


def unprivileged() -> str | None:
    """The user to run the server as: PostgreSQL refuses to be run by root."""
    if os.getuid() != 0:
        return None
    for name in ("postgres", "nobody"):
        try:
            return pwd.getpwnam(name).pw_name
        except KeyError:
            continue
    raise NoServer("PostgreSQL does not run as root, and there is no user to run it as")


@contextmanager
def server() -> Iterator[str]:
    """Start a server and give its URL, without a database; it is gone afterwards."""
    where, user = programs(), unprivileged()
    folder = Path(tempfile.mkdtemp(prefix="tamis-postgres-"))
    if user:
        shutil.chown(folder, user)
    try:
        made = subprocess.run(
            [where / "initdb", "-D", folder / "data", *INITDB],
            user=user,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if made.returncode:
            raise NoServer(f"initdb failed: {made.stderr.strip()}")
        port = free_port()
        options = ["-h", "127.0.0.1", "-p", str(port), "-k", str(folder), "-F"]
        with subprocess.Popen(
            [where / "postgres", "-D", folder / "data", *options],
            user=user,
            cwd=folder,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        ) as running:
            try:
                wait_for(port, running)
                yield f"postgresql://tamis@127.0.0.1:{port}"
            finally:
                running.send_signal(signal.SIGINT)  # does not wait for clients to go
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, running: subprocess.Popen[bytes]) -> None:
    import psycopg

    end = time.monotonic() + PATIENCE
    while True:
        try:
            psycopg.connect(f"postgresql://tamis@127.0.0.1:{port}/postgres").close()
            return
        except psycopg.OperationalError as error:
            if running.poll() is not None or time.monotonic() > end:
                raise NoServer(f"the server does not start: {error}") from error
            time.sleep(0.05)


def new_database(server_url: str) -> str:
    """Make an empty database and return its URL."""
    import psycopg

    name = f"t{time.monotonic_ns()}"
    with psycopg.connect(f"{server_url}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name}".encode())
    return f"{server_url}/{name}"
