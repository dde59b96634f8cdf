"""No rule reads again what it read: the work grows as the text does, whatever the text is."""

import sys
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lanes import IS_QUICK, QUICK_PART

from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.secrets import command_lines, names, tokens
from palimp_daemon.text.secrets.detect import secrets_in
from palimp_daemon.text.secrets.values import forget_pieces, stands_for_something
from palimp_protocol.private_marks import without_private

GROWTH_MAX = 2.7
"""Times the work that a text of twice the length may be; four times is what reading again costs."""

CHARACTERS_PER_CHARACTER = 400
"""Characters that are handed out for each of the text: of names that stand close, those beside each are read."""

CALLS_PER_CHARACTER = 200
CHARACTERS = 4_000

UNITS = [
    *(form.marker for form in tokens.FORMS[::4]),
    *(form.marker for form in tokens.FORMS if form.is_random),
    *(f"{name} -p " for option in command_lines.COMMANDS for name in option.commands),
    *(name + sign for name in names.ENGLISH.split("|")[::2] for sign in ("=", " ")),
    *(f"{name}{sign}" for name in sorted(names.PASSWORDS)[::30] for sign in ("", "=", " ", "：")),
    "Cookie: a=b; ", "Basic YTpiYw== ", "Bearer ", "a://", "a://:x@b", "a://:@", "http://hook/", "login a ", "root:",
    "-----BEGIN PRIVATE KEY-----", "-----END PRIVATE KEY-----\n", "Private-Lines: 1\n", "<private>", "</private>",
    "<private>\n", "```\n<private>\n",
    "| password ", "| password |\n|---|\n| a1B2c3D4 |\n", "seed aaa ", "PIN four ",
    "otpauth://", "<D>", '"d":"', "echo a", "AKIA", "_aB3dE5fG7hI9jK1lM2nO4pQ6rS8tU0vW1xY3zA5b",
]  # fmt: skip


class Counted(str):
    """A text that counts the characters that are taken out of it, and hands out others that do."""

    __slots__ = ()
    handed_out = 0

    def __getitem__(self, key):
        part = Counted(super().__getitem__(key))
        Counted.handed_out += len(part)
        return part


def work_of(text: str) -> tuple[int, int]:
    """Return how many characters the rules take out of *text*, and how many functions they call."""
    calls = 0

    def count(_, event: str, __) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    Counted.handed_out = 0
    sys.setprofile(count)
    try:
        without_private(Counted(text))
        secrets_in(Counted(text))
    finally:
        sys.setprofile(None)
    return Counted.handed_out, calls


def repeated(unit: str, characters: int) -> str:
    return (unit * (characters // len(unit) + 1))[:characters]


@pytest.mark.parametrize("part", range(8))
def test_work_grows_as_the_text_does_whatever_is_repeated(part):
    for unit in UNITS[part :: 8 * (QUICK_PART if IS_QUICK else 1)]:
        once, twice = (work_of(repeated(unit, length)) for length in (CHARACTERS // 2, CHARACTERS))
        for one, two, most in zip(once, twice, (CHARACTERS_PER_CHARACTER, CALLS_PER_CHARACTER), strict=True):
            assert two <= GROWTH_MAX * one + 2 * CHARACTERS, unit
            assert two <= most * CHARACTERS, unit


@pytest.mark.parametrize("seed", range(8))
def test_work_is_bounded_whatever_stands_beside_whatever(seed):
    chance = Random(seed)
    text = "".join(chance.choices(UNITS, k=CHARACTERS))[:CHARACTERS]
    characters, calls = work_of(text)
    assert characters <= CHARACTERS_PER_CHARACTER * CHARACTERS
    assert calls <= CALLS_PER_CHARACTER * CHARACTERS


@given(
    st.sampled_from(["new", "the", "test", "insert", "your"]),
    st.lists(st.sampled_from(["1", "12", "x", "X", "*", "•", ".", "-", "_", "my", "here"]), min_size=20, max_size=60),
    st.sampled_from(["!", "q", "ß", ""]),
)
def test_a_placeholder_is_judged_at_once_however_it_is_repeated(begin, parts, end):
    """A pattern with two ways to repeat the same would never come back from this."""
    forget_pieces()
    assert isinstance(stands_for_something(begin + "".join(parts) + end), bool)


@pytest.mark.parametrize("digit", ["1", "12", "x1"])
def test_a_long_number_behind_a_word_does_not_take_for_ever(digit):
    assert Redactor()(f"password: new{digit * 60}z,").startswith("password: ")
