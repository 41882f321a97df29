"""Progress and tables for people: on terminals and elsewhere."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
from rich.cells import cell_len

from helpers.terminals import Terminal
from tamis import terminal
from tamis.terminal import Column, Progress, Table

WAIT = 60.0  # seconds until a test gives up


def run_on_terminal(code: str) -> str:
    """Return what a program writes to a terminal that is its output and its standard error."""
    screen = Terminal()
    subprocess.run(
        [sys.executable, "-c", code],
        stdout=screen.writer,
        stderr=screen.writer,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "80"},
        timeout=WAIT,
        check=True,
    )
    return screen.close()


# Progress -------------------------------------------------------------------------------------


def test_a_bar_appears_after_two_seconds() -> None:
    assert terminal.BAR_DELAY == 2.0


def test_without_a_terminal_there_is_no_bar(capsys: pytest.CaptureFixture[str]) -> None:
    with Progress("working", 3, delay=0.0) as progress:
        assert not progress.is_bar_possible
        progress.advance()
        progress.print("a line with \x1b[31m in it")
    assert capsys.readouterr().err == "a line with \\u001b[31m in it\n"
    assert progress.completed == 1


def test_a_bar_shows_count_status_and_lines() -> None:
    code = (
        "import time; from tamis.terminal import Progress\n"
        "with Progress('working [bold]', 1234, unit='pages', delay=0.0) as progress:\n"
        "    progress.update(completed=12, status='3 failed')\n"
        "    progress.print('a line [red] \\x1b]0;title\\x07')\n"
        "    time.sleep(0.5)\n"
    )
    shown = run_on_terminal(code)
    assert "working [bold]" in shown
    assert "12/1,234 pages" in shown
    assert "3 failed" in shown
    assert "a line [red] \\u001b]0;title\\u0007" in shown


@pytest.mark.parametrize("arguments", ["delay=1e6", "delay=0.0, quiet=True"])
def test_short_or_quiet_work_shows_no_bar(arguments: str) -> None:
    code = (
        "import time; from tamis.terminal import Progress\n"
        f"with Progress('working', 2, {arguments}) as progress:\n"
        "    progress.advance(); time.sleep(0.2)\n"
    )
    assert run_on_terminal(code) == ""


# Tables ---------------------------------------------------------------------------------------


def test_columns_stand_left_or_right_and_lines_have_no_spaces_at_their_ends() -> None:
    table = Table([Column("name"), Column("pages", "right"), Column("title")])
    table.add_row("a", "1,000", "")
    table.add_row("数字", "2", "words")
    assert table.render() == (
        "name  pages  title\n"
        "a     1,000\n"
        "数字      2  words\n"
    )  # fmt: skip


def test_the_widest_columns_shrink_until_the_table_fits() -> None:
    table = Table([Column("fixed", min_width=None), Column("a"), Column("b")])
    table.add_row("f" * 20, "x" * 50, "y" * 12)
    _, row = table.render(width=50).splitlines()
    assert cell_len(row) == 50
    assert row == f"{'f' * 20}  {'x' * 13}…  {'y' * 12}"
    assert table.full_width == 20 + 2 + 50 + 2 + 12
    tiny = table.render(width=10).splitlines()[1]
    assert tiny == f"{'f' * 20}  {'x' * 5}…  {'y' * 5}…"  # no column gets narrower


def test_cells_that_wrap_take_several_lines() -> None:
    table = Table([Column("a"), Column("b", wrap=True, max_width=10)], [["x", "some long words"]])
    assert table.render() == "a  b\nx  some long\n   words\n"


def test_title_rule_and_caption() -> None:
    table = Table([Column("a"), Column("b")], [["x", "y"]], title="T", caption="C", rule=True)
    assert table.render() == "T\n\na  b\n────\nx  y\n\nC\n\n"


def test_a_cell_controls_no_terminal_and_is_no_markup() -> None:
    table = Table([Column("a\x07"), Column("b")], [["[red]x\x1b[31m", "line\nbreak"]], title="\x1b")
    assert table.render() == (
        "\\x1b\n\n"
        "a\\x07           b\n"
        "[red]x\\x1b[31m  line\\nbreak\n"
    )  # fmt: skip


def test_a_table_on_a_terminal_has_colours() -> None:
    code = (
        "from tamis.terminal import Column, Table\n"
        "table = Table([Column('a', style='green'), Column('b')])\n"
        "table.add_row('x', 'y'); table.add_row('z', 'w', style='dim')\n"
        "print(table.render(), end='')\n"
    )
    lines = run_on_terminal(code).splitlines()
    assert "\x1b[32mx\x1b[0m" in lines[1]
    assert "\x1b[2mz\x1b[0m" in lines[2]
    assert "\x1b[32m" not in lines[2]


def test_rows_have_a_cell_for_each_column() -> None:
    with pytest.raises(ValueError, match="1 cells for 2 columns"):
        Table([Column("a"), Column("b")], [["x"]])
