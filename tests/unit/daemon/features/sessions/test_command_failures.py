"""A failure is worth telling when a similar line worked soon after it; what fails as an answer is not."""

import pytest

from palimp_daemon.features.sessions.command_failures import (
    COMMANDS_BETWEEN_MAX,
    ERROR_CHARACTERS_MAX,
    Failure,
    failure_of,
    is_remedied,
    left_after,
    remedies,
    will_fail_alike,
)
from palimp_daemon.text.redact import Redactor


def worked(failed: str, then: str) -> bool:
    failure = failure_of(failed, "Exit code 1\nerror: no", str)
    return bool(failure and remedies([failure], then, str))


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
    assert left_after(waiting, "npm test", str) == []
    assert left_after(waiting, "ls", str) == [Failure("npm test", "e", 1)]


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
    assert will_fail_alike(line, failed) is is_alike


def test_what_worked_then_is_no_failure_to_come():
    assert is_remedied("kinit jo && dvc push -q && dvc push", "kinit jo && dvc push")
    assert not is_remedied("dvc push", "kinit jo && dvc push")


def test_the_line_of_an_error_that_says_why_is_kept_without_secrets():
    said = "Exit code 1\nbuilding…\nerror: token ghp_" + "a1B2c3D4e5" * 4 + " denied\nsee log\n" + "x" * 9_000
    failure = failure_of("curl -H 'Authorization: Bearer ghp_" + "a1B2c3D4e5" * 4 + "' x", said, Redactor())
    assert failure
    assert "ghp_" not in failure.line + failure.error
    assert failure.error.startswith("error: token")
    assert len(failure.error) <= ERROR_CHARACTERS_MAX


@pytest.mark.parametrize("line", ["", "  ", "x" * 400, "a\nb", "ls /nothing", "cat <<X\nx\nX"])
def test_programs_of_many_lines_and_what_looks_are_not_kept(line: str):
    assert failure_of(line, "no", str) is None
