"""Peers: each gives the article, or says what to install."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from tamis.errors import DeadlineExceeded, Unavailable, UnknownName
from tamis.lab import Item, limit_time, load, silence_libraries
from tamis.lab.systems import (
    NODE_PEERS,
    PEER_NAMES,
    PEERS,
    PROCESS_PEERS,
    PeerFailed,
    PeerProcess,
    ProcessPeer,
    find_peer,
    find_process_peer,
    peer_systems,
)

PARAGRAPH = (
    "The river rose for the third day, and the people of the town, who had seen worse, carried "
    "their chairs up to the first floor, made coffee, and waited for the water to go away. "
)
HTML = (
    "<!doctype html><html lang=en><head><title>The river rose</title></head><body><nav>"
    "<a href=/>Frontpage</a> <a href=/a>Archive</a></nav><article><h1>The river rose</h1>"
    + "".join(f"<p>Part {n}. {PARAGRAPH * 2}</p>" for n in range(6))
    + "</article><footer><a href=/i>Imprint</a></footer></body></html>"
)


@pytest.fixture
def item(tiny: Path) -> Item:
    return load(str(tiny)).items[0]


@pytest.mark.parametrize("name", PEER_NAMES)
def test_a_peer_gives_the_article(name: str, item: Item) -> None:
    try:
        system = find_peer(name)
    except Unavailable as error:
        pytest.skip(str(error))
    with silence_libraries(), system.started() as extract:
        answer = extract(HTML, item)
        again = extract(HTML, item)
    assert answer.text == again.text
    assert "carried their chairs up" in " ".join(answer.text.split())
    assert "Imprint" not in answer.text
    assert system.is_peer
    assert (answer.seconds is not None) == (name in PROCESS_PEERS)


@pytest.mark.parametrize("lang", ["el", "zh", "xx"])
def test_justext_knows_languages_or_does_without(lang: str, item: Item) -> None:
    pytest.importorskip("justext")
    with silence_libraries(), find_peer("justext").started() as extract:
        assert extract(HTML, replace(item, lang=lang)).text is not None


def test_a_peer_that_is_not_installed_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    from importlib import metadata

    def missing(name: str) -> str:
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    systems, reasons = peer_systems(tuple(PEERS))
    assert systems == []
    assert len(reasons) == len(PEERS)
    assert all("pip install 'tamis[evaluate]'" in reason for reason in reasons)


def test_without_node_or_its_packages_peers_are_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TAMIS_NODE_MODULES", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: "/usr/bin/node")
    systems, reasons = peer_systems(tuple(NODE_PEERS))
    assert systems == []
    assert all("npm install @mozilla/readability defuddle jsdom" in reason for reason in reasons)
    monkeypatch.setattr(shutil, "which", lambda name: None)
    assert "install Node" in peer_systems(("defuddle",))[1][0]


def test_an_unknown_peer_is_told(tmp_path: Path) -> None:
    with pytest.raises(UnknownName, match="no peer 'nobody': take one of trafilatura"):
        find_peer("nobody")


def fake(tmp_path: Path, script: str) -> PeerProcess:
    """A peer that runs a script."""
    program = tmp_path / "peer"
    program.write_text(f"#!{sys.executable}\nimport json, sys\n{script}")
    program.chmod(0o755)
    return PeerProcess(ProcessPeer("fake", (str(program),), "1"))


def test_a_process_answers_line_by_line(tmp_path: Path) -> None:
    script = (
        "for line in sys.stdin:\n"
        "    html = json.loads(line)['html']\n"
        "    answer = {'content': html, 'seconds': 0.5}\n"
        "    answer = {'error': 'too odd'} if 'odd' in html else answer\n"
        "    print(json.dumps(answer), flush=True)\n"
    )
    with fake(tmp_path, script).running() as ask:
        assert ask("<p>a\nb") == ("<p>a\nb", 0.5)
        with pytest.raises(PeerFailed, match="too odd"):
            ask("<p>odd")
        assert ask("<p>c")[0] == "<p>c"


def test_a_process_that_dies_is_started_anew(tmp_path: Path) -> None:
    script = (
        "for line in sys.stdin:\n"
        "    if 'die' in line:\n        sys.exit(1)\n"
        "    print(json.dumps({'content': 'x', 'seconds': 1}), flush=True)\n"
    )
    process = fake(tmp_path, script)
    with process.running() as ask:
        with pytest.raises(PeerFailed, match="ended"):
            ask("die")
        assert ask("<p>") == ("x", 1.0)
    assert process.process is None


def test_a_process_that_hangs_is_ended_and_started_anew(tmp_path: Path) -> None:
    script = (
        "import time\n"
        "for line in sys.stdin:\n"
        "    if 'hang' in line:\n        time.sleep(60)\n"
        "    print(json.dumps({'content': 'x', 'seconds': 1}), flush=True)\n"
    )
    process = fake(tmp_path, script)
    with process.running() as ask:
        assert ask("<p>") == ("x", 1.0)
        with pytest.raises(DeadlineExceeded), limit_time(0.3):
            ask("hang")
        assert process.process is None
        assert ask("<p>") == ("x", 1.0)


def test_a_process_whose_end_is_cut_off_is_started_anew(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    script = (
        "for line in sys.stdin:\n"
        "    print(json.dumps({'content': 'x', 'seconds': 1}), flush=True)\n"
    )

    def cut_off(*_: object) -> None:
        raise DeadlineExceeded

    process = fake(tmp_path, script)
    with process.running() as ask:
        assert ask("<p>") == ("x", 1.0)
        first = process.process
        with monkeypatch.context() as patch:
            patch.setattr(first, "communicate", cut_off)
            with pytest.raises(DeadlineExceeded):
                process.stop()
        assert ask("<p>") == ("x", 1.0)
        assert process.process is not first
    assert first
    first.communicate()


def test_the_versions_of_packages_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAMIS_NODE_MODULES", str(tmp_path))
    monkeypatch.setattr(shutil, "which", lambda name: "/bin/true")
    for package in ("defuddle", "jsdom"):
        (tmp_path / package).mkdir()
        (tmp_path / package / "package.json").write_text(json.dumps({"version": "9.9"}))
    assert "defuddle 9.9, jsdom 9.9" in find_process_peer("defuddle").version


def test_rs_trafilatura_runs_in_the_python_that_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    python = tmp_path / "python"
    python.write_text("#!/bin/sh\necho 0.9.9\n")
    python.chmod(0o755)
    monkeypatch.setenv("TAMIS_RS_TRAFILATURA_PYTHON", str(python))
    peer = find_process_peer("rs-trafilatura")
    assert peer.command[0] == str(python)
    assert peer.version == "rs-trafilatura 0.9.9"
    monkeypatch.setenv("TAMIS_RS_TRAFILATURA_PYTHON", str(tmp_path / "nothing"))
    with pytest.raises(Unavailable, match="set TAMIS_RS_TRAFILATURA_PYTHON"):
        find_process_peer("rs-trafilatura")
