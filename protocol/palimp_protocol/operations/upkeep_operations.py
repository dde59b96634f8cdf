"""Operations on sessions, digests, settings, transfer, and the daemon."""

from typing import Final

from palimp_protocol.messages import introspection, projects, sessions, settings, transfer
from palimp_protocol.messages.about_messages import About, AboutPage
from palimp_protocol.messages.context import Context, ContextGiven
from palimp_protocol.messages.conversations import Conversations, ConversationStatus, SessionTurns, TurnList
from palimp_protocol.messages.daemon import (
    Canary,
    DaemonHealth,
    Embedding,
    EmbeddingStatus,
    Health,
    RunCanary,
    Stop,
    Stopping,
)
from palimp_protocol.messages.digest import Summarize, Summarized
from palimp_protocol.messages.erasure import Erase, Erased
from palimp_protocol.messages.merge import Compact, Compacted, Progress, ProgressMade
from palimp_protocol.messages.tags import ListTags, TagList
from palimp_protocol.messages.usage_messages import Usage, UsageReport
from palimp_protocol.operations.operation import Operation, always, reads, touches_nothing, writes

UPKEEP_OPERATIONS: Final = (
    Operation(
        name="capture",
        toolset="upkeep",
        title="Capture memories",
        request=sessions.Capture,
        reply=sessions.Captured,
        access=writes,
        is_slow=always,
        description=(
            "Extract decisions, preferences, corrections and fixes from this session, by rules, and save what is"
            " new. Automatic with palimp's hooks; elsewhere call it with the conversation before a session"
            " ends."
        ),
    ),
    Operation(
        name="capture_file",
        toolset="upkeep",
        title="Capture memories of a file",
        request=sessions.CaptureFile,
        reply=sessions.Captured,
        access=writes,
        is_slow=always,
        is_tool=False,
        description="Extract memories from a file: a transcript of a client's, or a conversation as text.",
    ),
    Operation(
        name="summarize",
        toolset="upkeep",
        title="Sum up the project",
        request=Summarize,
        reply=Summarized,
        access=touches_nothing,
        is_slow=always,
        description=(
            "Sum up the project or a span of time: decisions, open questions, busy files and"
            " topics, what is new since the last digest. Use it when the user asks for an overview."
        ),
    ),
    Operation(
        name="compact",
        toolset="upkeep",
        title="Merge memories",
        request=Compact,
        reply=Compacted,
        access=touches_nothing,
        is_slow=always,
        description=(
            "Find memories that say the same or were replaced, and with apply=true mark the older ones as"
            " superseded; `palimp undo` takes it back. Show the user the plan first."
        ),
    ),
    Operation(
        name="compact_progress",
        toolset="upkeep",
        title="Progress of compact",
        request=Progress,
        reply=ProgressMade,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description="Report how far a running compact is.",
    ),
    Operation(
        name="sessions",
        toolset="upkeep",
        title="List sessions",
        request=sessions.Sessions,
        reply=sessions.SessionList,
        access=reads,
        is_tool=False,
        read_only=True,
        description="List the project's sessions, or show what one of them did and was given, in order.",
    ),
    Operation(
        name="handoff",
        toolset="upkeep",
        title="Hand a session over",
        request=sessions.Handoff,
        reply=sessions.HandedOff,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description=(
            "Tell where a session stood, for another agent to go on: first request, decisions, files, commands that"
            " failed and worked, open questions, last words."
        ),
    ),
    Operation(
        name="about",
        toolset="upkeep",
        title="Everything about a name",
        request=About,
        reply=AboutPage,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description=(
            "Gather what is known of a path, symbol, command, ticket, package, person or term: what holds and what it"
            " replaced, what is open or disputed, removed code, documents, sessions, and what is named with it."
        ),
    ),
    Operation(
        name="usage",
        toolset="upkeep",
        title="What palimp costs and brings",
        request=Usage,
        reply=UsageReport,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description="Report what sessions were given, in tokens, by week, moment and client, and what they used of it.",
    ),
    Operation(
        name="statusline",
        toolset="upkeep",
        title="Numbers for a status line",
        request=sessions.StatusLine,
        reply=sessions.StatusCounts,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description="Count the project's memories, those that this session was given, and the proposals that wait.",
    ),
    Operation(
        name="projects",
        toolset="upkeep",
        title="List projects",
        request=projects.Projects,
        reply=projects.ProjectList,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description="List known projects, and which of their folders are gone.",
    ),
    Operation(
        name="tags",
        toolset="upkeep",
        title="List tags",
        request=ListTags,
        reply=TagList,
        access=reads,
        is_tool=False,
        read_only=True,
        description="List the tags of the project's memories, and how many have each.",
    ),
    Operation(
        name="switch",
        toolset="upkeep",
        title="Switch a project off or on",
        request=projects.Switch,
        reply=projects.Switched,
        access=touches_nothing,
        is_tool=False,
        description="Switch palimp off or on for agents in this project. Only a person can do this.",
    ),
    Operation(
        name="adopt",
        toolset="upkeep",
        title="Adopt a folder that was moved here",
        request=projects.Adopt,
        reply=projects.Adopted,
        access=touches_nothing,
        is_tool=False,
        description="Give this project the memories of its former folder, which was moved or renamed.",
    ),
    Operation(
        name="link_project",
        toolset="upkeep",
        title="Say which project a folder is",
        request=projects.LinkProject,
        reply=projects.ProjectLinked,
        access=touches_nothing,
        is_tool=False,
        checks_repository=False,
        description=(
            "Say that this folder is still the same project, or a new one; or make it share the project of another"
            " clone of the same repository. All of it can be undone."
        ),
    ),
    Operation(
        name="context",
        toolset="upkeep",
        title="Session context",
        request=Context,
        reply=ContextGiven,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        checks_repository=False,
        description="Give the session context: decisions, memories relevant to the current work, removed code.",
    ),
    Operation(
        name="health",
        toolset="upkeep",
        title="Memory health",
        request=Health,
        reply=DaemonHealth,
        access=touches_nothing,
        read_only=True,
        checks_repository=False,
        description=(
            "Report whether memory works: versions, counts, sizes, and what to do when it does not. Use it when "
            "another memory tool answers with an error, or when the user asks."
        ),
    ),
    Operation(
        name="config",
        toolset="upkeep",
        title="Settings",
        request=settings.Configure,
        reply=settings.Settings,
        access=touches_nothing,
        refused_to_agents=settings.refused_to_agents,
        checks_repository=False,
        description=(
            "Show palimp's settings, or set one when the user asks. Settings that run programs,"
            " open ports or protect secrets can be set only by the user, in the terminal."
        ),
    ),
    Operation(
        name="export",
        toolset="upkeep",
        title="Export memories",
        request=transfer.Export,
        reply=transfer.ExportPage,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description="Give the memories of the project, or of all, as lines of JSON or as markdown files.",
    ),
    Operation(
        name="import_file",
        toolset="upkeep",
        title="Import memories",
        request=transfer.ImportFile,
        reply=transfer.ImportPage,
        access=touches_nothing,
        is_tool=False,
        description=(
            "Take memories out of a file or folder: an export of palimp, the reference memory server's file,"
            " claude-mem's database, markdown notes, Claude Code's own memory files. Twice changes nothing."
        ),
    ),
    Operation(
        name="backup",
        toolset="upkeep",
        title="Back the database up",
        request=transfer.Backup,
        reply=transfer.BackedUp,
        access=touches_nothing,
        is_tool=False,
        description="Copy the database to a new file while it is in use, and open the copy to check it.",
    ),
    Operation(
        name="tools",
        toolset="upkeep",
        title="What clients see",
        request=introspection.Tools,
        reply=introspection.ToolList,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        checks_repository=False,
        description="List the tools that clients see here, and what each costs in tokens.",
    ),
    Operation(
        name="http",
        toolset="upkeep",
        title="MCP over HTTP",
        request=introspection.Http,
        reply=introspection.HttpStatus,
        access=touches_nothing,
        is_tool=False,
        checks_repository=False,
        description="Say whether palimp is served over HTTP; enable or disable it, or make a new token.",
    ),
    Operation(
        name="page",
        toolset="upkeep",
        title="A page to look at it",
        request=introspection.Page,
        reply=introspection.PageAddress,
        access=touches_nothing,
        is_tool=False,
        checks_repository=False,
        description="Serve the page for people on this machine while it is used; gives an address that is good once.",
    ),
    Operation(
        name="erase",
        toolset="upkeep",
        title="Erase memories and removed code",
        request=Erase,
        reply=Erased,
        access=writes,
        is_tool=False,
        destructive=True,
        description=(
            "Remove memories, or removed code, for good: from tables, indexes, WAL and the database's free pages."
        ),
    ),
    Operation(
        name="canary",
        toolset="upkeep",
        title="Self-test",
        request=RunCanary,
        reply=Canary,
        access=touches_nothing,
        is_tool=False,
        checks_repository=False,
        description="Save, find and purge a memory in a project of its own, and leave nothing of it.",
    ),
    Operation(
        name="embedding",
        toolset="upkeep",
        title="Semantic ranking",
        request=Embedding,
        reply=EmbeddingStatus,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        checks_repository=False,
        description="Report how many memories have been embedded for semantic ranking.",
    ),
    Operation(
        name="conversations",
        toolset="upkeep",
        title="Conversations",
        request=Conversations,
        reply=ConversationStatus,
        access=touches_nothing,
        is_tool=False,
        checks_repository=False,
        description="Report what is kept of conversations; read the sessions that clients keep on this machine.",
    ),
    Operation(
        name="turns",
        toolset="upkeep",
        title="What was said in a session",
        request=SessionTurns,
        reply=TurnList,
        access=touches_nothing,
        is_tool=False,
        read_only=True,
        description="Show what was said in a session, a slice at a time.",
    ),
    Operation(
        name="stop",
        toolset="upkeep",
        title="Stop the daemon",
        request=Stop,
        reply=Stopping,
        access=touches_nothing,
        is_tool=False,
        checks_repository=False,
        description="Finish the requests in progress, close the database and exit.",
    ),
)
