"""Names of features, from the enums of the compiled modules beside their formulas.

A feature has the name of its member in lower case. A member that stands for a family of features,
such as one per group of a table, has the names of the family here. Models find their features by
these names.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import ModuleType
from typing import Final

from tamis.verdict.learned import _answers, _features, _tokens
from tamis.verdict.learned.feature_tables import (
    ANCESTOR_GROUPS,
    COUNTED_TAGS,
    LANDMARKS,
    NAME_GROUPS,
    OG_TYPES,
    OWN_NAME_GROUPS,
    PAGE_TAGS,
    SHARE_GROUPS,
    STEPS,
    WINDOWS,
)

_LEVELS: Final = range(1, 7)
_LEVEL_MEASURES: Final = (
    "long_share share blocks terms_per_block link_density marks_per_term kind headings part".split()
)
_BLOCK_FAMILIES: Final = {
    "N_ELEMENTS": [f"n_{group[0]}" for group in COUNTED_TAGS],
    "OWN_NAME": [f"own_{name}" for name in OWN_NAME_GROUPS],
    "IN_NAME": [f"in_{name}" for name in NAME_GROUPS],
    "IN_ELEMENT": [f"in_{group[0]}_element" for group in ANCESTOR_GROUPS],
    "AFTER_LANDMARK": [f"after_{group[0]}" for group in LANDMARKS],
    "BEFORE_LANDMARK": [f"before_{group[0]}" for group in LANDMARKS],
    **{
        f"LEVEL_{measure.upper()}": [f"{measure}_{level}" for level in _LEVELS]
        for measure in _LEVEL_MEASURES
    },
    "AT_STEP": [
        f"{measure}_at_{step}" for step in STEPS for measure in ("terms", "link_density", "kind")
    ],
    "WITHIN_WINDOW": [
        f"{measure}_within_{window}"
        for window in WINDOWS
        for measure in ("terms", "link_density", "marks_per_term", "long", "headings")
    ],
}
_PAGE_FAMILIES: Final = {
    "PAGE_SHARE": [f"page_share_{group[0]}" for group in SHARE_GROUPS],
    "PAGE_TAG_PER_BLOCK": [f"page_{name}_per_block" for name in PAGE_TAGS],
    "PAGE_OG_TYPE": [f"og_{name}" for name in OG_TYPES],
    "PAGE_PATH_DEPTH": ["path_depth"],
    "PAGE_PATH_LENGTH": ["path_length"],
    "PAGE_MEAN_NAME": [f"page_mean_{name}" for name in NAME_GROUPS],
    "PAGE_IS_NAME": [f"page_is_{name}" for name in NAME_GROUPS],
}

# The names say "belief" for probability, because model files have them.
_STACKED_FAMILIES: Final = {
    "STACKED_AT_STEP": [f"belief_at_{step}" for step in STEPS],
    "STACKED_WITHIN_WINDOW": [f"belief_within_{window}" for window in WINDOWS],
    "STACKED_LEVEL": [f"belief_level_{level}" for level in _LEVELS],
}


def _list_names(
    members: Mapping[str, int], families: Mapping[str, Sequence[str]], prefix: str = ""
) -> tuple[str, ...]:
    """Return the names of features by the members of an enum; the last member is their number.

    A prefix of the members is left out. Raises ImportError if the enum and the tables behind its
    families do not fit each other.
    """
    names: list[str] = []
    *features, (count, total) = sorted(members.items(), key=lambda member: member[1])
    for member, value in (*features, (count, total)):
        if value != len(names):
            raise ImportError(f"{member} is {value}, but {len(names)} features are before it")
        if member != count:
            names += families.get(member, [member.removeprefix(prefix).lower()])
    return tuple(names)


def _enum_members(module: ModuleType, prefix: str) -> dict[str, int]:
    """Return the members of enums of a compiled module that have a prefix."""
    return {
        member: value
        for member, value in vars(module).items()
        if member.isupper() and type(value) is int and member.startswith(prefix)
    }


def _list_answer_names(prefix: str) -> tuple[str, ...]:
    """Return the names of the features of an enum in `_answers`, whose members have a prefix."""
    return _list_names(_enum_members(_answers, prefix), _STACKED_FAMILIES, prefix)


_PAGE_MEMBERS: Final = _enum_members(_features, "PAGE_")
_BLOCK_MEMBERS: Final = {
    member: value
    for member, value in _enum_members(_features, "").items()
    if member not in _PAGE_MEMBERS
}
BLOCK_FEATURES: Final = _list_names(_BLOCK_MEMBERS, _BLOCK_FAMILIES)
PAGE_FEATURES: Final = _list_names(_PAGE_MEMBERS, _PAGE_FAMILIES)
STACKED_FEATURES: Final = _list_answer_names("STACKED_")
TOKEN_FEATURES: Final = _list_names(_enum_members(_tokens, "TOKENS_"), {})
CANDIDATE_FEATURES: Final = _list_answer_names("CANDIDATE_")
# Features that depend neither on the length of the article nor on the level of probabilities.
SHAPE_FEATURES: Final = CANDIDATE_FEATURES[: CANDIDATE_FEATURES.index("article_f1")]
ANSWER_FEATURES: Final = _list_answer_names("CONFIDENCE_")
