"""`statusline`: a project's and a session's numbers."""

from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.proposals import count_waiting
from palimp_daemon.store.tables.sessions.given import count_given
from palimp_daemon.store.tables.unasked import count_holding
from palimp_protocol.messages.session_messages import StatusCounts, StatusLine


def counts_shown(context: RequestContext, _: StatusLine) -> StatusCounts:
    """Count the project's memories, the session's, and waiting ones."""
    project = project_row(context.store, context.caller)
    if project is None:
        return StatusCounts()
    session = context.caller.session
    return StatusCounts(
        memories=count_holding(context.store, project),
        given=count_given(context.store, project, session.key) if session else 0,
        waiting=count_waiting(context.store, project),
    )
