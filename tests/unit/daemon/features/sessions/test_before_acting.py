"""A memory is told before an action that is about the very file or command, and before no other."""

import pytest

from palimp_daemon.features.sessions.actions import Action, action_of
from palimp_daemon.features.sessions.before_acting import TOLD_MAX, told_before
from palimp_daemon.store.tables.memory_rows import Row


def row(
    text: str, kind: str = "note", seq: int = 1, *, replaced_by: str | None = None, purged: int | None = None
) -> Row:
    return Row(
        seq, f"m{seq}", "", text, "", kind, "", 0, None, purged, replaced_by, "one", None, 1, None, None, None, ""
    )  # fmt: skip


def edits(path: str) -> Action:
    action = action_of("Edit", {"file_path": f"/work/one/{path}"}, ["/work/one"])
    assert action
    return action


def reads(path: str) -> Action:
    action = action_of("Read", {"file_path": f"/work/one/{path}"}, ["/work/one"])
    assert action
    return action


def runs(line: str) -> Action:
    action = action_of("Bash", {"command": line}, ["/work/one"])
    assert action
    return action


def is_told(action: Action, text: str, kind: str = "note") -> bool:
    return bool(told_before(action, [row(text, kind)]))


@pytest.mark.parametrize(
    ("path", "text", "is_about"),
    [
        ("cart/ttl.py", "Guests keep carts 14 days (`cart/ttl.py`).", True),
        ("backend/cart/ttl.py", "Guests keep carts 14 days (`cart/ttl.py`).", True),
        ("cart/ttl.py", "Guests keep carts 14 days (ttl.py).", True),
        ("cart/ttl.ts", "Guests keep carts 14 days (`cart/ttl.py`).", False),
        ("basket/ttl.py", "Guests keep carts 14 days (`cart/ttl.py`).", False),
        ("a/b/c/utils.py", "Dates are parsed in utils.py.", False),
        ("utils.py", "Dates are parsed in utils.py.", True),
        ("app/モデル/税.rb", "端数は切り捨て（`app/モデル/税.rb`）", True),
        ("src/счёт.py", "Округление в `src/счёт.py`", True),
    ],
)
def test_a_file_is_named_by_its_path_or_by_a_telling_name(path: str, text: str, is_about: bool):
    assert is_told(reads(path), text) is is_about
    assert is_told(edits(path), text) is is_about


@pytest.mark.parametrize(
    ("path", "text", "is_about"),
    [
        ("planner/gen/a/b.go", "Everything under `planner/gen/` is generated.", True),
        ("api/v1/users.py", "Fields in `api/v1/` are never renamed.", True),
        ("migrations/0004.sql", "Never edit what is in `migrations/`.", True),
        ("migrations/0004.sql", "`migrations/` has 4 files.", False),
        ("server/a.py", "Never think: the backend is in `server/`.", False),
        ("ios/a/b.swift", "Only `ios/` and `android/` are ours.", False),
        ("a/b.sql", "`*.sql` has lower case keywords.", True),
        ("packages/x/a.ts", "pnpm, `packages/*` hold the libraries.", False),
    ],
)
def test_a_folder_is_spoken_of_where_something_in_it_is_changed(path: str, text: str, is_about: bool):
    assert is_told(edits(path), text) is is_about
    assert not is_told(reads(path), text)


def test_a_path_outside_the_project_is_named_as_a_whole():
    outside = action_of("Read", {"file_path": "/etc/nginx/site.conf"}, ["/work/one"])
    assert outside
    assert is_told(outside, "Do not touch /etc/nginx/site.conf.")
    assert not is_told(outside, "Do not touch site.conf.")


@pytest.mark.parametrize(
    ("line", "text", "is_about"),
    [
        ("cargo sqlx prepare", "After a query change: `cargo sqlx prepare --workspace`.", True),
        ("cd db && FOO=1 uv run alembic heads", "One head; see `alembic heads`.", True),
        ("west flash --erase", "`west flash --erase` empties the settings.", True),
        ("west flash", "`west flash --erase` empties the settings.", False),
        ("goose -dir x postgres up", "Never `goose up` by hand.", True),
        ("cargo test -p x", "`cargo test` hangs, use nextest.", True),
        ("cargo check", "`cargo test` hangs, use nextest.", False),
        ("docker ps", "`docker` is installed.", False),
        ("echo cargo test", "`cargo test` hangs, use nextest.", False),
    ],
)
def test_a_command_that_is_written_out_is_known_again(line: str, text: str, is_about: bool):
    assert is_told(runs(line), text) is is_about


@pytest.mark.parametrize(
    ("line", "kind", "text", "is_about"),
    [
        ("git commit -am x", "preference", "Commit messages in English.", True),
        ("git commit -am x", "preference", "コミットメッセージは日本語。", True),
        ("git commit -am x", "note", "Der letzte Commit war groß.", False),
        ("git commit -am x", "note", "Never commit large files.", True),
        ("git status", "preference", "Commit messages in English.", False),
        ("git push", "preference", "Nunca push directo a main.", True),
        ("just deploy", "decision", "Ops deploys on Tuesdays.", True),
        ("just deploy", "note", "The deployment took an hour.", False),
        ("npm install zod", "decision", "The web part uses pnpm.", True),
        ("pip install x", "decision", "The web part uses pnpm.", False),
        ("npm install zod", "preference", "Ask before adding dependencies.", True),
        ("npm ci", "preference", "Ask before adding dependencies.", False),
        ("alembic upgrade head", "decision", "Database migrations need a backup.", True),
    ],
)
def test_who_rules_a_kind_of_command_is_told_with_it(line: str, kind: str, text: str, is_about: bool):
    assert is_told(runs(line), text, kind) is is_about


def test_what_does_not_hold_is_never_told():
    text = "Guests keep carts 14 days (`cart/ttl.py`)."
    gone = [row(text, replaced_by="m2"), row(text, purged=1), row(text, "summary"), row(text, "question")]
    assert told_before(edits("cart/ttl.py"), gone) == []


def test_few_are_told_rules_first_then_the_newest():
    rows = [row("See `cart/ttl.py`.", seq=seq) for seq in range(2, 9)] + [row("See `cart/ttl.py`.", "correction", 1)]
    assert [each.row.seq for each in told_before(edits("cart/ttl.py"), rows)] == [1, 8, 7]
    assert TOLD_MAX == 3
