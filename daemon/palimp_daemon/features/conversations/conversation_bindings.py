"""Bindings of `conversations`, `turns` and `erase`."""

from palimp_daemon.features.conversations.client_history import History
from palimp_daemon.features.conversations.erasing import ConversationErasures
from palimp_daemon.features.conversations.session_turns import TurnPages
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation
from palimp_protocol.messages.conversation_messages import ConversationStatus


def bindings(history: History, erasures: ConversationErasures, turns: TurnPages) -> Bindings:
    """Bind `conversations`, `turns` and `erase`."""

    async def conversations(call: Invocation) -> ConversationStatus:
        if call.request.read:
            await history.read()
        return await history.status()

    return {
        "conversations": Binding(AsyncHandler(conversations)),
        "turns": Binding(AsyncHandler(turns.answer)),
        "erase": Binding(AsyncHandler(lambda call: erasures.erase(call.request, call.caller, call.request_id))),
    }
