"""The files of the languages: each says all that is read, or why it does not."""

import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, cast

import msgspec
import pytest

from palimp_daemon.features.capture.rules.signs import OF_ACT
from palimp_daemon.languages import language
from palimp_daemon.languages.language import (
    NAMES,
    Language,
    either,
    language_called,
    language_in,
    one_line,
    sections,
    sections_of_all,
    split_list,
)
from palimp_daemon.text.named_commands import KINDS
from palimp_daemon.text.times.subjects import KINDS_NAMED
from palimp_daemon.text.times.time_words import PARTS, Role

_NO_SECTIONS = {"name", "left_out", "has_whole_words"}
_SECTIONS = [field.name for field in msgspec.structs.fields(Language) if field.name not in _NO_SECTIONS]


def texts_in(value: Any, key: str) -> Iterator[tuple[str, str]]:
    """Return each text in *value*, and behind *key* the keys under which it stands."""
    if isinstance(value, str):
        yield key, value
    named: Iterable[tuple[Any, Any]] = ()
    if isinstance(value, dict):
        named = cast("dict[str, Any]", value).items()
    elif isinstance(value, list | tuple):
        named = enumerate(cast("list[Any]", value))
    for name, inner in named:
        yield from texts_in(inner, f"{key}.{name}")


def broken_patterns(words: Language) -> list[str]:
    """Return file, key and fault of each text in *words* that is no pattern."""
    faults: list[str] = []
    for key, text in texts_in(msgspec.to_builtins(words), "$"):
        try:
            re.compile(one_line(text))
        except re.error as fault:
            faults.append(f"languages/{words.name}.toml: {fault} - at `{key}`")
    return faults


def test_every_file_is_read():
    """A file beside the others that is not named in NAMES would say nothing."""
    files = {file.name for file in Path(language.__file__).parent.glob("*.toml")}
    assert files == {f"{name}.toml" for name in NAMES}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("section", _SECTIONS)
def test_every_language_has_every_section_or_says_why_not(name: str, section: str):
    """So that whoever mends a language sees what it lacks."""
    words = language_called(name)
    is_there, is_left_out = getattr(words, section) is not None, bool(words.left_out.get(section))
    assert is_there is not is_left_out
    assert words.left_out.keys() <= set(_SECTIONS)


@pytest.mark.parametrize("name", NAMES)
def test_every_text_is_a_pattern_that_compiles(name: str):
    """A lost bracket is told here, with the file's name, and not by the first question in that language."""
    assert broken_patterns(language_called(name)) == []


def test_a_broken_pattern_is_named_with_its_file_and_key():
    words = Language("dutch", orders=language.Orders(nouns="besluit(en", newest="laatste", oldest="eerste"))
    (fault,) = broken_patterns(words)
    assert fault.startswith("languages/dutch.toml: missing ), unterminated subpattern")
    assert fault.endswith("at `$.orders.nouns`")


@pytest.mark.parametrize("name", NAMES)
def test_times_are_of_every_month_day_and_number(name: str):
    """A list that is one short would shift all behind it."""
    times = language_called(name).times
    if times is None:
        return
    assert [len(split_list(each)) for each in (times.months, times.weekdays, times.numbers)] == [12, 7, 12]


def unknown_keys(words: Language) -> list[str]:
    """Return file and key of each table in *words* that has a key which nobody reads."""
    named: dict[str, tuple[Iterable[str], Iterable[str]]] = {"commands": (words.commands or (), KINDS)}
    if words.times is not None:
        named["times.roles"] = words.times.roles, (role.name.lower() for role in Role)
        named["times.parts"] = words.times.parts, PARTS
    if words.subjects is not None:
        named["subjects.kinds"] = words.subjects.kinds, KINDS_NAMED
    if words.capture is not None:
        named["capture.signs"] = words.capture.signs, OF_ACT
    return [
        f"languages/{words.name}.toml: nobody reads `{key}` - at `$.{table}`"
        for table, (given, known) in named.items()
        for key in {*given} - {*known}
    ]


@pytest.mark.parametrize("name", NAMES)
def test_every_key_of_a_table_is_read(name: str):
    """The words under a misspelt one would be passed over, or end the first question that has them."""
    assert unknown_keys(language_called(name)) == []


def test_a_key_that_nobody_reads_is_named_with_its_file():
    words = Language("dutch", commands={"comit": language.Command(said="commit", hints="commit")})
    assert unknown_keys(words) == ["languages/dutch.toml: nobody reads `comit` - at `$.commands`"]


@pytest.mark.parametrize("name", NAMES)
def test_the_hints_of_a_command_are_in_small_letters(name: str):
    """They are looked for in a text in small letters."""
    commands = language_called(name).commands or {}
    assert [kind for kind, words in commands.items() if words.hints != words.hints.lower() or not words.hints] == []


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("name = 'x'\n[orderz]\n", "Object contains unknown field `orderz`"),
        ("name = 'x'\n[tenses]\npats = 'y'\n", "Object contains unknown field `pats` - at `$.tenses`"),
        ("name = 'x'\n[tenses]\n", "Object missing required field `past` - at `$.tenses`"),
        ("name = 'x'\n[tenses]\npast = 1\n", "Expected `str`, got `int` - at `$.tenses.past`"),
        ("name = 'x", ""),
    ],
)
def test_a_wrong_file_is_refused_with_its_name_and_the_key(toml: str, sentence: str):
    """Whoever misspells a key is told which, and where."""
    with pytest.raises(ValueError, match="^" + re.escape(f"languages/dutch.toml: {sentence}")):
        language_in(toml.encode(), "dutch.toml")


def test_a_pattern_over_several_lines_is_one():
    """Breaks and indents are not part of it; a space within or at the end of a line is."""
    assert one_line("  a b|c\n  |d e\n") == "a b|c|d e"
    assert either("a", "", "  b\n  |c\n") == "a|b|c"


def test_languages_without_whole_words_are_told_from_the_others():
    """Their patterns find parts of a text."""
    assert "japanese" in sections(lambda language: language.past, has_whole_words=False)
    assert "japanese" not in sections(lambda language: language.past)
    assert len(sections_of_all(lambda language: language.past)) == len(NAMES)
    assert len(sections_of_all(lambda language: language.rules)) < len(NAMES)
