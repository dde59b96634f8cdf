"""Who subscribed hears of changed documents."""

from palimp_daemon.features.document_listeners import DocumentListeners
from palimp_protocol.messages.caller import Caller


async def test_all_who_subscribed_are_told_and_nobody_need_be_there():
    heard: list[str] = []

    async def first(_: Caller) -> None:
        heard.append("first")

    async def second(_: Caller) -> None:
        heard.append("second")

    listeners = DocumentListeners()
    await listeners.tell(Caller())
    listeners.subscribe(first)
    listeners.subscribe(second)
    await listeners.tell(Caller())
    assert heard == ["first", "second"]
