"""A failure is worth telling when a similar line worked soon after it; what fails as an answer is not."""

import pytest

from palimp_daemon.features.sessions.command_failures import (
    COMMANDS_BETWEEN_MAX,
    ERROR_CHARACTERS_MAX,
    ERROR_READ_MAX,
    Failure,
    acting,
    failure_of,
    kept_line,
    left_after,
    remedies,
    will_fail_alike,
)
from palimp_daemon.text.redact import Redactor
from palimp_daemon.text.shell_commands import CHARACTERS_MAX, commands_in


def worked(failed: str, then: str) -> bool:
    failure = failure_of(failed, "Exit code 1\nerror: no", str)
    return bool(failure and remedies([failure], then))


def fails_alike(line: str, failed: str, worked: str = "true") -> bool:
    return will_fail_alike(acting(commands_in(line)), failed, worked)


@pytest.mark.parametrize(
    ("failed", "then", "is_remedy"),
    [
        ("dvc push", "kinit jo && dvc push", True),
        ("npm test", "CI=1 npm test", True),
        ("cargo build --target musl-x", "cargo zigbuild --target musl-x", True),
        ("cargo build --release --locked", "cargo zigbuild --release --locked", True),
        ("pytest a/test_x.py", "docker compose up -d && pytest a/test_x.py", True),
        ("npm test", "npm test", False),
        ("npm test", "npm run lint", False),
        ("npm test", "git status", False),
        ("grep x y", "grep x z", False),
        ("test -f x", "test -d x", False),
    ],
)
def test_what_works_is_a_similar_line_that_is_not_the_same(failed: str, then: str, is_remedy: bool):
    assert worked(failed, then) is is_remedy


def test_a_line_that_works_again_heals_and_one_that_waited_long_is_forgotten():
    waiting = [Failure("npm test", "e"), Failure("dvc push", "e", COMMANDS_BETWEEN_MAX - 1)]
    assert left_after(waiting, "npm test", []) == []
    assert left_after(waiting, "ls", []) == [Failure("npm test", "e", 1)]


@pytest.mark.parametrize(
    ("line", "failed", "is_alike"),
    [
        ("dvc push -j 4", "dvc push", True),
        ("cd x && uv run pytest tests/test_a.py -x", "pytest x/tests/test_a.py", True),
        ("cargo build", "cargo build --release", False),
        ("git push", "dvc push", False),
        ("npm ci && npm test", "npm test", True),
        ("npm test", "npm ci && npm test", False),
    ],
)
def test_what_does_all_that_failed_will_fail_alike(line: str, failed: str, is_alike: bool):
    assert fails_alike(line, failed) is is_alike


def test_what_worked_then_is_no_failure_to_come():
    assert not fails_alike("kinit jo && dvc push -q && dvc push", "dvc push", "kinit jo && dvc push")
    assert fails_alike("dvc push", "dvc push", "kinit jo && dvc push")


def test_what_a_remedy_was_found_for_waits_no_more():
    waiting = [Failure("dvc push", "e"), Failure("npm test", "e")]
    learned = remedies(waiting, "kinit && dvc push")
    assert [each.failed for each in learned] == ["dvc push"]
    assert left_after(waiting, "kinit && dvc push", learned) == [Failure("npm test", "e", 1)]


def test_the_line_of_an_error_that_says_why_is_kept_without_secrets():
    said = "Exit code 1\nbuilding…\nerror: token ghp_" + "a1B2c3D4e5" * 4 + " denied\nsee log\n" + "x" * 9_000
    failure = failure_of("curl -H 'Authorization: Bearer ghp_" + "a1B2c3D4e5" * 4 + "' x", said, Redactor())
    assert failure
    assert "ghp_" not in failure.line + failure.error
    assert failure.error.startswith("error: token")
    assert len(failure.error) <= ERROR_CHARACTERS_MAX


TOKEN = "ghp_" + "a1B2c3D4e5" * 4


@pytest.mark.parametrize("hidden", ["\u200b", "\x1b[0m", "\U000e0041", "\x00"])
def test_a_secret_with_what_cannot_be_seen_in_it_is_redacted_as_a_whole(hidden: str):
    """It is put together again where that is dropped."""
    torn = TOKEN[:20] + hidden + TOKEN[20:]
    failure = failure_of(f"curl -H 'X: {torn}' x", f"error: {torn} denied", Redactor())
    assert failure
    assert TOKEN[20:] not in failure.line + failure.error


@pytest.mark.parametrize("place", range(-80, 81, 8))
def test_of_a_long_error_no_part_of_a_secret_is_kept(place: int):
    """Wherever it is cut."""
    lines = "x" * (ERROR_READ_MAX // 2 + place - 9) + f" error: {TOKEN} denied\n"
    for error in (lines + "é🦀\n" * 3_000, "é🦀\n" * 3_000 + lines[::-1].replace(TOKEN[::-1], TOKEN)):
        failure = failure_of("dvc push", error, Redactor())
        assert failure
        assert TOKEN[-8:] not in failure.error


def test_the_end_of_a_long_error_is_looked_at_too():
    failure = failure_of("dvc push", "x" * 80 * 500 + "\n" + "…\n" * 9_000 + "ошибка: error 🦀\nbye", str)
    assert failure
    assert failure.error == "ошибка: error 🦀"


def test_a_line_that_is_too_long_to_be_kept_is_not_looked_through():
    def redact(text: str) -> str:
        raise AssertionError(text)

    assert kept_line("x" * (CHARACTERS_MAX + 1), redact) == ""
    assert failure_of("make " + "x" * CHARACTERS_MAX, "no", redact) is None


@pytest.mark.parametrize("line", ["", "  ", "x" * 400, "a\nb", "ls /nothing", "cat <<X\nx\nX"])
def test_programs_of_many_lines_and_what_looks_are_not_kept(line: str):
    assert failure_of(line, "no", str) is None
