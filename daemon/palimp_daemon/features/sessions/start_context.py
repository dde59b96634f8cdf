"""Choose the memories for a session's start: standing rules, decisions, matches of the work, news.

Standing rules are pins, preferences, corrections, checked rules, and global memories. Memories replaced, or likely so
(`judgement.replacing`), and passing ones are left out. Each is told once, in the first part that it fits.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from types import MappingProxyType
from typing import Final, NamedTuple

from palimp_daemon.features.memories.qualified import qualifiers_of
from palimp_daemon.git.recent_work import RecentWork
from palimp_daemon.render.context_text import Entry, KnownAtStart
from palimp_daemon.search.engine import Filter
from palimp_daemon.search.stems import WORD
from palimp_daemon.store.store import GLOBAL_PROJECT, Store, project_row
from palimp_daemon.store.tables import memory_rows
from palimp_daemon.store.tables.memory_rows import Row, shown_id
from palimp_daemon.store.tables.mutes import muted_in
from palimp_daemon.store.tables.pins import pinned_in
from palimp_daemon.store.tables.rule_checks import seqs_with_checks
from palimp_daemon.store.tables.rule_counts import RuleCounts, counts_among
from palimp_daemon.store.tables.search.memory_query import SearchRequest
from palimp_daemon.store.tables.search.memory_search import matching
from palimp_daemon.store.tables.team_heard import authors_among
from palimp_daemon.store.tables.unasked import UNASKED, replaced_among, unasked_selection, withheld_among
from palimp_daemon.text.memory_kinds import DECISION_KINDS, RULE_KINDS
from palimp_daemon.text.passing_notes import is_passing
from palimp_protocol.limits import CONTEXT_ROWS_MAX, TEXT_CHARACTERS_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.text import shown_name

MATCHES_MAX = 12
NEWEST_MAX = 40
"""New memories of any kind: as many as fit behind the rest."""

NEWEST_READ: Final = 3 * NEWEST_MAX
"""Memories read to fill NEWEST_MAX: many may be passing notes."""

MUTED_COMPARED: Final = 40
"""Muted memories, the newest, that may still replace listed ones."""

RULES_MAX = 60
"""Standing rules listed: their first sentences fill the context."""

POSTINGS = 2_000
"""Postings read to find memories that fit the work, some milliseconds; rare words suffice."""

SIGNAL_WORDS_MIN = 4
"""Characters from which a branch's, path's or subject's word tells the work's topic."""

COMMON = frozenset(
    """
    main master develop feature fix bugfix hotfix chore docs test tests release merge branch update updates added adds
    init file files index module source utils lib core make makefile readme changelog from into with that this when
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Words of branches, paths and subjects that tell nothing."""


LAST_SESSION: Final = "last session"
"""The reason shown with another session's summary."""

READ_CHARACTERS: Final = 400
"""Characters read of a text: more than a row shows."""


class Standing(NamedTuple):
    """Knowledge for any session of a project, newest first."""

    rules: list[Row]
    all_rules: int
    pinned: set[int]
    decisions: list[Row]
    all_decisions: int
    summaries: list[Row]
    newest: list[Row]
    total: int
    muted: Sequence[Row] = ()
    """Not shown, but memories that they likely replaced do not hold."""
    counts: Mapping[int, RuleCounts] = MappingProxyType({})
    """How often the rules were kept and broken, by number."""


def standing_knowledge(caller: Caller, store: Store) -> Standing:
    """Return the knowledge for any session of *caller*."""
    project = project_row(store, caller)
    rules, all_rules, pinned, counts = _rules(store, project)
    if project is None:
        return Standing(rules, all_rules, pinned, [], 0, [], [], 0, counts=counts)
    decisions, all_decisions = memory_rows.newest(store, unasked_selection([project], DECISION_KINDS), CONTEXT_ROWS_MAX)
    summaries, _ = memory_rows.newest(store, unasked_selection([project], ["summary"]), 1)
    lately, total = memory_rows.newest(store, unasked_selection([project]), NEWEST_READ)
    newest = [row for row in lately if not is_passing(row.kind, row.content)][:NEWEST_MAX]
    muted = memory_rows.rows_by_seq(store, [*muted_in(store, sorted({GLOBAL_PROJECT, project}), MUTED_COMPARED)])
    return Standing(rules, all_rules, pinned, decisions, all_decisions, summaries, newest, total, muted, counts)


def known_at_start(
    caller: Caller,
    standing: Standing,
    work: RecentWork,
    now_ms: int,
    store: Store,
    *,
    before: Sequence[Entry] = (),
) -> KnownAtStart:
    """Return the knowledge for a session with *work*, and entries from *before* a compaction."""
    project = project_row(store, caller)
    matches = [] if project is None else _matches(store, project, work, now_ms)
    rows = [*standing.rules, *standing.decisions, *(row for row, _ in matches), *standing.newest]
    told = {seq: f"by {shown_name(name)}" for seq, name in authors_among(store, rows).items()}
    for seq, remark in qualifiers_of(store, rows, [GLOBAL_PROJECT, *([] if project is None else [project])]).items():
        told[seq] = f"{told[seq]}, {remark}" if seq in told else remark
    replaced = replaced_among(store, [*rows, *standing.muted])
    shown: set[int] = {row.seq for row in standing.summaries}
    # A decision that is checked is a rule, and like others it is left out where it likely holds no more.
    holding = [row for row in standing.rules if _is_standing(row, standing) or row.seq not in replaced]
    ruling = ((row, _why_ruling(row, standing)) for row in holding)
    rules = _entries(told, ruling, shown, TEXT_CHARACTERS_MAX)
    holding_no_more = replaced.keys() - shown - {row.seq for row in standing.muted}
    session = [entry for entry in before if not entry.seq or entry.seq not in shown]
    shown |= holding_no_more | {entry.seq for entry in session}
    fitting = [(row, why) for row, why in matches if row.kind in DECISION_KINDS]
    told_decisions = {
        row.seq
        for row in (*standing.rules, *standing.decisions)
        if row.kind in DECISION_KINDS and row.project_id == project
    }
    return KnownAtStart(
        rules=rules,
        decisions=_entries(told, [*fitting, *((row, row.kind) for row in standing.decisions)], shown),
        matches=_entries(told, matches, shown),
        newest=_entries(told, ((row, "recent") for row in standing.newest), shown),
        summary=standing.summaries[0].content if standing.summaries else "",
        left_out=standing.all_rules
        - len(standing.rules)
        + standing.all_decisions
        - len(told_decisions)
        + len(holding_no_more),
        total=standing.total,
        summary_seq=standing.summaries[0].seq if standing.summaries else 0,
        session=session,
    )


def told_of(known: KnownAtStart, ids: AbstractSet[str], *, has_summary: bool) -> list[tuple[int, str]]:
    """Return numbers and reasons of the memories told."""
    entries = (*known.rules, *known.session, *known.matches, *known.decisions, *known.newest)
    told = [(entry.seq, entry.reason) for entry in entries if entry.seq and entry.id in ids]
    return [*told, (known.summary_seq, LAST_SESSION)] if has_summary and known.summary_seq else told


def only_news(known: KnownAtStart, is_news: Callable[[int], bool]) -> KnownAtStart:
    """Return the part of *known* that is news."""

    def news(entries: Sequence[Entry]) -> list[Entry]:
        return [entry for entry in entries if is_news(entry.seq)]

    return known._replace(
        rules=news(known.rules),
        matches=news(known.matches),
        decisions=news(known.decisions),
        newest=news(known.newest),
        summary=known.summary if is_news(known.summary_seq) else "",
        left_out=0,
    )


def with_remarks(known: KnownAtStart, remarks: Mapping[str, str]) -> KnownAtStart:
    """Return *known* with *remarks*, by memory id."""

    def add_remarks(entries: Sequence[Entry]) -> list[Entry]:
        return [entry._replace(stale=remarks.get(entry.id, "")) for entry in entries]

    return known._replace(
        rules=add_remarks(known.rules),
        session=add_remarks(known.session),
        decisions=add_remarks(known.decisions),
        matches=add_remarks(known.matches),
        newest=add_remarks(known.newest),
    )


def _rules(store: Store, project: int | None) -> tuple[list[Row], int, set[int], dict[int, RuleCounts]]:
    """Return the rules: most often broken first, then pins, newest first, decisions last."""
    projects = [GLOBAL_PROJECT] if project in (None, GLOBAL_PROJECT) else [GLOBAL_PROJECT, project]
    pinned = memory_rows.rows_by_seq(store, [*pinned_in(store, projects)])
    withheld = withheld_among(store, [row.seq for row in pinned])  # what takes its place may be muted; others pin, too
    pinned = [row for row in pinned if row.deleted_at is None and row.seq not in withheld]
    everywhere, count = memory_rows.newest(store, unasked_selection([GLOBAL_PROJECT]), RULES_MAX)
    own: list[Row] = []
    checked: list[Row] = []
    if project not in (None, GLOBAL_PROJECT):
        own, all_own = memory_rows.newest(store, unasked_selection([project], RULE_KINDS), RULES_MAX)
        count += all_own
        checked = _other_rules(store, project)
        count += len(checked)
    first = {row.seq for row in pinned}
    listed = {row.seq for row in (*own, *checked, *everywhere)}
    newest = [*sorted([*own, *everywhere], key=lambda row: -row.seq), *checked]
    rest = [row for row in newest if row.seq not in first]
    counts = counts_among(store, [row.seq for row in (*pinned, *rest)])
    ordered = sorted([*pinned, *rest], key=lambda row: -_times_broken(counts.get(row.seq)))
    return ordered[:RULES_MAX], count + len(first - listed), first, counts


def _other_rules(store: Store, project: int) -> list[Row]:
    found = memory_rows.rows_by_seq(store, sorted(seqs_with_checks(store, [project]), reverse=True))
    return sorted((row for row in found if row.kind not in RULE_KINDS), key=lambda row: -row.seq)


def _is_standing(row: Row, standing: Standing) -> bool:
    return row.kind in RULE_KINDS or row.project_id == GLOBAL_PROJECT or row.seq in standing.pinned


def _times_broken(counts: RuleCounts | None) -> int:
    return counts.broken + counts.broken_told if counts else 0


def count_rules(store: Store, project: int | None) -> int:
    """Count the standing rules of *project* (None: global ones)."""
    return _rules(store, project)[1]


def _why_ruling(row: Row, standing: Standing) -> str:
    kind = "everywhere" if row.project_id == GLOBAL_PROJECT and row.kind not in RULE_KINDS else row.kind
    why = "pinned" if row.seq in standing.pinned else kind
    counts = standing.counts.get(row.seq)
    return ", ".join(filter(None, (why, counts.breaches if counts else "")))


def _matches(store: Store, project: int, work: RecentWork, now_ms: int) -> list[tuple[Row, str]]:
    signals = {
        "branch": _words([work.branch]),
        "file": _words(work.files[:20]),
        "commit": _words(work.subjects),
    }
    everything = list(dict.fromkeys(word for words in signals.values() for word in words))
    if not everything:
        return []
    here = memory_rows.in_scope([project])
    where = Filter(f"{here.sql} AND {UNASKED.sql}", here.values)
    found = matching(store, SearchRequest(" ".join(everything), where, MATCHES_MAX, None, POSTINGS), now_ms)
    rows = memory_rows.rows_by_seq(store, [each.seq for each in found.ranked])
    stems = {name: {stem for word in words for stem in store.stems.of_term(word)} for name, words in signals.items()}
    reasons: list[tuple[Row, str]] = []
    for row in rows:
        own = set(store.stems.of_text(f"{row.title} {row.content} {row.tags}"))
        why = next((name for name, words in stems.items() if words & own), "")
        if why and not is_passing(row.kind, row.content):
            reasons.append((row, why))
    return reasons


def _words(texts: Sequence[str]) -> list[str]:
    words = (word for text in texts for word in WORD.findall(text))
    return list(dict.fromkeys(w for w in words if len(w) >= SIGNAL_WORDS_MIN and w.lower() not in COMMON))


def _entries(
    told: Mapping[int, str], rows: Iterable[tuple[Row, str]], shown: set[int], characters: int = READ_CHARACTERS
) -> list[Entry]:
    entries: list[Entry] = []
    for row, why in rows:
        if row.seq not in shown:
            shown.add(row.seq)
            reason = f"{why}, {told[row.seq]}" if row.seq in told else why
            text, whole = row.content[:characters], "" if row.project_id == GLOBAL_PROJECT else row.content
            entry = Entry(shown_id(row), row.title, reason, row.created_at, text, whole, seq=row.seq, reason=why)
            entries.append(entry)
    return entries
