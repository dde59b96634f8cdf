"""What `palimp delete --hard` says before it erases."""

import pytest

from palimp_protocol.errors import PalimpError
from palimp_shim.cli import delete
from palimp_shim.cli.main import parser_for


def run(*arguments: str) -> int:
    options = parser_for(["delete"]).parse_args(["delete", *arguments])
    return options.run(options, {})


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["m1", "h12", "T1", "c1"], "1 memory, 1 piece of removed code, 1 turn and 1 commit will"),
        (["h1", "h2"], "2 pieces of removed code will"),
        (["--session", "5b1f"], "All turns of session 5b1f will"),
        (["--conversations"], "All turns and commits of this project will"),
        (
            ["m1", "--containing", "x"],
            "1 memory and all turns and commits of this project that contain 'x' will",
        ),
    ],
)
def test_what_is_erased_is_said_before(monkeypatch: pytest.MonkeyPatch, given: list[str], meant: str):
    asked: list[str] = []

    def refuse(what: str, _: str) -> None:
        asked.append(what)
        raise KeyboardInterrupt

    monkeypatch.setattr(delete, "confirm", refuse)
    with pytest.raises(KeyboardInterrupt):
        run("--hard", *given)
    assert asked == [f"{meant} be gone for good."]


def test_turns_are_not_purged():
    with pytest.raises(PalimpError, match="only erased for good"):
        run("--session", "5b1f")
