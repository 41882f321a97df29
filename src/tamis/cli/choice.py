"""The method that the user's options stand for, in a form small enough for any process."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import click

Favor = Literal["precision", "recall"]


@dataclass(frozen=True)
class LearnedChoice:
    """The learned method as the user wants it: sent as these words, and made where it is used."""

    favor: Favor | None
    model: Path | None


@dataclass(frozen=True)
class SiteChoice:
    """A site's template as the method: sent as the name of its file, and read where it is used."""

    path: Path


def chosen_method(
    method: str | None, favor: Favor | None, model: Path | None
) -> str | LearnedChoice | None:
    """Return the method that options name, or None where they name none.

    What only the learned method has implies it. A model is read once here already, so that one that
    is none is told before any work.
    """
    if favor is None and model is None:
        return method
    if method not in (None, "learned"):
        option = "--model" if favor is None else "--favor"
        raise click.UsageError(
            f"{option} is for the learned method, not for {method}: leave --method out"
        )
    choice = LearnedChoice(favor, model)
    made_method(choice)
    return choice


def extraction_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Return settings of extract() with the method itself where there was a choice of one."""
    method = settings.get("method")
    chosen = isinstance(method, (LearnedChoice, SiteChoice))
    made = {"method": made_method(method)} if chosen else {}
    return {**settings, **made}


@lru_cache(maxsize=1)  # a process works on many pages with one choice
def made_method(choice: LearnedChoice | SiteChoice) -> Any:
    """Return the method of a choice."""
    if isinstance(choice, SiteChoice):
        return site_method(choice.path)
    from tamis.pipeline import METHODS, Method
    from tamis.verdict import Learned
    from tamis.verdict.learned import read_model

    model = read_model(choice.model) if choice.model else None
    return Method(METHODS["learned"].segmenter, Learned(choice.favor, model))


def site_method(path: Path) -> Any:
    """Return what a site's template does with a page."""
    from tamis.pipeline import Method
    from tamis.site import METHOD, Site

    return Method(METHOD.segmenter, Site.load(path))
