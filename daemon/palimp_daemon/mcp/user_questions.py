"""Ask the user by MCP's elicitation which of two memories holds, and whether one is for all projects.

The memory is durable before the question; without an answer it stays, and the agent is told. In the handshake era the
question is a request within the call, ASK_S at most, withdrawn when the daemon stops. In the stateless era it answers
the call, which is repeated with the decision and our answer to the save. A silent user is not asked again in that
session.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager
from typing import Any, Final, Literal, NamedTuple

import mcp_types as types
import msgspec
import trio
from mcp.server import ServerRequestContext
from mcp.shared.exceptions import MCPError
from mcp.shared.message import ServerMessageMetadata
from mcp_types.version import MODERN_PROTOCOL_VERSIONS
from msgspec.structs import replace
from pydantic import ValidationError

from palimp_daemon.mcp.backend import Backend
from palimp_daemon.runtime.bounded_dict import BoundedDict
from palimp_protocol.decoders import decoder_of
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.links import Decide, Decided
from palimp_protocol.messages.memory_messages import Saved
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line, quote_title

Context = ServerRequestContext[Any]

ASK_S: Final = 45.0
"""Seconds that a call waits for its user: many clients give up after sixty."""

SILENT_MAX: Final = 1_000
"""Sessions whose user did not react; a user has tens."""

STATE_CHARACTERS_MAX: Final = 16_384
"""Characters that a client may give back: an answer has three titles, a kilobyte."""

QUESTION: Final = "older"
"""Name of the first question in an answer."""

REPLACE: Final = "replace"
KEEP: Final = "keep both"
NARROW: Final = "narrow"
CHOICES: Final = (REPLACE, KEEP, NARROW)
"""The default first: the user is asked only about memories likely replaced, or nearly the same."""

FOR_ALL: Final = "for_all"
"""Name of the other question: for all projects? No default, lest Enter says yes."""

EVERYWHERE: Final = "all projects"
WHERE: Final = ("this project only", EVERYWHERE)

MEANING: Final = f"{REPLACE}: only the new one holds; {NARROW}: it is an exception; {KEEP}: both hold."
"""On one line: clients cut the rest."""

_UNDECIDED: Final = ("cancel", "late")


KeepAlive = Callable[[], AbstractAsyncContextManager[None]]
"""While entered, tells the relay that the call is in progress."""


class SaveCall(NamedTuple):
    """A saving call, about which the user may be asked."""

    context: Context
    params: types.CallToolRequestParams
    caller: Caller
    keep_alive: KeepAlive


class FormResult(NamedTuple):
    """The answer to a question: the form, or why there is none."""

    action: Literal["accept", "decline", "cancel", "late"]
    content: Mapping[str, Any] = {}


NO_ANSWER: Final = FormResult("cancel")
"""The user closed the form."""


class UserQuestions:
    """Asks users if their client can, and stores the decisions."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._silent: BoundedDict[str, None] = BoundedDict(SILENT_MAX)
        """Sessions no longer asked, oldest first."""
        self._asked: set[str] = set()

    async def with_user_decision(
        self, asked: SaveCall, saved: Saved, *, may_ask: bool
    ) -> Saved | types.InputRequiredResult:
        """Return *saved* with the user's decision, or the question for a stateless client.

        Raises:
            PalimpError: the daemon stops; the next one is asked the same.
        """
        context, params, caller, _ = asked
        is_stateless = context.session.protocol_version in MODERN_PROTOCOL_VERSIONS
        if is_stateless and params.request_state is not None:
            return await self._with_returned_form(asked, saved)
        if not may_ask or not can_ask(context) or not self.would_ask(caller, saved):
            return saved
        if is_stateless:
            question = types.ElicitRequest(params=form_of(saved))
            state = msgspec.json.encode(saved).decode()
            return types.InputRequiredResult(input_requests={QUESTION: question}, request_state=state)
        key = caller.session_key
        self._asked |= {key} - {""}
        try:
            async with asked.keep_alive():
                said = await self._ask_user(context, form_of(saved))
        finally:
            self._asked.discard(key)
        return await self._store_decision(caller, saved, said)

    def would_ask(self, caller: Caller, saved: Saved) -> bool:
        """Tell whether *saved* raises a question to *caller*'s user."""
        key = caller.session_key
        return bool(saved.unclear or saved.waits_for_all) and key not in self._silent and key not in self._asked

    async def _with_returned_form(self, asked: SaveCall, known: Saved) -> Saved:
        """Store the decision in the form; without our state the save stays undecided."""
        saved = _state_in(asked.params.request_state)
        if saved is None or saved.id != known.id:
            return known
        answer = (asked.params.input_responses or {}).get(QUESTION)
        is_form = isinstance(answer, types.ElicitResult)
        return await self._store_decision(
            asked.caller, saved, FormResult(answer.action, answer.content or {}) if is_form else NO_ANSWER
        )

    async def _ask_user(self, context: Context, form: types.ElicitRequestFormParams) -> FormResult:
        said: list[FormResult] = []

        async def ask(done: Callable[[], None]) -> None:
            said.append(await _elicit(context, form))
            done()

        async with trio.open_nursery() as nursery:
            nursery.start_soon(ask, nursery.cancel_scope.cancel)
            await self._backend.dispatcher.stopping()
            nursery.cancel_scope.cancel()
        if not said:
            raise PalimpError(ErrorCode.STOPPING, "The daemon is shutting down.", "Send it again in a moment.")
        return said[0]

    async def _store_decision(self, caller: Caller, saved: Saved, said: FormResult) -> Saved:
        if said.action in _UNDECIDED and caller.session:
            self._silent[caller.session.key] = None
        decision = decision_of(saved, said)
        if decision is None:
            return saved
        try:
            decided: Decided = await self._backend.dispatcher.answer(OPERATIONS["decide"], decision, caller)
        except PalimpError as error:
            if error.code is ErrorCode.STOPPING:
                raise
            return saved  # purged or erased meanwhile, or it would go in a circle: the save holds all the same
        decided_saved = with_decision(saved, decided)
        return decided_saved if decision.for_all is None else replace(decided_saved, is_for_all=decision.for_all)


def can_ask(context: Context) -> bool:
    """Tell whether the client can show a form now."""
    capabilities = context.session.client_capabilities
    elicitation = capabilities.elicitation if capabilities else None
    if elicitation is None or (elicitation.form is None and elicitation.url is not None):
        return False
    return context.session.protocol_version in MODERN_PROTOCOL_VERSIONS or context.session.can_send_request


def form_of(saved: Saved) -> types.ElicitRequestFormParams:
    """Return the form about the memories that *saved* leaves unclear."""
    named = {older.id: f"{older.id} {one_line(older.title)}" for older in saved.unclear}
    properties: dict[str, Any] = {
        id_: {"type": "string", "title": title, "description": MEANING, "enum": list(CHOICES), "default": REPLACE}
        for id_, title in named.items()
    }
    text = f"palimp saved {quote_title(saved.title)}."
    if saved.waits_for_all:
        properties[FOR_ALL] = {"type": "string", "title": "Is it for all projects?", "enum": list(WHERE)}
        text += "\nThe agent says that it is for all your projects. Is it?"
    if named:
        older = "an older memory" if len(named) == 1 else "older memories"
        text += f"\nHow does it relate to {older} on the same subject?"
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return types.ElicitRequestFormParams(message="\n".join([text, *named.values()]), requested_schema=schema)


def decision_of(saved: Saved, said: FormResult) -> Decide | None:
    """Return the user's decision about *saved*; answers to unasked questions are ignored."""
    if said.action != "accept":
        return None
    chosen = {older.id: said.content.get(older.id) for older in saved.unclear}
    replaced, kept, narrowed = ([id_ for id_, choice in chosen.items() if choice == each] for each in CHOICES)
    where = said.content.get(FOR_ALL) if saved.waits_for_all else None
    for_all = where == EVERYWHERE if where in WHERE else None
    if not (replaced or kept or narrowed) and for_all is None:
        return None
    return Decide(newer=saved.id, replaced=replaced, narrowed=narrowed, kept=kept, for_all=for_all)


def with_decision(saved: Saved, decided: Decided) -> Saved:
    """Return *saved* with the *decided* questions closed."""
    settled = {each.id for each in (*decided.linked, *decided.kept)}
    return replace(
        saved,
        similar=[each for each in saved.similar if each.id not in settled],
        same_subject=[each for each in saved.same_subject if each.id not in settled],
        linked=[*saved.linked, *decided.linked],
        kept=decided.kept,
    )


async def _elicit(context: Context, form: types.ElicitRequestFormParams) -> FormResult:
    try:
        result = await context.session.send_request(
            types.ElicitRequest(params=form),
            types.ElicitResult,
            request_read_timeout_seconds=ASK_S,
            metadata=ServerMessageMetadata(related_request_id=context.request_id),
        )
    except (MCPError, ValidationError):  # late, gone, or an answer that is none
        return FormResult("late")
    return FormResult(result.action, result.content or {})


def _state_in(state: str | None) -> Saved | None:
    if state is None or len(state) > STATE_CHARACTERS_MAX:
        return None
    try:
        return decoder_of(Saved).decode(state)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
