"""Of two rules that contradict each other the narrower one counts; else both are shown and nothing is refused."""

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.rules.acts_told import act_of
from palimp_daemon.features.rules.breaches import Breach, breaches_of, telling_of
from palimp_daemon.features.rules.rule_list import list_rules
from palimp_daemon.store.store import Store
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.messages.rule_messages import Rules


@pytest.fixture
def breaches(request_context: RequestContexts, store: Store):
    """Saves rules, enforces the first, and returns what a command would break."""

    def found(command: str, *rules: tuple[str, str], folder: str = "") -> list[Breach]:
        person = request_context(session=None)
        ids = [
            save_memory(person, SaveMemory(text=text, kind="preference", scope=scope)).id  # pyright: ignore[reportArgumentType]  parametrized
            for text, scope in rules
        ]
        list_rules(person, Rules(ids=ids, at_breach="remind"))
        list_rules(person, Rules(ids=ids[:1], at_breach="refuse"))
        act = act_of("Bash", {"command": command}, ["/work/one"], folder=folder)
        return breaches_of(request_context().caller, act, (), store)

    return found


NEVER = ("Never npm.", "project")
DOCS = ("npm for docs/", "project")


@pytest.mark.parametrize(
    ("command", "folder", "count"),
    [
        ("npm ci", "/work/one", 1),
        ("cd docs && npm ci", "/work/one", 0),
        ("npm ci", "/work/one/docs", 0),
        ("cd docsite && npm ci", "/work/one", 1),
    ],
)
def test_a_rule_for_a_folder_counts_there(breaches, command: str, folder: str, count: int) -> None:
    assert len(breaches(command, NEVER, DOCS, folder=folder)) == count


def test_a_rule_of_the_project_counts_before_one_of_all(breaches) -> None:
    assert breaches("npm ci", ("Never npm.", "global"), ("Use npm, never pnpm.", "project")) == []


def test_of_two_that_are_as_wide_both_are_shown_and_nothing_is_refused(breaches, request_context) -> None:
    found = breaches("npm ci", NEVER, ("Use npm, never pnpm.", "project"))
    telling = telling_of(found, (), 3, can_ask=False)
    assert [each.title for each in found[0].qualified_by] == ["Use npm, never pnpm"]
    assert telling is not None
    assert telling.manner == "remind"
    shown = list_rules(request_context(session=None), Rules()).rules
    assert {each.text: [other.title for other in each.qualified_by] for each in shown} == {
        "Never npm.": ["Use npm, never pnpm"],
        "Use npm, never pnpm.": [],
    }


def test_an_enforced_rule_without_another_is_refused(breaches) -> None:
    telling = telling_of(breaches("npm ci", NEVER), (), 3, can_ask=False)
    assert telling is not None
    assert telling.manner == "refuse"


def test_a_rule_shown_alone_names_the_other(breaches, request_context) -> None:
    found = breaches("npm ci", NEVER, ("Use npm, never pnpm.", "project"))
    shown = list_rules(request_context(session=None), Rules(ids=[found[0].id])).rules[0]
    assert [each.title for each in shown.qualified_by] == ["Use npm, never pnpm"]
