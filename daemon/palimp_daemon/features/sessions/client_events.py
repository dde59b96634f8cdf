"""Answer events in clients' own formats."""

from functools import partial

from palimp_clients.claude_code.dialect import reply_in
from palimp_clients.dialects import dialect_named
from palimp_daemon.features.sessions.hook_answers import Hooks
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.resolver import Settings
from palimp_protocol.env.paths import home_directory
from palimp_protocol.env.project import project_from_directory
from palimp_protocol.limits import SESSION_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.hook_messages import Hook, HookAnswer


class ClientEvents:
    """Answers hooks in any format."""

    def __init__(self, hooks: Hooks, settings: Settings) -> None:
        self._hooks = hooks
        self._settings = settings

    async def answer(self, request: Hook, caller: Caller, request_id: bytes) -> HookAnswer:
        """Return the answer for the client.

        Raises:
            PalimpError: a record could not be written; the sender tries again.
        """
        if not request.dialect:
            return await self._hooks.answer(request, caller, request_id)
        dialect = dialect_named(request.dialect)
        event = dialect.event_of(request.event, request.input) if dialect else None
        if dialect is None or event is None:
            return HookAnswer()
        project = caller.project or await in_thread(partial(self._project_at, request.folder or event.folder))
        known = Caller(project, SessionRef(event.session[:SESSION_CHARACTERS_MAX], dialect.client), caller.zone)
        translated = Hook(
            event=event.event, input=event.input, sent_at=request.sent_at, via=request.via or dialect.client
        )
        answer = await self._hooks.answer(translated, known, request_id)
        return HookAnswer(output=dialect.output_of(event.event, reply_in(answer.output)) if answer.output else "")

    def _project_at(self, folder: str) -> ProjectRef | None:
        if not folder.startswith("/") or "\0" in folder:
            return None
        try:
            project = project_from_directory(folder, home_directory(self._settings.env))
        except (OSError, ValueError):
            return None
        return ProjectRef(*project) if project else None
