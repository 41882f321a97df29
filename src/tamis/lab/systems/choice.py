"""The systems that a user's words stand for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tamis.lab.cache import code_version
from tamis.lab.datasets import Dataset
from tamis.lab.systems import records
from tamis.lab.systems.baselines import baselines
from tamis.lab.systems.methods import System, methods
from tamis.lab.systems.peers import ALL_NAMES, USUAL, peers
from tamis.pipeline import METHODS

EVERY: Final = "all"
NOTHING: Final = "none"


def chosen_systems(
    method_names: str | None, peer_names: str | None, dataset: Dataset
) -> tuple[list[System], list[str]]:
    """Return the systems of two lists of names, and why some peers are left out.

    With any of them come the baselines, so that every table tells what a method is worth.
    """
    if dataset.truth == "records":
        known = tuple(records.METHODS)
        others = tuple(records.PEERS)
        return records.record_systems(
            names_of(method_names, known, known),
            names_of(peer_names, others, others),
            code_version(),
        )
    usual = [name for name, method in METHODS.items() if not method.needs_layout]
    wanted = names_of(method_names, usual, tuple(METHODS))
    found, missing = peers(names_of(peer_names, USUAL, ALL_NAMES))
    systems = methods(wanted, dataset, code_version()) + found
    return systems + (baselines(code_version()) if systems else []), missing


def names_of(words: str | None, usual: Sequence[str], every: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a list like `a,b`, each once."""
    if words is None:
        return tuple(usual)
    names = dict.fromkeys(filter(None, (word.strip() for word in words.split(","))))
    if EVERY in names:
        return tuple(every)
    return tuple(name for name in names if name != NOTHING)
