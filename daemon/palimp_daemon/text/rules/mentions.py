"""Find the commands, paths, flags and code in a sentence of a rule, wanted or forbidden.

Words that forbid ("never", "statt") or want ("use", "lieber") reach from before their object to the next such word; a
wanting word right behind a forbidding one belongs to it ("never use npm"). Some follow their object: "npm is
forbidden", "npmではなく".
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Final, Literal, NamedTuple

from palimp_daemon.languages.language import Rules, either, language_called, one_line, sections_of_all
from palimp_daemon.languages.language_of import is_function_word
from palimp_daemon.text.named_commands import PACKAGE_MANAGERS, PROGRAMS, written_commands
from palimp_daemon.text.rules.task_commands import ONE_THING
from palimp_daemon.text.written_paths import is_path, paths_in_prose

Sort = Literal["command", "path", "flag", "code"]

_SPAN: Final = re.compile(r"`{1,3}([^`\n]{1,400})`{1,3}|(?<!\w)\"([^\"\n]{2,60})\"")
_HIDDEN: Final = "\u2588"
"""Replaces each character in backticks."""

_WORDS: Final = frozenset(
    """
    act black brew buf bundle cap code composer curl dart deploy deno fab fly flask forge gem go invoke isort just k6
    lake lean make mix next nix nox node python sam sed sh stack sudo swift task tox trunk vault west zig packer cross
    cp rake ray sbt serverless conan west earthly expo ionic fastlane cmake rye helm ant
    """.split()  # noqa: SIM905  a list of quoted words would be a page long
)
"""Programs that are also words: in prose only with a subcommand, or in _SURE."""

_SURE: Final = frozenset(
    """
    sudo curl wget grep rg python python3 pip3 docker-compose black rm rmdir mv chmod chown pkill killall awk ls rsync
    """.split()  # noqa: SIM905  as above
)

_SUBCOMMANDS: Final = frozenset(
    """
    add install uninstall remove run test build start dev publish ci exec update upgrade commit push pull merge rebase
    checkout switch reset clean stash tag amend fetch cherry-pick revert branch restore deploy apply compose up down
    init lint check fmt sync lock destroy delete vet get format
    """.split()  # noqa: SIM905
)
"""Words behind a program that belong to the command."""

_PROGRAM: Final = re.compile(r"(?<![\w./@-])([a-z][a-z0-9_+-]*)(?![\w/-]|\.\w)", re.ASCII)
_NAME: Final = re.compile(r"(?<![\w./@-])[A-Z][A-Za-z0-9]+(?![\w/-]|\.\w)", re.ASCII)
_BEHIND_NAME: Final = re.compile(r" ([\w-]+)|の")
_MORE: Final = re.compile(r"[ ](--?[A-Za-z][\w-]*|[a-z][a-z-]*|\.(?=[\s,;)]|$))", re.ASCII)
_FLAG: Final = re.compile(r"(?<![\w-])--[a-z][\w-]+", re.ASCII)
_CODE: Final = re.compile(r"(?<![\w.])(?:console\.\w+|System\.out\.println|TODO|FIXME|XXX|[A-Za-z_]\w*\(\))(?!\w)")


@cache
def said_anywhere(sign: str) -> str:
    """Return the pattern of *sign* in all languages: a rule may mix them."""
    found = [each.signs[sign] for each in sections_of_all(lambda language: language.rules) if sign in each.signs]
    return either(*found)


@cache
def _noun_behind() -> re.Pattern[str]:
    """Return the pattern of nouns that a program's name qualifies: "npm packages" is not npm."""
    return re.compile(rf" ?(?:{said_anywhere('part_behind')})(?![\w-])", re.IGNORECASE)


@cache
def _noun_before() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{said_anywhere('part_before')}) (?:d[eo] )?$", re.IGNORECASE)


@cache
def _joint() -> re.Pattern[str]:
    return re.compile(rf"\s*(?:/|&|、|{said_anywhere('joint')})?\s*(?:the )?", re.IGNORECASE)


@cache
def _stop() -> re.Pattern[str]:
    return re.compile(rf"[,，、:：()（）]|[.!?]\s|{said_anywhere('but')}")


GAP_MAX: Final = 60
"""Characters between a mention and a word behind it that forbids it."""


class Words(NamedTuple):
    """The compiled patterns of one language."""

    name: str
    is_spaced: bool
    never: re.Pattern[str]
    never_behind: re.Pattern[str]
    use: re.Pattern[str]
    instead: re.Pattern[str]
    edit: re.Pattern[str]
    create: re.Pattern[str]
    before: re.Pattern[str]
    without: re.Pattern[str] | None
    behind: re.Pattern[str] | None
    unless: re.Pattern[str]
    folder: re.Pattern[str] | None
    message: re.Pattern[str]
    checks: dict[str, re.Pattern[str]]
    acts: dict[str, re.Pattern[str]]
    signs: dict[str, re.Pattern[str]]


@cache
def words_of(language: str) -> Words | None:
    """Return the patterns of *language*, if any."""
    found = language_called(language)
    rules: Rules | None = found.rules
    if rules is None:
        return None

    def compile_words(pattern: str) -> re.Pattern[str]:
        return re.compile(one_line(pattern), re.IGNORECASE)

    return Words(
        name=language,
        is_spaced=found.has_whole_words,
        never=compile_words(rules.never),
        never_behind=compile_words(rules.never_behind),
        use=compile_words(rules.use),
        instead=compile_words(rules.instead),
        edit=compile_words(rules.edit),
        create=compile_words(rules.create),
        before=compile_words(rules.before),
        without=compile_words(rules.without) if rules.without else None,
        behind=compile_words(rules.behind) if rules.behind else None,
        unless=compile_words(rules.unless),
        folder=compile_words(rules.folder) if rules.folder else None,
        message=compile_words(rules.message),
        checks={key: compile_words(each) for key, each in rules.checks.items()},
        acts={key: compile_words(each) for key, each in rules.acts.items()},
        signs={key: compile_words(each) for key, each in rules.signs.items()},
    )


class Mention(NamedTuple):
    """A thing that a sentence names, with its place."""

    start: int
    end: int
    sort: Sort
    text: str


class Sentence(NamedTuple):
    """A sentence of a rule; *plain* hides the text in backticks."""

    text: str
    plain: str
    mentions: tuple[Mention, ...]


def sentence_of(text: str) -> Sentence:
    """Read the sentence *text*."""
    found: list[Mention] = []
    plain = text
    for span in _SPAN.finditer(text):
        inner = span[1] or span[2] or ""
        mention = _of_span(span, inner.strip())
        if span[1] is None and (mention is None or mention.sort == "code"):
            continue  # in quotes stand words, too
        plain = plain[: span.start()] + _HIDDEN * (span.end() - span.start()) + plain[span.end() :]
        found += [mention] if mention else []
    found += _in_prose(plain)
    return Sentence(text, plain, tuple(sorted(found)))


def _of_span(span: re.Match[str], inner: str) -> Mention | None:
    if not inner:
        return None
    sort: Sort = "code"
    if _CODE.fullmatch(inner):
        return Mention(span.start(), span.end(), "code", inner)
    if inner.startswith("-") and " " not in inner:
        sort = "flag"
    elif (is_path(inner) and " " not in inner) or inner.endswith("/"):
        sort = "path"
    elif next(iter(written_commands(inner)), "") or inner.split(maxsplit=1)[0] in _SURE:
        sort = "command"
    return Mention(span.start(), span.end(), sort, inner)


_BARE_PATH: Final = re.compile(
    r"(?<![\w/.-])[\w.-]+/(?![\w*])|(?<![\w/.-])\*\.[a-z]{1,8}\b|(?<!\S)\.env\b(?!\.)", re.ASCII
)


def _in_prose(plain: str) -> Iterator[Mention]:
    taken: list[tuple[int, int]] = []
    for each in _candidates(plain):
        if not any(start < each.end and each.start < end for start, end in taken):
            taken.append((each.start, each.end))
            yield each


def _candidates(plain: str) -> Iterator[Mention]:
    for found in _CODE.finditer(plain):
        yield Mention(*found.span(), "code", found[0])
    for path in dict.fromkeys(paths_in_prose(plain)):
        start = plain.find(path)
        if start >= 0:
            yield Mention(start, start + len(path), "path", path)
    for found in _BARE_PATH.finditer(plain):
        yield Mention(*found.span(), "path", found[0])
    yield from _programs(plain)
    for found in _FLAG.finditer(plain):
        yield Mention(*found.span(), "flag", found[0])


def _programs(plain: str) -> Iterator[Mention]:
    for found in _PROGRAM.finditer(plain):
        end, text = _command_at(plain, found)
        if text:
            yield Mention(found.start(), end, "command", text)
    for found in _NAME.finditer(plain):
        if _is_tool(plain, found):
            yield Mention(*found.span(), "command", found[0].lower())


@cache
def _of_wishes() -> re.Pattern[str]:
    rules = [each for each in sections_of_all(lambda language: language.rules) if each]
    patterns = (each for rule in rules for each in (rule.use, rule.never, rule.never_behind, rule.instead))
    return re.compile(either(*patterns), re.IGNORECASE)


def _is_tool(plain: str, found: re.Match[str]) -> bool:
    """Tell whether a capitalized name is a one-purpose program, before no noun."""
    name = found[0].lower()
    if name in _WORDS or not (name in PACKAGE_MANAGERS or name in ONE_THING):
        return False
    behind = _BEHIND_NAME.match(plain, found.end())
    if behind is None or behind[1] is None:
        return behind is None
    return is_function_word(behind[1]) or _of_wishes().match(plain, behind.start(1)) is not None


def _command_at(plain: str, found: re.Match[str]) -> tuple[int, str]:
    program, end, more = found[1], found.end(), list[str]()
    if program not in PROGRAMS and program not in _SURE and program not in PACKAGE_MANAGERS:
        return end, ""
    while len(more) < 4 and (word := _MORE.match(plain, end)):
        is_option = word[1].startswith("-") or (word[1] == "." and bool(more))
        if not is_option and (word[1] not in _SUBCOMMANDS or (more and more[-1].startswith("-"))):
            break
        more.append(word[1])
        end = word.end()
    is_sure = program in _SURE or program not in _WORDS
    if program in ("git", "docker", "gh") and not more:
        return end, ""
    if not more and (
        _noun_behind().match(plain, end) or _noun_before().search(plain, max(0, found.start() - 30), found.start())
    ):
        return end, ""
    if not is_sure and (not more or program in ("make", "go", "just", "task", "next", "code")):
        return end, ""
    return end, " ".join((program, *more))


# --- wanted or forbidden ---------------------------------------------------------------------------------------------

WANTED, NEUTRAL, FORBIDDEN = 1, 0, -1


def polarity(sentence: Sentence, start: int, end: int, words: Words) -> int:
    """Return whether *sentence* wants or forbids its text from *start* to *end*."""
    if _is_forbidden_behind(sentence, end, words):
        return FORBIDDEN
    plain = sentence.plain
    # Not cut at *start*: "leave X alone" is known by its end.
    markers = [(*each.span(), FORBIDDEN) for each in words.never.finditer(plain) if each.end() <= start]
    markers += [(*each.span(), WANTED) for each in words.use.finditer(plain) if each.end() <= start]
    nearest = max(markers, default=None)
    instead = max((each.span() for each in words.instead.finditer(plain, 0, start)), default=None)
    if instead and (nearest is None or instead[0] >= nearest[0]):
        return FORBIDDEN if _is_next(sentence, instead[1], start) else NEUTRAL
    if nearest is None:
        return NEUTRAL
    is_no = nearest[2] == FORBIDDEN or any(
        kind == FORBIDDEN and last <= nearest[0] and _reaches(sentence, last, nearest[0]) for _, last, kind in markers
    )
    if is_no and not _is_along(sentence, nearest[1], start):
        return NEUTRAL
    return FORBIDDEN if is_no else nearest[2]


def is_close(sentence: Sentence, start: int, words: Words) -> bool:
    """Tell whether only forbidden things separate *start* from the prohibition before it, if any.

    Further away, code in backticks is an example.
    """
    last = max((end for each in words.never.finditer(sentence.plain) if (end := each.end()) <= start), default=None)
    if last is None:
        return True
    return _is_along(sentence, last, start, needs_one=True)


def _is_along(sentence: Sentence, last: int, start: int, *, needs_one: bool = False) -> bool:
    """Tell whether a prohibition up to *last* reaches *start*: over a comma only in a list."""
    between = [each for each in sentence.mentions if last <= each.start < start]
    return not _stop().search(sentence.plain, last, start) or (
        _is_in_list(sentence, between[0].start, start) if between else not needs_one
    )


def _is_in_list(sentence: Sentence, first: int, start: int) -> bool:
    """Tell whether *start* is in the list from *first*; commas need an "or"."""
    place, is_comma, is_joined, is_there = -1, False, False, _is_next(sentence, first, start)
    for each in sentence.mentions:
        if each.start < first:
            continue
        gap = sentence.plain[place : each.start] if place >= 0 else ""
        if gap and not _joint().fullmatch(gap) and gap.strip() != ",":
            break
        is_comma |= gap.strip() == ","
        is_joined |= gap.strip() not in ("", ",")
        is_there |= each.start == start
        place = each.end
    return is_there and (is_joined or not is_comma)


def _reaches(sentence: Sentence, start: int, end: int) -> bool:
    return not _stop().search(sentence.plain, start, end) and not any(
        start <= each.start < end for each in sentence.mentions
    )


def _is_next(sentence: Sentence, start: int, end: int) -> bool:
    place = start
    for each in sentence.mentions:
        if each.start < start:
            continue
        if each.start >= end:
            break
        if place != start and not _joint().fullmatch(sentence.plain, place, each.start):
            return False
        place = each.end
    return place == start or bool(_joint().fullmatch(sentence.plain, place, end))


def _is_forbidden_behind(sentence: Sentence, end: int, words: Words) -> bool:
    if not words.is_spaced:
        return words.never_behind.match(sentence.plain, end) is not None
    found = words.never_behind.search(sentence.plain, end, end + GAP_MAX)
    if found is None or _stop().search(sentence.plain, end, found.start()):
        return False
    between = [each for each in sentence.mentions if end <= each.start < found.start()]
    return not between or _is_next(sentence, end, between[-1].start)


def refers_back(sentence: Sentence, words: Words) -> bool:
    """Tell whether *sentence* forbids something by a pronoun or unnamed: "Hands off!"."""
    never = words.never.search(sentence.plain)
    refers = words.signs.get("refers")
    return never is not None and (
        _is_bare(sentence.plain[never.end() :])
        or (refers is not None and refers.search(sentence.plain[never.end() :]) is not None)
    )


def _is_bare(rest: str) -> bool:
    return not re.search(r"\w|" + _HIDDEN, rest)


def is_bare_prohibition(sentence: Sentence, words: Words) -> bool:
    """Tell whether *sentence* is a prohibition without an object."""
    never = words.never.match(sentence.plain.strip())
    return never is not None and _is_bare(sentence.plain.strip()[never.end() :])


def antecedents(sentence: Sentence, words: Words, found: Sequence[tuple[Mention, int]]) -> list[str]:
    """Return the neutral *found* before a prohibition by pronoun: X is generated, do not edit it."""
    never = words.never.search(sentence.plain)
    if never is None or not refers_back(sentence, words) or any(each.start > never.end() for each in sentence.mentions):
        return []
    return [each.text for each, said in found if said == NEUTRAL and each.end <= never.start()]


def mentions_of(sentence: Sentence, words: Words, *sorts: str) -> list[tuple[Mention, int]]:
    """Return the mentions of *sorts* in *sentence*, with their polarity."""
    return [(each, polarity(sentence, each.start, each.end, words)) for each in sentence.mentions if each.sort in sorts]


def is_forbidding(sentence: Sentence, words: Words) -> bool:
    """Tell whether *sentence* forbids anything."""
    return bool(words.never.search(sentence.plain) or words.never_behind.search(sentence.plain))


def says_no(sentence: Sentence, found: re.Match[str] | None, words: Words) -> bool:
    """Tell whether *sentence* forbids the match *found*."""
    return found is not None and polarity(sentence, found.start(), found.end(), words) == FORBIDDEN
