"""Operations on documents."""

from functools import partial
from typing import Final

from palimp_protocol.messages import documents
from palimp_protocol.messages.erasure import Erased
from palimp_protocol.operations.operation import Operation, always, writes

_for_agents = partial(Operation, toolset="docs")
_in_terminal = partial(Operation, toolset="docs", is_tool=False)

OPERATIONS: Final = (
    _for_agents(
        "list_docs",
        "List documents",
        documents.ListDocs,
        documents.DocList,
        "List the project's markdown documents: slugs and titles.",
        read_only=True,
    ),
    _for_agents(
        "read_doc",
        "Read a document",
        documents.ReadDoc,
        documents.DocPage,
        "Read a document by its slug. Long ones come in pages, cut between sections.",
        read_only=True,
    ),
    _for_agents(
        "search_docs",
        "Search documents",
        documents.SearchDocs,
        documents.DocMatches,
        "Search the documents line by line for a text or an RE2 regular expression, or with ranked=true for "
        "the sections that answer a question. Not for source code.",
        read_only=True,
        is_slow=always,
    ),
    _for_agents(
        "add_doc",
        "Add a document",
        documents.AddDoc,
        documents.DocChanged,
        "Add a markdown document that people read too: a guide, an architecture note, a decision record. "
        "For a single fact use save_memory. Fails if the slug is taken.",
        access=writes,
    ),
    _for_agents(
        "edit_doc",
        "Edit a document",
        documents.EditDoc,
        documents.DocChanged,
        "Replace a document's whole text, and its title if one is given. The former text is kept.",
        access=writes,
        destructive=True,
    ),
    _for_agents(
        "delete_doc",
        "Delete a document",
        documents.DeleteDoc,
        documents.DocChanged,
        "Delete a document. Its text is kept.",
        access=writes,
        destructive=True,
    ),
    _in_terminal(
        "docs_history",
        "Former texts of a document",
        documents.DocsHistory,
        documents.DocVersions,
        "List the former texts of a document, newest first.",
    ),
    _in_terminal(
        "restore_doc",
        "Restore a document",
        documents.RestoreDoc,
        documents.DocChanged,
        "Bring a former text of a document back.",
        access=writes,
    ),
    _in_terminal(
        "forget_doc",
        "Erase former texts of a document",
        documents.ForgetDoc,
        Erased,
        "Erase former texts of a document for good. The document itself stays as it is.",
        access=writes,
        destructive=True,
    ),
    _in_terminal(
        "adopt_docs",
        "Adopt a folder of documents",
        documents.AdoptDocs,
        documents.Adopted,
        "Take the markdown files of a folder into the index; nothing is moved.",
        access=writes,
    ),
    _in_terminal(
        "repair_docs",
        "Repair the index of documents",
        documents.RepairDocs,
        documents.Repaired,
        "Make index and folder agree again after an interrupted write.",
        access=writes,
    ),
)
