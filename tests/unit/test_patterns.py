"""Patterns that look at texts of others give up soon: none has two ways to repeat the same."""

import inspect
import pkgutil
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib import import_module
from re import _parser as parser
from types import FrameType

import pytest
from lanes import IS_QUICK
from msgspec.structs import astuple

import palimp_clients
import palimp_daemon
import palimp_protocol
from palimp_daemon.features.capture.rules.cues import AnyOf
from palimp_daemon.languages.language import Terse, one_line, sections

ROOMS = ("palimp_clients.", "palimp_daemon.features.capture.", "palimp_daemon.text.", "palimp_protocol.private_marks")
CHARACTERS = 700
WORDS_MAX = 3 if IS_QUICK else 8
BETWEEN = ("", "  ", ", ", "\t \n")
PROCESSOR_S = 0.5
"""Seconds of the processor, however busy the machine is: any of these takes thousandths, or hours."""

SPACED_LANGUAGES = [*sections(lambda language: language.times)]

MODULES = [
    found.name
    for package in (palimp_clients, palimp_daemon, palimp_protocol)
    for found in pkgutil.walk_packages(package.__path__, f"{package.__name__}.")
    if found.name.startswith(ROOMS)
]


def patterns_of(value: object) -> Iterator[re.Pattern[str] | re.Pattern[bytes]]:
    """Yield the patterns in *value*, a global of a module."""
    if isinstance(value, re.Pattern):
        yield value
    elif isinstance(value, AnyOf):
        yield value._compiled
    elif isinstance(value, Terse):
        yield from (re.compile(one_line(each), re.IGNORECASE) for each in astuple(value) if each)
    elif hasattr(value, "cache_parameters"):
        yield from patterns_of(results_of(value))
    elif isinstance(value, dict):
        yield from patterns_of([*value.values()])
    elif isinstance(value, tuple | list):
        for each in value:
            yield from patterns_of(each)


def results_of(function: Callable[..., object]) -> list[object]:
    """Return the results of a cached function that takes nothing, or a language: its patterns wait for a first text."""
    parameters = list(inspect.signature(function).parameters)
    if parameters == ["language"]:
        return [function(language) for language in SPACED_LANGUAGES]
    return [] if parameters else [function()]


def words_of(parsed: object) -> Iterator[str]:
    """Yield the words that a pattern is looking for."""
    word = ""
    for operation, argument in parsed:
        if str(operation) == "LITERAL":
            word += chr(argument)
            continue
        yield word
        word = ""
        yield from words_in_parts(argument)
    yield word


def words_in_parts(argument: object) -> Iterator[str]:
    if isinstance(argument, parser.SubPattern):
        yield from words_of(argument)
    elif isinstance(argument, tuple | list):
        for each in argument:
            yield from words_in_parts(each)


def hostile_texts(pattern: re.Pattern[str] | re.Pattern[bytes]) -> Iterator[str]:
    """Yield what *pattern* is looking for, again and again, and then something else."""
    found = dict.fromkeys(word for word in words_of(parser.parse(pattern.pattern, pattern.flags)) if word)
    for word in [*sorted(found, key=len, reverse=True)[:WORDS_MAX], "a", "1"]:
        for between in BETWEEN:
            unit = word + between
            yield unit * (CHARACTERS // len(unit)) + "\0!"


@contextmanager
def processor_time(seconds: float) -> Iterator[None]:
    """Raise TimeoutError when this process has worked so long."""

    def raise_it(*_: int | FrameType | None) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGVTALRM, raise_it)
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


@cache
def is_slow(pattern: re.Pattern[str] | re.Pattern[bytes], words: re.Pattern[str] | re.Pattern[bytes]) -> bool:
    """Tell whether *pattern* takes long for a text of the words of a pattern; many modules import the same one."""
    texts = [*hostile_texts(words)]
    given = [text.encode() for text in texts] if isinstance(pattern.pattern, bytes) else texts
    try:
        with processor_time(PROCESSOR_S):
            for text in given:
                pattern.search(text)
    except TimeoutError:
        return True
    return False


@pytest.mark.parametrize("name", MODULES)
def test_no_pattern_repeats_in_two_ways(name: str):
    for global_name, value in vars(import_module(name)).items():
        for pattern in patterns_of(value):
            assert not is_slow(pattern, pattern), (global_name, pattern.pattern)


def test_a_pattern_that_does_is_found():
    assert is_slow(re.compile(r"^(?:\W*ok\W*)*yes"), re.compile("ok"))
