"""Bindings of the operations on sessions, projects and hooks."""

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import NamedTuple

from msgspec.structs import replace

from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, Invocation, StoreJobs, StoreWork
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.features.removed_code.git_history import GitHistory
from palimp_daemon.features.sessions.client_events import ClientEvents
from palimp_daemon.features.sessions.moved_projects import ProjectMoves
from palimp_daemon.features.sessions.repository_identity import Identities
from palimp_daemon.features.sessions.session_context import Contexts
from palimp_daemon.features.sessions.session_history import list_sessions
from palimp_daemon.features.sessions.status_counts import counts_shown
from palimp_daemon.features.sessions.usage_notes import UsageNotes
from palimp_daemon.features.sessions.usage_report import report_usage
from palimp_daemon.runtime.threads import finished_in_thread
from palimp_daemon.settings.project_switch import Switches
from palimp_protocol.errors import PalimpError, RequestError
from palimp_protocol.messages.caller import Caller
from palimp_protocol.messages.context_messages import ContextGiven
from palimp_protocol.messages.project_messages import Adopted, ProjectList, Switched
from palimp_protocol.messages.session_messages import CaptureRun, SessionList, StatusCounts
from palimp_protocol.messages.usage_messages import UsageReport


class ContextServices(NamedTuple):
    """The services of the operations on sessions."""

    contexts: Contexts
    git_history: GitHistory
    usage: UsageNotes


def bindings(
    jobs: StoreJobs,
    counts: RecallCounts,
    told: ContextServices,
    events: ClientEvents,
    switches: Switches,
    captures_of: Callable[[Caller], list[CaptureRun]],
) -> Bindings:
    """Bind the operations on sessions; *captures_of* lists a project's captures."""

    async def sessions(call: Invocation) -> SessionList:
        with suppress(PalimpError):  # a list can be told on a full disk, too
            await counts.store(jobs.actor)
        found: SessionList = await jobs.actor.ask(jobs.job(StoreWork(list_sessions), call))
        return found if call.request.session else replace(found, captures=captures_of(call.caller))

    async def report(call: Invocation) -> UsageReport:
        with suppress(PalimpError):
            await told.usage.store()
        return await jobs.actor.ask(jobs.job(StoreWork(report_usage), call))

    async def context(call: Invocation) -> ContextGiven:
        text = await told.contexts.text(call.caller)
        told.git_history.wake(call.caller)
        return ContextGiven(text=text, is_off=switches.is_off(call.caller))

    async def statusline(call: Invocation) -> StatusCounts:
        if switches.is_off(call.caller):
            return StatusCounts(is_off=True)
        return await jobs.actor.ask(jobs.job(StoreWork(counts_shown), call))

    return {
        "sessions": Binding(AsyncHandler(sessions)),
        "usage": Binding(AsyncHandler(report)),
        "statusline": Binding(AsyncHandler(statusline)),
        "context": Binding(AsyncHandler(context)),
        "hook": Binding(AsyncHandler(lambda call: events.answer(call.request, call.caller, call.request_id))),
    }


def project_bindings(projects: ProjectMoves, identities: Identities, switches: Switches) -> Bindings:
    """Bind the operations on projects."""

    async def list_projects(call: Invocation) -> ProjectList:
        offer, off = await projects.offer(call.caller), switches.roots()
        found = await projects.list_projects(call.request, [offer] if offer else [])
        return replace(found, projects=[replace(each, is_off=each.root in off) for each in found.projects])

    async def adopt(call: Invocation) -> Adopted:
        adopted = await projects.adopt(call.request, call.caller)
        identities.forget()  # what was adopted may have been set aside at another folder
        return adopted

    async def switch(call: Invocation) -> Switched:
        if call.caller.project is None:
            raise RequestError("This folder is in no project.", "Go into one.")
        root, is_on = call.caller.project.root, call.request.on
        is_changed = await finished_in_thread(partial(switches.switch, root, on=is_on))
        return Switched(root=root, is_on=is_on, is_changed=is_changed)

    return {
        "projects": Binding(AsyncHandler(list_projects)),
        "adopt": Binding(AsyncHandler(adopt)),
        "link_project": Binding(AsyncHandler(lambda call: identities.link_folder(call.request, call.caller))),
        "switch": Binding(AsyncHandler(switch)),
    }
