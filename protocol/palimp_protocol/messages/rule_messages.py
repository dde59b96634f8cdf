"""Messages about rules. Checks hold no regular expressions, so none can be slow or wrong."""

from typing import Annotated, Final, Literal, get_args

from msgspec import Meta, Struct

from palimp_protocol.messages.memory_messages import Similar

TEXTS_MAX = 16
"""Commands, paths or texts of a check: a rule with more is a list."""

TEXT_CHARACTERS_MAX = 200
"""Characters of each: a command, a path, a line of code."""

CHECKS_MAX = 16
"""Checks of a rule: a text with more is several rules."""

RULE_TEXT_MAX = 2_000
"""Characters of a rule: a standing one is a sentence or two."""

RULES_AT_ONCE_MAX = 100
"""Rules per request: a command line has room for some."""

AtBreach = Literal["remind", "off", "refuse", "ask"]
"""Reaction to a breach: remind the session, nothing, refuse the act once, ask the user."""

AT_BREACH: Final[tuple[AtBreach, ...]] = get_args(AtBreach)
"""In the order of the store's numbers for them."""

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
    """Commands not to run, or not yet: `npm`, `git push --force`; kinds as `=test`, `=dependency`."""
    within: str = ""
    """Prefix under which it is allowed: `uv run`."""
    branches: Texts = ()
    """Forbidden only on one of these."""
    first: Texts = ()
    """Commands, one of which must have succeeded since the last edit."""
    paths: Texts = ()
    """Files not to change; for *added*, places where the code is forbidden."""
    files: Literal["", "new", "existing"] = ""
    """Only files that exist, or do not yet."""
    added: Texts = ()
    lacks: Texts = ()
    """Texts forbidden in a commit's message; case is ignored."""
    begins: Texts = ()
    """The message, or a branch's name, must begin with one of these."""
    style: Style | Literal[""] = ""
    """Manner of writing, or language."""
    subject_max: Annotated[int, Meta(ge=0, le=1_000)] = 0
    """Characters of its first line; 0: any number."""
    instead: Annotated[str, Meta(max_length=TEXT_CHARACTERS_MAX)] = ""


class Rules(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """List rules, or set a breach's consequence."""

    ids: Annotated[list[Annotated[str, Meta(min_length=1, max_length=40)]], Meta(max_length=RULES_AT_ONCE_MAX)] = []
    """Only these memories; empty: all rules."""
    at_breach: AtBreach | Literal[""] = ""
    """A person's new reaction to breaches of these. Empty: only list them."""


class MendRule(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Give a rule checks made by a person, or make a rule of them."""

    id: Annotated[str, Meta(max_length=40)] = ""
    """Of a memory; empty: a new one is saved."""
    text: Annotated[str, Meta(max_length=RULE_TEXT_MAX)] = ""
    """Of a new one; empty: its checks in words."""
    why: Annotated[str, Meta(max_length=RULE_TEXT_MAX)] = ""
    """Reason added to these words."""
    checks: Annotated[tuple[Check, ...], Meta(max_length=CHECKS_MAX)] = ()
    """Empty: those derived from its words."""


class ClientCounts(Struct, frozen=True, kw_only=True):
    """How often one client's sessions kept and broke a rule; as in `Rule`."""

    client: str
    told: int = 0
    kept: int = 0
    broken: int = 0
    broken_told: int = 0
    overruled: int = 0
    broken_in: list[str] = []
    """Sessions that broke it, newest first."""


class Rule(Struct, frozen=True, kw_only=True):
    """A rule, its checks, and how often it was kept and broken."""

    id: str
    kind: str
    title: str
    text: str
    checks: list[Check] = []
    """Empty: it is told as text alone."""
    in_words: list[str] = []
    is_own: bool = False
    at_breach: AtBreach = "remind"
    qualified_by: list[Similar] = []
    """Memories that narrow or contradict it: with one, nothing is refused."""
    told: int = 0
    """Sessions reminded before an act."""
    kept: int = 0
    """Acts that it concerns and that obey it."""
    broken: int = 0
    """Acts against it, before the session was reminded."""
    broken_told: int = 0
    """Acts against it after the reminder."""
    refused: int = 0
    overruled: int = 0
    """Of them, acts sent again, which went through."""
    broken_at: int = 0
    """Last breach, in Unix milliseconds; 0: never."""
    act: str = ""
    """The act of that breach."""
    by_client: list[ClientCounts] = []
    """The same by client, if the rule was named by its id."""


class RuleList(Struct, frozen=True, kw_only=True):
    """Rules, the most often broken first."""

    rules: list[Rule]
    changed: int = 0
    """With `at_breach`: rules with a changed reaction."""
