"""Every command on pages and names that command terminals: nothing of that reaches one."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
import pytest

from helpers.terminals import Terminal
from tamis import Site
from tamis.cli import tamis as command
from tamis.site import Case, Mark

from .conftest import PATIENCE

CLI = Path(__file__).parents[2] / "src" / "tamis" / "cli"
# Escape sequences, a bell, a backspace, a delete, C1 controls, a carriage return, and controls of
# direction: embeddings, overrides and isolates.
EVIL = "\x1b]0;pwned\x07\x1b[31m\x08\x7f\x9b1m\x85\u202a\u202e\u2066\u2069"
NAME = f"{EVIL}\r\u202b\u202d.html"
FORBIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")
SPOKEN = "It rained on that day, and it rained so well that everybody came to look at the river. "

DRIVER = """
import json, os, sys
from tamis.cli import replace_closed_streams, tamis
replace_closed_streams()
for number, arguments in enumerate(json.load(open(sys.argv[1], encoding="utf-8"))):
    sys.stdout.flush(), sys.stderr.flush()
    for stream in (1, 2):
        os.write(stream, b"\\n=== %d ===\\n" % number)
    try:
        tamis(arguments, prog_name="tamis")
    except SystemExit:
        pass
"""


def page(number: int) -> str:
    items = "".join(
        f'<li class="card"><h3><a href="/i{n}{EVIL}&#13;x">Item {n} {EVIL}&#13;!</a></h3>'
        f"<p>{EVIL} costs ${n}.99</p><img src='/p{n}{EVIL}.png' alt='{EVIL}'></li>"
        for n in range(number, number + 12)
    )
    linked = json.dumps({"@type": "Article", "headline": f"Rain {EVIL}\r", "author": f"A {EVIL}"})
    return (
        f"<html><head><title>Rain {number} {EVIL}&#13;x</title>"
        f'<link rel="canonical" href="https://example.org/{EVIL}/{number}">'
        f'<meta property="og:image" content="/{EVIL}.png">'
        f'<meta name="author" content="Ann {EVIL} Other">'
        f'<script type="application/ld+json">{linked}</script></head><body>'
        f"<nav><a href=/>Home {EVIL}</a></nav><h1>Rain {number} {EVIL}</h1>"
        f"<x-{EVIL}><p>{SPOKEN * 3}{number} {EVIL}&#13; and <a href='/l{EVIL}'>more</a>.</p>"
        f"</x-{EVIL}>"
        f"<pre>code {EVIL}&#13;</pre><ul>{items}</ul>"
        f'<p class="pager">1 <a rel="next" href="?page=2{EVIL}&#13;">2</a></p>'
        f"<footer>All rights {EVIL} reserved.</footer></body></html>"
    )


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    pages = root / f"pages{EVIL}"
    pages.mkdir()
    for number in range(3):
        (pages / f"{number}{NAME}").write_text(page(number), encoding="utf-8")
    (root / f"one{NAME}").write_text(page(7), encoding="utf-8")
    (root / f"list{EVIL}.txt").write_text(f"missing{NAME}\n", encoding="utf-8")
    (root / f"empty{EVIL}.html").write_text("", encoding="utf-8")
    dataset = root / f"set{EVIL}"
    (dataset / "html").mkdir(parents=True)
    rows = []
    for number in range(2):
        name = f"{number}{EVIL}"
        (dataset / "html" / f"{name}.html").write_text(page(number), encoding="utf-8")
        said = {"page_type": f"kind{EVIL}", "main_content": SPOKEN * 3, "domain": f"d{number}"}
        rows.append({"id": name, **said})
    gold = "\n".join(json.dumps(row) for row in rows)
    (dataset / "gold.jsonl").write_text(gold, encoding="utf-8")
    mark = Mark("r", "content", f"/html/body/p{EVIL}", f"text{EVIL}")
    case = Case(f"c{EVIL}", f"https://example.org/{EVIL}", page(7).encode(), (mark,))
    replace(Site.empty("example.org"), cases=(case,)).save(root / f"cases{EVIL}.tamis")
    return root


def calls(root: Path) -> list[list[str]]:
    """Every command, on what is hostile and with arguments that are."""
    one, pages = str(root / f"one{NAME}"), str(root / f"pages{EVIL}")
    lost, site = str(root / f"lost{NAME}"), str(root / f"site{EVIL}.tamis")
    pattern, dataset = str(root / f"pattern{EVIL}.json"), str(root / f"set{EVIL}")
    base, url = "https://example.org/", "https://example.org/one"
    store = ["--store", str(root / f"store{EVIL}.db")]
    extracted = [["extract", one, "-f", form] for form in ("text", "markdown", "html", "json")]
    shown = [["records", one, "-f", form] for form in ("table", "csv", "json", "jsonl")]
    kept = [
        ["store", "get", url, *store, "-f", form]
        for form in ("text", "markdown", "html", "source", "json")
    ]
    return [
        *extracted,
        ["extract", pages],
        ["extract", pages, "-f", "text"],
        ["extract", pages, "-o", str(root / f"out{EVIL}") + "/", "-f", "text"],
        ["extract", pages, "-o", str(root / f"out{EVIL}") + "/", "-f", "text"],
        ["extract", lost, str(root / f"empty{EVIL}.html")],
        ["extract", str(root / f"list{EVIL}.txt")],
        ["extract", one, "-o", str(root / f"none{EVIL}" / "x" / "out.txt")],
        ["extract", f"https://{EVIL}.example/"],
        ["extract", one, f"--{EVIL}"],
        ["extract", one, "--url", EVIL],
        ["extract", one, "--charset", EVIL],
        ["extract", one, "--model", lost],
        [EVIL],
        ["blocks", one],
        ["blocks", one, "-f", "json"],
        ["blocks", one, "-s", "tagset"],
        ["blocks", one, "-s", EVIL],
        ["blocks", lost],
        ["blocks", pages],
        ["blocks", one, EVIL],
        *shown,
        ["records", one, "--regions"],
        ["records", one, "-o", str(root / f"x.{EVIL}")],
        ["records", "show", one, "-o", str(root / f"r{EVIL}.csv")],
        ["records", str(root / f"empty{EVIL}.html")],
        ["records", "learn", one, "-o", pattern],
        ["records", "learn", one, "-o", pattern],
        ["records", "apply", pattern, one],
        ["records", "apply", one, one],
        ["site", "learn", pages, "-o", site],
        ["site", "learn", pages, "-o", site, "--site", f"www{EVIL}.org", "--overwrite"],
        ["methods", EVIL],
        ["site", "show", site],
        ["site", "show", site, "--paths"],
        ["site", "show", site, "-f", "json"],
        ["site", "show", one],
        ["site", "apply", site, one],
        ["site", "apply", site, pages, "-f", "markdown"],
        ["site", "update", site, one],
        ["site", "update", site, lost],
        ["site", "test", site],
        ["site", "test", str(root / f"cases{EVIL}.tamis")],
        ["site", "test", str(root / f"cases{EVIL}.tamis"), "--json"],
        ["records", "learn", one, "--site", site],
        ["store", "add", one, "--url", url, *store],
        ["store", "add", one, "--url", url + "?again", *store],
        ["store", "add", pages, "--base", base, *store],
        ["store", "add", pages, lost, *store],
        ["store", "add", pages, *store, "--base", base, "--resume"],
        *kept,
        ["store", "get", EVIL, *store],
        ["store", "stats", *store],
        ["store", "stats", *store, "--json"],
        ["store", "stats", "--store", lost],
        ["store", "duplicates", *store],
        ["store", "duplicates", *store, "--json"],
        ["store", "history", url, *store],
        ["store", "history", url, *store, "--json"],
        ["store", "history", EVIL, *store],
        ["store", "history", url, *store, "--diff", "1", "1"],
        ["store", "export", str(root / f"all{EVIL}.jsonl"), *store],
        ["store", "export", str(root / f"all{EVIL}.jsonl"), *store],
        ["store", "gc", EVIL, *store],
        ["store", "gc", url + "?again", *store],
        ["search", "rained", *store],
        ["search", "rained", *store, "--json"],
        ["search", EVIL, *store],
        ["search", "rained", "--since", EVIL, *store],
        ["crawl", "run", EVIL, *store],
        ["crawl", "status", "--store", lost],
        ["scale", "local", lost, "-o", str(root / f"rows{EVIL}")],
        ["scale", "spark", one, "-o", str(root / f"rows{EVIL}"), "-m", EVIL],
        ["scale", "ray", one, "-o", str(root / f"rows{EVIL}"), "-m", EVIL],
        ["serve", "--store", lost, "--port", "0"],
        ["serve", "--host", EVIL, "--port", "0"],
        ["serve", "--host", EVIL, "--token", "t" * 32, "--port", "0"],
        ["inspect", lost],
        ["inspect", one, "--no-browser", "--store", lost],
        ["mcp", "--store", lost],
        ["mcp", "--store", f"postgresql://{EVIL}/base"],
        ["evaluate", dataset, "-m", "feature", "-p", "none"],
        ["evaluate", dataset, "-m", "feature", "-p", "none", "--json", "-"],
        ["evaluate", dataset, "-m", EVIL, "-p", "none"],
        ["evaluate", EVIL],
        ["train", EVIL],
        ["train", dataset, "-m", "svm", "-o", str(root / f"svm{EVIL}.json")],
    ]  # fmt: skip


def leaves(group: click.Group, names: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, one in group.commands.items():
        if isinstance(one, click.Group):
            yield from leaves(one, (*names, name))
        else:
            yield (*names, name)


def test_every_command_is_called(tmp_path: Path) -> None:
    called = calls(tmp_path)
    for names in leaves(command):
        assert any(tuple(call[: len(names)]) == names for call in called), names


def parts(shown: str, count: int) -> list[str]:
    found = re.split(r"\n=== \d+ ===\n", shown)[1:]
    assert len(found) == count
    return found


@pytest.fixture(scope="module")
def said(folder: Path) -> list[tuple[list[str], str, str]]:
    """What each call wrote to a terminal, and to standard error."""
    called = calls(folder)
    script = folder / "calls.json"
    script.write_text(json.dumps(called), encoding="utf-8")
    environment: dict[str, Any] = {
        **os.environ,
        "TERM": "dumb",  # no colours: what is left of commands is the page's
        "COLUMNS": "200",
        "XDG_CACHE_HOME": str(folder / "cache"),
        "PYTHONWARNINGS": "default",
    }
    terminal = Terminal()
    done = subprocess.run(
        [sys.executable, "-c", DRIVER, str(script)],
        stdout=terminal.writer,
        stderr=subprocess.PIPE,
        stdin=subprocess.DEVNULL,
        cwd=folder,
        env=environment,
        timeout=10 * PATIENCE,
        check=False,
    )
    shown = terminal.close().replace("\r\n", "\n")  # as a terminal ends its lines
    errors = done.stderr.decode("utf-8", "surrogateescape")
    assert done.returncode == 0, errors
    return list(zip(called, parts(shown, len(called)), parts(errors, len(called)), strict=True))


def test_nothing_commands_the_terminal(said: list[tuple[list[str], str, str]]) -> None:
    for call, shown, errors in said:
        for text in (shown, errors):
            found = FORBIDDEN.search(text)
            assert not found, (call, text[max(0, found.start() - 80) : found.end() + 40])
            assert "Traceback" not in text, (call, text)


def test_what_was_escaped_is_told(said: list[tuple[list[str], str, str]]) -> None:
    """The hostile texts were on their way: a test that shows nothing proves nothing."""
    marks = ("\\x1b", "\\u001b", "\\u202e", "%1B")
    told = [call for call, *texts in said if any(mark in "".join(texts) for mark in marks)]
    for names in leaves(command):
        assert any(tuple(call[: len(names)]) == names for call in told), names
    assert len(told) > 0.8 * len(said)


def test_data_on_a_terminal_is_still_json(said: list[tuple[list[str], str, str]]) -> None:
    for call, shown, _ in said:
        if call[0] == "extract" and call[-1] == "json":
            data = json.loads(shown)
            assert "\u202e" in data["text"]
            assert "\u202e" in data["metadata"]["title"]


def test_data_in_a_pipe_stays_data_but_for_addresses(folder: Path) -> None:
    def piped(*arguments: str) -> str:
        run = [sys.executable, "-c", "from tamis.cli import main; main()", *arguments]
        done = subprocess.run(run, capture_output=True, timeout=PATIENCE, check=True)
        assert not FORBIDDEN.search(done.stderr.decode())
        return done.stdout.decode("utf-8")

    one = str(folder / f"one{NAME}")
    data = json.loads(piped("extract", one, "-f", "json", "--url", f"https://e.org/{EVIL}"))
    assert "\u202e" in data["text"]
    assert "\u202e" in data["metadata"]["title"]
    for address in (data["url"], data["metadata"]["url"], data["metadata"]["image"]):
        assert "%1B" in address
        assert not FORBIDDEN.search(address)
    rows = [json.loads(line) for line in piped("records", one, "-f", "jsonl").splitlines()]
    assert len(rows) == 12
    assert "\u202e" in rows[0]["title"]
    assert all("%1B" in row["url"] and not FORBIDDEN.search(row["url"]) for row in rows)
    assert all("%1B" in row["image"] and not FORBIDDEN.search(row["image"]) for row in rows)


def test_only_one_place_writes_messages() -> None:
    """Whatever is printed goes through `say`, or is made printable where it stands."""
    allowed = {"messages.py", "progress.py", "training.py", "__init__.py"}
    for path in sorted(CLI.glob("*.py")):
        written = re.findall(r"\bclick\.echo\(.*|(?<![.\w])print\(.*", path.read_text("utf-8"))
        known = [line for line in written if "__version__" in line]
        assert path.name in allowed or written == known, (path.name, written)
