"""Call tools, from name and arguments to a text."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

import trio
from msgspec.structs import replace

from palimp_daemon.features.handler import Report, report_nothing
from palimp_daemon.mcp.backend import Backend
from palimp_daemon.mcp.request_caller import caller_named
from palimp_daemon.render.frame import with_tools_named
from palimp_daemon.settings.project_switch import OFF
from palimp_daemon.settings.resolver import PATIENCE_S, Values
from palimp_daemon.store.worker.refusals import unsendable_error
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.hooks import TOOL
from palimp_protocol.messages.caller import Caller, SessionRef
from palimp_protocol.messages.memory_messages import Recalled, Saved, SaveMemory
from palimp_protocol.operations import OPERATIONS, Operation
from palimp_protocol.text import encodable, quote_text, shown_name
from palimp_protocol.wire.decoding import convert_arguments

OVER_HTTP: Final = "http"
"""Session of saves over HTTP by clients without one."""

TO_PERSON: Final = "A person can do it with the command `palimp`."


class ToolText(NamedTuple):
    """The answer to a call."""

    text: str
    is_error: bool = False


class ToolRequest(NamedTuple):
    """A call with the arguments of its operation."""

    operation: Operation
    request: Any
    caller: Caller
    values: Values
    frame_id: bytes
    began: float

    @property
    def is_slow(self) -> bool:
        """Whether the relay needs signs of life meanwhile."""
        return self.operation.is_slow(self.request)


class ToolCalls:
    """Answers calls; *would_ask* tells whether a save raises a question."""

    def __init__(self, backend: Backend, would_ask: Callable[[Caller, Saved], bool]) -> None:
        self._backend = backend
        self._would_ask = would_ask

    async def request(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, frame_id: bytes
    ) -> ToolRequest | None:
        """Return the call of *name*; None in a project that is switched off.

        Raises:
            PalimpError: there is no such tool here, an argument is wrong, or it is not for agents.
        """
        began = self._backend.dispatcher.begin()
        values = await self._backend.settings.of(caller, patience_s=PATIENCE_S)
        operation = _tool_named(name, values)
        if self._backend.switches.is_off(caller):
            return None
        request = convert_arguments(operation, dict(arguments))
        if why := operation.refused_to_agents(request):
            raise PalimpError(ErrorCode.REFUSED, f"This is not for agents; {why}.", TO_PERSON)
        if caller.session is None and operation.request is SaveMemory:
            # Over HTTP there may be no session. Without one it would be taken for a person's save.
            caller = replace(caller, session=SessionRef(OVER_HTTP))
        return ToolRequest(operation, request, caller, values, frame_id, began)

    async def reply(self, asked: ToolRequest, report: Report = report_nothing) -> Any:
        """Return the operation's reply.

        Raises:
            PalimpError: it failed, or found none of the named things.
        """
        dispatcher = self._backend.dispatcher
        reply = await dispatcher.answer(asked.operation, asked.request, asked.caller, asked.frame_id, report)
        dispatcher.end(asked.operation, asked.began)  # how long a user thinks about it is not how long it took
        if isinstance(reply, Recalled) and reply.unknown and not (reply.memories or reply.unchanged):
            hint = "Nothing was changed. recall with query or title finds ids."
            raise PalimpError(ErrorCode.NOT_FOUND, f"{'; '.join(reply.unknown)}.", hint)
        return reply

    def text(self, asked: ToolRequest, reply: Any) -> ToolText:
        """Return *reply* as text for the model."""
        answer_format = asked.values.text("mcp.format")
        text = self.with_prefix(self._backend.dispatcher.text_of(asked.operation, reply, answer_format, asked.caller))
        self._backend.usage.note_answer(asked.caller, asked.request, reply, text)
        text.encode()  # what cannot be sent is found here, where it is an answer's error
        return ToolText(text)

    async def failure(self, error: Exception, frame_id: bytes) -> ToolText:
        """Return the answer to *error*; never, if the next daemon answers."""
        if not isinstance(error, PalimpError):  # a bug in rendering one answer is that call's error
            self._backend.log.bug(error)
            failed = unsendable_error(error)
            return ToolText(f"{failed.code}: {failed}", is_error=True)
        if error.code is ErrorCode.STOPPING and frame_id:
            # The relay sends again what this one left unanswered.
            await trio.sleep_forever()
        return ToolText(self.with_prefix(f"{error.code}: {encodable(str(error))}"), is_error=True)

    async def answer_plainly(
        self, name: str, arguments: Mapping[str, Any], caller: Caller, frame_id: bytes, *, can_ask: bool
    ) -> ToolText | None:
        """Answer a call that needs a text only; *can_ask*: of its client.

        None: it takes long, or a question.
        """
        if name == TOOL:
            return None
        try:
            asked = await self.request(name, arguments, caller, frame_id)
            if asked is None:
                return ToolText(OFF)
            if asked.is_slow:
                return None
            reply = await self.reply(asked)
            if can_ask and isinstance(reply, Saved) and asked.values.flag("mcp.ask") and self._would_ask(caller, reply):
                return None
            return self.text(asked, reply)
        except Exception as error:  # noqa: BLE001  told to the model, and logged if it is a bug
            return await self.failure(error, frame_id)

    def caller(self, caller: Caller, client: str, meta: Mapping[str, Any] | None) -> Caller:
        """Return *caller* with the session that *client* names in *meta*."""
        return caller_named(self._backend, caller, client, meta)

    def with_prefix(self, text: str) -> str:
        """Return *text* with prefixes at palimp's own tool names."""
        return with_tools_named(text, self._backend.settings.current(None).text("mcp.tool_prefix"))


def _tool_named(name: str, values: Values) -> Operation:
    toolsets = values.texts("mcp.toolsets")
    operation = OPERATIONS.get(name.removeprefix(values.text("mcp.tool_prefix")))
    if operation is None:
        listed = ", ".join(each.name for each in OPERATIONS.values() if each.is_tool and each.toolset in toolsets)
        raise PalimpError(
            ErrorCode.UNKNOWN_OPERATION, f"No tool is called {quote_text(name)}.", f"There are: {listed}."
        )
    if not operation.is_tool:
        raise PalimpError(ErrorCode.REFUSED, f"{shown_name(name)} is for the terminal only.", TO_PERSON)
    if operation.toolset not in toolsets:
        raise PalimpError(ErrorCode.REFUSED, f"{shown_name(name)} is left out here by mcp.toolsets.", TO_PERSON)
    return operation
