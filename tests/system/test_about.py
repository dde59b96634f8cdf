"""`palimp about X` puts on one page what the store, the documents, removed code and sessions say of a name."""

import json
import subprocess
from pathlib import Path

import msgspec
from claude_hooks import PALIMP, Agent
from daemon_asking import ask_in_session
from running_daemon import wait_until

from palimp_protocol.messages.caller import SessionRef

OLD = """def settle_cents(amount):
    whole = int(amount * 100)
    rest = amount * 100 - whole
    if rest >= 0.5:
        whole += 1
    return whole
"""


def test_a_page_on_a_name(daemon, env, project: Path):
    one = Agent(env, project, "s1")
    one.start()
    one.write("ledger/cents.py", OLD + "\n\nKEPT = 1\n")
    one.edit("ledger/cents.py", OLD, "from ledger.rounding import settle_cents\n")
    one.stop()
    one.end()
    session = SessionRef("s1", "claude-code")
    first = ask_in_session(session, env, project, "save_memory", text="`settleCents` rounds down.", kind="decision")
    ask_in_session(
        session, env, project, "save_memory", text="`settle_cents` rounds half up; see ledger/cents.py.",
        kind="decision", replaces=[first.id],
    )  # fmt: skip
    ask_in_session(
        session, env, project, "save_memory", text="settle_cents is slow in ledger/cents.py", kind="question"
    )
    ask_in_session(
        session, env, project, "add_doc", slug="money", title="Money", content="All goes through settle_cents."
    )

    def page() -> dict:
        done = subprocess.run(
            [*PALIMP, "about", "settleCents", "--json"],
            env=env,
            cwd=project,
            capture_output=True,
            text=True,
            check=True,
        )
        return json.loads(done.stdout)

    wait_until(lambda: bool(page()["removed"]), 60)  # edits are recorded in the background
    found = page()
    [memory] = found["memories"]
    assert memory["title"].startswith("`settle_cents` rounds half up")
    assert [each["id"] for each in memory["former"]] == [first.id]
    assert len(found["questions"]) == 1
    assert found["documents"]
    assert [each["key"] for each in found["sessions"]] == ["s1"]
    assert [each["name"] for each in found["neighbours"]] == ["ledger/cents.py"]

    recalled = ask_in_session(session, env, project, "recall", about="settleCents")
    assert msgspec.to_builtins(recalled.about) == found

    text = subprocess.run(
        [*PALIMP, "about", "ledger/cents.py"], env=env, cwd=project, capture_output=True, text=True, check=True
    ).stdout
    for part in ("What holds", "Open", "Sessions", "settle_cents"):
        assert part in text, text
    none = subprocess.run(
        [*PALIMP, "about", "nowhere"], env=env, cwd=project, capture_output=True, text=True, check=False
    )
    assert (none.returncode, "Nothing is known" in none.stdout) == (1, True)


def test_two_names_are_one_until_that_is_undone(daemon, env, project: Path):
    def palimp(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False)

    palimp("add", "The basket is emptied at night.")
    assert palimp("about", "cart").returncode == 1
    assert palimp("about", "basket", "--same-as", "cart").returncode == 0
    assert "The basket is emptied" in palimp("about", "cart").stdout
    assert palimp("about", "basket", "--same-as", "Basket").returncode == 2
    palimp("undo")
    assert palimp("about", "cart").returncode == 1


def test_another_name_is_exported_and_erased_like_every_memory(daemon, env, project: Path):
    def palimp(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False)

    palimp("add", "The basket is emptied at night.")
    palimp("about", "basket", "--same-as", "cart")
    assert palimp("about", "cart").returncode == 0
    exported = [json.loads(line) for line in palimp("export", "-").stdout.splitlines()]
    [alias] = [each for each in exported if "same-name" in each.get("tags", [])]
    assert alias["content"] == "`basket` is another name of `cart`."
    assert palimp("delete", "--hard", "--yes", alias["id"]).returncode == 0
    assert palimp("about", "cart").returncode == 1


def test_another_name_is_brought_back_by_an_import_and_an_erased_one_leaves_no_trace(
    daemon, env, project: Path, tmp_path: Path
):
    elsewhere = env | {"PALIMP_HOME": str(tmp_path / "elsewhere"), "PALIMP_SOCKET": str(tmp_path / "other.sock")}

    def palimp(*arguments: str, where: dict[str, str] = env) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PALIMP, *arguments], env=where, cwd=project, capture_output=True, text=True, check=False
        )

    palimp("add", "The cart is emptied at night.")
    palimp("about", "zyxbasket", "--same-as", "cart")
    palimp("export", str(tmp_path / "all.jsonl"))
    try:
        assert palimp("import", str(tmp_path / "all.jsonl"), where=elsewhere).returncode == 0
        told = palimp("about", "zyxbasket", where=elsewhere).stdout
        assert "also cart" in told
        assert "emptied at night" in told
        [alias] = [
            each["id"]
            for each in json.loads(palimp("list", "--json", where=elsewhere).stdout)["memories"]
            if "zyxbasket" in each["title"]
        ]
        assert palimp("delete", "--hard", "--yes", alias, where=elsewhere).returncode == 0
    finally:
        palimp("stop", where=elsewhere)
    files = [path for path in (tmp_path / "elsewhere").rglob("*") if path.is_file()]
    assert files
    assert [path.name for path in files if b"zyxbasket" in path.read_bytes()] == []


def test_another_name_is_in_a_backup_and_in_what_is_restored_from_it(daemon, env, home: Path, project: Path):
    palimp_in(env, project, "add", "The basket is emptied at night.")
    palimp_in(env, project, "about", "basket", "--same-as", "cart")
    backup = home / "backup.db"
    assert palimp_in(env, project, "backup", str(backup)).returncode == 0
    palimp_in(env, project, "undo")
    assert palimp_in(env, project, "about", "cart").returncode == 1

    # As `palimp backup --help` says.
    palimp_in(env, project, "stop")
    [database] = home.rglob("palimp.db")
    for part in database.parent.glob("palimp.db-*"):
        part.unlink()
    backup.replace(database)
    told = palimp_in(env, project, "about", "cart")
    assert "The basket is emptied" in told.stdout, told


def test_an_erased_memory_leaves_none_of_its_names_anywhere(daemon, env, home: Path, project: Path):
    """Of its entities, of what was given and used, and of what a session was told."""
    named, asked = "zyxcanary", "how are the amounts of an invoice rounded?"
    one, other = SessionRef("s1", "claude-code"), Agent(env, project, "s2")
    saved = ask_in_session(
        one, env, project, "save_memory", kind="decision",
        text="`zyxcanary_rounding` rounds the amounts of an invoice half up; see zyxcanary/cents.py",
    )  # fmt: skip
    assert named in other.start()
    other.hook("UserPromptSubmit", prompt=asked)
    ask_in_session(SessionRef("s2", "claude-code"), env, project, "recall", id=saved.id)
    other.write("settle.py", "from cents import half_up  # it rounds the amounts of an invoice half up\n")
    other.stop()
    other.end()
    assert saved.id in palimp_in(env, project, "about", "zyxcanary_rounding", "--json").stdout
    assert palimp_in(env, project, "delete", "--hard", "--yes", saved.id).returncode == 0
    files = [path for path in home.rglob("*") if path.is_file()]
    assert any(path.name == "palimp.db" for path in files)
    assert [path.name for path in files if named.encode() in path.read_bytes()] == []


def palimp_in(env: dict[str, str], project: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run a command of palimp's in *project*."""
    return subprocess.run([*PALIMP, *arguments], env=env, cwd=project, capture_output=True, text=True, check=False)
