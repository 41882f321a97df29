"""The requests in docs/serve.md are sent, and must be answered as they are there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click import Context

from serve.servers import ROOT, ServerProcess
from tamis.cli import tamis

REQUEST = re.compile(r"^```sh\n(curl .*?)^```\n\n```text\n(.*?)^```", re.MULTILINE | re.DOTALL)
PAGE = (ROOT / "docs" / "serve.md").read_text(encoding="utf-8")


def matches(expected: str, printed: str) -> bool:
    """Say whether a text is the expected one, in which `…` stands for anything."""
    parts = map(re.escape, expected.strip().split("…"))
    return re.fullmatch(".*".join(parts), printed.strip(), re.DOTALL) is not None


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_requests_are_answered_as_documented() -> None:
    requests = REQUEST.findall(PAGE)
    assert len(requests) >= 5
    with ServerProcess("--workers", "1", "--no-render") as running:
        environment = {**os.environ, "TAMIS_TOKEN": running.token, "no_proxy": "*"}
        for request, expected in requests:
            command = request.replace("localhost:8642", f"127.0.0.1:{running.port}")
            done = subprocess.run(
                ["sh", "-c", command],
                cwd=ROOT,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
            )
            assert done.returncode == 0, done.stderr
            assert matches(expected, done.stdout), done.stdout


def test_options_are_documented() -> None:
    from tamis.serve import ServeSettings

    settings = ServeSettings(tokens=("a-token-that-is-long",))
    assert f"`--max-body` ({settings.max_body >> 20} MB)" in PAGE
    assert f"`--queue` ({settings.max_queue} pages" in PAGE
    assert f"`--deadline` ({settings.deadline:g} s)" in PAGE
    assert f"`--memory` ({settings.memory >> 20} MB)" in PAGE
    assert f"`--per-token` ({settings.max_per_token})" in PAGE
    assert f"`--drain-timeout` ({settings.drain_timeout:g} s)" in PAGE


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd is not installed")
def test_the_unit_file_is_one(tmp_path: Path) -> None:
    """Systemd finds nothing wrong with it, once its program is there."""
    unit = (ROOT / "deploy" / "tamis.service").read_text(encoding="utf-8")
    program = tmp_path / "tamis"
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    path = tmp_path / "tamis.service"
    path.write_text(unit.replace("/opt/tamis/bin/tamis serve", f"{program} serve"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", str(path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert "tamis.service" not in done.stderr, done.stderr


def test_the_deployed_commands_exist() -> None:
    """The command lines of the examples have options that the command knows."""
    command = tamis.get_command(Context(tamis), "serve")
    assert command is not None
    options = {name for option in command.params for name in option.opts}
    for name in ("tamis.service", "Containerfile"):
        text = (ROOT / "deploy" / name).read_text(encoding="utf-8")
        used = set(re.findall(r"(?<!\w)--(?:host|port|sites|drain-timeout|name)\b", text))
        assert used
        assert used <= options
