"""A rule that a person enforced in one folder is enforced in that folder alone."""

from collections.abc import Callable
from pathlib import Path

import pytest
from request_contexts import NOON_MS

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.rules.derived_checks import derive
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.request_context import RequestContext
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.rule_checks import RuleText, checks_among, keep_derived, set_at_breach
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_protocol.messages.memory_messages import SaveMemory

HERE = Caller(ProjectRef("/work/shop", "shop"))
RULE = "Use pnpm, never npm."


@pytest.fixture
def opened(tmp_path: Path):
    """Opens a database in a folder; all are closed in the end."""
    stores: list[Store] = []

    def in_folder(folder: str) -> Store:
        (tmp_path / folder).mkdir(exist_ok=True)
        stores.append(open_store(tmp_path / folder / "palimp.db", "auto"))
        return stores[-1]

    yield in_folder
    for store in stores:
        store.connection.close()


@pytest.fixture
def enforced(opened: Callable[[str], Store]) -> Store:
    store = opened("here")
    save_memory(RequestContext(store, HERE, NOON_MS, lambda: 1), SaveMemory(text=RULE, kind="preference"))
    keep_derived(store, derive([RuleText(1, "preference", RULE)]))
    set_at_breach(store, 1, "refuse")
    return store


def copied(store: Store, folder: Path) -> None:
    """Put what `palimp backup` would copy of *store* into *folder*."""
    folder.mkdir(exist_ok=True)
    (folder / "palimp.db").unlink(missing_ok=True)
    store.connection.execute("VACUUM INTO ?", (str(folder / "palimp.db"),))


def at_breach(store: Store) -> str:
    return checks_among(store, [1])[1].at_breach


def test_a_backup_from_elsewhere_only_reminds(enforced: Store, opened, tmp_path: Path):
    copied(enforced, tmp_path / "there")
    there = opened("there")
    assert at_breach(there) == "remind"
    set_at_breach(there, 1, "refuse")
    there.connection.close()
    assert at_breach(opened("there")) == "refuse", "a person enforced it there, too"


def test_a_backup_of_the_same_folder_refuses_as_before(enforced: Store, opened, tmp_path: Path):
    copied(enforced, tmp_path / "backup")
    enforced.connection.close()
    for file in (tmp_path / "here").glob("palimp.db*"):
        file.unlink()
    (tmp_path / "backup" / "palimp.db").rename(tmp_path / "here" / "palimp.db")
    assert at_breach(opened("here")) == "refuse"


def test_what_an_earlier_version_enforced_stays_unless_it_is_a_backup(enforced: Store, opened, tmp_path: Path):
    enforced.execute("DELETE FROM counters WHERE name = 'rules_enforced_here'")
    copied(enforced, tmp_path / "there")
    enforced.connection.close()
    assert at_breach(opened("here")) == "refuse"
    assert at_breach(opened("there")) == "remind"
