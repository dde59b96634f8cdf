"""A project that has another name, or is made one with another, is so on every machine, and nothing is lost."""

import pytest
from replicas import KEY, Replica, sync_all

from palimp_daemon.features.team.carried_folder import Folder, create_team
from palimp_daemon.features.team.team_service import _share
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables import folder_links, team_heard, team_keys, team_tables, team_trust
from palimp_daemon.store.tables.project_merge import delete_left, join
from palimp_daemon.store.tables.project_rows import left_projects
from palimp_protocol.messages.caller import Caller, ProjectRef

OTHER = "cd" * 16
THIRD = "ef" * 16


@pytest.fixture
def three(either_medium):
    """Three replicas by each transport."""
    return either_medium("ana", "bo", "cy")


def texts(replica: Replica) -> set[str]:
    return {text for (text,) in rows(replica.store.connection, "SELECT content FROM memories")}


def main_key(replica: Replica) -> str:
    [main] = [each.key for each in replica.write(team_tables.shared_projects) if each.is_main]
    return main


def with_second_project(replica: Replica, key: str, text: str) -> ProjectRef:
    """Share a second project of *replica* as *key*, with one memory; return it."""
    first = replica.caller
    replica.caller = Caller(ProjectRef(f"/work/{replica.name}/cart", "cart"))
    replica.save(text)
    replica.write(lambda store: team_tables.share_project(store, replica.row(), key, replica.now_ms))
    replica.caller, second = first, replica.caller.project
    assert second
    return second


def adopt(replica: Replica, former: ProjectRef) -> None:
    """Give the project of *replica* what is known of the folder *former*."""

    def work(store) -> None:
        join(store, ensure_project(store, Caller(former), 0), replica.caller.project)
        for left in left_projects(store):
            delete_left(store, left)

    replica.write(work)


def test_a_renamed_project_goes_on_under_its_new_name_on_every_machine(three) -> None:
    ana, bo, cy = three
    ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo, cy])
    ana.rename(OTHER)
    ana.save("The cart lives in Redis.")
    before = bo.save("Saved before bo heard of it.")
    sync_all([ana, bo, cy])
    assert texts(ana) == texts(bo) == texts(cy)
    assert len(texts(ana)) == 3
    assert {main_key(each) for each in three} == {OTHER}
    bo.edit(before, "Reworded after bo heard of it.")
    sync_all([ana, bo, cy])
    assert ana.shared_state() == bo.shared_state() == cy.shared_state()


@pytest.mark.parametrize("names", [(OTHER, THIRD), (THIRD, OTHER), (OTHER, KEY)])
def test_of_names_that_are_given_before_anybody_hears_of_them_the_last_one_counts(either_medium, names) -> None:
    """Also its former name, which it has again."""
    ana, bo = either_medium("ana", "bo")
    sync_all([ana, bo])
    for name in names:
        ana.rename(name)
    ana.save("The cart lives in Redis.")
    sync_all([ana, bo])
    assert main_key(ana) == main_key(bo) == names[-1]
    assert texts(ana) == texts(bo)


@pytest.mark.parametrize("key", [KEY, OTHER])
def test_a_machine_that_comes_by_either_name_has_all_with_its_authors(either_medium, key) -> None:
    ana, bo = either_medium("ana", "bo")
    first = ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo])
    ana.rename(OTHER)
    sync_all([ana, bo])
    second = bo.save("The cart lives in Redis.")
    sync_all([ana, bo])
    [cy] = either_medium("cy", key=key)
    sync_all([ana, bo, cy])
    authors = {memory: team_heard.authors_of(cy.store, [cy.seq(memory)])[cy.seq(memory)] for memory in (first, second)}
    assert authors == {first: "ana", second: "bo"}
    assert main_key(cy) == OTHER
    assert cy.shared_state() == ana.shared_state()


def test_two_machines_that_rename_it_at_once_end_up_with_one_name_and_lose_nothing(three) -> None:
    ana, bo, cy = three
    sync_all([ana, bo, cy])
    ana.rename(OTHER)
    bo.rename(THIRD)
    for each in three:
        each.save(f"Of {each.name}.")
    sync_all([ana, bo, cy])
    assert texts(ana) == texts(bo) == texts(cy) == {"Of ana.", "Of bo.", "Of cy."}
    assert {main_key(each) for each in three} == {THIRD}


def test_two_shared_projects_that_are_made_one_are_so_on_a_machine_with_one_of_them(either_medium) -> None:
    ana, bo = either_medium("ana", "bo")
    cart = with_second_project(ana, OTHER, "The cart lives in Redis.")
    ana.save("We deploy on Tuesdays.")
    bo.save("Logs are in Loki.")
    sync_all([ana, bo])
    assert "The cart lives in Redis." not in texts(bo)
    adopt(ana, cart)
    assert len(ana.write(team_tables.shared_projects)) == 2
    sync_all([ana, bo])
    assert texts(ana) == texts(bo) == {"The cart lives in Redis.", "We deploy on Tuesdays.", "Logs are in Loki."}
    assert ana.shared_state() == bo.shared_state()
    assert {team_heard.authors_of(bo.store, [bo.seq(each)]).get(bo.seq(each), "") for each in ana.ids()} == {"ana", ""}


def test_two_folders_here_that_others_made_one_wait_and_are_one_when_they_are_linked(either_medium) -> None:
    ana, bo = either_medium("ana", "bo")
    cart = with_second_project(ana, OTHER, "The cart lives in Redis.")
    bo_cart = with_second_project(bo, OTHER, "The cart has a limit of 50.")
    sync_all([ana, bo])
    adopt(ana, cart)
    sync_all([ana, bo])
    waiting = [each for log in bo.write(team_tables.shared_projects) for each in waits(bo, log.project)]
    assert any("`palimp projects link` makes both one here" in why for why in waiting)
    adopt(bo, bo_cart)
    bo.now_ms += 2 * 3_600_000
    ana.save("After it.")
    sync_all([ana, bo])
    assert not [each for log in bo.write(team_tables.shared_projects) for each in waits(bo, log.project)]
    assert texts(ana) == texts(bo)


def waits(replica: Replica, project: int) -> list[str]:
    return [why for _, _, why in team_heard.parked_operations(replica.store, project, 9)]


def test_an_untrusted_member_makes_no_project_one_with_another(either_medium) -> None:
    ana, bo = either_medium("ana", "bo")
    sync_all([ana, bo])
    bo.write(lambda store: store.execute("UPDATE team_replicas SET login = 'ana'"))
    bo.write(lambda store: team_heard.note_replicas(store, {replica_of(ana): "ana"}))
    ana.rename(OTHER)
    sync_all([ana, bo])
    assert [each.key for each in bo.write(team_tables.shared_projects)] == [KEY]
    assert "palimp team trust ana" in " ".join(waits(bo, bo.row()))
    bo.write(lambda store: team_trust.trust_login(store, "ana"))
    bo.now_ms += 2 * 3_600_000
    sync_all([ana, bo])
    assert main_key(bo) == OTHER


def replica_of(replica: Replica) -> str:
    team = replica.write(team_tables.team_of)
    assert team
    return team.replica


def test_what_was_erased_is_cleared_in_the_log_of_the_former_name(tmp_path) -> None:
    create_team(tmp_path / "shared", "t")
    ana, bo = (Replica(tmp_path, name, Folder(tmp_path / "shared", "t")) for name in ("ana", "bo"))
    memory = ana.save("CANARY goes away.")
    sync_all([ana, bo])
    ana.rename(OTHER)
    sync_all([ana, bo])
    bo.erase(memory)
    sync_all([ana, bo])
    assert texts(ana) == texts(bo) == set()
    assert b"CANARY" not in b"".join(path.read_bytes() for path in (tmp_path / "shared").rglob("*.log"))


def test_the_rows_of_keys_go_when_it_is_not_shared_any_more(tmp_path) -> None:
    create_team(tmp_path / "shared", "t")
    ana = Replica(tmp_path, "ana", Folder(tmp_path / "shared", "t"))
    ana.rename(OTHER)
    assert len(rows(ana.store.connection, "SELECT 1 FROM projects WHERE root LIKE 'palimp:team/%'")) == 1
    ana.write(lambda store: team_tables.unshare_project(store, ana.row()))
    assert team_keys.keys_of(ana.store, ana.row()) == []
    assert rows(ana.store.connection, "SELECT 1 FROM projects WHERE root LIKE 'palimp:team/%'") == []


def test_a_renamed_project_that_goes_into_one_that_is_not_shared_leaves_its_names_free(tmp_path) -> None:
    create_team(tmp_path / "shared", "t")
    ana = Replica(tmp_path, "ana", Folder(tmp_path / "shared", "t"))
    ana.rename(OTHER)
    private = ProjectRef("/work/ana/private", "private")
    ana.write(lambda store: ensure_project(store, Caller(private), 0))
    adopt(ana, private)
    assert rows(ana.store.connection, "SELECT 1 FROM team_projects") == []
    ana.write(lambda store: team_tables.share_project(store, ana.row(), OTHER, ana.now_ms))
    assert main_key(ana) == OTHER


def test_a_folder_that_is_no_more_one_with_another_is_shared_under_a_name_of_its_own(either_medium) -> None:
    ana, bo = either_medium("ana", "bo")
    with_second_project(ana, OTHER, "The cart lives in Redis.")
    ana.save("We deploy on Tuesdays.")
    second = Caller(ProjectRef("/work/ana/cart", "cart"))
    first = ana.caller

    def link(store) -> int:
        number = ensure_project(store, first, 0)
        folder_links.link_clone(store, second.project, number, 1)
        return number

    ana.write(link)
    sync_all([ana, bo])
    assert texts(bo) == texts(ana)
    [clone] = ana.write(lambda store: folder_links.links_of(store, second.project.root))
    ana.write(lambda store: folder_links.unlink_clone(store, clone))
    ana.write(lambda store: _share(store, second, THIRD, ana.now_ms))
    homes = {each.key: each.home for each in ana.write(team_tables.shared_projects)}
    assert homes[KEY] == homes[OTHER] != homes[THIRD]
    ana.save("Logs are in Loki.")
    sync_all([ana, bo])
    assert texts(bo) == texts(ana)
    [cy] = either_medium("cy", key=THIRD)
    for each in ana.logs():
        each.round(0)
    cy.sync()
    assert texts(cy) == {"The cart lives in Redis."}
