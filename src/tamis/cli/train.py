"""`tamis train`: a model from labelled pages."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from tamis.cli.evaluate import dataset_files
from tamis.cli.messages import say

if TYPE_CHECKING:
    from tamis.lab.datasets import Dataset

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
    help="File of the model; by default learned.npz or svm.json, here.",
)
@click.option(
    "--folds",
    type=click.Path(path_type=Path, dir_okay=False),
    help="File for the models of the folds, to judge the method on the same set.",
)
@click.option("--seed", type=click.IntRange(0), default=0, help="Of all that is drawn at random.")
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
    page, or the name of one in $TAMIS_BENCH. The learned method writes its model as OUTPUT and a
    card beside it (.json), with its quality on sites that it has not learned from; the same pages
    and seed give the same model. Take it with tamis extract --model OUTPUT. The exit code is 2 for
    a mistake in the call, 130 after Ctrl-C: then nothing is written.
    """
    from tamis.cli.overlap import check_apart
    from tamis.cli.targets import check_targets
    from tamis.lab.datasets import load

    out = output or Path(DEFAULT_FILES[method])
    card = [out.with_suffix(".json")] if method == "learned" else []  # svm has its own in the model
    written = [out, *card, *([folds] if folds else [])]
    if len({path.absolute() for path in written}) < len(written):
        names = ", ".join(map(str, written))
        raise click.UsageError(f"model, card and folds need names that differ: {names}")
    check_targets(written, overwrite=overwrite)
    pages = load(dataset)
    check_apart(written, dataset_files(dataset, pages))
    run(dataset, pages, method, (out, folds), seed)
    for path in written:
        say(f"wrote {path}")


def run(
    dataset: str, pages: Dataset, method: str, written: tuple[Path, Path | None], seed: int
) -> None:
    """Train, show how far the work is, and say how well it went."""
    from tamis.cli.training import Progress
    from tamis.lab.train import svm, train_learned

    out, folds = written
    plan = svm.PLAN if method == "svm" else train_learned.PLAN
    with Progress(plan) as progress:
        watch, step = progress.pages, progress.step
        if method == "svm":
            folder = Path(dataset)
            svm.train_svm(folder, out, folds_out=folds, seed=seed, watch=watch, step=step)
        else:
            card = train_learned.train_learned(
                pages, out, folds_out=folds, seed=seed, watch=watch, step=step
            )
            progress.say(f"out of fold: {quality(card['out_of_fold']['f1'])}")


def quality(f1: Mapping[str, Any]) -> str:
    """Return the word F1 of a card in words."""
    from tamis.cli.names import counted

    error = "" if f1["error"] is None else f" ± {f1['error']:.3f}"
    return f"word F1 {f1['mean']:.3f}{error} on {counted(f1['pages'], 'page')}"
