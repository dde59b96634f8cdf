"""The daemon's only SDK server.

Answers are text only: Claude Code drops the text of a result with structured content.
"""

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager, nullcontext, suppress
from typing import Any, Final

import mcp_types as types
import msgspec
import trio
from mcp.server import NotificationOptions, Server, ServerRequestContext
from mcp.server.context import CallNext, HandlerResult
from mcp.server.models import InitializationOptions
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError

from palimp_daemon.mcp.backend import Backend
from palimp_daemon.mcp.instructions import instructions
from palimp_daemon.mcp.list_changed import Changed
from palimp_daemon.mcp.prompts import PROMPTS, prompt_text
from palimp_daemon.mcp.request_caller import Client, FromRelay, caller_of, client_name_of, frame_id_of, say_working
from palimp_daemon.mcp.resources import DOC_URI, TEMPLATES, completions, read_resource, resource_list
from palimp_daemon.mcp.tool_calls import ToolCalls, ToolText
from palimp_daemon.mcp.tools import tool_list
from palimp_daemon.mcp.user_questions import SaveCall, UserQuestions, can_ask
from palimp_daemon.settings.project_switch import OFF
from palimp_daemon.settings.resolver import PATIENCE_S, Settings
from palimp_daemon.store.worker.refusals import unsendable_error
from palimp_protocol import __version__
from palimp_protocol.errors import PalimpError
from palimp_protocol.hooks import TOOL
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.memory_messages import Saved
from palimp_protocol.messages.merge_messages import ProgressMade
from palimp_protocol.text import encodable, one_line

Context = ServerRequestContext[Any]

TICK_S: Final = 8.0
"""Seconds between two signs of life of a long call: a third of relays' deadline."""

WAKING: Final = frozenset({"initialize", "server/discover", "resources/read"})
"""First requests of a client, or for known facts; they have git's history read if no hook did."""


def initialization_options(server: Server[Any]) -> InitializationOptions:
    """Return `initialize` options for relays. Over HTTP the SDK promises no notifications in that era."""
    return server.create_initialization_options(NotificationOptions(resources_changed=True, tools_changed=True))


def build_server(backend: Backend, changed: Changed) -> "PalimpServer":
    """Return the server on *backend*. Sessions pass their `Caller` as lifespan state."""
    handlers = _Handlers(backend, changed)
    server = PalimpServer(handlers, backend.settings)
    server.middleware.clear()  # the SDK's own makes a span of each request, which nobody here records
    server.middleware.append(handlers.contain_errors)
    return server


class PalimpServer(Server[Any]):
    """The SDK's server, with instructions by the tool prefix in force."""

    def __init__(self, handlers: "_Handlers", settings: Settings) -> None:
        self._settings = settings
        self.tool_calls = handlers.tool_calls
        super().__init__(
            "palimp",
            version=__version__,
            title="palimp",
            description="A memory that lasts, shared by agent sessions.",
            on_list_tools=handlers.list_tools,
            on_call_tool=handlers.call_tool,
            on_list_resources=handlers.list_resources,
            on_list_resource_templates=handlers.list_templates,
            on_read_resource=handlers.read,
            on_list_prompts=handlers.list_prompts,
            on_get_prompt=handlers.get_prompt,
            on_completion=handlers.complete,
            on_subscriptions_listen=handlers.listen,
        )

    @property
    def instructions(self) -> str:
        """The instructions for connecting clients."""
        return instructions(self._settings.current(None).text("mcp.tool_prefix"))

    @instructions.setter
    def instructions(self, _: str | None) -> None:
        """Ignore the value that the SDK sets."""


class _Handlers:
    def __init__(self, backend: Backend, changed: Changed) -> None:
        self._backend = backend
        self._changed = changed
        self._questions = UserQuestions(backend)
        self.tool_calls = ToolCalls(backend, self._questions.would_ask)

    async def contain_errors(self, ctx: Context, call_next: CallNext) -> HandlerResult:
        """Answer a request; a bug or an unencodable answer fails this request alone.

        Raises:
            MCPError: the error, as a text that can be sent.
        """
        try:
            result = await call_next(ctx)
            if ctx.method in WAKING:
                with suppress(PalimpError):  # over HTTP without a project
                    self._backend.wake_history(await caller_of(self._backend, ctx))
            msgspec.json.encode(result)  # as the dictionary that it is on the wire; microseconds
        except MCPError as error:
            raise MCPError(error.error.code, encodable(error.error.message), error.error.data) from None
        except ValidationError:
            raise  # the SDK says that the parameters are wrong
        except Exception as error:  # noqa: BLE001  a bug with one request is that request's error
            self._backend.log.bug(error)
            raise MCPError(types.INTERNAL_ERROR, str(unsendable_error(error))) from None
        return result

    async def list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        try:
            caller = await caller_of(self._backend, context)
            values = await self._backend.settings.of(caller, patience_s=PATIENCE_S)
        except PalimpError:  # over HTTP without a project: what there is may be seen all the same
            values = self._backend.settings.current(None)
        return types.ListToolsResult(tools=tool_list(values.texts("mcp.toolsets"), values.text("mcp.tool_prefix")))

    async def call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> types.CallToolResult | types.InputRequiredResult:
        if params.name == TOOL:
            # A relay makes another request of it. One of an older version does not, and an error would be shown.
            return types.CallToolResult(content=[])
        try:
            answer = await self._call_tool(context, params)
        except Exception as error:  # noqa: BLE001  told to the model, and logged if it is a bug
            answer = await self.tool_calls.failure(error, frame_id_of(context))
        return answer if isinstance(answer, types.InputRequiredResult) else _result(answer)

    async def _call_tool(
        self, context: Context, params: types.CallToolRequestParams
    ) -> ToolText | types.InputRequiredResult:
        caller = await caller_of(self._backend, context)
        if isinstance(context.request, FromRelay):
            context.request.note_client(Client(client_name_of(context), can_ask(context)))
        asked = await self.tool_calls.request(params.name, params.arguments or {}, caller, frame_id_of(context))
        if asked is None:
            return ToolText(OFF)
        progress = _Progress(context)
        async with progress.keep_alive() if asked.is_slow else nullcontext():
            reply = await self.tool_calls.reply(asked, progress.report)
        if isinstance(reply, Saved):
            call = SaveCall(context, params, caller, progress.keep_alive)
            reply = await self._questions.with_user_decision(call, reply, may_ask=asked.values.flag("mcp.ask"))
        return reply if isinstance(reply, types.InputRequiredResult) else self.tool_calls.text(asked, reply)

    async def list_resources(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        caller = await self._caller(context)
        if self._backend.switches.is_off(caller):
            return types.ListResourcesResult(resources=[])
        return await resource_list(self._backend, caller)

    async def list_templates(
        self, _: Context, __: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        return types.ListResourceTemplatesResult(resource_templates=list(TEMPLATES))

    async def read(self, context: Context, params: types.ReadResourceRequestParams) -> types.ReadResourceResult:
        caller = await self._caller_where_on(context)
        found = await read_resource(self._backend, caller, params.uri)
        for part in found.contents:
            if isinstance(part, types.TextResourceContents) and not params.uri.startswith(DOC_URI):
                part.text = self.tool_calls.with_prefix(part.text)
        return found

    async def list_prompts(self, _: Context, __: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        return types.ListPromptsResult(prompts=list(PROMPTS))

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        caller = await self._caller_where_on(context)
        try:
            return await prompt_text(self._backend, caller, params, self.tool_calls.with_prefix)
        except PalimpError as error:
            raise MCPError(types.INTERNAL_ERROR, str(error)) from None

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        return await completions(self._backend, await self._caller_where_on(context), params)

    async def listen(
        self, context: Context, params: types.SubscriptionsListenRequestParams
    ) -> types.SubscriptionsListenResult:
        return await self._changed.listen(await self._caller(context), context, params)

    async def _caller_where_on(self, context: Context) -> Caller:
        caller = await self._caller(context)
        if self._backend.switches.is_off(caller):
            raise MCPError(types.INVALID_PARAMS, OFF)
        return caller

    async def _caller(self, context: Context) -> Caller:
        try:
            return await caller_of(self._backend, context)
        except PalimpError as error:
            raise MCPError(types.INVALID_PARAMS, str(error)) from None


class _Progress:
    def __init__(self, context: Context) -> None:
        self._context = context
        self._told = 0

    async def report(self, made: ProgressMade) -> None:
        await self._tell(f"{one_line(made.step)}: {made.done:,}")

    @asynccontextmanager
    async def keep_alive(self) -> AsyncGenerator[None]:
        try:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(self._tick)
                yield
                nursery.cancel_scope.cancel()
        except* PalimpError as errors:
            raise _only(errors) from None

    async def _tick(self) -> None:
        while True:
            await trio.sleep(TICK_S)
            await self._tell("working")

    async def _tell(self, text: str) -> None:
        say_working(self._context)
        self._told += 1
        await self._context.session.report_progress(self._told, None, text)


def _only(errors: BaseExceptionGroup[PalimpError]) -> PalimpError:
    error = errors.exceptions[0]
    return _only(error) if isinstance(error, BaseExceptionGroup) else error


def _result(answer: ToolText) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=answer.text)], is_error=answer.is_error)
