"""What is no memory on the page about a name: found by its forms, and its failure told beside the memories."""

from types import SimpleNamespace
from typing import Any

import pytest

from palimp_daemon.features.handler import Invocation
from palimp_daemon.features.sessions.about_name import AboutNames
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.about_messages import About, AboutPage
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Memory, Recall, Recalled
from palimp_protocol.operations import OPERATIONS

FAILURE = PalimpError(ErrorCode.STORE_UNAVAILABLE, "The documents cannot be read.", "Run `palimp doctor`.")


async def page_with(search_documents) -> AboutPage:
    """Return the page on `getUser`, of which a memory writes `get_user`."""

    async def page() -> AboutPage:
        return AboutPage(name="getUser", written=["get_user"])

    async def search_removed(request: Recall, _: Caller) -> Recalled:
        return Recalled(
            memories=[Memory(id=f"h{len(request.query)}", kind="removed-code", title=request.query, created_at=1)]
        )

    jobs: Any = SimpleNamespace(actor=SimpleNamespace(begin=lambda _: page), job=lambda *_: None)
    call = Invocation(OPERATIONS["about"], About(name="getUser"), Caller())
    return await AboutNames(jobs, search_removed, search_documents).answer(call)


async def test_each_form_of_the_name_is_searched():
    async def found(request: Recall, _: Caller) -> Recalled:
        return Recalled(memories=[Memory(id="users.md", kind="doc", title=request.query, created_at=1)])

    page = await page_with(found)
    assert [each.title for each in page.removed] == ['"getUser"', '"get_user"']
    assert [each.id for each in page.documents] == ["users.md"]
    assert page.notes == []


async def test_what_cannot_be_searched_is_said_and_the_rest_is_there():
    async def failing(_: Recall, __: Caller) -> Recalled:
        raise FAILURE

    page = await page_with(failing)
    assert (page.written, len(page.removed), page.documents) == (["get_user"], 2, [])
    assert page.notes == ["The documents cannot be read. Run `palimp doctor`."]


@pytest.mark.parametrize("more", [{"query": "x"}, {"ids": ["m1"], "action": "purge"}, {"kind": "fix"}])
async def test_a_recall_about_a_name_asks_for_nothing_else(more: dict[str, Any]):
    nobody: Any = None
    with pytest.raises(PalimpError, match="only limit goes with it"):
        await AboutNames(nobody, nobody, nobody).recall(Recall(about="getUser", **more), Caller())
