"""Operations on documents."""

from typing import Final

from palimp_protocol.messages import documents
from palimp_protocol.messages.erasure import Erased
from palimp_protocol.operations.operation import Operation, always, touches_nothing, writes

DOCUMENT_OPERATIONS: Final = (
    Operation(
        name="list_docs",
        toolset="docs",
        title="List documents",
        request=documents.ListDocs,
        reply=documents.DocList,
        access=touches_nothing,
        read_only=True,
        description="List the project's markdown documents: slugs and titles.",
    ),
    Operation(
        name="read_doc",
        toolset="docs",
        title="Read a document",
        request=documents.ReadDoc,
        reply=documents.DocPage,
        access=touches_nothing,
        read_only=True,
        description="Read a document by its slug. Long ones come in pages, cut between sections.",
    ),
    Operation(
        name="search_docs",
        toolset="docs",
        title="Search documents",
        request=documents.SearchDocs,
        reply=documents.DocMatches,
        access=touches_nothing,
        read_only=True,
        is_slow=always,
        description=(
            "Search the documents line by line for a text or an RE2 regular expression, or with ranked=true for "
            "the sections that answer a question. Not for source code."
        ),
    ),
    Operation(
        name="add_doc",
        toolset="docs",
        title="Add a document",
        request=documents.AddDoc,
        reply=documents.DocChanged,
        access=writes,
        description=(
            "Add a markdown document that people read too: a guide, an architecture note, a decision record. "
            "For a single fact use save_memory. Fails if the slug is taken."
        ),
    ),
    Operation(
        name="edit_doc",
        toolset="docs",
        title="Edit a document",
        request=documents.EditDoc,
        reply=documents.DocChanged,
        access=writes,
        destructive=True,
        description="Replace a document's whole text, and its title if one is given. The former text is kept.",
    ),
    Operation(
        name="delete_doc",
        toolset="docs",
        title="Delete a document",
        request=documents.DeleteDoc,
        reply=documents.DocChanged,
        access=writes,
        destructive=True,
        description="Delete a document. Its text is kept.",
    ),
    Operation(
        name="docs_history",
        toolset="docs",
        title="Former texts of a document",
        request=documents.DocsHistory,
        reply=documents.DocVersions,
        access=touches_nothing,
        is_tool=False,
        description="List the former texts of a document, newest first.",
    ),
    Operation(
        name="restore_doc",
        toolset="docs",
        title="Restore a document",
        request=documents.RestoreDoc,
        reply=documents.DocChanged,
        access=writes,
        is_tool=False,
        description="Bring a former text of a document back.",
    ),
    Operation(
        name="forget_doc",
        toolset="docs",
        title="Erase former texts of a document",
        request=documents.ForgetDoc,
        reply=Erased,
        access=writes,
        is_tool=False,
        destructive=True,
        description="Erase former texts of a document for good. The document itself stays as it is.",
    ),
    Operation(
        name="adopt_docs",
        toolset="docs",
        title="Adopt a folder of documents",
        request=documents.AdoptDocs,
        reply=documents.Adopted,
        access=writes,
        is_tool=False,
        description="Take the markdown files of a folder into the index; nothing is moved.",
    ),
    Operation(
        name="repair_docs",
        toolset="docs",
        title="Repair the index of documents",
        request=documents.RepairDocs,
        reply=documents.Repaired,
        access=writes,
        is_tool=False,
        description="Make index and folder agree again after an interrupted write.",
    ),
)
