"""Parameters of methods: the fields of their dataclasses, and values for them as users write them.

`--set max_link=0.4` sets the field `max_link` of the segmenter or the identifier of a method. The
value is converted to the type of the field. A name that both have is written with its part, such as
`identifier.min_area`.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass, replace
from types import NoneType, UnionType
from typing import Any, Final, Literal, TypeVar, Union, cast, get_args, get_origin, get_type_hints

import click

from tamis.errors import TamisError
from tamis.pipeline import Method

_T = TypeVar("_T")

_PARTS: Final = ("segmenter", "identifier")
_TRUTH: Final = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}
_PLAIN_TYPES: Final = (bool, int, float, str)


@dataclass(frozen=True)
class Parameter:
    """A field of a segmenter or an identifier that a user can set."""

    part: str  # "segmenter" or "identifier"
    name: str
    type: Any
    value: Any

    def describe_value(self) -> str:
        """Return the value as a user would write it."""
        return _write_value(self.value)


def list_parameters(method: Method) -> list[Parameter]:
    """Return the parameters of a method that can be set."""
    return [
        parameter
        for part in _PARTS
        for parameter in _list_component_parameters(part, getattr(method, part))
    ]


def _list_component_parameters(part: str, component: object) -> Iterator[Parameter]:
    """Yield the parameters of a segmenter or identifier; models and templates are none."""
    if not is_dataclass(component):
        return
    kind = type(component)
    types = get_type_hints(kind, vars(sys.modules[kind.__module__]))
    for field in fields(component):
        if field.init and _is_writable(types[field.name]):
            value = getattr(component, field.name)
            yield Parameter(part, field.name, types[field.name], value)


def set_parameters(method: Method, settings: Iterable[tuple[str, str]], name: str) -> Method:
    """Return a method with other values for parameters; an error names those that exist."""
    parameters = list_parameters(method)
    changes: dict[str, dict[str, Any]] = {part: {} for part in _PARTS}
    for setting, text in settings:
        parameter = _find_parameter(parameters, setting, f"the method {name}")
        changes[parameter.part][parameter.name] = _convert(parameter, text)
    return Method(
        _replace(method.segmenter, changes["segmenter"]),
        _replace(method.identifier, changes["identifier"]),
    )


def set_component_parameters(component: _T, settings: Iterable[tuple[str, str]], name: str) -> _T:
    """Return a segmenter with other values for its parameters."""
    parameters = list(_list_component_parameters("segmenter", component))
    changes = {}
    for setting, text in settings:
        parameter = _find_parameter(parameters, setting, f"the segmenter {name}")
        changes[parameter.name] = _convert(parameter, text)
    return _replace(component, changes)


def _replace(component: _T, changes: Mapping[str, Any]) -> _T:
    """Return a dataclass with changes; a value that it refuses is the user's mistake."""
    if not changes:
        return component
    try:
        return cast(_T, replace(cast(Any, component), **changes))
    except (TamisError, ValueError, TypeError) as error:
        names = ", ".join(changes)
        raise click.UsageError(f"--set {names}: {error}") from error


def _find_parameter(parameters: list[Parameter], name: str, owner: str) -> Parameter:
    """Return a parameter by its name; an error says what its owner has."""
    part, _, field = name.rpartition(".")
    matches = [
        parameter
        for parameter in parameters
        if parameter.name == field and part in ("", parameter.part)
    ]
    if len(matches) == 1:
        return matches[0]
    if matches:
        raise click.UsageError(
            f"--set {name}: segmenter and identifier of {owner} have one; "
            f"write segmenter.{name} or identifier.{name}"
        )
    names = ", ".join(dict.fromkeys(parameter.name for parameter in parameters))
    advice = f"it has {names}" if names else "it has none"
    raise click.UsageError(f"{owner} has no parameter {name}; {advice}")


def _convert(parameter: Parameter, text: str) -> Any:
    try:
        return _convert_text(text.strip(), parameter.type)
    except ValueError:
        expected = _describe_type(parameter.type)
        example = _write_example(parameter)
        advice = f", such as {example}" if example else ""
        raise click.UsageError(f"--set {parameter.name}={text}: give {expected}{advice}") from None


def _write_example(parameter: Parameter) -> str:
    """Return an example of a value: the default if it shows what to write, or else any.

    Empty for a parameter whose values are all listed.
    """
    if parameter.type is bool or get_origin(parameter.type) is Literal:
        return ""
    if parameter.value not in (None, ()):
        return parameter.describe_value()
    return _write_value(_build_example(parameter.type))


def _build_example(kind: Any) -> Any:
    """Return any value of a type."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is tuple:
        return tuple(_build_example(inner) for inner in arguments if inner is not Ellipsis)
    if origin in (Union, UnionType):
        return _build_example(next(inner for inner in arguments if inner is not NoneType))
    if origin is Literal:
        return arguments[0]
    return {bool: True, int: 2, float: 0.5}.get(kind, "img")


def _convert_text(text: str, kind: Any) -> Any:
    """Return text as a value of a type; ValueError if it is none."""
    if kind is bool:
        if text.lower() not in _TRUTH:
            raise ValueError(text)
        return _TRUTH[text.lower()]
    if kind in (int, float, str):
        return kind(text)
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        if text not in arguments:
            raise ValueError(text)
        return text
    if origin is tuple:
        return _convert_tuple(text, arguments)
    return _convert_union(text, arguments)


def _convert_tuple(text: str, kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    parts = [part.strip() for part in text.split(",") if part.strip()]
    if kinds[-1] is Ellipsis:
        kinds = (kinds[0],) * len(parts)
    values = []
    for part, kind in zip(parts, kinds, strict=True):
        if _is_tuple(kind):  # pairs such as img:2
            inner = part.split(":")
            pairs = zip(inner, get_args(kind), strict=True)
            values.append(tuple(_convert_text(word, word_kind) for word, word_kind in pairs))
        else:
            values.append(_convert_text(part, kind))
    return tuple(values)


def _convert_union(text: str, kinds: tuple[Any, ...]) -> Any:
    if NoneType in kinds and text.lower() == "none":
        return None
    kinds = tuple(kind for kind in kinds if kind is not NoneType)
    if "," in text:  # several values: a tuple before one text
        kinds = tuple(sorted(kinds, key=_is_tuple, reverse=True))
    for kind in kinds:
        try:
            return _convert_text(text, kind)
        except ValueError:
            continue
    raise ValueError(text)


def _is_tuple(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_writable(kind: Any) -> bool:
    """Say whether a value of a type can be written as text."""
    if kind in _PLAIN_TYPES or get_origin(kind) is Literal:
        return True
    arguments = [kind for kind in get_args(kind) if kind not in (Ellipsis, NoneType)]
    if get_origin(kind) in (tuple, Union, UnionType):
        return all(map(_is_writable, arguments))
    return False


def _describe_type(kind: Any) -> str:
    """Return what values of a type look like."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(map(str, arguments))
    if origin is tuple:
        if arguments[-1] is Ellipsis:
            inner = arguments[0]
            plural = {int: "whole numbers", float: "numbers"}.get(inner, "names")
            return f"{'name:number pairs' if _is_tuple(inner) else plural} with commas"
        plural = "numbers" if set(arguments) <= {int, float} else "values"
        return f"{len(arguments)} {plural} with commas"
    if origin in (Union, UnionType):
        names = (_describe_type(inner) for inner in arguments if inner is not NoneType)
        words = " or ".join(dict.fromkeys(names))
        return f"{words} or none" if NoneType in arguments else words
    return {bool: "true or false", int: "a whole number", float: "a number"}.get(kind, "text")


def _write_value(value: Any) -> str:
    if value is None:
        return "none"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        pairs = (":".join(map(_write_value, part)) for part in value if isinstance(part, tuple))
        flat = (_write_value(part) for part in value if not isinstance(part, tuple))
        return ",".join([*pairs, *flat])
    return str(value)
