"""Messages about rules. Checks hold no regular expressions, so none can be slow or wrong."""

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

from palimp_protocol.messages.memory_messages import Similar

TEXTS_MAX = 16
"""Commands, paths or texts of one check: a rule that names more is a list of something else."""

TEXT_CHARACTERS_MAX = 200
"""Characters of one of them: a command, a path, a line of code."""

CHECKS_MAX = 16
"""Checks of one rule: a text that asks for more is several rules."""

RULE_TEXT_MAX = 2_000
"""Characters of the words of a rule: a standing one is a sentence or two."""

RULES_AT_ONCE_MAX = 100
"""Rules that a request names: a command line has room for some."""

AtBreach = Literal["remind", "off", "refuse", "ask"]
"""What happens when an act would break a rule: the session is reminded, nothing, the act is refused once, or the user
is asked."""

AT_BREACH: Final[tuple[AtBreach, ...]] = get_args(AtBreach)
"""In the order of the numbers by which a store keeps them."""

Manner = Literal["imperative", "no-emoji", "no-period", "lowercase", "ticket"]
Language = Literal["english", "german", "french", "spanish", "portuguese", "japanese", "chinese"]
Style = Manner | Language
"""Of a commit's message."""

Texts = Annotated[
    tuple[Annotated[str, Meta(min_length=1, max_length=TEXT_CHARACTERS_MAX)], ...], Meta(max_length=TEXTS_MAX)
]


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True, forbid_unknown_fields=True):
    """Forbidden or required properties of an act under a rule."""

    sort: Literal["command", "edit", "message", "before", "branch"]
    commands: Texts = ()
    """What is not to be run, or not yet: `npm`, `git push --force`; `=test`, `=dependency` and others of that sort."""
    within: str = ""
    """Under this it may be run: `uv run`."""
    branches: Texts = ()
    """Only on one of these it is not to be run."""
    first: Texts = ()
    """Commands of which one has to end well before, after the last edit."""
    paths: Texts = ()
    """Files that are not to be changed; of code, where it is not to be added."""
    files: Literal["", "new", "existing"] = ""
    """Only those that are not there yet, or that are there."""
    added: Texts = ()
    """Code that is not to be added."""
    lacks: Texts = ()
    """What the message of a commit is not to have; case does not count."""
    begins: Texts = ()
    """With one of these it, or a branch's name, has to begin."""
    style: Style | Literal[""] = ""
    """How it is to be written, or in which language."""
    subject_max: Annotated[int, Meta(ge=0, le=1_000)] = 0
    """Characters of its first line; 0: any number."""
    instead: Annotated[str, Meta(max_length=TEXT_CHARACTERS_MAX)] = ""
    """What is to be done instead."""


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List rules, or set a breach's consequence."""

    ids: Annotated[list[Annotated[str, Meta(min_length=1, max_length=40)]], Meta(max_length=RULES_AT_ONCE_MAX)] = []
    """Of memories: only these; empty: all rules."""
    at_breach: AtBreach | Literal[""] = ""
    """What is to happen when an act would break these; a person says it. Empty: only list them."""


class MendRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give a rule checks made by a person, or make a rule of them."""

    id: Annotated[str, Meta(max_length=40)] = ""
    """Of a memory; empty: a new one is saved."""
    text: Annotated[str, Meta(max_length=RULE_TEXT_MAX)] = ""
    """Of a new one; empty: its checks in words."""
    why: Annotated[str, Meta(max_length=RULE_TEXT_MAX)] = ""
    """The reason that is added to these words."""
    checks: Annotated[tuple[Check, ...], Meta(max_length=CHECKS_MAX)] = ()
    """Empty: those that are derived of its words."""


class ClientCounts(Struct, frozen=True, kw_only=True):
    """How often one client's sessions kept and broke a rule; as in `Rule`."""

    client: str
    told: int = 0
    kept: int = 0
    broken: int = 0
    broken_told: int = 0
    overruled: int = 0
    broken_in: list[str] = []
    """Sessions that broke it, the newest first."""


class Rule(Struct, frozen=True, kw_only=True):
    """A rule, its checks, and how often it was kept and broken."""

    id: str
    kind: str
    title: str
    text: str
    checks: list[Check] = []
    """Empty: it is told as text alone."""
    in_words: list[str] = []
    """Each of them as a sentence."""
    is_own: bool = False
    """Whether a person made them."""
    at_breach: AtBreach = "remind"
    qualified_by: list[Similar] = []
    """Memories that narrow it or disagree with it: beside one, nothing is refused."""
    told: int = 0
    """Sessions that were reminded before an act."""
    kept: int = 0
    """Acts that are about it and fit it."""
    broken: int = 0
    """Acts against it, before the session was reminded."""
    broken_told: int = 0
    """And after it was."""
    refused: int = 0
    """Acts that were refused."""
    overruled: int = 0
    """Of them, those that were sent again and went through."""
    broken_at: int = 0
    """When it was broken last, in Unix milliseconds; 0: never."""
    act: str = ""
    """By what."""
    by_client: list[ClientCounts] = []
    """The same by clients, where the rule was named by its id."""


class RuleList(Struct, frozen=True, kw_only=True):
    """Rules, the most often broken first."""

    rules: list[Rule]
    changed: int = 0
    """With `at_breach`: rules of which it was another."""
