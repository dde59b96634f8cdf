"""Tell whether a question asks for the newest or the oldest note.

"Latest" counts only beside a noun for notes ("latest decision").
"""

import re
from functools import cache
from typing import Literal, NamedTuple

from palimp_daemon.languages.language import Orders, either, one_line, sections
from palimp_daemon.text.times.question_words import fold

Order = Literal["newest", "oldest"]


class Ordered(NamedTuple):
    """An order, named by the characters from *begin* on, before *end*."""

    order: Order
    begin: int
    end: int
    language: str


def order_in(question: str) -> Ordered | None:
    """Return the order that *question* asks for."""
    text = fold(question)
    if match := _unspaced_pattern().search(text):
        return Ordered("newest" if match["newest"] else "oldest", match.start(), match.end(), "unspaced")
    as_such, language_of_group = _as_such()
    if (match := as_such.search(text)) and (group := match.lastgroup):
        return Ordered("newest", match.start(group), match.end(group), language_of_group[group])
    for language, behind in _behind():
        if match := behind.search(text):
            return Ordered("newest" if match["newest"] else "oldest", match.start(1), match.end(1), language)
    for language, newest, oldest in _patterns():
        for order, pattern in (("newest", newest), ("oldest", oldest)):
            if match := pattern.search(text):
                return Ordered("newest" if order == "newest" else "oldest", match.start(1), match.end(1), language)
    return None


def without_beginning(question: str) -> str | None:
    """Return the words of *question* behind "since when"."""
    match = _beginning().match(fold(question))
    return question[match.end() :] if match else None


@cache
def _beginning() -> re.Pattern[str]:
    spaced = either(*(each.beginning for each in _sections().values() if each.beginning))
    words = sections(lambda language: language.orders, has_whole_words=False).values()
    unspaced = either(*(each.beginning for each in words if each.beginning))
    return re.compile(rf"\W*(?:(?:{spaced})\b|{unspaced})")


@cache
def _sections() -> dict[str, Orders]:
    return sections(lambda language: language.orders)


@cache
def _unspaced_pattern() -> re.Pattern[str]:
    words = sections(lambda language: language.orders, has_whole_words=False).values()
    newest, oldest = either(*(each.newest for each in words)), either(*(each.oldest for each in words))
    nouns = either(*(each.nouns for each in words))
    return re.compile(f"(?P<newest>{newest})(?={nouns})|(?P<oldest>{oldest})(?={nouns})")


@cache
def _as_such() -> tuple[re.Pattern[str], dict[str, str]]:
    words = {name: one_line(each.newest_as_such) for name, each in _sections().items() if each.newest_as_such}
    groups = {group: name for name, pattern in words.items() for group in re.compile(pattern).groupindex}
    return re.compile("|".join(words.values())), groups


@cache
def _behind() -> tuple[tuple[str, re.Pattern[str]], ...]:
    return tuple((name, re.compile(one_line(each.behind))) for name, each in _sections().items() if each.behind)


@cache
def _patterns() -> tuple[tuple[str, re.Pattern[str], re.Pattern[str]], ...]:
    # Text behind the noun: "first decision node" is about a node.
    goes_on = either(*(each.goes_on for each in _sections().values()))
    ends = rf"(?=\W*$|\s*[?.!,;:]|\s+(?:{goes_on})\b)"
    return tuple(
        (
            name,
            re.compile(rf"\b({one_line(each.newest)})\s+{one_line(each.nouns)}{ends}"),
            re.compile(rf"\b({one_line(each.oldest)})\s+{one_line(each.nouns)}{ends}"),
        )
        for name, each in _sections().items()
    )
