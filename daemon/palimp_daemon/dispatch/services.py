"""The composition root: builds all services."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from palimp_daemon.dispatch.daemon_operations import DaemonOperations
from palimp_daemon.dispatch.latency import Latencies
from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.features.capture import capture_bindings
from palimp_daemon.features.capture.capture_service import Captures
from palimp_daemon.features.capture.requested import KeepTurns, RequestedCaptures
from palimp_daemon.features.conversations import conversation_bindings
from palimp_daemon.features.conversations.client_history import History
from palimp_daemon.features.conversations.commits import CommitMessages
from palimp_daemon.features.conversations.conversation_service import Conversations, ConversationStore
from palimp_daemon.features.conversations.erasing import ConversationErasures
from palimp_daemon.features.conversations.session_turns import TurnPages
from palimp_daemon.features.conversations.transcript_reading import Transcripts
from palimp_daemon.features.document_listeners import DocumentListeners
from palimp_daemon.features.handler import AsyncHandler, Binding, Bindings, StoreJobs
from palimp_daemon.features.memories import memory_bindings
from palimp_daemon.features.memories.hard_delete import HardDelete
from palimp_daemon.features.memories.merging import MergeService
from palimp_daemon.features.memories.project_digest import DigestService
from palimp_daemon.features.memories.recall_counts import RecallCounts
from palimp_daemon.features.memories.recall_service import RecallService
from palimp_daemon.features.memories.staleness import Staleness
from palimp_daemon.features.neighbour import Background, Neighbour, NeighbourBase, together
from palimp_daemon.features.recall.merged_recall import MergedRecall, recall_alone
from palimp_daemon.features.recall.recall_in_tree import RecallInTree
from palimp_daemon.features.removed_code import removed_code_bindings
from palimp_daemon.features.removed_code.check import Checks
from palimp_daemon.features.removed_code.edits import Edits
from palimp_daemon.features.removed_code.git_history import GitHistory
from palimp_daemon.features.removed_code.git_import import Importer
from palimp_daemon.features.removed_code.working_tree import WorkingTrees
from palimp_daemon.features.rules import rule_bindings
from palimp_daemon.features.rules.derived_checks import DerivedChecks
from palimp_daemon.features.rules.rule_guard import RuleGuard
from palimp_daemon.features.sessions import session_bindings
from palimp_daemon.features.sessions.about_name import AboutNames
from palimp_daemon.features.sessions.acting import Acting
from palimp_daemon.features.sessions.calling_sessions import CallingSessions
from palimp_daemon.features.sessions.client_events import ClientEvents
from palimp_daemon.features.sessions.frame_words import FrameWords
from palimp_daemon.features.sessions.hook_answers import Hooks, HookServices
from palimp_daemon.features.sessions.moved_projects import ProjectMoves
from palimp_daemon.features.sessions.repository_identity import Identities
from palimp_daemon.features.sessions.session_context import Contexts, TreeServices
from palimp_daemon.features.sessions.session_handover import Handoffs
from palimp_daemon.features.sessions.session_pointer import SessionPointers
from palimp_daemon.features.sessions.transcript_watch import TranscriptWatch
from palimp_daemon.features.sessions.usage_notes import UsageNotes
from palimp_daemon.features.team import team_bindings
from palimp_daemon.features.team.server_source import ServerSource, ServerView
from palimp_daemon.features.team.team_rounds import TeamServices
from palimp_daemon.features.team.team_service import Teams
from palimp_daemon.runtime.log import Log
from palimp_daemon.settings.config_operation import ConfigOperation
from palimp_daemon.settings.http_access import HttpAccess
from palimp_daemon.settings.kept_page import KeptPage
from palimp_daemon.settings.page_access import PageAccess
from palimp_daemon.settings.project_switch import Switches
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.save_review import SaveReview
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.ids import RANDOM_BITS
from palimp_daemon.store.opening import open_conversations
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env import clock, paths
from palimp_protocol.messages.daemon_messages import ConnectedSession
from palimp_protocol.neighbours import parts


def id_bits() -> int:
    """Return the random bits of one id."""
    return random.getrandbits(RANDOM_BITS)  # ids are not secrets


@dataclass(frozen=True)
class Foundation:
    """The base of every service. *now_ms* and *random* are arguments for tests."""

    actor: Actor
    config: Config
    state: DaemonState
    settings: Settings
    log: Log
    redact: Redactor
    semantic: Semantic | None = None
    sessions: Callable[[], list[ConnectedSession]] = list
    now_ms: Callable[[], int] = clock.now_ms
    random: Callable[[], int] = id_bits


@dataclass(frozen=True)
class Services:
    """The bindings of operations, and services with other users."""

    bindings: Bindings
    background: Background
    latencies: Latencies
    recall: RecallService
    recall_counts: RecallCounts
    usage: UsageNotes
    document_listeners: DocumentListeners
    git_history: GitHistory
    contexts: Contexts
    frame_words: FrameWords
    calling: CallingSessions
    identities: Identities
    switches: Switches
    http_access: HttpAccess
    page_access: PageAccess


def build_services(base: Foundation) -> Services:
    """Build a daemon's services, without starting any."""
    actor, settings, now_ms, log = base.actor, base.settings, base.now_ms, base.log
    jobs = StoreJobs(actor, now_ms, base.random, SaveReview(settings).waits)
    databases = base.config.database, base.config.conversations
    counts, latencies, usage = RecallCounts(), Latencies(), UsageNotes(actor, now_ms, databases)
    derived_checks = DerivedChecks(jobs, log)

    def on_save() -> None:
        derived_checks.on_save()
        if base.semantic:
            base.semantic.on_save()

    listeners, hard_delete = DocumentListeners(), HardDelete(actor, base.config.database, now_ms, base.random)
    around = NeighbourBase(
        jobs, base.config, settings, base.redact, log, on_save, listeners.tell, hard_delete.finish_erasing
    )
    neighbours: list[Neighbour] = [part.build(around) for part in parts("daemon")]
    switches = Switches(Path(paths.switches_path(settings.env)))

    http_access = HttpAccess(settings, config_operation := ConfigOperation(settings))
    page_access = PageAccess(settings, config_operation, KeptPage(Path(paths.kept_page_path(settings.env))))

    # removed code
    trees = WorkingTrees(actor, log)
    checks = Checks(actor, trees, base.redact)
    edits = Edits(jobs, trees, checks, settings, base.redact, log)
    importer = Importer(actor, now_ms, log, base.redact, keep_days=base.config.keep_changes_days)

    # conversations
    conversations = _conversations(base)
    transcripts = Transcripts(conversations, switches.is_off, base.redact, log)
    history = History(conversations, transcripts, settings.env, base.redact, log)
    commit_messages = CommitMessages(conversations, base.redact, log)

    # memories
    identities, projects = _folders(base, importer)
    git_history = GitHistory(importer, commit_messages.request_read, identities.confirm, settings, switches.is_off, log)
    recall = RecallService(jobs, counts, base.semantic, projects.offer)
    alone = [source for each in neighbours for source in each.alone]
    about = AboutNames(jobs, recall.lexical, partial(recall_alone, alone))
    staleness = Staleness(now_ms, log)
    captures = Captures(jobs, settings, log, switches.is_off, base.redact, on_save)
    requested = _requested_captures(base, captures, transcripts)
    folder = base.config.database.parent
    teams = Teams(TeamServices(actor, settings, base.redact, now_ms, log, on_save, hard_delete.finish, folder))

    # sessions
    acting, rules = Acting(jobs, settings, base.redact), RuleGuard(jobs, settings, base.redact)
    tree, pointers = TreeServices(checks, staleness, identities, projects), SessionPointers(conversations)
    contexts = Contexts(jobs, tree, settings, base.semantic, usage, pointers)
    watch = TranscriptWatch(captures, transcripts, settings.env, switches.is_off, log)
    hooks = Hooks(
        HookServices(edits, git_history, contexts, captures, transcripts, acting, rules, watch, identities, usage),
        settings,
        switches.is_off,
        log,
    )

    beside = [
        *(source for each in neighbours for source in each.beside),
        conversations,
        ServerSource(actor, base.redact),
    ]
    daemon = DaemonOperations(
        base.config,
        base.state,
        jobs,
        settings,
        config_operation,
        http_access,
        page_access,
        switches,
        base.semantic,
        latencies,
        base.sessions,
        conversations.describe,
        teams.describe,
        {field: describe for each in neighbours for field, describe in each.health.items()},
    )
    return Services(
        bindings={
            **memory_bindings.bindings(
                jobs,
                RecallInTree(MergedRecall(recall, beside, [*alone, about], ServerView(actor, base.redact)), staleness),
                base.redact,
                on_save,
            ),
            **memory_bindings.upkeep_bindings(
                MergeService(actor, now_ms, importer.forget), DigestService(actor, settings, now_ms, log)
            ),
            **removed_code_bindings.bindings(jobs, checks, git_history),
            **capture_bindings.bindings(requested),
            **conversation_bindings.bindings(
                history,
                ConversationErasures(conversations, transcripts, hard_delete, requested.wait_settled),
                TurnPages(conversations),
            ),
            **session_bindings.bindings(
                jobs,
                counts,
                session_bindings.ContextServices(contexts, git_history, usage),
                ClientEvents(hooks, settings),
                switches,
                requested.runs,
            ),
            "about": Binding(AsyncHandler(about.answer)),
            "handoff": Binding(AsyncHandler(Handoffs(jobs, conversations, base.redact).answer)),
            **session_bindings.project_bindings(projects, identities, switches),
            **rule_bindings.bindings(jobs, base.redact, on_save),
            **team_bindings.bindings(teams),
            **{name: binding for each in neighbours for name, binding in each.bindings.items()},
            **daemon.bindings(),
        },
        background=together(
            Background(
                before_serving=(
                    edits.run,
                    captures.run,
                    requested.run,
                    conversations.run,
                    identities.run,
                    git_history.run,
                ),
                alongside=(
                    importer.run,
                    transcripts.run,
                    watch.run,
                    history.run,
                    commit_messages.run,
                    teams.run,
                    derived_checks.run,
                    hard_delete.keep_finishing,
                ),
                forget_gone=(trees.forget_gone,),
            ),
            *(each.background for each in neighbours),
        ),
        latencies=latencies,
        recall=recall,
        recall_counts=counts,
        usage=usage,
        document_listeners=listeners,
        git_history=git_history,
        contexts=contexts,
        frame_words=FrameWords(Path(paths.frame_key_path(settings.env))),
        calling=hooks.calling,
        identities=identities,
        switches=switches,
        http_access=http_access,
        page_access=page_access,
    )


def _conversations(base: Foundation) -> Conversations:
    path = base.config.conversations
    opened = partial(open_conversations, path, base.config.search_engine, base.log)
    kept = ConversationStore(path, opened, base.now_ms, base.random)
    return Conversations(kept, base.actor, base.settings, base.log)


def _requested_captures(base: Foundation, captures: Captures, transcripts: Transcripts) -> RequestedCaptures:
    folder = Path(paths.captures_directory(base.settings.env))
    keep_turns = KeepTurns(transcripts.read_text, transcripts.read_file)
    return RequestedCaptures(captures, keep_turns, folder, base.now_ms, base.log)


def _folders(base: Foundation, importer: Importer) -> tuple[Identities, ProjectMoves]:
    home = paths.home_directory(base.settings.env)
    identities = Identities(base.actor, base.now_ms, base.log, importer.request_read, home)
    return identities, ProjectMoves(base.actor, importer.request_read, home, identities.offer)
