"""Files are written as a whole or not at all, and nothing but files is replaced."""

from __future__ import annotations

import os
import stat
import threading
from pathlib import Path

import pytest

from tamis.errors import InputError
from tamis.files import open_draft, write_whole


def test_a_file_is_written_with_the_rights_of_any_other(tmp_path: Path) -> None:
    (tmp_path / "other").touch()
    write_whole(tmp_path / "new", "ü\n")
    assert (tmp_path / "new").read_bytes() == "ü\n".encode()
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode
    assert sorted(path.name for path in tmp_path.iterdir()) == ["new", "other"]


def test_a_file_that_is_replaced_keeps_its_rights(tmp_path: Path) -> None:
    path = tmp_path / "mine"
    path.write_text("old", encoding="utf-8")
    path.chmod(0o600)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
def test_what_is_not_whole_is_not_there(error: BaseException, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_text("precious", encoding="utf-8")

    def half() -> None:
        with open_draft(path) as draft:
            draft.write_text("half", encoding="utf-8")
            raise error

    with pytest.raises(type(error)):
        half()
    assert [path.name for path in tmp_path.iterdir()] == ["file"]
    assert path.read_text(encoding="utf-8") == "precious"


def test_a_link_stays_one_and_its_file_is_written(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    for name in ("old", "not-yet"):
        link = tmp_path / f"link-{name}"
        link.symlink_to(Path("folder") / name)
        (tmp_path / "folder/old").write_text("old", encoding="utf-8")
        write_whole(link, "new")
        assert link.is_symlink()
        assert (tmp_path / "folder" / name).read_text(encoding="utf-8") == "new"


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    contents: list[bytes] = []
    reader = threading.Thread(target=lambda: contents.append(pipe.read_bytes()), daemon=True)
    reader.start()
    write_whole(pipe, "through the pipe")
    reader.join(60)
    assert contents == [b"through the pipe"]
    assert pipe.is_fifo()


@pytest.mark.parametrize("name", ["missing/file", "file/below", "."])
def test_what_cannot_be_written_is_said(name: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match="cannot write"):
        write_whole(tmp_path / name, "x")


def test_a_name_as_long_as_names_may_be_is_no_error(tmp_path: Path) -> None:
    for name in ("x" * 255, "中" * 85):
        write_whole(tmp_path / name, "x")
    assert len(list(tmp_path.iterdir())) == 2
