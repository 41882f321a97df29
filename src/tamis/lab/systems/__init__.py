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
    domain_key,
    find_fold_method,
    find_method,
    fixed_system,
    method_systems,
    parse_learned_folds,
    parse_svm_folds,
    read_fold_identifiers,
    read_training,
    registered_domain,
    site_fold,
)
from tamis.lab.systems.peers import PEER_NAMES, PEERS, find_peer, peer_systems
from tamis.lab.systems.processes import (
    NODE_PEERS,
    PROCESS_PEERS,
    PeerFailed,
    PeerProcess,
    ProcessPeer,
    find_process_peer,
)
from tamis.lab.systems.records import mdr_records, read_by_extruct, sibling_records

__all__ = [
    "BASELINES",
    "FOLDS",
    "FOLD_PARSERS",
    "NODE_PEERS",
    "PEERS",
    "PEER_NAMES",
    "PROCESS_PEERS",
    "Answer",
    "Extractor",
    "PeerFailed",
    "PeerProcess",
    "ProcessPeer",
    "System",
    "baseline_systems",
    "choose_systems",
    "domain_key",
    "find_fold_method",
    "find_method",
    "find_peer",
    "find_process_peer",
    "fixed_system",
    "mdr_records",
    "method_systems",
    "parse_learned_folds",
    "parse_names",
    "parse_svm_folds",
    "peer_systems",
    "read_by_extruct",
    "read_fold_identifiers",
    "read_training",
    "registered_domain",
    "sibling_records",
    "site_fold",
]
