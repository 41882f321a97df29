"""What is wanted of each page: all that the rows of a run depend on, and nothing else."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any, Final

from tamis.errors import InputError, UnknownName, WrongType, check_argument, check_number
from tamis.page import DEADLINE, MAX_BYTES, MAX_NODES
from tamis.pipeline import DEFAULT_METHOD, METHODS, Favor, Method, look_up
from tamis.workers import MEMORY

FORMATS: Final = (
    "markdown",
    "records",
    "posts",
    "comments",
)  # beside the text, which every row has
_GRACE: Final = 2.0  # a worker is ended after so many deadlines: most pages end themselves


@dataclass(frozen=True)
class Options:
    """The work on each page; it can be sent to other processes and machines.

    `formats` are columns beside the text: markdown, records, posts, comments. `deadline` is in
    seconds, and `memory` in bytes that a page may add to its worker. `html_column` names the column
    with the HTML of tables. `base` is what the file names in an index or a list begin with. `limit`
    is the number of pages of each input.
    """

    formats: tuple[str, ...] = ()
    method: str | Method = DEFAULT_METHOD
    favor: Favor | None = None
    max_bytes: int = MAX_BYTES
    max_nodes: int = MAX_NODES
    deadline: float = DEADLINE
    memory: int = MEMORY
    html_column: str = "html"
    base: str | None = None
    limit: int | None = None

    def __post_init__(self) -> None:
        check_argument("formats", self.formats, tuple, f"a tuple of {', '.join(FORMATS)}")
        for name in self.formats:
            if name not in FORMATS:
                raise UnknownName(f"no format {name!r}: take {' or '.join(FORMATS)}")
        if isinstance(self.method, str):
            method = look_up(METHODS, self.method, "method")
        elif isinstance(self.method, Method):
            method = self.method
        else:
            raise WrongType(f"method is of type {type(self.method).__name__}: give a name")
        if method.needs_layout:
            raise InputError(f"the method {self.method} needs layout: take another one")
        for name in ("max_bytes", "max_nodes", "deadline", "memory", "limit"):
            if (value := getattr(self, name)) is not None:
                check_number(name, value, 0, above=True, whole=name != "deadline")

    @property
    def hard_deadline(self) -> float:
        """The seconds after which a worker is ended that does not answer."""
        return _GRACE * self.deadline

    def describe(self) -> dict[str, Any]:
        """Return the options as plain data, equal for equal options."""
        return asdict(self) | {"method": str(self.method), "formats": sorted(self.formats)}
