"""What became of one page: the value that the task returned, or the error that it ended with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, TypeVar, cast

from tamis import errors

Input = TypeVar("Input")
Value = TypeVar("Value")


@dataclass(frozen=True, slots=True)
class Outcome(Generic[Input, Value]):
    """The outcome of one page: `value`, or `error` and `kind`.

    `kind` is the name of the class of the error. DeadlineExceeded, OutOfMemory and WorkerDied mean
    that the page cost its worker; all other kinds are exceptions that the task raised.
    """

    input: Input
    value: Value | None = None
    error: str | None = None  # message
    kind: str | None = None
    traceback: str | None = None  # of an exception in the worker, as text
    elapsed: float = 0.0  # seconds that the page was worked on
    peak_memory: int | None = None  # bytes above the worker's memory before the page; Linux only

    @property
    def is_error(self) -> bool:
        """Whether the page failed."""
        return self.kind is not None

    def unwrap(self) -> Value:
        """Return the value, or raise the error, as its class in tamis.errors if it has one."""
        if self.kind is None:
            return cast(Value, self.value)
        error_class = getattr(errors, self.kind, None)
        if isinstance(error_class, type) and issubclass(error_class, errors.TamisError):
            raise error_class(self.error)
        raise errors.TamisError(f"{self.kind}: {self.error}")
