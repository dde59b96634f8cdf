"""Promise: an act that breaks a saved rule is noticed before it, and one that does not is left alone.

    python benchmarks/rules.py [--misses] [--chats CHATS.json]

Rules in people's words, of seven languages, with acts (`benchmarks/rules/`), each set written before the derivation
was changed for it. *seen* and *aside* chose the derivation. 60 rules by a hand that had not read it came second, with
ten ordinary acts: 21 of 26 breaches were noticed, and 1 of 40 others; after a change for these, of the half put aside
16 of 22 and 1 of 40, so that it chose more. The third set was run once after that: 20 of 22, and 1 of 26.
The fourth, by one who had read the third but not the derivation: 34 of 38, and none of 42; it chose more. *noticed*:
of the acts that break their rule, how many are told it. *false*: of the others, how many are.

With CHATS.json the acts that `actions.py` replays are asked with ten ordinary rules active, once: what a project knows
does not matter to a rule. Each reminder is printed, and only one that names no real breach is false. A session is told
a rule once. Nothing is refused, since no rule is enforced. `--misses` shows what went wrong.
"""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from actions import Action, chat_streams, labelled_streams
from measuring import print_table

from palimp_daemon.features.rules.acts_told import act_of
from palimp_daemon.text.rules.derivation import checks_of
from palimp_daemon.text.rules.verdicts import Act, verdict_of
from palimp_daemon.text.shell_commands import GivenCommand, given_commands_in

HERE = Path(__file__).parent / "rules"
HALVES = ("seen", "aside", "second_seen", "second_aside", "third_aside", "fourth_aside")
ORDINARY = (
    "Use pnpm, never npm.",
    "Don't touch anything under generated/.",
    "Commit messages in the imperative.",
    "No commits directly on main.",
    "Run the tests before you push.",
    "Always use `uv run`, never call python or pytest directly.",
    "No new dependency without asking.",
    "No `print` in src.",
    "Never force-push.",
    "Don't create markdown files unless I ask for them.",
)


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--misses", action="store_true")
    parser.add_argument("--chats", type=Path)
    options = parser.parse_args()
    rows = [_scored(half, shows_misses=options.misses) for half in HALVES]
    print_table("Acts against rules", ["half", "rules", "breaches", "noticed", "others", "false"], rows, [])
    if options.chats:
        sessions = [*labelled_streams(), *chat_streams(options.chats)]
        acts, told = _replayed(sessions)
        print_table(
            "Ten ordinary rules", ["sessions", "actions", "reminders"], [(f"{len(sessions)}", f"{acts}", f"{told}")], []
        )


def _scored(half: str, *, shows_misses: bool) -> tuple[str, ...]:
    rules = json.loads((HERE / f"{half}.json").read_text())
    breaches = noticed = others = false = 0
    for rule in rules:
        checks = checks_of(rule["text"], is_decision=rule["kind"] == "decision")
        for given in rule["acts"]:
            is_told = verdict_of(checks, _act(given)) == "broken"
            breaches += given["breach"]
            others += not given["breach"]
            noticed += given["breach"] and is_told
            false += not given["breach"] and is_told
            if shows_misses and is_told is not given["breach"]:
                print(f"{rule['id']} {rule['text']!r} {given['tool_input']} told: {is_told}\n    {checks}")
    if half.startswith("second"):
        ordinary = json.loads((HERE / "ordinary.json").read_text())
        others += len(ordinary)
        false += sum(
            any(verdict_of(checks_of(each["text"]), _act(act)) == "broken" for each in rules) for act in ordinary
        )
    return (
        half,
        f"{len(rules)}",
        f"{breaches}",
        f"{noticed} ({100 * noticed / breaches:.0f} %)",
        f"{others}",
        f"{false} ({100 * false / others:.0f} %)",
    )


def _act(given: dict[str, Any]) -> Act:
    done: list[GivenCommand] = []
    for earlier in given.get("earlier", ()):
        if earlier["tool_name"] != "Bash":
            done.clear()
        elif earlier["worked"]:
            done += given_commands_in(earlier["tool_input"]["command"])
    act = act_of(given["tool_name"], given["tool_input"], ["/work/shop"])
    return act._replace(branch=given.get("branch", ""), done=tuple(done))


def _replayed(sessions: Sequence[list[Action]]) -> tuple[int, int]:
    """Return how many acts there are in *sessions*, and how many reminders; each reminder is printed once."""
    rules = [checks_of(text) for text in ORDINARY]
    shown: set[str] = set()
    acts = told = 0
    for session in sessions:
        known: set[int] = set()
        for number, action in _broken(session, rules):
            acts += number < 0
            if number >= 0 and number not in known:
                known.add(number)
                told += 1
                line = f"{ORDINARY[number]} {action.tool} {json.dumps(action.input)[:200]}"
                if line not in shown:
                    print(line)
                shown.add(line)
    return acts, told


def _broken(session: Sequence[Action], rules: Sequence[Any]) -> Iterator[tuple[int, Action]]:
    """Yield each act with -1, and with the number of each rule that it breaks."""
    for action in session:
        yield -1, action
        act = act_of(action.tool, action.input, ["/work/foreign"])
        for number, checks in enumerate(rules):
            if verdict_of(checks, act) == "broken":
                yield number, action


if __name__ == "__main__":
    main()
