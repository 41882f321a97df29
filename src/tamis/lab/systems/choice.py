"""The systems that a user names."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from tamis.lab.datasets import Dataset
from tamis.lab.systems import records
from tamis.lab.systems.methods import System, baseline_systems, method_systems
from tamis.lab.systems.peers import PEER_NAMES, USUAL_PEERS, peer_systems
from tamis.lab.versions import code_version
from tamis.pipeline import METHODS

_ALL: Final = "all"
_NONE: Final = "none"


def choose_systems(
    method_names: str | None, peer_names: str | None, dataset: Dataset
) -> tuple[list[System], list[str]]:
    """Return the systems of two lists of names, and why some peers are left out.

    With any of them come the baselines, so that every table shows what a method is worth.
    """
    if dataset.truth == "records":
        methods, peers = tuple(records.RECORD_METHODS), tuple(records.RECORD_PEERS)
        return records.record_systems(
            parse_names(method_names, methods, methods),
            parse_names(peer_names, peers, peers),
            code_version(),
        )
    usual = [name for name, method in METHODS.items() if not method.needs_layout]
    names = parse_names(method_names, usual, tuple(METHODS))
    others, missing = peer_systems(parse_names(peer_names, USUAL_PEERS, PEER_NAMES))
    systems = method_systems(names, dataset, code_version()) + others
    return systems + (baseline_systems(code_version()) if systems else []), missing


def parse_names(words: str | None, usual: Sequence[str], every: Sequence[str]) -> tuple[str, ...]:
    """Return the names of a list like `a,b`, each once."""
    if words is None:
        return tuple(usual)
    names = dict.fromkeys(filter(None, (word.strip() for word in words.split(","))))
    if _ALL in names:
        return tuple(every)
    return tuple(name for name in names if name != _NONE)
