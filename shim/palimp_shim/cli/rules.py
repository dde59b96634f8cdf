"""`palimp rules`: standing rules, what is checked of each before an act, and how often it was kept and broken."""

from palimp_protocol.messages.rule_messages import Rule, RuleList, Rules
from palimp_protocol.text import counted, one_line, without_control
from palimp_shim.cli.command import IDS, Invocation, command
from palimp_shim.cli.output import minute, print_line, print_remark, print_rows
from palimp_shim.cli.tables import Column

_ALL = {"ids": "all rules", "turn": "`rules off` and `rules on` say it"}


@command(
    "rules",
    "List the project's standing rules (preferences and corrections), those first that were broken most often: what is"
    " checked before an agent runs a command or edits a file, in how many sessions it was reminded, and how many acts"
    " kept and broke the rule. A check is derived from the words of a rule; one that gives none is told as text, at the"
    " start of each session. An agent is reminded once in a session, and nothing is refused. Exits with 1 without any.",
    example="palimp rules; palimp rules show m1rv7je2; palimp rules off m1rv7je2",
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
    columns += [Column(name, is_number=True) for name in ("told", "kept", "broken")]
    columns += [Column("last broken")]
    print_rows(columns, [_cells(each) for each in reply.rules])
    return 0


def _cells(rule: Rule) -> list[str]:
    checked = "; ".join(rule.in_words) or "as text"
    counts = (rule.told, rule.kept, rule.broken + rule.broken_told)
    last = minute(rule.broken_at) if rule.broken_at else ""
    return [rule.id, one_line(rule.text), f"off: {checked}" if rule.is_off else checked, *map(str, counts), last]


@command(
    "rules show",
    "show rules whole, with their checks",
    IDS,
    asks=("rules",),
    unset={"turn": _ALL["turn"]},
)
def show(typed: Invocation) -> int:
    """Show rules whole."""
    reply: RuleList = typed.answer()
    if not typed.is_json:
        print_line("\n\n".join(_whole(each) for each in reply.rules))
    return 0


def _whole(rule: Rule) -> str:
    broken = f"{rule.broken + rule.broken_told} times" if rule.broken + rule.broken_told != 1 else "once"
    lines = [f"{rule.id} {rule.kind}", without_control(rule.text)]
    lines += [f"  {each}" for each in rule.in_words] or ["  Nothing is checked: it is told as text."]
    lines += ["  The checks are off: `palimp rules on ID` turns them on."] if rule.is_off else []
    if rule.told or rule.kept or rule.broken or rule.broken_told:
        lines.append(
            f"  Reminded in {counted(rule.told, 'session')}, kept by {counted(rule.kept, 'act')}, broken {broken},"
            f" {rule.broken_told} of them after a reminder."
        )
    if rule.broken_at:
        lines.append(f"  Last {minute(rule.broken_at)} by: {one_line(rule.act)}")
    return "\n".join(lines)


@command("rules off", "check these rules no more; they are still told as text", IDS, asks=("rules",))
@command("rules on", "check these rules again", IDS, asks=("rules",))
def turn(typed: Invocation) -> int:
    """Turn checks off or on."""
    turned = typed.name.rpartition(" ")[2]
    reply: RuleList = typed.answer(typed.request(turn=turned))
    if not typed.is_json:
        for each in reply.rules:
            print_line(f"Checks {turned}: {each.id} {one_line(each.text)}")
    return 0
