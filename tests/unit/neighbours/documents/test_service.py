"""What a change of a document that fails leaves: nothing that says it was done."""

import errno
from functools import partial
from pathlib import Path

import pytest
from request_contexts import NOON_MS

from palimp_daemon.settings.resolver import Settings
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.worker.actor import Actor
from palimp_neighbours.documents.daemon.document_service import Documents
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.documents import AddDoc, DeleteDoc, DocsHistory, EditDoc

CHANGES = {"unlink": DeleteDoc(slug="guide"), "replace": EditDoc(slug="guide", content="Second.")}
"""A change of a document by what it asks the system for."""


@pytest.fixture
async def ask(tmp_path: Path, nursery):
    """Asks the real service, by a request alone."""
    actor = Actor(partial(open_store, tmp_path / "palimp.db", "auto"), lambda _: None)
    await nursery.start(actor.run)
    documents = Documents(actor, Settings({"HOME": str(tmp_path)}), lambda: NOON_MS)
    project = tmp_path / "project"
    project.mkdir()
    caller = Caller(ProjectRef(str(project), "project", str(project)))
    names = {AddDoc: "add_doc", EditDoc: "edit_doc", DeleteDoc: "delete_doc", DocsHistory: "docs_history"}
    return lambda request: documents.answer(names[type(request)], request, caller, b"")


@pytest.mark.parametrize("refused", CHANGES)
async def test_the_text_of_a_document_that_could_not_be_changed_is_no_former_one(ask, monkeypatch, refused: str):
    await ask(AddDoc(slug="guide", title="Guide", content="First."))
    real = getattr(Path, refused)

    def refuse(path: Path, *arguments: object, **options: object) -> object:
        if path.name == "guide.md" or any(str(each).endswith("guide.md") for each in arguments):
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path, *arguments, **options)

    with monkeypatch.context() as patched:
        patched.setattr(Path, refused, refuse)
        with pytest.raises(PalimpError):
            await ask(CHANGES[refused])
    assert (await ask(DocsHistory())).versions == []

    await ask(CHANGES[refused])
    assert [version.characters for version in (await ask(DocsHistory())).versions] == [len("First.")]
