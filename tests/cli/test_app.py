"""`tamis --help` is quick: it loads nothing that it does not need."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest
from click.testing import CliRunner

from tamis.cli import tamis as command

HEAVY = {"numpy", "selectolax", "rich", "httpx", "httpcore", "cchardet", "webencodings", "asyncio"}


def modules_after(*arguments: str) -> set[str]:
    """The top-level modules that a call of the command has loaded."""
    code = (
        "import json, sys\n"
        "from tamis.cli import main\n"
        "try:\n    main()\n"
        "except SystemExit as error:\n    assert not error.code, error.code\n"
        "print('\\n' + json.dumps(sorted(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *arguments],
        capture_output=True, text=True, timeout=60, check=True,
    )  # fmt: skip
    return set(json.loads(done.stdout.splitlines()[-1]))


@pytest.mark.parametrize(
    "arguments", [["--help"], ["-h"], ["extract", "--help"], ["blocks", "--help"], ["--version"]]
)
def test_help_loads_no_parser_and_no_client(arguments: list[str]) -> None:
    loaded = modules_after(*arguments)
    assert "click" in loaded
    assert not {name.partition(".")[0] for name in loaded} & HEAVY
    assert {name for name in loaded if name.startswith("tamis")} == {
        "tamis",
        "tamis.cli",
        "tamis.cli.app",
        "tamis.cli.blocks",
        "tamis.cli.crawl",
        "tamis.cli.evaluate",
        "tamis.cli.extract",
        "tamis.cli.messages",
        "tamis.cli.method_specs",
        "tamis.cli.methods",
        "tamis.cli.options",
        "tamis.cli.records",
        "tamis.cli.scale",
        "tamis.cli.serve",
        "tamis.cli.site",
        "tamis.cli.store",
        "tamis.cli.train",
        "tamis.errors",
        "tamis.printing",
        "tamis.terminal",
    }


@pytest.mark.parametrize("name", sorted(command.commands))
def test_every_command_explains_itself_and_its_options(name: str) -> None:
    result = CliRunner().invoke(command, [name, "--help"])
    assert result.exit_code == 0
    assert result.stdout.startswith(f"Usage: tamis {name} [OPTIONS]")
    for parameter in command.commands[name].params:
        if parameter.param_type_name == "option":
            assert any(option in result.stdout for option in parameter.opts)


def test_every_option_has_a_word_of_help() -> None:
    silent = [
        f"{name} {parameter.opts[-1]}"
        for name, found in command.commands.items()
        for parameter in found.params
        if parameter.param_type_name == "option" and not getattr(parameter, "help", None)
    ]
    assert silent == []


def test_the_exit_codes_are_told() -> None:
    shown = " ".join(CliRunner().invoke(command, ["extract", "--help"]).stdout.split())
    for said in ("0 if all pages", "1 if some failed", "2 for a mistake", "130 after Ctrl-C"):
        assert said in shown


def test_the_help_lists_the_commands() -> None:
    result = CliRunner().invoke(command, ["--help"])
    assert result.exit_code == 0
    for name in command.commands:
        assert re.search(rf"^  {name} ", result.stdout, re.MULTILINE)


def test_the_version_is_told() -> None:
    result = CliRunner().invoke(command, ["--version"])
    assert result.exit_code == 0
    assert re.fullmatch(r"tamis (\d+\.\d+\.\d+\S*|unknown)\n", result.stdout)


def test_the_defaults_are_told() -> None:
    from tamis.page import DEADLINE, MAX_BYTES, MAX_NODES
    from tamis.pipeline import DEFAULT_METHOD
    from tamis.source import Fetch

    shown = " ".join(CliRunner().invoke(command, ["extract", "--help"]).stdout.split())
    for said in (
        f"({DEFAULT_METHOD})",
        "work in (1).",
        f"({MAX_BYTES // 2**20} MiB; {Fetch().max_bytes // 2**20} MiB from a URL)",
        f"({MAX_NODES:,})",
        f"({DEADLINE:g})",
        f"({Fetch().timeout:g})",
    ):
        assert said in shown
    assert "[default: 10" in CliRunner().invoke(command, ["search", "--help"]).stdout
