"""What a shell would run is seen through what stands around it, and what is only text is not taken for it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.shell_commands import COMMANDS_MAX, commands_in


def names(line: str) -> list[str]:
    return [command.name for command in commands_in(line)]


@pytest.mark.parametrize(
    ("line", "run"),
    [
        ("git commit", ["git commit"]),
        ("LANG=C FOO='a b' git push origin", ["git push origin"]),
        ("sudo -u ops make deploy", ["make deploy"]),
        ("uv run --with x pytest tests", ["pytest tests"]),
        ("npx playwright test", ["playwright test"]),
        ("bundle exec rspec spec", ["rspec spec"]),
        ("python3 -m pytest tests", ["pytest tests"]),
        ("timeout 60 ./gradlew build", ["gradlew build"]),
        ("npm i zod && npm run lint", ["npm install zod", "npm lint"]),
        ("pnpm --filter docs deploy", ["pnpm deploy"]),
        ("git -C sub commit", ["git commit"]),
        ("pip3 install x", ["pip install x"]),
        ("a; b | c || d & e\nf", ["a", "b", "c", "d", "e", "f"]),
        ("(x; y)", ["x", "y"]),
        ("bash -lc 'npm install'", ["npm install"]),
        ("ssh box 'cd /srv && docker compose up'", ["docker compose up"]),
        ("# git push", []),
        ("echo 'git push; npm install'", ["echo git push; npm install"]),
        ("cat <<'X' > a\ngit push\nX\ngit status", ["cat", "git status"]),
        ("cat <<\\X > a\ngit push\nX\ngit status", ["cat", "git status"]),
        ("cat <<-'E-O F'\ngit push\n\tE-O F\ngit status", ["cat", "git status"]),
        ("cat <<A <<B\na\nA\ngit push\nB\ngit status", ["cat", "git status"]),
        ("cat <<ÄÖ🦀\ngit push\nÄÖ🦀\ngit status", ["cat", "git status"]),
        ("cat <<<x\ngit push", ["cat", "git push"]),
        ("git commit -m 'a << b\nc' && git push", ["git commit", "git push"]),
        ("make -j $((1 << n))\ngit push", ["make $((1 << n))", "git push"]),
        ("bash -c 'cat <<X\ngit push\nX\ngit status'", ["cat", "git status"]),
        ('git commit -m "fix: it\'s; done"', ["git commit"]),
        ("'unclosed", ["unclosed"]),
        ("", []),
        ("デプロイ 本番", ["デプロイ 本番"]),
    ],
)
def test_the_programs_of_a_line_are_what_is_run_in_the_end(line: str, run: list[str]):
    assert names(line) == run


def test_where_a_command_is_run_is_known():
    assert [command.folder for command in commands_in("cd a && cd b; make; cd /c; make")] == ["a/b", "/c"]


def test_what_a_command_writes_is_known_but_not_where_its_errors_go():
    [command] = commands_in("sort a > b.txt 2>&1")
    assert command.written == ("b.txt",)


def test_long_lines_are_read_in_part():
    assert len(commands_in("a;" * 10_000)) == COMMANDS_MAX
    assert len(commands_in("x" * 2_000_000)) == 1
    assert names("cat <<X\n" + "git pull\n" * 9_000 + "X\ngit push") == ["cat", "git push"]


@given(st.text())
def test_no_line_is_too_odd(line: str):
    for command in commands_in(line):
        assert command.program.strip()
