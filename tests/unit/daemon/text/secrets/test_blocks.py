"""Private keys in blocks go, whole or cut; certificates, sums and what stands around them stay."""

import base64
from random import Random

import pytest

from palimp_daemon.text.redact import Redactor

redacted = Redactor()
GONE = "<redacted:private-key>"


def mark(side: str, what: str = "PRIVATE KEY") -> str:
    return f"-----{side} {what}-----"


BEGIN, END = mark("BEGIN"), mark("END")
CERTIFICATE, CERTIFICATE_END = mark("BEGIN", "CERTIFICATE"), mark("END", "CERTIFICATE")


def data(seed: int, characters: int = 64) -> str:
    """Return a line of a key: letters of both cases and digits."""
    return ("aB3" + base64.b64encode(Random(seed).randbytes(characters)).decode())[:characters].replace("=", "x")


A, B, C = data(1), data(2), data(3)
SHORT, LAST = data(4, 48), "Zm9vYmFy0g=="
"""A line of a width of nobody's, and the last one of a key."""


@pytest.mark.parametrize(
    ("lines", "left"),
    [
        (["a", BEGIN, A, B, LAST, END, "b"], ["a", GONE, "b"]),
        (["a", BEGIN, A, LAST, "b is next"], ["a", GONE, "b is next"]),
        (["a", SHORT, LAST, END, "b"], ["a", GONE, "b"]),
        ([SHORT, LAST, END], [GONE]),
        (["a word", "word", SHORT, SHORT[::-1], LAST, END], ["a word", "word", GONE]),
        ([f"{LAST} is its end", SHORT, LAST, END], [f"{LAST} is its end", GONE]),
        (["a", A, B, "b"], ["a", GONE, "b"]),
        ([f"{A}x", A, B, C, "b"], [f"{A}x", GONE, "b"]),
        ([BEGIN, A, "and then", BEGIN, B, END], [GONE, "and then", GONE]),
        ([BEGIN, A, CERTIFICATE, B, C, CERTIFICATE_END], [GONE, CERTIFICATE, B, C, CERTIFICATE_END]),
        ([CERTIFICATE, A, B, CERTIFICATE_END, BEGIN, C, END], [CERTIFICATE, A, B, CERTIFICATE_END, GONE]),
        ([CERTIFICATE, SHORT, CERTIFICATE_END, SHORT, LAST, END], [CERTIFICATE, SHORT, CERTIFICATE_END, GONE]),
        ([CERTIFICATE, A, B, CERTIFICATE_END, "x", B, C], [CERTIFICATE, A, B, CERTIFICATE_END, "x", GONE]),
        ([A, B, CERTIFICATE_END, "x", B, C], [A, B, CERTIFICATE_END, "x", GONE]),
    ],
)  # fmt: skip
@pytest.mark.parametrize("ending", ["\n", "\r\n"])
def test_a_key_goes_with_its_marks_and_nothing_beside_it(lines: list[str], left: list[str], ending: str):
    """However its lines end; of a certificate nothing goes, be it cut as well."""
    assert redacted(ending.join(lines)) == ending.join(left)


@pytest.mark.parametrize("ending", ["\\n", "\\r\\n"])
@pytest.mark.parametrize("lines", [[BEGIN, SHORT, LAST, END], [SHORT, SHORT[::-1], LAST, END], [BEGIN, SHORT, LAST]])
def test_a_key_in_one_line_goes_too(lines: list[str], ending: str):
    text = ending.join(lines)
    assert redacted(f'the pem is\n"{text}" now') == f'the pem is\n"{GONE}" now'


def test_lines_of_a_key_in_a_programs_text_are_those_of_one():
    text = "\n".join(f'    "{line}\\n"' for line in (A, B, C))
    assert redacted(text) == f'    "{GONE}\\n"'


@pytest.mark.parametrize(
    "lines",
    [
        [CERTIFICATE, A, B, CERTIFICATE_END],
        [CERTIFICATE, A, B],
        [A, B, CERTIFICATE_END],
        [A, "a line between them", B],
        [f"{A}x", f"{B}x"],
        [A.lower(), B.lower()],
        [A.upper(), B.upper()],
        ["".join(filter(str.isalpha, A + B + C))[:64], "".join(filter(str.isalpha, C + B + A))[:64]],
        ["0123456789abcdef" * 4, "fedcba9876543210" * 4],
        [BEGIN, "stands before the key, and behind it", END],
        [BEGIN, "begins it"],
        ["it ends with", END],
        ["Private-Lines: 2", "come before the lines"],
    ],
)
def test_certificates_sums_and_marks_without_a_key_stay(lines: list[str]):
    assert redacted("\n".join(lines)) == "\n".join(lines)


def test_of_two_keys_of_putty_both_go():
    head, tail = "PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 2\n", "\nPrivate-MAC: none"
    text = f"Private-Lines: 2\nof it\n{head}{SHORT}\n{LAST}{tail}\n{head}{SHORT}\n{LAST}{tail}"
    left = redacted(text)
    assert SHORT not in left
    assert LAST not in left
    assert left.startswith(f"Private-Lines: 2\nof it\n{head.rstrip()}")
    assert left.count(GONE) == 2
    assert left.endswith(tail)
