"""Verdicts on blocks. `IDENTIFIERS` maps names to the classes that identify informative blocks."""

from __future__ import annotations

from typing import Final

from tamis.verdict import entropy, svm
from tamis.verdict.density import densities
from tamis.verdict.eifce import Eifce, importance
from tamis.verdict.entropy import (
    Entropy,
    Stemmer,
    block_entropy,
    greedy_threshold,
    page_language,
    term_entropies,
)
from tamis.verdict.feature import Feature, basket
from tamis.verdict.ibdf import Ibdf, SimilarIndex, build_ibdf_template, page_holders
from tamis.verdict.importance import Importance
from tamis.verdict.kfeature import KFeature, cluster_bound, kmeans_cuts, silhouette
from tamis.verdict.learned.learned import Learned
from tamis.verdict.optimum import Optimum, counted_text
from tamis.verdict.shingle import (
    ResemblanceIndex,
    Shingle,
    Shingles,
    block_shingles,
    build_shingle_template,
    run_hashes,
    token_hashes,
)
from tamis.verdict.svm import (
    FEATURES,
    LinearModel,
    Svm,
    decision_distances,
    load_model,
    read_model,
    shipped_model,
    svm_features,
)
from tamis.verdict.tagwindow import (
    NOISE_WORDS,
    TagWindow,
    chunk_attributes,
    email_counts,
    innermost,
    noise_features,
    noise_word_counts,
)
from tamis.verdict.verdict import Identifier, PageVerdict, Verdict, build_verdict

IDENTIFIERS: Final[dict[str, type[Identifier]]] = {
    "feature": Feature,
    "kfeature": KFeature,
    "importance": Importance,
    "optimum": Optimum,
    "tagwindow": TagWindow,
    "svm": Svm,
    "eifce": Eifce,
    "learned": Learned,
    "ibdf": Ibdf,
    "entropy": Entropy,
    "shingle": Shingle,
}

__all__ = [
    "FEATURES",
    "IDENTIFIERS",
    "NOISE_WORDS",
    "Eifce",
    "Entropy",
    "Feature",
    "Ibdf",
    "Identifier",
    "Importance",
    "KFeature",
    "Learned",
    "LinearModel",
    "Optimum",
    "PageVerdict",
    "ResemblanceIndex",
    "Shingle",
    "Shingles",
    "SimilarIndex",
    "Stemmer",
    "Svm",
    "TagWindow",
    "Verdict",
    "basket",
    "block_entropy",
    "block_shingles",
    "build_ibdf_template",
    "build_shingle_template",
    "build_verdict",
    "chunk_attributes",
    "cluster_bound",
    "counted_text",
    "decision_distances",
    "densities",
    "email_counts",
    "entropy",
    "greedy_threshold",
    "importance",
    "innermost",
    "kmeans_cuts",
    "load_model",
    "noise_features",
    "noise_word_counts",
    "page_holders",
    "page_language",
    "read_model",
    "run_hashes",
    "shipped_model",
    "silhouette",
    "svm",
    "svm_features",
    "term_entropies",
    "token_hashes",
]
