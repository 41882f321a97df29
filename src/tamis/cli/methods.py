"""`tamis methods`: lists all methods."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import click

from tamis.cli.method_specs import all_methods, needs_several_pages

if TYPE_CHECKING:
    from tamis.pipeline import Method

# Papers by their short names, which the first lines of the algorithms' modules cite.
_PAPER_TITLES: Final = {
    "Debnath et al. 2005": "Automatic Identification of Informative Sections of Web Pages",
    "the key-pattern paper": (
        "Identifying Informative Web Content Blocks using Web Page Segmentation"
    ),
    "Win & Thwin": (
        "Informative Content Extraction By Using Eifce [Effective Informative Content Extractor]"
    ),
    "Lin & Ho 2002": "Discovering Informative Content Blocks from Web Documents",
    "Ramaswamy et al. 2004": (
        "Automatic Detection of Fragments in Dynamically Generated Web Pages"
    ),
    "Yi, Liu & Li 2003": "Eliminating Noisy Information in Web Pages for Data Mining",
    "Prasad & Paepcke 2008": "CoreEx: Content Extraction from Online News Articles",
}
_LABEL_WIDTH: Final = 14  # of the lines of a method


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME] …")
@click.option("--json", "as_json", is_flag=True, help="JSON for programs.")
def methods(names: tuple[str, ...], as_json: bool) -> None:
    """List the methods: what they are, what they need, and their parameters.

    Parameters are set with tamis extract --method NAME --set PARAMETER=VALUE.
    """
    from tamis.cli.sinks import show_stdout, write_stdout
    from tamis.pipeline import look_up
    from tamis.terminal import find_console

    available = all_methods()
    chosen = names or tuple(available)
    described = [_describe_method(name, look_up(available, name, "method")) for name in chosen]
    if as_json:
        write_stdout(json.dumps(described, ensure_ascii=False, indent=2) + "\n")
        return
    width = find_console().width
    show_stdout("\n".join(_method_lines(method, width) for method in described))


def _describe_method(name: str, method: Method) -> dict[str, Any]:
    """Return what a method is, needs and takes, as plain data."""
    from tamis.blocks import SEGMENTERS
    from tamis.cli.parameters import list_parameters
    from tamis.pipeline import DEFAULT_METHOD
    from tamis.verdict import IDENTIFIERS

    needs = []
    if method.needs_layout:
        needs.append("a browser, which lays out the page")
    if needs_several_pages(name):
        needs.append("several pages of one site")
    # The first line of an algorithm's module says what it is and cites its paper.
    module = sys.modules[type(method.identifier).__module__].__doc__ or ""
    described = module.partition("\n")[0].partition(": ")[2]
    segmenter, identifier = (
        next(key for key, kind in table.items() if kind is type(component))
        for table, component in ((SEGMENTERS, method.segmenter), (IDENTIFIERS, method.identifier))
    )
    return {
        "name": name,
        "default": name == DEFAULT_METHOD,
        "description": described,
        "paper": _find_paper(described),
        "segmenter": segmenter,
        "identifier": identifier,
        "needs": needs,
        "parameters": [
            {"part": each.part, "name": each.name, "default": each.describe_value()}
            for each in list_parameters(method)
        ],
    }


def _find_paper(description: str) -> str | None:
    """Return the title of the paper that a description cites first, if the paper has one."""
    cited = [name for name in _PAPER_TITLES if name in description]
    return _PAPER_TITLES[min(cited, key=description.index)] if cited else None


def _method_lines(method: Mapping[str, Any], width: int) -> str:
    """Return a described method as lines for people, each within a width if it can be."""
    default = " (default)" if method["default"] else ""
    lines = _wrap(f"{method['name']}{default}:", method["description"].split(), width)
    if method["paper"]:
        lines += _wrap("  paper", method["paper"].split(), width)
    for need in method["needs"]:
        lines += _wrap("  needs", need.split(), width)
    for part in ("segmenter", "identifier"):
        settings = (
            f"{each['name']}={each['default'] or repr('')}"  # as a shell takes what is empty
            for each in method["parameters"]
            if each["part"] == part
        )
        lines += _wrap(f"  {part}", [method[part], *settings], width)
    return "".join(f"{line}\n" for line in lines)


def _wrap(label: str, words: Sequence[str], width: int) -> list[str]:
    """Return words in lines after a label; a word that fills a line goes on after a comma."""
    is_indented = label.startswith(" ")
    lines = [label.ljust(_LABEL_WIDTH - 1) if is_indented else label]
    line_width = max(width - _LABEL_WIDTH, 1)
    for word in words:
        parts = [word] if len(word) <= line_width else re.findall(r"[^,]+,?", word)
        for index, part in enumerate(parts):
            space = "" if index else " "
            if len(lines[-1]) + len(space) + len(part) > width:
                lines.append(" " * _LABEL_WIDTH + part)
            else:
                lines[-1] += space + part
    return lines
