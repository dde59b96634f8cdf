"""Read the words of each language from `<name>.toml`, when first asked for: 10 ms for all.

Patterns are regular expressions; line breaks and indents do not count. A missing section is named under `left_out`,
with the reason.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Final, TypeVar

import msgspec
from msgspec import Struct

from palimp_protocol.decoders import decoder_of

NAMES: Final = (
    *("english", "german", "french", "spanish", "portuguese", "italian", "dutch"),
    *("russian", "korean", "japanese", "chinese"),
)
"""Names of files; if two languages claim a text, the first wins."""

S = TypeVar("S")


class Times(Struct, frozen=True, forbid_unknown_fields=True):
    """Words for times, folded as by `text.times.question_words.fold`.

    Semicolons separate lists. In lists that count (months, weekdays from Monday, numbers, ordinals) spaces separate
    synonyms, and `_` stands for a space.
    """

    months: str
    weekdays: str
    numbers: str
    ordinals: str
    days_back: tuple[str, str, str]
    """Today, yesterday, the day before."""
    units: Mapping[str, str]
    seasons: Mapping[str, str]
    parts: Mapping[str, str]
    """Parts of a span: `first_third`, `middle`, `last_third`, `first_half`, `second_half`."""
    roles: Mapping[str, str]
    """Words by their role in a time (`text.times.time_words.Role`)."""
    two_back: Mapping[str, str] = {}
    """The unit before the last: `week before last`."""
    doubtful: str = ""
    """Months that may be names or other words."""
    last_is_behind: bool = False
    """Whether `last` follows the day or month: `lundi dernier`."""
    has_dotted_dates: bool = False
    """Whether `27.5.` is a date."""


class UnspacedTimes(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns for times in a language without spaces; Han numbers are built in."""

    named: Mapping[str, Sequence[str]]
    """Per unit: this one, the last, the one before."""
    since: str
    before: str
    until: str
    """Behind a time, which becomes a bound."""


class Tenses(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded patterns of whole words for the past, and for the present or the future."""

    past: str
    present: str = ""
    news: str = r"(?!)"
    """Anything new."""


class Past(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded patterns of questions for a former state; `<name>` stands for one of *parts*."""

    asks: Sequence[str]
    course: str = "(?!)"
    """Questions for all states of a thing, one after the other."""
    asks_why: Sequence[str] = ()
    """Questions for the reason of a change."""
    asks_not: Sequence[str] = ()
    """Questions that only look so."""
    recorded: str = ""
    """Questions for notes of any time, not for a former state."""
    was: str = ""
    """Past tenses of verbs of state."""
    why: str = ""
    predecessor: str = ""
    """Precedes a successor's name: "which broker did we have before Kafka"."""
    parts: Mapping[str, str] = {}


class Orders(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded patterns of questions for the newest or the oldest note."""

    nouns: str
    """Words for notes: decision, fix, rule."""
    newest: str
    oldest: str
    beginning: str = ""
    """Asks, at a question's beginning, since when something holds."""
    goes_on: str = ""
    """Words that may follow the noun without being part of a name."""
    newest_as_such: str = ""
    """An order without a noun; each alternative's group names its order."""
    behind: str = ""
    """An order behind its noun (first group), with a group `newest`."""


class Subjects(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded words around the subject of a question."""

    lead_ins: str
    """Words that introduce a subject or mean everything; in unspaced languages a pattern."""
    excepting: str = ""
    """Begins an exception in brackets."""
    excepting_to_the_end: str = ""
    """Begins an exception behind a comma."""
    kinds: Mapping[str, str] = {}
    """Patterns for kinds of memories (`text.times.subjects`)."""


class Replacing(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns for statements that something is outdated (`text.replacing_words`, `text.former_values`)."""

    says: Sequence[str] = ()
    hints: str = ""
    """First five letters of words; any text that `values` match has one."""
    values: Sequence[str] = ()
    """Around the replaced value: `<value>`, `<word>` for one word, `<last value>` at a clause's end."""
    formerly: str = ""
    """Begins an aside: `(was 9)`."""
    now: str = ""
    """Something holds from now on; common, so telling only beside the former text."""
    returns: str = ""
    """A former state holds again."""
    excepting: str = ""
    """Something holds in one place only."""
    conjunctions: str = ""
    belongs: str = ""
    """Before an owner: of."""
    reasons: str = ""
    goes_on: str = ""
    """Commonest words behind a value."""


class Reading(Struct, frozen=True, forbid_unknown_fields=True):
    """Prompts that only read (`text.reading_prompts`). In words, a hyphen stands for a space."""

    verbs: str = ""
    questions: str = ""
    confirms: str = ""
    """Pattern: a question's beginning that gives a value for confirmation."""
    framing: str = ""
    """Pattern: words that only frame a question: how many, decided, known."""
    polite: str = ""
    """Pattern: polite words before the verb."""
    things: str = ""
    """Pattern: things that no decision changes."""
    question_signs: str = ""
    """Pattern of a question in unspaced languages."""


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of commands in words (`text.named_commands`)."""

    said: str
    """A pattern; case is ignored."""
    hints: str
    """Lower-case substrings, separated by semicolons; any text that *said* matches has one."""
    before_hash: str = ""
    """Pattern before a commit's hash (`text.named_subjects`); case is ignored."""


class Terse(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of short messages that settle something (`features.capture.rules.terse`); case does not count."""

    for_now: str = ""
    """At the end: for the time being."""
    practice: str = ""
    """What we do for now."""
    from_now: str = ""
    """That anything said holds from now on."""
    lasting: str = ""
    """Makes an order a rule: always, never, anywhere."""
    order: str = ""
    """Tells the agent to do something, or not to."""
    bans: str = ""
    """The beginning of an order to do without a thing, up to its name."""
    none_of: str = ""
    """Before a thing that is not there, or not wanted: no."""
    please: str = ""
    unasked: str = ""
    """That the agent is not to do it without being asked."""
    only: str = ""
    """The end of a rule: in English only."""
    instead: str = ""
    """Between a thing and what it stands for: not."""
    protects: str = ""
    """That a thing is to be left alone."""
    ours: str = ""
    """A place or time of the project, and none at hand: in this repo, on Fridays, the folder."""
    settles: str = ""
    """The beginning of what we do or do not do."""
    bound: str = ""
    """The beginning of what is said of a bound, with its number."""
    picked: str = ""
    """A choice by its name alone: postgres it is."""
    denies: str = ""
    """The beginning of an answer that something is wrong."""
    rather: str = ""
    """The beginning of an answer that has the right number."""
    states: str = ""
    """The beginning of a statement behind a denial."""
    observed: str = ""
    """A number that the agent counted, and did not choose."""
    moment: str = ""
    """Words of the moment: again, now, this one."""
    at_hand: str = ""
    """Words for what is at hand, unless something lasting is said of it: here, blue."""
    told: str = ""
    """Tells how it is or was, with the words of rules."""
    idle: str = ""
    """What is said to be missing, or not so, without any wish: problem, idea."""


class Capture(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of sentences to capture from conversations; case does not count."""

    opening: str = ""
    """Words that only open a sentence."""
    pronoun: str = ""
    """A sentence that begins by referring to an earlier one."""
    no_exception: str = ""
    """A rule without exception; "only" and "every" may be part of a fact."""
    recap: str = ""
    """Beginning of the agent's recap of settled things."""
    rule: str = ""
    did: str = ""
    how_far: str = ""
    """Progress, or a quotation."""
    will: str = ""
    """A future or possible act of the agent."""
    remedy: str = ""
    """Short report that a fault was treated."""
    still_so: str = ""
    """The user's answer that a fix was none."""
    went_wrong: str = ""
    """A fault, without English words for causes."""
    stays: str = ""
    """The user wants to keep the agent's result."""
    noncommittal: str = ""
    """A sentence that asks, supposes, doubts or jokes."""
    passing: str = ""
    """A sentence on the work at hand: trouble, an act, a thing's looks."""
    wants: str = ""
    """A wish for one thing to be built; what follows is about it."""
    polite_question: str = ""
    """A request in the form of a question."""
    asks_to_remember: str = ""
    """Asks to remember a fact, not to act."""
    asks_which: str = ""
    """A question about a choice, not a fact."""
    asks_advice: str = ""
    """The user's question for the agent's opinion, or for a thing to use."""
    asks_value: str = ""
    """A question for a number."""
    sets_value: str = ""
    """Before the number in an answer: make it 90."""
    beside_name: str = ""
    """Words beside the name of a thing picked: the, with."""
    joining: str = ""
    """Conjunctions that join a sentence to one that is not kept."""
    alternative: str = ""
    """Between two choices."""
    own_work: str = ""
    """A question about the agent's next step."""
    request_to_remember: str = ""
    """Its words at a sentence's beginning, up to the content."""
    signs: Mapping[str, str] = {}
    """By name (`features.capture.rules.signs.OF_ACT`)."""
    terse: Terse | None = None


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of rules that can be checked (`text.rules`); case does not count."""

    never: str
    """Before a forbidden act: never, no, do not."""
    never_behind: str
    """Behind it: is forbidden."""
    use: str
    """Before a thing to use or do."""
    instead: str
    """Before a replaced thing: instead of."""
    edit: str
    """Verbs for changing a file, and words for read-only files."""
    create: str
    before: str
    """Before the act that another must precede."""
    unless: str
    """The user must be asked, say so, or do it."""
    message: str
    checks: Mapping[str, str]
    """Acts required before another: `test`, `lint`, `format`, `build`."""
    acts: Mapping[str, str]
    """`commit`, `push`, `deploy`, `publish`, `migrate`; `force`: a push that overwrites; `dependency`: a new one."""
    signs: Mapping[str, str] = {}
    """Properties of messages, names, files: `imperative`, `emoji`, `footer`, `markdown`, `existing`, `branches`."""
    languages: Mapping[str, str] = {}
    """Languages of messages: this language's pattern for each, by English name."""
    folder: str = ""
    """The word for a folder, with its name as group `before` or `behind`."""
    without: str = ""
    """Between an act and a required thing: without."""
    behind: str = ""
    """Before the act that must come first: only after, once."""


class Language(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language; a missing section is None."""

    name: str
    left_out: Mapping[str, str] = {}
    has_whole_words: bool = True
    """Whether words are separated and without particles, so that patterns match whole words."""
    function_words: str | None = None
    """Folded words that reveal a question's language."""
    soon: str | None = None
    """Pattern of times over within a day or two (`text.passing_notes`)."""
    of_everything: str | None = None
    """Stop words of prompts; in unspaced languages, pieces of texts (`search.cjk`)."""
    everywhere: str | None = None
    """Pattern: something holds in all projects."""
    rule_words: str | None = None
    """Pattern that makes a sentence a rule (`features.sessions.before_acting`); case is ignored."""
    times: Times | None = None
    unspaced_times: UnspacedTimes | None = None
    tenses: Tenses | None = None
    past: Past | None = None
    orders: Orders | None = None
    subjects: Subjects | None = None
    replacing: Replacing | None = None
    reading: Reading | None = None
    commands: Mapping[str, Command] | None = None
    """By kind (`text.named_commands.KINDS`)."""
    capture: Capture | None = None
    rules: Rules | None = None


@cache
def language_called(name: str) -> Language:
    """Return the language of the English name *name*.

    Raises:
        FileNotFoundError: it has no file.
        ValueError: its file is no TOML, or has a missing or unknown key; names file and key.
    """
    file = Path(__file__).with_name(f"{name}.toml")
    return language_in(file.read_bytes(), file.name)


def language_in(toml: bytes, file: str) -> Language:
    """Decode *toml*, the bytes of *file*; errors as of `language_called`."""
    try:
        return decoder_of(Language).decode(msgspec.json.encode(msgspec.toml.decode(toml)))
    except msgspec.DecodeError as error:
        raise ValueError(f"languages/{file}: {error}") from error


def sections(of: Callable[[Language], S | None], *, has_whole_words: bool = True) -> dict[str, S]:
    """Return the section *of* each language with (or without) whole words, by name."""
    return {each.name: section for each, section in _those_with(of) if each.has_whole_words is has_whole_words}


def sections_of_all(of: Callable[[Language], S | None]) -> list[S]:
    """Return the section *of* each language that has it."""
    return [section for _, section in _those_with(of)]


def _those_with(of: Callable[[Language], S | None]) -> Iterator[tuple[Language, S]]:
    for each in map(language_called, NAMES):
        if (section := of(each)) is not None:
            yield each, section


def one_line(pattern: str) -> str:
    """Return *pattern* without line breaks and indents."""
    return "".join(line.lstrip(" ") for line in pattern.split("\n"))


def either(*patterns: str) -> str:
    """Join non-empty *patterns* as alternatives."""
    return "|".join(one_line(each) for each in patterns if each)


def split_list(words: str) -> list[str]:
    """Split a list at semicolons."""
    return [" ".join(each.split()) for each in words.split(";")]
