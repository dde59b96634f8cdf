"""Operations on sessions, digests, settings, and the daemon."""

from functools import partial
from typing import Final

from palimp_protocol.messages import introspection, project_messages, session_messages, setting_messages
from palimp_protocol.messages.about_messages import About, AboutPage
from palimp_protocol.messages.context_messages import Context, ContextGiven
from palimp_protocol.messages.conversation_messages import Conversations, ConversationStatus, SessionTurns, TurnList
from palimp_protocol.messages.daemon_messages import (
    Canary,
    DaemonHealth,
    Diagnose,
    Diagnosis,
    Embedding,
    EmbeddingStatus,
    Health,
    RunCanary,
    Stop,
    Stopping,
)
from palimp_protocol.messages.digest_messages import Summarize, Summarized
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.merge_messages import Compact, Compacted, Progress, ProgressMade
from palimp_protocol.messages.tag_messages import ListTags, TagList
from palimp_protocol.messages.usage_messages import Usage, UsageReport
from palimp_protocol.operations.operation import Operation, always, reads, writes

_for_agents = partial(Operation, toolset="upkeep")
_in_terminal = partial(Operation, toolset="upkeep", is_tool=False)

UPKEEP_OPERATIONS: Final = (
    _for_agents(
        "capture",
        "Capture memories",
        session_messages.Capture,
        session_messages.Captured,
        "Extract decisions, preferences, corrections and fixes from this session, by rules, and save what is"
        " new. Automatic with palimp's hooks; elsewhere call it with the conversation before a session"
        " ends.",
        access=writes,
        is_slow=always,
    ),
    _in_terminal(
        "capture_file",
        "Capture memories of a file",
        session_messages.CaptureFile,
        session_messages.Captured,
        "Extract memories from a file: a transcript of a client's, or a conversation as text.",
        access=writes,
        is_slow=always,
    ),
    _for_agents(
        "summarize",
        "Sum up the project",
        Summarize,
        Summarized,
        "Sum up the project or a span of time: decisions, open questions, busy files and"
        " topics, what is new since the last digest. Use it when the user asks for an overview.",
        is_slow=always,
    ),
    _for_agents(
        "compact",
        "Merge memories",
        Compact,
        Compacted,
        "Find memories that say the same or were replaced, and with apply=true mark the older ones as"
        " superseded; `palimp undo` takes it back. Show the user the plan first.",
        is_slow=always,
    ),
    _in_terminal(
        "compact_progress",
        "Progress of compact",
        Progress,
        ProgressMade,
        "Report how far a running compact is.",
    ),
    _in_terminal(
        "sessions",
        "List sessions",
        session_messages.Sessions,
        session_messages.SessionList,
        "List the project's sessions, show what one of them did and was given, in order, or which were given a memory.",
        access=reads,
    ),
    _in_terminal(
        "handoff",
        "Hand a session over",
        session_messages.Handoff,
        session_messages.HandedOff,
        "Tell where a session stood, for another agent to go on: first request, decisions, files, commands that"
        " failed and worked, open questions, last words.",
    ),
    _in_terminal(
        "about",
        "Everything about a name",
        About,
        AboutPage,
        "Gather what is known of a path, symbol, command, ticket, package, person or term: what holds and what it"
        " replaced, what is open or disputed, removed code, documents, sessions, and what is named with it.",
    ),
    _in_terminal(
        "usage",
        "What palimp costs and brings",
        Usage,
        UsageReport,
        "Report what sessions were given, in tokens, by week, moment and client, and what they used of it.",
    ),
    _in_terminal(
        "statusline",
        "Numbers for a status line",
        session_messages.StatusLine,
        session_messages.StatusCounts,
        "Count the project's memories, those that this session was given, and the proposals that wait.",
    ),
    _in_terminal(
        "projects",
        "List projects",
        project_messages.Projects,
        project_messages.ProjectList,
        "List known projects, and which of their folders are gone.",
    ),
    _in_terminal(
        "tags",
        "List tags",
        ListTags,
        TagList,
        "List the tags of the project's memories, and how many have each.",
        access=reads,
    ),
    _in_terminal(
        "switch",
        "Switch a project off or on",
        project_messages.Switch,
        project_messages.Switched,
        "Switch palimp off or on for agents in this project. Only a person can do this.",
    ),
    _in_terminal(
        "adopt",
        "Adopt a folder that was moved here",
        project_messages.Adopt,
        project_messages.Adopted,
        "Give this project the memories of its former folder, which was moved or renamed.",
    ),
    _in_terminal(
        "link_project",
        "Say which project a folder is",
        project_messages.LinkProject,
        project_messages.ProjectLinked,
        "Say that this folder is still the same project, or a new one; or make it share the project of another"
        " clone of the same repository. All of it can be undone.",
        checks_repository=False,
    ),
    _in_terminal(
        "context",
        "Session context",
        Context,
        ContextGiven,
        "Give the session context: decisions, memories relevant to the current work, removed code.",
        checks_repository=False,
    ),
    _for_agents(
        "health",
        "Memory health",
        Health,
        DaemonHealth,
        "Report whether memory works: versions, counts, sizes, and what to do when it does not. Use it when "
        "another memory tool answers with an error, or when the user asks.",
        read_only=True,
        checks_repository=False,
    ),
    _for_agents(
        "config",
        "Settings",
        setting_messages.Configure,
        setting_messages.Settings,
        "Show palimp's settings, or set one when the user asks. Settings that run programs,"
        " open ports or protect secrets can be set only by the user, in the terminal.",
        refused_to_agents=setting_messages.refused_to_agents,
        checks_repository=False,
    ),
    _in_terminal(
        "tools",
        "What clients see",
        introspection.Tools,
        introspection.ToolList,
        "List the tools that clients see here, and what each costs in tokens.",
        checks_repository=False,
    ),
    _in_terminal(
        "http",
        "MCP over HTTP",
        introspection.Http,
        introspection.HttpStatus,
        "Say whether palimp is served over HTTP; enable or disable it, or make a new token.",
        checks_repository=False,
    ),
    _in_terminal(
        "page",
        "A page to look at it",
        introspection.Page,
        introspection.PageAddress,
        "Serve the page for people on this machine while it is used; gives an address that is good once.",
        checks_repository=False,
    ),
    _in_terminal(
        "erase",
        "Erase memories and removed code",
        Erase,
        Erased,
        "Remove memories, or removed code, for good: from tables, indexes, WAL and the database's free pages.",
        access=writes,
        destructive=True,
    ),
    _in_terminal(
        "canary",
        "Self-test",
        RunCanary,
        Canary,
        "Save, find and purge a memory in a project of its own, and leave nothing of it.",
        checks_repository=False,
    ),
    _in_terminal(
        "embedding",
        "Semantic ranking",
        Embedding,
        EmbeddingStatus,
        "Report how many memories have been embedded for semantic ranking.",
        checks_repository=False,
    ),
    _in_terminal(
        "diagnose",
        "What the doctor found",
        Diagnose,
        Diagnosis,
        "Tell what `palimp doctor` found last; run it.",
        checks_repository=False,
    ),
    _in_terminal(
        "conversations",
        "Conversations",
        Conversations,
        ConversationStatus,
        "Report what is kept of conversations; read the sessions that clients keep on this machine.",
        checks_repository=False,
    ),
    _in_terminal(
        "turns",
        "What was said in a session",
        SessionTurns,
        TurnList,
        "Show what was said in a session, a slice at a time.",
    ),
    _in_terminal(
        "stop",
        "Stop the daemon",
        Stop,
        Stopping,
        "Finish the requests in progress, close the database and exit.",
        checks_repository=False,
    ),
)
