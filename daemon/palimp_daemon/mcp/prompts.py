"""The prompts `recall`, `handoff` (from another session) and `remember`."""

from collections.abc import Callable
from typing import Final

import mcp_types as types
from mcp.shared.exceptions import MCPError

from palimp_daemon.mcp.backend import Backend
from palimp_protocol.limits import QUERY_CHARACTERS_MAX, SESSION_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Recall
from palimp_protocol.messages.session_messages import HandedOff, Handoff
from palimp_protocol.operations import OPERATIONS
from palimp_protocol.text import one_line, quote_text

PROMPTS: Final = (
    types.Prompt(
        name="recall",
        title="Recall",
        description="Bring what earlier sessions of this project knew of something.",
        arguments=[types.PromptArgument(name="query", description="Words or a question; empty: the newest.")],
    ),
    types.Prompt(
        name="handoff",
        title="Go on from another session",
        description="Bring where another session of this project stood, and go on from there.",
        arguments=[types.PromptArgument(name="session", description="Its key; empty: the one before this.")],
    ),
    types.Prompt(
        name="remember",
        title="Remember",
        description="Keep something for later sessions of this project.",
        arguments=[types.PromptArgument(name="text", description="What; empty: what this conversation decided.")],
    ),
)


async def prompt_text(
    backend: Backend, caller: Caller, params: types.GetPromptRequestParams, prefixed: Callable[[str], str]
) -> types.GetPromptResult:
    """Return the prompt; *prefixed* puts the prefix of tools into palimp's own words.

    Raises:
        MCPError: it does not exist.
        PalimpError: the store is unavailable.
    """
    arguments = params.arguments or {}
    if params.name == "recall":
        text = prefixed(await _recall_prompt(backend, caller, arguments.get("query", "").strip()))
    elif params.name == "handoff":
        text = await _handoff_prompt(backend, caller, arguments.get("session", "").strip())
    elif params.name == "remember":
        text = _to_remember(arguments.get("text", "").strip(), prefixed)
    else:
        raise MCPError(
            types.INVALID_PARAMS,
            f"No prompt is called {quote_text(params.name)}; there are recall, handoff and remember.",
        )
    message = types.PromptMessage(role="user", content=types.TextContent(type="text", text=text))
    return types.GetPromptResult(messages=[message])


async def _recall_prompt(backend: Backend, caller: Caller, query: str) -> str:
    request = Recall(query=query[:QUERY_CHARACTERS_MAX] or None)
    recall = OPERATIONS["recall"]
    reply = await backend.dispatcher.answer(recall, request, caller)
    values = await backend.settings.of(caller)
    found = backend.dispatcher.text_of(recall, reply, values.text("mcp.format"), caller)
    about = f"about: {one_line(query)}" if query else "lately"
    return (
        f"This is what earlier sessions of this project saved {about}\n\n{found}\n\nTell me in prose what of it"
        " matters, open what you need whole with `recall` and its ids, and go on from there."
    )


async def _handoff_prompt(backend: Backend, caller: Caller, session: str) -> str:
    reply: HandedOff = await backend.dispatcher.answer(
        OPERATIONS["handoff"], Handoff(session=session[:SESSION_CHARACTERS_MAX] or None), caller
    )
    return (
        f"This is where another session of this project stood.\n\n{reply.text}\n\nTell me in a few sentences how you"
        " understand it, check what is there now in the files, and go on from there."
    )


def _to_remember(text: str, prefixed: Callable[[str], str]) -> str:
    if text:
        how = prefixed(
            "Save this with the tool save_memory for later sessions, as one memory for each fact, each understandable"
            " on its own with its reason, and say in a sentence what you saved:"
        )
        return f"{how}\n\n{text}"
    return prefixed(
        "Look through our conversation for decisions with their reasons, findings, causes of bugs, and my preferences"
        " and corrections that later sessions must know. Save each with the tool save_memory, understandable on its"
        " own, and say in a sentence what you saved. Leave out what the code or git says anyway."
    )
