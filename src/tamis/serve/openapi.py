"""How the API describes itself: bodies, parameters and problems, for its OpenAPI document."""

from __future__ import annotations

from typing import Any, cast

from pydantic import BaseModel

from tamis.serve.answers import ProblemAnswer
from tamis.serve.problems import STATUSES

_EXAMPLE_PAGE = "<h1>Rain</h1><p>It rained all day in the old town.</p>"
_EXAMPLE_LINES = '{"id": 1, "html": "<p>A page.</p>"}\n{"id": 2, "html": "<p>Another.</p>"}\n'
_URL_PARAMETER = {
    "name": "url",
    "in": "query",
    "required": False,
    "description": "The address of a page that is sent as HTML.",
    "schema": {"type": "string", "maxLength": 8000},
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of the problems that a route may answer with."""
    always = (401, 403, 421, 429)
    content = {"application/problem+json": {"schema": inline_schema(ProblemAnswer)}}
    return {
        status: {"description": STATUSES[status], "content": content}
        for status in sorted({*always, *statuses})
    }


def page_body(model: type[BaseModel], options: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a body that is JSON, or a page with options in the address."""
    body = json_body(model)
    body["requestBody"]["content"]["text/html"] = {
        "schema": {"type": "string"},
        "example": _EXAMPLE_PAGE,
    }
    return {**body, "parameters": [*_query_parameters(options), _URL_PARAMETER]}


def json_body(model: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a body that is JSON."""
    schema = inline_schema(model)
    examples = schema.get("examples", [])
    media: dict[str, Any] = {"schema": schema}
    if examples:
        media["example"] = examples[0]
    return {"requestBody": {"required": True, "content": {"application/json": media}}}


def lines_body(line: type[BaseModel]) -> dict[str, Any]:
    """Return the description of a body of lines of JSON."""
    media = {
        "schema": {"type": "string"},
        "x-line-schema": inline_schema(line),
        "example": _EXAMPLE_LINES,
    }
    return {"requestBody": {"required": True, "content": {"application/x-ndjson": media}}}


def lines_answer(description: str) -> dict[int | str, dict[str, Any]]:
    """Return the description of an answer of lines of JSON."""
    return {200: {"description": description, "content": {"application/x-ndjson": {}}}}


def inline_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the schema of a model, with what it refers to inside it."""
    schema = model.model_json_schema()
    definitions = schema.pop("$defs", {})
    return cast("dict[str, Any]", _resolve(schema, definitions))


def _resolve(part: Any, definitions: dict[str, Any]) -> Any:
    if isinstance(part, dict):
        if "$ref" in part:
            name = str(part["$ref"]).rpartition("/")[2]
            return _resolve(definitions[name], definitions)
        return {key: _resolve(value, definitions) for key, value in part.items()}
    if isinstance(part, list):
        return [_resolve(value, definitions) for value in part]
    return part


def _query_parameters(model: type[BaseModel]) -> list[dict[str, Any]]:
    """Return the options of a model as the parameters of an address."""
    schema = inline_schema(model)
    required = set(schema.get("required", ()))
    parameters = []
    for name, part in schema["properties"].items():
        part = dict(part)
        description = part.pop("description", None)
        parameter: dict[str, Any] = {
            "name": name,
            "in": "query",
            "required": name in required,
            "schema": part,
        }
        if description:
            parameter["description"] = description
        if part.get("type") == "array":
            parameter |= {"style": "form", "explode": False}
        parameters.append(parameter)
    return parameters
