"""Verdicts on blocks: which are informative. `IDENTIFIERS` maps names to identifiers.

Each algorithm is a file of its own; the default, `learned`, is a folder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tamis.lazy import defer_imports

if TYPE_CHECKING:
    from tamis.verdict.coreex import CoreEx, count_text_and_links
    from tamis.verdict.density import measure_densities
    from tamis.verdict.eifce import Eifce, measure_importance
    from tamis.verdict.entropy import (
        Entropy,
        Stemmer,
        block_entropy,
        find_greedy_threshold,
        page_language,
        term_entropies,
    )
    from tamis.verdict.feature import Feature, fill_basket
    from tamis.verdict.ibdf import Ibdf, SimilarIndex, build_ibdf_template, collect_holders
    from tamis.verdict.identifiers import IDENTIFIERS
    from tamis.verdict.importance import Importance
    from tamis.verdict.kfeature import (
        KFeature,
        find_cluster_bound,
        kmeans_boundaries,
        mean_silhouette,
    )
    from tamis.verdict.learned import Learned
    from tamis.verdict.optimum import Optimum, find_counted_text
    from tamis.verdict.shingle import (
        ResemblanceIndex,
        Shingle,
        Shingles,
        block_shingles,
        build_shingle_template,
        run_hashes,
        token_hashes,
    )
    from tamis.verdict.sitestyle import DISPLAY_ATTRIBUTES, SiteStyle, StyleTree
    from tamis.verdict.svm import (
        SVM_FEATURES,
        LinearModel,
        Svm,
        decision_distances,
        parse_linear_model,
        read_linear_model,
        shipped_linear_model,
        svm_features,
    )
    from tamis.verdict.tagwindow import (
        NOISE_WORDS,
        TagWindow,
        chunk_attributes,
        count_emails,
        count_noise_words,
        find_innermost,
        noise_features,
    )
    from tamis.verdict.verdict import Floats, Identifier, PageVerdict, Verdict, build_verdict

__all__ = [
    "DISPLAY_ATTRIBUTES",
    "IDENTIFIERS",
    "NOISE_WORDS",
    "SVM_FEATURES",
    "CoreEx",
    "Eifce",
    "Entropy",
    "Feature",
    "Floats",
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
    "SiteStyle",
    "Stemmer",
    "StyleTree",
    "Svm",
    "TagWindow",
    "Verdict",
    "block_entropy",
    "block_shingles",
    "build_ibdf_template",
    "build_shingle_template",
    "build_verdict",
    "chunk_attributes",
    "collect_holders",
    "count_emails",
    "count_noise_words",
    "count_text_and_links",
    "decision_distances",
    "fill_basket",
    "find_cluster_bound",
    "find_counted_text",
    "find_greedy_threshold",
    "find_innermost",
    "kmeans_boundaries",
    "mean_silhouette",
    "measure_densities",
    "measure_importance",
    "noise_features",
    "page_language",
    "parse_linear_model",
    "read_linear_model",
    "run_hashes",
    "shipped_linear_model",
    "svm_features",
    "term_entropies",
    "token_hashes",
]

_DEFERRED = {
    "coreex": "CoreEx count_text_and_links",
    "density": "measure_densities",
    "eifce": "Eifce measure_importance",
    "entropy": ("Entropy Stemmer block_entropy find_greedy_threshold page_language term_entropies"),
    "feature": "Feature fill_basket",
    "ibdf": "Ibdf SimilarIndex build_ibdf_template collect_holders",
    "importance": "Importance",
    "kfeature": "KFeature find_cluster_bound kmeans_boundaries mean_silhouette",
    "learned": "Learned",
    "optimum": "Optimum find_counted_text",
    "shingle": (
        "ResemblanceIndex Shingle Shingles block_shingles build_shingle_template run_hashes "
        "token_hashes"
    ),
    "sitestyle": "DISPLAY_ATTRIBUTES SiteStyle StyleTree",
    "svm": (
        "SVM_FEATURES LinearModel Svm decision_distances parse_linear_model read_linear_model "
        "shipped_linear_model svm_features"
    ),
    "tagwindow": (
        "NOISE_WORDS TagWindow chunk_attributes count_emails count_noise_words find_innermost "
        "noise_features"
    ),
    "verdict": "Floats Identifier PageVerdict Verdict build_verdict",
    "identifiers": "IDENTIFIERS",
}
__getattr__ = defer_imports(__name__, _DEFERRED)
