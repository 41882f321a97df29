"""`tamis train`: a model from labelled pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.evaluate import dataset_files
from tamis.cli.messages import say

if TYPE_CHECKING:
    from tamis.lab import Dataset

DEFAULT_FILES = {"learned": "learned.npz", "svm": "svm.json"}


@click.command()
@click.argument("dataset", metavar="DATASET")
@click.option(
    "--method",
    "-m",
    type=click.Choice(tuple(DEFAULT_FILES)),
    default="learned",
    help="What to train: learned (the default) or svm.",
)
@click.option(
    "--output",
    "-o",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Model file to write; by default learned.npz or svm.json in the current folder.",
)
@click.option(
    "--folds",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File to write the models of the folds to, for evaluation on the same data set.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Seed of all random choices.")
@click.option("--overwrite", is_flag=True, help="Replace files that exist.")
def train(
    dataset: str,
    method: str,
    output: Path | None,
    folds: Path | None,
    seed: int,
    overwrite: bool,
) -> None:
    """Train a model on labelled pages.

    DATASET is a folder with pages and a gold.jsonl (or .jsonl.gz) that has the main_content of each
    page, or the name of such a folder in $TAMIS_BENCH. The learned method writes its model to
    OUTPUT and a model card beside it (.json), with its quality on sites that it has not learned
    from. The same pages and seed give the same model. Use it with tamis extract --model OUTPUT. The
    exit code is 2 for a mistake in the call and 130 after Ctrl-C; nothing is written then.
    """
    from tamis.cli.overlap import check_apart
    from tamis.cli.targets import check_targets
    from tamis.lab import load

    out = output or Path(DEFAULT_FILES[method])
    card = [out.with_suffix(".json")] if method == "learned" else []  # svm has its own in the model
    written = [out, *card, *([folds] if folds else [])]
    if len({path.absolute() for path in written}) < len(written):
        names = ", ".join(map(str, written))
        raise click.UsageError(f"model, card and folds need names that differ: {names}")
    check_targets(written, overwrite=overwrite)
    pages = load(dataset)
    check_apart(written, dataset_files(dataset, pages))
    run_training(pages, method, (out, folds), seed)
    for path in written:
        say(f"wrote {path}")


def run_training(
    dataset: Dataset, method: str, targets: tuple[Path, Path | None], seed: int
) -> None:
    """Train a method, show the progress, and print the quality of the model."""
    from tamis.cli.training import TrainingProgress
    from tamis.lab.train import LEARNED_STEPS, SVM_STEPS, train_learned, train_svm

    out, folds = targets
    with TrainingProgress(SVM_STEPS if method == "svm" else LEARNED_STEPS) as progress:
        track, on_step = progress.track, progress.begin_step
        if method == "svm":
            train_svm(dataset, out, folds_out=folds, seed=seed, track=track, on_step=on_step)
        else:
            card = train_learned(
                dataset, out, folds_out=folds, seed=seed, track=track, on_step=on_step
            )
            progress.print_line(f"out of fold: {describe_f1(card['out_of_fold']['f1'])}")


def describe_f1(f1: Mapping[str, Any]) -> str:
    """Return the word F1 of a model card in words."""
    from tamis.cli.names import counted

    error = "" if f1["error"] is None else f" ± {f1['error']:.3f}"
    return f"word F1 {f1['mean']:.3f}{error} on {counted(f1['pages'], 'page')}"
