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
"""The files; where two languages speak for the same, the first counts."""

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
    """The unit before the last one: `week before last`."""
    doubtful: str = ""
    """Months that are as often a name, or another thing."""
    last_is_behind: bool = False
    """Whether `last` stands behind the day or month: `lundi dernier`."""
    has_dotted_dates: bool = False
    """Whether `27.5.` is a date."""


class UnspacedTimes(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns for times in a language that does not separate words; Han numbers are built in."""

    named: Mapping[str, Sequence[str]]
    """By unit: this one, the last one, the one before."""
    since: str
    before: str
    until: str
    """Behind a time, which they make a bound."""


class Tenses(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded patterns of whole words for the past, and for the present or the future."""

    past: str
    present: str = ""


class Past(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded patterns of questions for a former state; `<name>` stands for one of *parts*."""

    asks: Sequence[str]
    asks_why: Sequence[str] = ()
    """Questions about the reason of a change."""
    asks_not: Sequence[str] = ()
    """Questions that only look so."""
    recorded: str = ""
    """Questions about notes of any time, which are about no former state."""
    was: str = ""
    """Verbs of state in a past tense."""
    why: str = ""
    predecessor: str = ""
    """Before the name of a successor: "which broker did we have before Kafka"."""
    parts: Mapping[str, str] = {}


class Orders(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded patterns of questions for the newest or the oldest note."""

    nouns: str
    """Notes: decision, fix, rule."""
    newest: str
    oldest: str
    beginning: str = ""
    """Asks, at the beginning of a question, from when on something holds."""
    goes_on: str = ""
    """Words that may follow the noun, so that it is not part of a name."""
    newest_as_such: str = ""
    """An order without a noun; each alternative names the group that is the order."""
    behind: str = ""
    """An order behind its noun, as the first group; `newest` is a group in it."""


class Subjects(Struct, frozen=True, forbid_unknown_fields=True):
    """Folded words around the subject of a question."""

    lead_ins: str
    """Words that lead in to a subject, or stand for everything; a pattern where words are not separated."""
    excepting: str = ""
    """Begins something in brackets that is not asked for."""
    excepting_to_the_end: str = ""
    """The same behind a comma."""
    kinds: Mapping[str, str] = {}
    """Patterns of whole words for kinds of memories (`text.times.subjects`)."""


class Replacing(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns for statements that something is outdated (`text.replacing_words`, `text.former_values`)."""

    says: Sequence[str] = ()
    hints: str = ""
    """The first five letters of words, or whole shorter ones, of which each text has one in which `values` find
    something."""
    values: Sequence[str] = ()
    """Around what is replaced: `<value>`, `<word>` for one of a single word, or `<last value>` at the end of what is
    said."""
    now: str = ""
    """That something holds from now on: too common to say so without the former text."""
    excepting: str = ""
    """That something holds in some place only."""
    conjunctions: str = ""
    """Between the things of a list."""
    reasons: str = ""
    """Words before the reason of what was said."""
    goes_on: str = ""
    """The commonest words that follow a value."""


class Reading(Struct, frozen=True, forbid_unknown_fields=True):
    """Prompts that only read (`text.reading_prompts`). In words, a hyphen stands for a space."""

    verbs: str = ""
    questions: str = ""
    """Words by which a question begins."""
    confirms: str = ""
    """A pattern for the beginning of a question that names a value to have it confirmed."""
    polite: str = ""
    """A pattern for what stands before the verb."""
    things: str = ""
    """A pattern for what is the same whatever was decided."""
    question_signs: str = ""
    """A pattern for a question, where words are not separated."""


class Command(Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of commands in words (`text.named_commands`)."""

    said: str
    """A pattern; case does not count."""
    hints: str
    """In small letters, parts of words of which each text has one that *said* fits, separated by semicolons."""
    before_hash: str = ""
    """A pattern for what stands before the hash of a commit (`text.named_subjects`); case does not count."""


class Capture(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of sentences to capture from conversations; case does not count."""

    opening: str = ""
    """Words that only open a sentence."""
    pronoun: str = ""
    """A sentence that begins with a word for something said before."""
    no_exception: str = ""
    """A rule without exception; "only" and "every" may be part of a fact."""
    recap: str = ""
    """The beginning of a recap of settled things by the agent."""
    rule: str = ""
    """A rule, in the words of rules."""
    did: str = ""
    """An act of the agent."""
    how_far: str = ""
    """Progress, or somebody's words."""
    will: str = ""
    """A future or possible act of the agent."""
    remedy: str = ""
    """Something was done about a fault, in few words."""
    went_wrong: str = ""
    """A fault, without any word for a cause in English."""
    stays: str = ""
    """The user wants the agent's result to stay."""
    noncommittal: str = ""
    """A sentence that asks, supposes, doubts or jokes."""
    polite_question: str = ""
    """A request in the form of a question."""
    asks_to_remember: str = ""
    """A sentence that asks to remember something, and not to do something."""
    asks_which: str = ""
    """A question of what is to be, and not of what is."""
    alternative: str = ""
    """Between two things of which one is to be picked."""
    own_work: str = ""
    """A question of what the agent is to do next."""
    request_to_remember: str = ""
    """The words of such a request at the beginning of a sentence, up to what is to be remembered."""
    signs: Mapping[str, str] = {}
    """By name (`features.capture.rules.signs.OF_ACT`)."""


class Rules(Struct, frozen=True, forbid_unknown_fields=True):
    """Patterns of rules that can be checked (`text.rules`); case does not count."""

    never: str
    """Before something that is not to be done: never, no, do not."""
    never_behind: str
    """Behind it: is forbidden."""
    use: str
    """Before something that is to be used or done."""
    instead: str
    """Before something that something else stands for: instead of."""
    edit: str
    """Verbs of changing a file, and words for files that are only read."""
    create: str
    """Verbs of making a file."""
    before: str
    """Before the act that another is to come before."""
    unless: str
    """That the user is to be asked, or to say so, or does it alone."""
    message: str
    """The message of a commit."""
    checks: Mapping[str, str]
    """What is run before something: `test`, `lint`, `format`, `build`."""
    acts: Mapping[str, str]
    """`commit`, `push`, `deploy`, `publish`, `migrate`; `force` is a push that overwrites, `dependency` a new one."""
    signs: Mapping[str, str] = {}
    """Said of messages, names and files: `imperative`, `emoji`, `footer`, `markdown`, `existing`, `branches`."""
    languages: Mapping[str, str] = {}
    """Languages of messages by their English names, as this one calls them."""
    folder: str = ""
    """The word for a folder with its name, as the group `before` or `behind` it."""
    without: str = ""
    """Between an act and what must not be missing: without."""
    behind: str = ""
    """Before what an act comes after: only after, once."""


class Language(Struct, frozen=True, forbid_unknown_fields=True):
    """The words of one language; a missing section is None."""

    name: str
    left_out: Mapping[str, str] = {}
    has_whole_words: bool = True
    """Whether words stand apart and carry no particles, so that patterns are of whole words."""
    function_words: str | None = None
    """Folded words that give a question's language away."""
    soon: str | None = None
    """A pattern for times that are over within a day or two, as people write them (`text.passing_notes`)."""
    of_everything: str | None = None
    """Stop words of prompts; pieces of texts (`search.cjk`) where words do not stand apart."""
    everywhere: str | None = None
    """A pattern for words that say that something holds in all projects."""
    rule_words: str | None = None
    """A pattern for what makes a sentence a rule (`features.sessions.before_acting`); case does not count."""
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
