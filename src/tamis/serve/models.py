"""What requests may hold: scalars and names from lists, no code, no paths, no headers."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self, TypeVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from tamis.serve.problems import Problem

MethodName = Literal[
    "feature",
    "kfeature",
    "optimum",
    "tagwindow",
    "keypattern",
    "svm",
    "coreex",
    "learned",
]
FormatName = Literal[
    "text", "markdown", "html", "json", "records", "metadata", "chunks", "posts", "comments"
]
ShownMethod = Literal["site"] | MethodName  # `site`: with what is known of the site of a page
FavorName = Literal["precision", "recall"]
Url = Annotated[str, Field(min_length=1, max_length=8_000)]
_Model = TypeVar("_Model", bound=BaseModel)

_PAGE = "<nav><a href='/'>Home</a></nav><h1>Rain</h1><p>It rained all day in the old town.</p>"


def _split(value: Any) -> Any:
    """Return a list of names that stands in an address as one: `text,markdown`."""
    if isinstance(value, str):
        return [name.strip() for name in value.split(",")]
    return value


class _Request(BaseModel):
    """A part of a request; what is not in it is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True)


class PageRequest(_Request):
    """A page: its HTML, or an address to fetch, or the address of a page in the store."""

    html: str | None = Field(None, description="The page itself.")
    url: Url | None = Field(
        None, description="The address of the page; without `html` it is fetched."
    )
    stored: Url | None = Field(None, description="The address of a page in the store.")
    version: int = Field(
        -1,
        ge=-(2**31),
        le=2**31 - 1,
        description="Of the stored page: 1 the oldest, -1 the newest.",
    )

    @model_validator(mode="after")
    def _check_source(self) -> Self:
        if self.html is None and self.url is None and self.stored is None:
            raise ValueError("give html, url or stored")
        if self.stored is not None and (self.html is not None or self.url is not None):
            raise ValueError("stored stands alone: leave html and url out")
        return self


class RenderingRequest(_Request):
    """How a document is rendered."""

    title: bool = Field(
        True, description="Put the title above Markdown that does not begin with it."
    )
    front_matter: bool = Field(
        False, description="Put title, URL, date, author and language above Markdown, as YAML."
    )
    comments: bool = Field(False, description="Put comments below text and Markdown.")
    links: bool = Field(True, description="Keep links in Markdown and HTML.")
    images: bool = Field(True, description="Keep images in Markdown and HTML.")
    tables: bool = Field(True, description="Keep tables.")
    max_tokens: int = Field(512, ge=1, le=100_000, description="Of a chunk.")
    overlap: int = Field(0, ge=0, le=50_000, description="Tokens that a chunk repeats.")


class ExtractOptions(RenderingRequest):
    """How a page is read, and what is given out."""

    method: MethodName = Field("learned", description="See `tamis methods`.")
    favor: FavorName | None = Field(None, description="Keep fewer doubtful blocks, or more.")
    formats: Annotated[list[FormatName], BeforeValidator(_split)] = Field(
        ["markdown", "metadata"], min_length=1, max_length=9, description="What is given out."
    )


class ExtractRequest(PageRequest, ExtractOptions):
    """A page, and what is to be extracted from it."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [{"html": _PAGE, "formats": ["markdown", "metadata"]}],
        }
    )


class SiteExtractOptions(RenderingRequest):
    """What is given out of a page of a site."""

    formats: Annotated[list[FormatName], BeforeValidator(_split)] = Field(
        ["markdown", "metadata"], min_length=1, max_length=9, description="What is given out."
    )


class SiteExtractRequest(PageRequest, SiteExtractOptions):
    """A page of a site, and what is to be extracted from it."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"html": _PAGE}]})


class BlocksOptions(_Request):
    """How a page is cut into blocks and judged."""

    method: MethodName = "learned"
    favor: FavorName | None = None
    only_informative: bool = Field(False, description="Leave noise out.")


class BlocksRequest(PageRequest, BlocksOptions):
    """A page that is cut into blocks."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"html": _PAGE}]})


class RecordsOptions(_Request):
    """Which records of a page are given out."""

    regions: Literal["main", "all"] = Field("main", description="Those of the main list, or all.")


class RecordsRequest(PageRequest, RecordsOptions):
    """A list page that is read as records."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"html": _PAGE}]})


class BatchLine(ExtractRequest):
    """One line of a batch."""

    id: str | int | None = Field(None, description="Comes back with the answer.")


class LearnRequest(_Request):
    """Pages from which a site is learned."""

    host: str = Field(min_length=1, max_length=200)
    pages: list[PageRequest] = Field(default_factory=list, max_length=200)
    from_store: int = Field(0, ge=0, le=200, description="So many pages of the host in the store.")
    update: bool = Field(False, description="Go on from what is known of the host.")

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"host": "example.org", "pages": [{"html": _PAGE}]}]}
    )

    @model_validator(mode="after")
    def _check_pages(self) -> Self:
        if not self.pages and not self.from_store:
            raise ValueError("give pages, or from_store for pages of the store")
        return self


# The inspector ---------------------------------------------------------------------------------


class OpenOptions(_Request):
    """What a page is called."""

    name: str | None = Field(None, max_length=300, description="What the page is called.")


class OpenRequest(PageRequest, OpenOptions):
    """A page that is to be looked at."""


class MarkRequest(_Request):
    """What a person says about a page."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"page": "0123456789abcdef", "kind": "noise", "block": 3}]},
    )

    page: str = Field(min_length=1, max_length=64)
    kind: Literal["content", "noise", "region", "column"]
    block: int | None = Field(None, ge=0, le=10**7)
    region: int | None = Field(None, ge=0, le=10**4)
    field: str | None = Field(None, max_length=200, description="The column that gets a name.")
    name: str | None = Field(None, max_length=100)
    reach: Literal["text", "form", "path"] = "form"
    only_like_page: bool = Field(False, description="Only on pages whose addresses are alike.")

    @model_validator(mode="after")
    def _check_subject(self) -> Self:
        needed = {"region": ("region",), "column": ("field", "name")}.get(self.kind, ("block",))
        for name in needed:
            if getattr(self, name) in (None, ""):
                raise ValueError(f"a mark of the kind {self.kind} needs {name}")
        return self


# Reading ----------------------------------------------------------------------------------------


def parse_json(model: type[_Model], body: bytes) -> _Model:
    """Return a request that came as JSON; a Problem says what is wrong with it."""
    try:
        return model.model_validate_json(body)
    except ValidationError as error:
        raise _explain(error) from error


def parse_options(model: type[_Model], values: dict[str, Any]) -> _Model:
    """Return options that came in an address."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise _explain(error) from error


def _explain(error: ValidationError) -> Problem:
    """Return a problem that lists what is wrong, without the values, which can be pages."""
    errors = [
        {"at": ".".join(map(str, entry["loc"])) or "body", "message": entry["msg"]}
        for entry in error.errors(include_url=False, include_context=False, include_input=False)
    ]
    first = errors[0]
    if error.errors(include_url=False)[0]["type"] == "json_invalid":
        return Problem(400, "bad-json", f"the body is no JSON: {first['message']}")
    detail = f"{first['at']}: {first['message']}"
    return Problem(422, "bad-request", detail, errors=errors)
