"""What a method is: a pair of a segmenter and an identifier."""

from __future__ import annotations

from dataclasses import dataclass

from tamis.blocks import Segmenter
from tamis.errors import WrongType
from tamis.verdict import Identifier


def needs_layout(component: Segmenter | Identifier) -> bool:
    """Say whether a segmenter or an identifier takes only pages with layout."""
    return bool(getattr(component, "needs_layout", False))


def _check_component(kind: str, component: object, protocol: type, example: str) -> None:
    """Raise WrongType for what is no segmenter or identifier, such as its name or its class."""
    if isinstance(component, type) or not isinstance(component, protocol):
        given = (
            f"the class {component.__name__}" if isinstance(component, type) else repr(component)
        )
        raise WrongType(f"{given} is no {kind}: give one such as {example}")


@dataclass(frozen=True)
class Method:
    """A pair of a segmenter and an identifier, which together lead from a page to its content."""

    segmenter: Segmenter
    identifier: Identifier

    def __post_init__(self) -> None:
        _check_component("segmenter", self.segmenter, Segmenter, "TagSet()")
        _check_component("identifier", self.identifier, Identifier, "Learned()")

    @property
    def needs_layout(self) -> bool:
        """Whether it takes only pages with layout: see `tamis.render`."""
        return needs_layout(self.segmenter) or needs_layout(self.identifier)
