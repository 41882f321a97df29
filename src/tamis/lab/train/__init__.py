"""Training of the models that `learned` and `svm` ship. No extraction imports it.

`train_learned` and `train_svm` read a data set and write a model with its card.
"""

from tamis.lab.train.augmentation import (
    LISTS_PER_ARTICLE,
    SHORT_TERMS,
    SURROUNDED_TERMS,
    age_html,
    apply_edits,
    copy_examples,
    draw_terms,
    first_entries,
    group_lists_by_fold,
    insertion_offsets,
    random_generator,
    shorten,
    shortening_edits,
    surround_with_lists,
)
from tamis.lab.train.cross_validation import FittedModels, fit_models
from tamis.lab.train.examples import (
    MAX_WEIGHT_TERMS,
    Example,
    compute_target,
    read_examples,
    weigh_blocks,
)
from tamis.lab.train.forests import (
    average_forests,
    build_forest,
    fit_forest,
    round_down,
    widen_forest,
)
from tamis.lab.train.learned import LEARNED_STEPS, train_learned
from tamis.lab.train.learning_curve import (
    CurvePoint,
    draw_learning_curve,
    learning_curve_chart,
    measure_learning_curve,
)
from tamis.lab.train.svm import (
    SVM_STEPS,
    SvmExample,
    build_svm_example,
    fit_folds,
    fit_svm,
    read_svm_examples,
    score_folds,
    score_svm,
    train_svm,
)
from tamis.lab.train.tokens import (
    average_weights,
    fit_fold_weights,
    fit_page_weights,
    token_matrix,
)
from tamis.lab.train.trainer import MAX_BLOCKS, SECOND_COLUMNS, SETTINGS, Trainer

__all__ = [
    "LEARNED_STEPS",
    "LISTS_PER_ARTICLE",
    "MAX_BLOCKS",
    "MAX_WEIGHT_TERMS",
    "SECOND_COLUMNS",
    "SETTINGS",
    "SHORT_TERMS",
    "SURROUNDED_TERMS",
    "SVM_STEPS",
    "CurvePoint",
    "Example",
    "FittedModels",
    "SvmExample",
    "Trainer",
    "age_html",
    "apply_edits",
    "average_forests",
    "average_weights",
    "build_forest",
    "build_svm_example",
    "compute_target",
    "copy_examples",
    "draw_learning_curve",
    "draw_terms",
    "first_entries",
    "fit_fold_weights",
    "fit_folds",
    "fit_forest",
    "fit_models",
    "fit_page_weights",
    "fit_svm",
    "group_lists_by_fold",
    "insertion_offsets",
    "learning_curve_chart",
    "measure_learning_curve",
    "random_generator",
    "read_examples",
    "read_svm_examples",
    "round_down",
    "score_folds",
    "score_svm",
    "shorten",
    "shortening_edits",
    "surround_with_lists",
    "token_matrix",
    "train_learned",
    "train_svm",
    "weigh_blocks",
    "widen_forest",
]
