"""trafilatura's functions with tamis inside: the same names, arguments and forms of output.

Neither trafilatura nor lxml is needed, except that `prune_xpath`, and trees as input, need lxml.
docs/integrations.md has a table of what each argument means here; all are accepted.
"""

from __future__ import annotations

import logging
import re
import unicodedata
from configparser import ConfigParser, SectionProxy
from dataclasses import dataclass
from typing import Any, Final

from tamis.content import Document as TamisDocument
from tamis.content import render_comments, render_comments_as_text
from tamis.errors import InputError, TamisError, UnknownName, WrongType, unavailable
from tamis.integrations.trafilatura_output import (
    Document,
    describe_page,
    hash_content,
    render_csv,
    render_header,
    render_html,
    render_json,
)
from tamis.metadata import read_metadata
from tamis.page import MAX_BYTES, Page, decode_html, parse
from tamis.pipeline import Favor
from tamis.pipeline import extract as extract_page
from tamis.source import Fetch, gunzip

__all__ = [
    "Document",
    "UnknownFormat",
    "bare_extraction",
    "extract",
    "extract_metadata",
    "extract_with_metadata",
    "fetch_url",
    "html2txt",
]

_logger = logging.getLogger(__name__)

_FORMATS: Final = ("csv", "html", "json", "markdown", "txt")
_GZIP: Final = b"\x1f\x8b"
_BLANK_LINES: Final = re.compile(r"\n{2,}")
_AUTHOR_JOINT: Final = "; "
_JOINT: Final = ("\n", "\n\n")  # of content and comments, as text and as Markdown


class UnknownFormat(UnknownName, AttributeError):
    """An output format that tamis does not have; trafilatura raises an AttributeError too."""


@dataclass(frozen=True, kw_only=True)
class _Arguments:
    """The arguments of trafilatura's functions; what is below `config` has no meaning here."""

    favor_precision: bool = False
    favor_recall: bool = False
    output_format: str = "txt"
    target_language: str | None = None
    include_tables: bool = True
    include_images: bool = False
    include_formatting: bool | None = None
    include_links: bool = False
    with_metadata: bool = False
    only_with_metadata: bool = False
    url_blacklist: set[str] | None = None
    author_blacklist: set[str] | None = None
    prune_xpath: str | list[str] | None = None
    include_comments: bool = True
    settingsfile: str | None = None
    config: ConfigParser | None = None
    fast: bool = False
    no_fallback: bool = False
    deduplicate: Any = False
    date_extraction_params: dict[str, Any] | None = None
    tei_validation: bool = False
    max_tree_size: int | None = None

    @property
    def favor(self) -> Favor | None:
        """What is favored; recall goes before precision."""
        return "recall" if self.favor_recall else "precision" if self.favor_precision else None

    @property
    def wants_metadata(self) -> bool:
        """Whether metadata are read: if they are wanted, or needed to decide."""
        blacklists = self.url_blacklist or self.author_blacklist
        return self.with_metadata or self.only_with_metadata or bool(blacklists)

    @property
    def wants_markdown(self) -> bool:
        """Whether the text is Markdown, which is how formatting, links and images are written."""
        is_marked = self.include_formatting or self.include_links or self.include_images
        has_marks = self.output_format == "markdown" and self.include_formatting is not False
        return self.output_format != "json" and (has_marks or bool(is_marked))

    @property
    def settings(self) -> SectionProxy | dict[str, str]:
        """The settings of the configuration, or of its file."""
        config = self.config
        if self.settingsfile:
            config = ConfigParser()
            if not config.read(self.settingsfile):
                raise InputError(f"{self.settingsfile} cannot be read: check settingsfile")
        return config["DEFAULT"] if config is not None else {}


def extract(
    filecontent: Any, url: str | None = None, record_id: str | None = None, **arguments: Any
) -> str | None:
    """Return the content of a page in an output format, None if there is none."""
    document = _extract(filecontent, url, record_id, arguments)
    return document.text if document else None


def extract_with_metadata(
    filecontent: Any, url: str | None = None, record_id: str | None = None, **arguments: Any
) -> Document | None:
    """Return the metadata of a page, with its content in an output format as the text."""
    return _extract(filecontent, url, record_id, {**arguments, "with_metadata": True})


def bare_extraction(
    filecontent: Any, url: str | None = None, *, as_dict: bool = False, **arguments: Any
) -> Document | dict[str, Any] | None:
    """Return the content of a page as a document, None if there is none."""
    output_format = arguments.pop("output_format", "python")
    if output_format != "python":
        _check_format(output_format)
    url, options = _read_arguments(url, {**arguments, "output_format": "txt"})
    document = _read(filecontent, url, options)
    return document.as_dict() if document and as_dict else document


def extract_metadata(
    filecontent: Any,
    default_url: str | None = None,
    date_config: Any = None,
    extensive: bool = True,
    author_blacklist: set[str] | None = None,
) -> Document | None:
    """Return the metadata of a page; `date_config` and `extensive` have no meaning here."""
    page = _parse(filecontent, default_url, _Arguments())
    if page is None:
        return None
    document = describe_page(read_metadata(page), default_url, None)
    document.author = _remove_authors(document.author, author_blacklist)
    return document


def fetch_url(
    url: str, no_ssl: bool = False, config: ConfigParser | None = None, options: Any = None
) -> str | None:
    """Fetch a page and return its HTML, None if that was not possible; certificates are checked."""
    try:
        source = Fetch().get(url)
    except InputError as error:
        _logger.warning("%s", error)
        return None
    return decode_html(source.data, source.charset)[0].decode("utf-8", "replace")


def html2txt(content: Any, clean: bool = True) -> str:
    """Return all text of a page on one line."""
    page = _parse(content, None, _Arguments())
    return " ".join(page.text.split()) if page else ""


def _extract(
    filecontent: Any, url: str | None, record_id: str | None, arguments: dict[str, Any]
) -> Document | None:
    """Return the document of a page, whose text has the output format."""
    url, options = _read_arguments(url, arguments)
    _check_format(options.output_format)
    document = _read(filecontent, url, options)
    if document is None:
        return None
    document.id = record_id
    document.fingerprint = hash_content(document.title, document.raw_text or "")
    if options.output_format == "json":
        document.text = render_json(document, with_metadata=options.wants_metadata)
    elif options.output_format == "csv":
        document.text = render_csv(document)
    elif options.output_format == "html":
        document.text = render_html(document, with_metadata=options.wants_metadata)
    else:
        parts = filter(None, (document.text, document.comments))
        header = render_header(document) if options.wants_metadata else ""
        document.text = f"{header}{_JOINT[options.wants_markdown].join(parts)}"
    return document


def _read(filecontent: Any, url: str | None, options: _Arguments) -> Document | None:
    """Return the document of a page, None if it has no content or is not wanted."""
    page = _parse(filecontent, url, options)
    if page is None:
        return None
    try:
        content = extract_page(page, favor=options.favor)
        document = describe_page(content.metadata, url, content.page_type)
        reason = _find_reason_against(document, options)
        text = _render(content, options) if not reason else ""
        comments = _render_comments(content, options) if not reason else ""
    except TamisError as error:
        reason, text, comments = str(error), "", ""
    if reason or not _is_long_enough(text, comments, options):
        _logger.warning("%s is discarded: %s", url, reason or "it has too little text")
        return None
    if not options.wants_metadata:
        document = Document()
    document.author = _remove_authors(document.author, options.author_blacklist)
    document.text, document.comments = text, comments
    document.raw_text = text if options.output_format != "html" else content.text
    return document


def _render(content: TamisDocument, options: _Arguments) -> str:
    """Return the content in the form that the output format has inside."""
    tables = options.include_tables
    parts = {"links": options.include_links, "images": options.include_images, "tables": tables}
    if options.output_format == "html":
        text = content.to_html(**parts)
    elif options.wants_markdown:
        text = content.to_markdown(title=False, **parts)
    else:
        text = _BLANK_LINES.sub("\n", content.to_text(tables=tables))
    return unicodedata.normalize("NFC", text)


def _render_comments(content: TamisDocument, options: _Arguments) -> str:
    """Return what readers wrote below the content; what answers a post is part of the content."""
    if not options.include_comments:
        return ""
    comments = [comment for comment in content.comments if comment.post is None]
    if options.wants_markdown:
        text = render_comments(comments)
    else:
        text = _BLANK_LINES.sub("\n", render_comments_as_text(comments))
    return unicodedata.normalize("NFC", text)


def _is_long_enough(text: str, comments: str, options: _Arguments) -> bool:
    """Say whether the content or the comments have as many characters as the settings want."""
    settings = options.settings
    needed = int(settings.get("min_output_size", 1)), int(settings.get("min_output_comm_size", 1))
    return len(text) >= needed[0] or len(comments) >= needed[1]


def _find_reason_against(document: Document, options: _Arguments) -> str | None:
    """Return why a page is not wanted, None if it is."""
    declared, target = document.language, options.target_language
    if target and declared and declared.lower()[:2] != target.lower()[:2]:
        return f"its language is {declared}"
    if document.url in (options.url_blacklist or ()):
        return "its URL is in the blacklist"
    if options.only_with_metadata and not (document.date and document.title and document.url):
        return "it has no date, no title or no URL"
    return None


def _remove_authors(author: str | None, blacklist: set[str] | None) -> str | None:
    """Return the authors that are not in a blacklist."""
    if not author or not blacklist:
        return author
    unwanted = {name.lower() for name in blacklist}
    names = author.split(_AUTHOR_JOINT)
    return _AUTHOR_JOINT.join(name for name in names if name.lower() not in unwanted) or None


# Arguments and input ------------------------------------------------------------------------------


def _read_arguments(url: str | None, arguments: dict[str, Any]) -> tuple[str | None, _Arguments]:
    """Return the URL and the arguments; those of an Extractor of trafilatura go before others."""
    extractor = arguments.pop("options", None)
    if extractor is not None:
        url = extractor.url or url
        arguments = {
            "config": extractor.config,
            "output_format": extractor.format,
            "favor_precision": extractor.focus == "precision",
            "favor_recall": extractor.focus == "recall",
            "include_formatting": extractor.formatting,
            "include_links": extractor.links,
            "include_images": extractor.images,
            "include_tables": extractor.tables,
            "include_comments": extractor.comments,
            "target_language": extractor.lang,
            "with_metadata": extractor.with_metadata,
            "only_with_metadata": extractor.only_with_metadata,
            "author_blacklist": extractor.author_blacklist,
            "url_blacklist": extractor.url_blacklist,
            "prune_xpath": arguments.get("prune_xpath"),
        }
    try:
        return url, _Arguments(**arguments)
    except TypeError as error:
        raise WrongType(f"trafilatura has no such argument ({error}): check its name") from error


def _check_format(output_format: str) -> None:
    """Raise UnknownFormat for an output format that there is not."""
    if output_format not in _FORMATS:
        advice = "html has the same elements" if "xml" in output_format else "check its name"
        names = ", ".join(_FORMATS)
        raise UnknownFormat(f"no output format {output_format!r}: take one of {names}; {advice}")


def _parse(filecontent: Any, url: str | None, options: _Arguments) -> Page | None:
    """Return the page of what trafilatura takes as input, None if it is no page."""
    limit = int(options.settings.get("max_file_size", MAX_BYTES))
    html = getattr(filecontent, "data", filecontent)  # of a response
    if hasattr(html, "getroottree"):
        html = _import_lxml().tostring(html, encoding="unicode")
    if not html or not isinstance(html, str | bytes):
        _logger.warning("%s is discarded: it is empty, or neither text nor bytes", url)
        return None
    try:
        if isinstance(html, bytes) and html.startswith(_GZIP):
            html = gunzip(html, limit)
        if options.prune_xpath:
            html = _prune(html, options.prune_xpath)
        return parse(html, url, max_bytes=limit)
    except (TamisError, ValueError) as error:
        _logger.warning("%s is discarded: %s", url, error)
        return None


def _prune(html: str | bytes, xpaths: str | list[str]) -> str:
    """Return a page without the elements that XPaths lead to."""
    lxml_html = _import_lxml()
    text = html if isinstance(html, str) else decode_html(html, None)[0].decode("utf-8", "replace")
    tree = lxml_html.document_fromstring(text)
    for xpath in [xpaths] if isinstance(xpaths, str) else xpaths:
        for element in tree.xpath(xpath):
            if element.getparent() is not None:
                element.drop_tree()
    pruned: str = lxml_html.tostring(tree, encoding="unicode")
    return pruned


def _import_lxml() -> Any:
    """Return lxml's module for HTML."""
    try:
        from lxml import html
    except ModuleNotFoundError as error:
        raise unavailable("prune_xpath, and trees as input, need lxml", "evaluate") from error
    return html
