"""Folders of browsers: nothing of them is left, however a process ends."""

from __future__ import annotations

import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers.chromium import needs_chromium
from tamis.render import (
    FOLDER_PREFIX,
    UNLOCKED_PREFIX,
    Browser,
    create_folder,
    lock_folder,
    process_tree,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="folders are not held there")

HOLD = """
import time
from tamis.render import create_folder
print(create_folder().path, flush=True)
time.sleep(60)
"""
RENDER = """
import time
from tamis.render import Browser
with Browser(timeout=60) as browser:
    browser.render("<p>a")
    print(browser.process, flush=True)
    time.sleep(60)
"""
LOOP = "<p>x<script>for (;;);</script>"


def until(condition: Callable[[], bool], seconds: float = 60) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, "it never happened"
        time.sleep(0.05)


@pytest.fixture
def temporary(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """A folder for temporary files of this process and of those that it starts."""
    tmp_path_factory.getbasetemp()  # that of the other tests is to be made elsewhere
    with tempfile.TemporaryDirectory() as folder:  # a short path: that of a socket has a limit
        monkeypatch.setattr("tempfile.tempdir", folder)
        monkeypatch.setenv("TMPDIR", folder)
        yield Path(folder)


def started(code: str, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_a_folder_is_there_until_it_is_removed(temporary: Path) -> None:
    folder = create_folder()
    assert list(temporary.iterdir()) == [Path(folder.path)]
    Path(folder.path, "file").write_text("text", encoding="utf-8")
    assert lock_folder(folder.path) is None
    folder.remove()
    assert not list(temporary.iterdir())


def test_what_a_killed_process_leaves_is_removed_by_the_next(temporary: Path) -> None:
    with started(HOLD) as killed, started(HOLD) as alive:
        assert killed.stdout is not None
        assert alive.stdout is not None
        left, kept = (Path(p.stdout.readline().strip()) for p in (killed, alive) if p.stdout)
        killed.send_signal(signal.SIGKILL)
        killed.wait()
        assert left.is_dir()
        folder = create_folder()
        assert set(temporary.iterdir()) == {kept, Path(folder.path)}
        alive.kill()
    folder.remove()


def test_what_is_not_ours_is_left_alone(temporary: Path) -> None:
    target = temporary / "target"
    target.mkdir()
    (temporary / f"{FOLDER_PREFIX}link").symlink_to(target)
    (temporary / f"{FOLDER_PREFIX}file").write_text("text", encoding="utf-8")
    before = set(temporary.iterdir())
    create_folder().remove()
    assert set(temporary.iterdir()) == before


def test_where_folders_cannot_be_held_there_is_one_all_the_same(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tamis.render.chromium.lock_folder", lambda path: None)
    folder = create_folder()
    assert [path.name.startswith(UNLOCKED_PREFIX) for path in temporary.iterdir()] == [True]
    folder.remove()
    assert not list(temporary.iterdir())


@needs_chromium
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_a_browser_removes_what_is_left_of_a_killed_one(temporary: Path) -> None:
    with started(RENDER) as process:
        assert process.stdout is not None
        browser = int(process.stdout.readline())
        # The driver's folders are in there, too; some versions of it remove them when they end.
        assert list(temporary.glob(f"{FOLDER_PREFIX}*/playwright*"))
        process.send_signal(signal.SIGKILL)
    until(lambda: not Path(f"/proc/{browser}").exists())
    assert len(list(temporary.iterdir())) == 1
    with Browser(timeout=60) as next_one:
        next_one.render("<p>b")
        assert len(list(temporary.iterdir())) == 1
    assert not list(temporary.iterdir())


@needs_chromium
@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_the_command_leaves_nothing_when_it_is_told_to_end(temporary: Path, tmp_path: Path) -> None:
    page = tmp_path / "loop.html"
    page.write_text(LOOP, encoding="utf-8")
    code = "from tamis.cli import main; main()"
    with started(code, "blocks", str(page), "--javascript") as process:
        until(lambda: any("--type=renderer" in command(n) for n in process_tree(process.pid)))
        others = [number for number in process_tree(process.pid) if number != process.pid]
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 128 + signal.SIGTERM
    until(lambda: not any(Path(f"/proc/{number}").exists() for number in others))
    assert not list(temporary.glob(f"{FOLDER_PREFIX}*"))


def command(process: int) -> str:
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes().decode().replace("\0", " ")
    except OSError:
        return ""
