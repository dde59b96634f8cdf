"""Operations on the daemon. `health` and `stop` must work without the store."""

import os
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass

import trio

from palimp_daemon.dispatch.diagnoses import Diagnoses
from palimp_daemon.dispatch.latency import Latencies
from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.dispatch.tool_schemas import listed_tools
from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation, StoreJobs
from palimp_daemon.features.memories.hard_delete import unfinished_erasures
from palimp_daemon.features.memories.stats import store_health
from palimp_daemon.features.sessions.usage_report import usage_sentence
from palimp_daemon.render.answers import health_text
from palimp_daemon.render.settings_text import settings_text
from palimp_daemon.settings.config_operation import ConfigOperation
from palimp_daemon.settings.http_access import HttpAccess
from palimp_daemon.settings.page_access import PageAccess
from palimp_daemon.settings.project_switch import Switches
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.sqlite_connection import StoreDamagedError
from palimp_daemon.store.worker.group_commit import read_job
from palimp_protocol.env.installation import how_to_add
from palimp_protocol.env.project import path_as_text
from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages import setting_messages as messages
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.daemon_messages import (
    ConnectedSession,
    DaemonHealth,
    EmbeddingStatus,
    OperationLatency,
    Stopping,
)
from palimp_protocol.messages.introspection import ToolList
from palimp_protocol.text import count_of
from palimp_protocol.versions import running_version
from palimp_protocol.wire.frames import PROTOCOL_VERSION


@dataclass(frozen=True)
class DaemonOperations:
    """Answers them. *sessions* lists the connected ones."""

    config: Config
    state: DaemonState
    jobs: StoreJobs
    settings: Settings
    config_operation: ConfigOperation
    http_access: HttpAccess
    page_access: PageAccess
    switches: Switches
    semantic: Semantic | None
    latencies: Latencies
    sessions: Callable[[], list[ConnectedSession]]
    describe_conversations: Callable[[], Awaitable[str]]
    """Returns a sentence on the stored conversations; empty: none."""
    describe_team: Callable[[], Awaitable[tuple[list[str], bool]]]
    """Returns a sentence on each shared project's exchange, and whether one fails now."""
    describe_neighbours: Mapping[str, Callable[[Caller], Awaitable[str]]]
    """By the field of `health`, returns a neighbour's sentence; empty: none."""

    def bindings(self) -> Bindings:
        """Bind these operations."""
        return {
            "health": Binding(AsyncHandler(self.health), health_text),
            "stop": Binding(AsyncHandler(self.stop)),
            "config": Binding(AsyncHandler(self.configure), settings_text),
            "http": Binding(AsyncHandler(lambda call: self.http_access.answer(call.request))),
            "page": Binding(AsyncHandler(lambda call: self.page_access.answer(call.request, call.caller))),
            "tools": Binding(AsyncHandler(self.tools)),
            "embedding": Binding(AsyncHandler(self.embedding)),
            "diagnose": Binding(AsyncHandler(Diagnoses(self.jobs.now_ms).answer)),
        }

    async def health(self, call: Invocation) -> DaemonHealth:
        """Return the state of the daemon and its store, also if unusable."""
        context = self.jobs.context(Caller())
        actor, store, problem, usage = self.jobs.actor, None, None, ""
        notes = [*self.settings.problems(), *self.settings.remarks(None)]
        try:
            job = read_job(lambda store: (store_health(context(store)), usage_sentence(context(store))))
            store, usage = await actor.ask(job)
        except PalimpError as error:
            if error.code in (ErrorCode.BUSY, ErrorCode.DEADLINE):
                notes.append(
                    f"The contents of the database were not counted: {error.text}"
                )  # that is no fault of the store
            else:
                problem = error
        # Asked for after the store: when it was being opened, only now is it known what is wrong with it.
        problem = actor.problem or problem
        off, sessions = sorted(self.switches.roots()), self.sessions()
        team, is_team_stuck = await self.describe_team()
        return DaemonHealth(
            version=running_version(),
            protocol=PROTOCOL_VERSION,
            pid=os.getpid(),
            boot=self.state.boot,
            uptime_s=round(trio.current_time() - self.state.started_at, 3),
            socket=path_as_text(str(self.config.socket)),
            peers=len(sessions),
            mailbox_jobs=actor.waiting_jobs,
            store=store,
            problem=problem.text if problem else "",
            hint=problem.hint if problem else "",
            is_damaged=isinstance(problem, StoreDamagedError),
            examined_at=self.state.examined_at,
            latencies=[
                OperationLatency(
                    operation=each.operation,
                    count=each.requests,
                    p50_ms=round(each.p50_s * 1000, 2),
                    p99_ms=round(each.p99_s * 1000, 2),
                )
                for each in self.latencies.all()
            ],
            sessions=sessions,
            semantic=await self._semantic_state(),
            http=self.http_access.url or self.http_access.problem,
            canary=self.state.canary,
            off=off,
            conversations=await self.describe_conversations(),
            team=team,
            is_team_stuck=is_team_stuck,
            usage=usage,
            **{field: await describe(call.caller) for field, describe in self.describe_neighbours.items()},
            notes=[
                *filter(None, [self.switches.problem]),
                *notes,
                *unfinished_erasures(store.pending_erasures if store else 0),
            ],
        )

    async def _semantic_state(self) -> str:
        if self.semantic is None:
            is_switched_off = self.config.semantic == "off"
            return "switched off by search.semantic" if is_switched_off else f"not installed: {how_to_add('semantic')}"
        if self.semantic.problem and not self.jobs.actor.problem:
            return f"on, but it fails: {self.semantic.problem}"
        try:
            embedded, memories = await self.semantic.progress()
        except PalimpError:
            return "on"  # what is wrong with the store is said elsewhere
        plan = self.semantic.plan
        to_do = f", {memories - embedded:,} of {count_of(memories, 'memory')} to be embedded" * (embedded < memories)
        remark = f". {plan.remark} {plan.hint}" if plan.remark else ""
        return f"on ({plan.names}){to_do}{remark}"

    async def stop(self, call: Invocation) -> Stopping:
        """Stop the daemon, for the user or a newer client."""
        self.state.request_stop(by_user=not call.request.for_version)
        return Stopping(pid=os.getpid())

    async def configure(self, call: Invocation) -> messages.Settings:
        """Return the settings, or set one."""
        reply = await self.config_operation.answer(call.request, call.caller)
        if reply.done and self.config.problem and not self.settings.problems():
            # It was this that kept the store closed; whoever asks next starts a daemon that opens it.
            self.state.request_stop(by_user=False)
        return reply

    async def tools(self, call: Invocation) -> ToolList:
        """Return the tools visible to clients."""
        values = await self.settings.of(call.caller)
        return listed_tools(values.texts("mcp.toolsets"), values.text("mcp.tool_prefix"))

    async def embedding(self, _: Invocation) -> EmbeddingStatus:
        """Return the number of embedded memories, and the model."""
        if self.semantic is None:
            is_switched_off = self.config.semantic == "off"
            hint = (
                "`palimp config set search.semantic auto`, then `palimp stop`."
                if is_switched_off
                else f"{how_to_add('semantic')}, then `palimp stop`."
            )
            return EmbeddingStatus(is_on=False, is_switched_off=is_switched_off, hint=hint)
        embedded, memories = await self.semantic.progress()
        plan, problem = self.semantic.plan, self.semantic.problem
        hint = "Run `palimp embed` again when that is mended; it is tried again every ten minutes." if problem else ""
        return EmbeddingStatus(
            is_on=True,
            embedded=embedded,
            memories=memories,
            model=plan.names,
            problem=problem,
            remark=plan.remark,
            hint=hint or plan.hint,
        )
