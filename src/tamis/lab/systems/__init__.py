"""Systems that are measured: methods of tamis, baselines and peers."""

from __future__ import annotations

from tamis.lab.systems.choice import choose_systems, parse_names
from tamis.lab.systems.methods import (
    BASELINES,
    FOLD_PARSERS,
    FOLDS,
    Answer,
    Extractor,
    System,
    baseline_systems,
    find_fold_method,
    find_method,
    fixed_system,
    method_systems,
    parse_learned_folds,
    parse_svm_folds,
    read_fold_identifiers,
    site_fold,
    training_digest,
)
from tamis.lab.systems.peers import (
    NODE_PEERS,
    PEER_NAMES,
    PEERS,
    NodePeer,
    NodeProcess,
    PeerFailed,
    find_node_peer,
    find_peer,
    peer_systems,
)
from tamis.lab.systems.records import mdr_records, read_by_extruct, sibling_records

__all__ = [
    "BASELINES",
    "FOLDS",
    "FOLD_PARSERS",
    "NODE_PEERS",
    "PEERS",
    "PEER_NAMES",
    "Answer",
    "Extractor",
    "NodePeer",
    "NodeProcess",
    "PeerFailed",
    "System",
    "baseline_systems",
    "choose_systems",
    "find_fold_method",
    "find_method",
    "find_node_peer",
    "find_peer",
    "fixed_system",
    "mdr_records",
    "method_systems",
    "parse_learned_folds",
    "parse_names",
    "parse_svm_folds",
    "peer_systems",
    "read_by_extruct",
    "read_fold_identifiers",
    "sibling_records",
    "site_fold",
    "training_digest",
]
