"""Messages about documents."""

from typing import Annotated

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.messages.memory_messages import Cited

Slug = Annotated[str, Meta(min_length=1, max_length=limits.SLUG_CHARACTERS_MAX)]
NewSlug = Annotated[
    str,
    Meta(
        min_length=1, max_length=limits.SLUG_CHARACTERS_MAX, extra_json_schema={"pattern": "^[a-z0-9]+(-[a-z0-9]+)*$"}
    ),
]
"""The pattern is for clients; the daemon's check explains refusals, and allows two hyphens."""
Title = Annotated[str, Meta(min_length=1, max_length=limits.TITLE_CHARACTERS_MAX)]
Content = Annotated[str, Meta(max_length=limits.DOCUMENT_CHARACTERS_MAX, description="Markdown.")]


class ListDocs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List the project's documents."""


class Doc(Struct, frozen=True):
    """One document."""

    slug: str
    title: str


class DocList(Struct, frozen=True, kw_only=True):
    """The documents, by slug. *notes*: differences between index and folder."""

    folder: str
    docs: list[Doc]
    notes: list[str] = []


class ReadDoc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Read a document, or one page."""

    slug: Slug
    page: Annotated[int, Meta(ge=1)] = 1


class DocPage(Struct, frozen=True, kw_only=True):
    """A document's page; *cited*: memories named there that no longer hold as they did."""

    slug: str
    title: str
    content: str
    page: int
    pages: int
    version: str = ""
    """Of the whole document; a change must name it."""
    cited: list[Cited] = []
    notes: list[str] = []


class SearchDocs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Search the documents."""

    pattern: Annotated[str, Meta(min_length=1, max_length=limits.PATTERN_CHARACTERS_MAX)]
    slug: Slug | None = None
    is_regex: Annotated[bool, Meta(description="RE2 syntax.")] = False
    case_sensitive: bool = False
    ranked: Annotated[bool, Meta(description="Words or a question; the best sections.")] = False


class DocMatch(Struct, frozen=True, kw_only=True, rename="camel", omit_defaults=True):
    """A matching line, or a section (with *heading*)."""

    slug: str
    title: str
    line_number: int
    snippet: str
    heading: str = ""
    cited: list[Cited] = []
    """Memories named there that hold no more, or not fully."""


class DocMatches(Struct, frozen=True, kw_only=True):
    """The first DOC_MATCHES_MAX matches; *total* counts all."""

    matches: list[DocMatch]
    total: int
    notes: list[str] = []


class AddDoc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Add a document."""

    slug: NewSlug
    title: Title
    content: Content


class EditDoc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Replace a document's text."""

    slug: Slug
    content: Content
    title: Title | None = None
    version: (
        Annotated[str, Meta(min_length=1, max_length=40, description="Of read_doc: refused if changed since.")] | None
    ) = None


class DeleteDoc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Delete a document."""

    slug: Slug
    version: Annotated[str, Meta(min_length=1, max_length=40)] | None = None


class DocChanged(Struct, frozen=True, kw_only=True):
    """A changed document; *notes* for anything unusual."""

    slug: str
    title: str
    done: str
    """`added`, `edited`, `deleted` or `restored`."""
    path: str
    version: str = ""
    """Of the present text; empty: none."""
    former: int | None = None
    """Version of the former text, which is kept; None: none."""
    cited: list[Cited] = []
    """Memories it names that hold no more, or not fully."""
    notes: list[str] = []


class DocsHistory(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Ask for former texts of one document, or all."""

    slug: Slug | None = None


class DocVersion(Struct, frozen=True, kw_only=True):
    """A former text. *done*: edited or deleted. *at* is Unix milliseconds."""

    version: int
    slug: str
    title: str
    done: str
    at: int
    characters: int


class DocVersions(Struct, frozen=True, kw_only=True):
    """Former texts, newest first."""

    versions: list[DocVersion]


class RestoreDoc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Restore a former text: *version*, or the newest."""

    slug: Slug
    version: Annotated[int, Meta(ge=1)] | None = None


class ForgetDoc(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Erase a document's former texts for good: *versions*, or all."""

    slug: Slug
    versions: Annotated[list[Annotated[int, Meta(ge=1)]], Meta(max_length=limits.DOC_VERSIONS_MAX)] = []


class AdoptDocs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Index *files* below the documents' folder, or all."""

    files: Annotated[list[str], Meta(max_length=limits.ADOPTED_AT_ONCE_MAX)] | None = None
    dry_run: bool = False


class Adopted(Struct, frozen=True, kw_only=True):
    """Adopted files, and failures with reasons."""

    adopted: list[Doc]
    skipped: list[str]


class RepairDocs(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Repair differences between index and folder."""


class Repaired(Struct, frozen=True, kw_only=True):
    """Repairs, a sentence each."""

    done: list[str]
