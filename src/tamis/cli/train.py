"""`tamis train`: a model from labelled pages, and the progress of its training."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from statistics import mean
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from tamis.cli.evaluate import dataset_files
from tamis.cli.messages import count_things, say
from tamis.printing import printable
from tamis.terminal import Progress

if TYPE_CHECKING:
    from tamis.lab import Dataset

_T = TypeVar("_T")

_LINE_INTERVAL: Final = 10.0  # seconds between two lines about one step
_DEFAULT_FILES: Final = {"learned": "learned.npz", "svm": "svm.json"}


@click.command()
@click.argument("names", metavar="DATASET...", nargs=-1, required=True)
@click.option(
    "--method",
    "-m",
    type=click.Choice(tuple(_DEFAULT_FILES)),
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
    names: tuple[str, ...],
    method: str,
    output: Path | None,
    folds: Path | None,
    seed: int,
    overwrite: bool,
) -> None:
    """Train a model on labelled pages.

    DATASET is a folder with pages and a gold.jsonl (or .jsonl.gz) that has the main_content of each
    page, or snippets of it, or the name of such a folder in $TAMIS_BENCH; svm takes one. The
    learned method writes its model to OUTPUT and a model card beside it (.json), with its quality
    on sites that it has not learned from. The same pages and seed give the same model. Use it with
    tamis extract --model OUTPUT. The exit code is 2 for a mistake in the call and 130 after Ctrl-C;
    nothing is written then.
    """
    from tamis.cli.files import check_no_input, check_targets
    from tamis.lab import load

    out = output or Path(_DEFAULT_FILES[method])
    card = [out.with_suffix(".json")] if method == "learned" else []  # svm has its own in the model
    written = [out, *card, *([folds] if folds else [])]
    if len({path.absolute() for path in written}) < len(written):
        paths = ", ".join(map(str, written))
        raise click.UsageError(f"model, card and folds need names that differ: {paths}")
    check_targets(written, overwrite=overwrite)
    if method == "svm" and len(names) > 1:
        raise click.UsageError("svm learns from one data set: name only one")
    if len(set(names)) < len(names):
        raise click.UsageError(f"name each data set once: {', '.join(names)}")
    datasets = [load(name) for name in names]
    for name, dataset in zip(names, datasets, strict=True):
        check_no_input(written, dataset_files(name, dataset))
    _train(datasets, method, (out, folds), seed)
    for path in written:
        say(f"wrote {path}")


def _train(
    datasets: Sequence[Dataset], method: str, targets: tuple[Path, Path | None], seed: int
) -> None:
    """Train a method, show the progress, and print the quality of the model."""
    from tamis.lab.train import LEARNED_STEPS, SVM_STEPS, train_learned, train_svm

    out, folds = targets
    with TrainingProgress(SVM_STEPS if method == "svm" else LEARNED_STEPS) as progress:
        track, on_step = progress.track, progress.begin_step
        if method == "svm":
            train_svm(datasets[0], out, folds_out=folds, seed=seed, track=track, on_step=on_step)
        else:
            card = train_learned(
                datasets, out, folds_out=folds, seed=seed, track=track, on_step=on_step
            )
            for name, quality in card["out_of_fold"].items():
                progress.print_line(f"out of fold, {name}: {_describe_quality(quality['f1'])}")


def _describe_quality(f1: Mapping[str, Any]) -> str:
    """Return the word F1 of a model card as text."""
    error = "" if f1["error"] is None else f" ± {f1['error']:.3f}"
    return f"word F1 {f1['mean']:.3f}{error} on {count_things(f1['pages'], 'page')}"


class TrainingProgress(Progress):
    """The steps of a plan, how far each is, and the time that is left.

    It is a bar on a terminal, lines elsewhere. A plan has the kinds of steps and how often each is
    taken. The expected time of a step is the mean of those of its kind so far; of a kind without
    any, the mean of all fits so far.
    """

    def __init__(self, plan: Mapping[str, int]) -> None:
        super().__init__("training", delay=0.0, clock="elapsed")
        self._plan = plan
        self._durations: dict[str, list[float]] = {kind: [] for kind in plan}
        self._kind: str | None = None
        self._step_text = ""
        self._started = self._step_started = self._last_line = time.monotonic()

    def begin_step(self, kind: str, details: str) -> None:
        """Show which step begins, and when all of them may be done."""
        now = time.monotonic()
        if self._kind is not None:
            self._durations[self._kind].append(now - self._step_started)
        self._kind, self._step_started = kind, now
        number = sum(map(len, self._durations.values())) + 1
        steps = sum(self._plan.values())
        self._step_text = f"step {number} of {steps}: {kind}, {details}"
        self._show(number - 1, steps, "steps", "", describe_time_left(self._time_left()))

    def track(self, pages: Sequence[_T]) -> Iterator[_T]:
        """Yield pages and show how many are done, and when all of them may be."""
        total = len(pages)
        for done, page in enumerate(pages):
            if done:
                passed = time.monotonic() - self._step_started
                left = describe_time_left(passed / done * (total - done), "of this step")
                self._show(done, total, "pages", f"{done:,} of {total:,} pages", left)
            yield page
        self._show(total, total, "pages", f"{total:,} pages", "")

    def print_line(self, text: str) -> None:
        """Print a line with the time that has passed."""
        self._last_line = time.monotonic()
        self.print(f"tamis: {self._last_line - self._started:5.0f} s  {printable(text)}")

    def _time_left(self) -> float | None:
        """Return the expected seconds of all further steps, None before the first fit."""
        fits = [
            seconds
            for kind, durations in self._durations.items()
            if self._plan[kind] > 1
            for seconds in durations
        ]
        if not fits:
            return None
        return sum(
            (self._plan[kind] - len(durations)) * mean(durations or fits)
            for kind, durations in self._durations.items()
        )

    def _show(self, done: int, total: int, unit: str, count: str, left: str) -> None:
        """Update the bar; without one, print a line if it is time for one."""
        self.update(
            description=self._step_text, completed=done, total=total, unit=unit, status=left
        )
        is_due = not count or time.monotonic() - self._last_line >= _LINE_INTERVAL
        if is_due and not self.is_bar_possible:
            self.print_line(", ".join(part for part in (self._step_text, count, left) if part))


def describe_time_left(seconds: float | None, of_what: str = "") -> str:
    """Return a time that is left as text, empty if it is unknown."""
    if seconds is None:
        return ""
    minutes = round(seconds / 60)
    if seconds < 60:
        duration = f"{seconds:.0f} s"
    elif minutes < 60:
        duration = f"{minutes} min"
    else:
        duration = f"{minutes // 60} h {minutes % 60} min"
    return f"about {duration} {of_what} left".replace("  ", " ")
