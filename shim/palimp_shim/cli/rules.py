"""`palimp rules`: standing rules, their checks, and counts of kept and broken."""

from typing import Any, Final

from msgspec import convert

from palimp_protocol.errors import ErrorCode, PalimpError
from palimp_protocol.messages.rule_messages import AtBreach, Check, ClientCounts, MendRule, Rule, RuleList, Rules
from palimp_protocol.text import count_of, one_line, shown_name, times, without_control
from palimp_shim.cli.arguments import refuse_agents
from palimp_shim.cli.command import IDS, Argument, Invocation, argument, command, flag
from palimp_shim.cli.output import minute, print_line, print_remark, print_rows
from palimp_shim.cli.tables import Column

_ALL: Final = {"ids": "all rules", "at_breach": "`rules off`, `on` and `enforce` say it"}

_SAID: Final[dict[AtBreach, str]] = {
    "remind": "The agent is reminded, once in a session.",
    "off": "Nothing is checked.",
    "refuse": "The act is refused once.",
    "ask": "You are asked before it is done.",
}
"""Consequences of an act that would break a rule."""

_PREFIXES: Final[dict[AtBreach, str]] = {"remind": "", "off": "off: ", "refuse": "refused: ", "ask": "asked: "}


@command(
    "rules",
    "List the project's standing rules (preferences, corrections, and what was given checks by hand), those first that"
    " were broken most often: what is checked before an agent runs a command or edits a file, in how many sessions an"
    " agent was reminded of it, and how many acts kept and broke the rule. A check is derived from the words of a rule;"
    " one that gives none is told as text, at the start of each session. An agent is reminded once in a session;"
    " nothing is refused unless you enforce a rule. Exits with 1 without any.",
    asks=(),
    example="palimp rules; palimp rules show m1rv7je2; palimp rules enforce m1rv7je2; palimp undo",
)
@command("rules list", "list the rules", asks=("rules",), unset=_ALL)
def run(typed: Invocation) -> int:
    """List the rules."""
    reply: RuleList = typed.answer(Rules())
    if typed.is_json:
        return 0 if reply.rules else 1
    if not reply.rules:
        print_remark("No rules here.", "`palimp add 'Use pnpm, never npm.' --kind preference` makes one.")
        return 1
    columns = [Column("id", "cyan"), Column("rule", is_text=True), Column("checked", "dim", is_text=True)]
    columns += [Column(name, is_number=True) for name in ("reminded", "kept", "broken")]
    columns += [Column("last broken")]
    print_rows(columns, [_cells(each) for each in reply.rules], of_counts=True)
    return 0


def _cells(rule: Rule) -> list[str]:
    checked = "; ".join(rule.in_words)
    checked = f"{_PREFIXES[rule.at_breach]}{checked}" if checked else "nothing: told as text"
    checked += "".join(f"; but see {each.id}" for each in rule.qualified_by)
    counts = (rule.told, rule.kept, rule.broken + rule.broken_told)
    last = minute(rule.broken_at) if rule.broken_at else ""
    return [rule.id, one_line(rule.text), checked, *map(str, counts), last]


@command(
    "rules show",
    "show rules whole, with their checks",
    IDS,
    asks=("rules",),
    unset={"at_breach": _ALL["at_breach"]},
    example="m1rv7je2",
)
def show(typed: Invocation) -> None:
    """Show rules whole."""
    reply: RuleList = typed.answer()
    if not typed.is_json:
        print_line("\n\n".join(_whole(each) for each in reply.rules))


def _whole(rule: Rule) -> str:
    lines = [f"{rule.id} {rule.kind}", without_control(rule.text)]
    lines += [f"  {each}" for each in rule.in_words] or ["  Nothing is checked: it is told as text."]
    lines += ["  Made by hand; `palimp rules mend ID --derived` takes what its words say."] if rule.is_own else []
    lines += [f"  {_SAID[rule.at_breach]}"] if rule.in_words else []
    for each in rule.qualified_by:
        lines.append(f"  Not refused anywhere, since {each.id} narrows it or disagrees: {one_line(each.title)}")
    if rule.told or rule.kept or rule.broken or rule.broken_told:
        lines += [_counts(rule), *map(_of_client, rule.by_client)]
    if rule.broken_at:
        lines.append(f"  Last {minute(rule.broken_at)} by: {one_line(rule.act)}")
    return "\n".join(lines)


def _counts(rule: Rule) -> str:
    count = rule.broken + rule.broken_told
    refused = f" Refused {times(rule.refused)}, sent again {times(rule.overruled)}." if rule.refused else ""
    return (
        f"  Reminded in {count_of(rule.told, 'session')}, kept by {count_of(rule.kept, 'act')}, broken {times(count)},"
        f" {rule.broken_told} of them after a reminder.{refused}"
    )


def _of_client(counts: ClientCounts) -> str:
    broken = counts.broken + counts.broken_told
    where = f" (in {', '.join(map(shown_name, counts.broken_in))})" if counts.broken_in else ""
    return f"    {shown_name(counts.client)}: reminded {counts.told}, kept {counts.kept}, broken {broken}{where}"


@command(
    "rules off",
    "check these rules no more; they are still told as text",
    IDS,
    asks=("rules",),
    example="m1rv7je2",
    unset=_ALL,
)
@command("rules on", "remind of these rules, and refuse nothing", IDS, asks=("rules",), example="m1rv7je2", unset=_ALL)
@command(
    "rules enforce",
    "refuse once what would break these rules",
    IDS,
    flag(
        "--ask",
        "have the user asked instead, where the client can (Claude Code); elsewhere it is refused",
        sets="at_breach",
    ),
    asks=("rules",),
    unset=_ALL,
    description=(
        "Refuse once what would break these rules: the agent is told the rule, and the same act sent again passes and"
        " counts as broken. Only a person enforces a rule, for this store: neither an agent nor a file of a repository"
        " nor an import can. `palimp rules on` goes back to reminders, and `palimp undo` to what was before."
    ),
    example="m1rv7je2",
)
def set_at_breach(typed: Invocation) -> None:
    """Set a breach's consequence."""
    refuse_agents(typed, "Only a person sets what is checked of a rule")
    named = typed.name.rpartition(" ")[2]
    chosen: dict[str, AtBreach] = {"off": "off", "on": "remind", "enforce": "ask" if _has(typed, "ask") else "refuse"}
    reply: RuleList = typed.answer(typed.request(at_breach=chosen[named]))
    if not typed.is_json:
        for each in reply.rules:
            print_line(f"{each.id} {one_line(each.text)}\n  {_SAID[each.at_breach]}")
            if each.qualified_by and each.at_breach in ("refuse", "ask"):
                print_remark(f"But {each.qualified_by[0].id} narrows it or disagrees: beside it the agent is reminded.")


_MAKING: Final[tuple[Argument, ...]] = (
    argument("--command", dest="commands", action="append", metavar="CMD", help="a command not to run: 'npm *'"),
    argument("--first", action="append", metavar="CMD", help="what has to end well before --command: '=test'"),
    argument("--within", metavar="CMD", help="under this it may be run: 'uv run'"),
    argument("--branch", dest="branches", action="append", metavar="NAME", help="only on this branch"),
    argument(
        "--path",
        dest="paths",
        action="append",
        metavar="PATH",
        help="a file, folder/ or glob not to change; with --command, the folder in which it is not to be run",
    ),
    argument("--added", action="append", metavar="CODE", help="code not to add (under --path, if that is given)"),
    argument("--message-lacks", dest="lacks", action="append", metavar="TEXT", help="what no commit message has"),
    argument("--instead", metavar="CMD", help="what to do instead"),
)


@command(
    "rules add",
    "save a rule with a check that you make",
    argument("text", nargs="?", metavar="TEXT", help="the rule in words; else the check in words"),
    *(each._replace(sets="checks") for each in _MAKING),
    argument("--why", metavar="TEXT", help="the reason, told with it"),
    asks=("mend_rule",),
    unset={"id": "a new one"},
    example="--command 'npm *' --instead pnpm --why 'The lock file is made by pnpm.'",
)
@command(
    "rules mend",
    "give a memory another check",
    argument("id", metavar="ID", help="a memory; of any kind: with a check it is a rule"),
    *(each._replace(sets="checks") for each in _MAKING),
    flag("--derived", "take the checks that its words say again", sets="checks"),
    asks=("mend_rule",),
    unset={"text": "`palimp edit` changes it", "why": "`palimp edit` adds it"},
    example="m1rv7je2 --command 'npm install *' --instead 'pnpm add'",
)
def mend(typed: Invocation) -> None:
    """Make a rule's checks by hand."""
    refuse_agents(typed, "Only a person sets what is checked of a rule")
    checks = () if _has(typed, "derived") else (_check(typed),)
    options = typed.options
    asked = MendRule(
        id=getattr(options, "id", "") or "",
        text=getattr(options, "text", "") or "",
        why=getattr(options, "why", "") or "",
        checks=checks,
    )
    reply: RuleList = typed.answer(asked)
    if not typed.is_json:
        print_line("\n\n".join(_whole(each) for each in reply.rules))


def _check(typed: Invocation) -> Check:
    given: dict[str, Any] = {name: value for each in _MAKING if (value := getattr(typed.options, name := each.sets))}
    sorts = {
        "before": bool(given.get("first")),
        "command": bool(given.get("commands")) and not given.get("first"),
        "edit": bool(given.get("added") or (given.get("paths") and not given.get("commands"))),
        "message": bool(given.get("lacks")),
    }
    made = [sort for sort, is_made in sorts.items() if is_made]
    if len(made) != 1:
        text = "Say what is to be checked." if not made else f"That makes {len(made)} checks: {' and '.join(made)}."
        raise PalimpError(
            ErrorCode.BAD_REQUEST, text, "One of --command, --path, --added and --message-lacks makes it."
        )
    return convert({"sort": made[0], **given}, Check)


def _has(typed: Invocation, option: str) -> bool:
    return bool(getattr(typed.options, option, False))
