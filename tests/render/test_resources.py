"""What a page may load: files below its folder, and nothing else."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from helpers.chromium import needs_chromium
from tamis.errors import SourceError
from tamis.render import (
    MAX_BYTES,
    Browser,
    Folder,
    Network,
    NoResources,
    ResourceRequest,
    choose_resources,
)
from tamis.source import Fetch


def request(path: str, kind: str = "image") -> ResourceRequest:
    return ResourceRequest(f"http://p1.page.invalid/{path}", kind)


@pytest.fixture
def site(tmp_path: Path) -> Path:
    root = tmp_path / "site"
    (root / "css").mkdir(parents=True)
    (root / "css" / "a.css").write_text("p { height: 77px }")
    (root / "css" / "b.css.gz").write_bytes(gzip.compress(b"p { width: 55px }"))
    (root / "css" / "c.css.gz").write_bytes(b"broken")
    (root / "style.php?v=1").write_text("p { margin: 9px }")
    (tmp_path / "secret").write_text("secret")
    (root / "link").symlink_to(tmp_path / "secret")
    return root


def test_files_are_found_packed_or_not(site: Path) -> None:
    folder = Folder(site)
    resource = folder.get(request("css/a.css?x=1", "stylesheet"))
    assert resource is not None
    assert (resource.body, dict(resource.headers)) == (
        b"p { height: 77px }",
        {"content-type": "text/css"},
    )
    compressed = folder.get(request("css/b.css", "stylesheet"))
    assert compressed is not None
    assert compressed.body == b"p { width: 55px }"
    named = folder.get(request("style.php?v=1", "stylesheet"))
    assert named is not None
    assert dict(named.headers) == {"content-type": "text/css"}


@pytest.mark.parametrize(
    "path",
    ["../secret", "%2e%2e/secret", "link", "//etc/passwd", "css", "nothing", "css/c.css", "a%00b"],
)
def test_nothing_else_is_found(site: Path, path: str) -> None:
    assert Folder(site).get(request(path)) is None


@pytest.mark.parametrize(
    "wanted",
    [
        ResourceRequest("http://xn--/a.css", "stylesheet"),
        ResourceRequest("http://[::1/a.css", "stylesheet"),
        ResourceRequest("http://127.0.0.1:1/", "image", headers=(("x", "\u65e5"),)),
    ],
)
def test_what_has_no_possible_address_is_left_out(wanted: ResourceRequest) -> None:
    assert Network(Fetch(timeout=5, allow_private=True)).get(wanted) is None


def test_files_that_are_huge_when_unpacked_are_left_out(site: Path) -> None:
    with gzip.open(site / "bomb.css.gz", "wb", compresslevel=1) as file:
        for _ in range(MAX_BYTES // 2**20 + 1):
            file.write(bytes(2**20))
    assert (site / "bomb.css.gz").stat().st_size < MAX_BYTES // 50
    assert Folder(site).get(request("bomb.css", "stylesheet")) is None


def test_huge_files_are_left_out(site: Path) -> None:
    with (site / "huge.png").open("wb") as file:
        file.truncate(MAX_BYTES + 1)
    assert Folder(site).get(request("huge.png")) is None


def test_a_folder_that_is_none_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="is no folder"):
        choose_resources(tmp_path / "nowhere", False)
    assert choose_resources(str(tmp_path), False) == Folder(tmp_path)
    assert choose_resources(None, False) == NoResources()
    assert NoResources().get(request("a")) is None


@needs_chromium
def test_a_page_is_laid_out_with_the_files_beside_it(browser: Browser, site: Path) -> None:
    html = (
        "<!doctype html><link rel=stylesheet href=../css/a.css><link rel=stylesheet "
        "href=/css/b.css><link rel=stylesheet href='../style.php?v=1'><p>a"
    )
    layout = browser.render(html, files=Folder(site, "sub/page.html")).layout
    assert layout is not None
    assert (layout.x[-2], layout.width[-2], layout.height[-2]) == (17, 55, 77)
    bare = browser.render(html).layout
    assert bare is not None
    assert bare.height[-2] != 77


def test_rendering_imports_the_driver_only_when_it_renders() -> None:
    code = "import sys, tamis; tamis.render.Browser().close(); print('playwright' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"
