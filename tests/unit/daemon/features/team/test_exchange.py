"""Two replicas and a folder: what one does, the other has, and only what may leave does."""

import errno
from pathlib import Path

import pytest
from postgres_server import new_database
from replicas import HOUR_MS, KEY, Replica, sync_all
from request_contexts import NOON_MS

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.sessions.acting import as_told, known_before
from palimp_daemon.features.sessions.actions import action_of
from palimp_daemon.features.team import applying, carried_folder, exchange, postgres, postgres_schema
from palimp_daemon.features.team.carried_folder import Folder, create_team
from palimp_daemon.features.team.team_rounds import is_reader
from palimp_daemon.features.team.transport import PAGE_BYTES_MAX, TransportError
from palimp_daemon.runtime.sql import rows
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import GLOBAL_PROJECT
from palimp_daemon.store.tables import memory_rows, team_heard, team_log, team_pending, team_tables
from palimp_daemon.store.tables.memory_rows import NewMemory, insert_as
from palimp_daemon.store.tables.moves import set_project
from palimp_daemon.store.tables.team_erased import ERASED
from palimp_daemon.text.redact import Redactor
from palimp_neighbours.transfer.daemon.import_handlers import keep_incoming, keep_portable, portable, prepare_all
from palimp_neighbours.transfer.daemon.portable import portable_after
from palimp_neighbours.transfer.daemon.record import Incoming
from palimp_protocol.messages.memory_messages import Recall


@pytest.fixture
def shared(tmp_path: Path) -> Path:
    """The folder of a team."""
    create_team(tmp_path / "shared", "t")
    return tmp_path / "shared"


@pytest.fixture(params=["folder", "database"])
def either(request, tmp_path: Path):
    """Two replicas without a hold, by each transport."""
    if request.param == "folder":
        create_team(tmp_path / "either", "t")
        yield tuple(Replica(tmp_path, name, Folder(tmp_path / "either", "t")) for name in ("ana", "bo"))
        return
    address = new_database()
    postgres_schema.create_team(address, "t")
    transports = [postgres.Postgres(address, "t") for _ in range(2)]
    yield tuple(Replica(tmp_path, name, each) for name, each in zip(("ana", "bo"), transports, strict=True))
    for each in transports:
        each.close()


@pytest.fixture
def pair(tmp_path: Path, shared: Path) -> tuple[Replica, Replica]:
    """Two replicas without a hold."""
    return Replica(tmp_path, "ana", Folder(shared, "t")), Replica(tmp_path, "bo", Folder(shared, "t"))


def texts(folder: Path) -> bytes:
    """Return all bytes of all files in *folder*."""
    return b"".join(path.read_bytes() for path in folder.rglob("*") if path.is_file())


def contents(replica: Replica) -> list[str]:
    """Return the texts of the memories of *replica*."""
    return [text for (text,) in rows(replica.store.connection, "SELECT content FROM memories ORDER BY seq")]


def test_a_page_has_so_many_bytes_at_most_and_the_next_one_goes_on(either) -> None:
    ana, bo = either
    large = [(number, b"%d%s" % (number, b"x" * 250_000)) for number in range(1, 41)]
    ana.transport.append(KEY, "2" * 16, large)
    bo.transport.look(KEY)
    read: list[tuple[int, bytes]] = []
    while lines := bo.transport.read(KEY, "2" * 16, len(read), 100):
        assert sum(len(each.body) for each in lines) <= PAGE_BYTES_MAX + 262_144
        read += [(each.counter, each.body) for each in lines]
    assert read == large


def test_a_save_arrives_with_its_author(either) -> None:
    ana, bo = either
    memory = ana.save("We deploy on Tuesdays.", tags=["ops"])
    sync_all([ana, bo])
    assert contents(bo) == ["We deploy on Tuesdays."]
    assert bo.shared_state() == ana.shared_state()
    assert team_heard.authors_of(bo.store, [bo.seq(memory)]) == {bo.seq(memory): "ana"}
    assert not team_heard.authors_of(ana.store, [ana.seq(memory)])


def test_recall_finds_only_an_author_s_memories(either) -> None:
    ana, bo = either
    ana.save("We deploy on Tuesdays.")
    bo.save("We deploy from the main branch.")
    sync_all([ana, bo])
    for request in (Recall(author="Ana"), Recall(query="deploy", author="ana")):
        assert [each.title for each in recall(bo.context(), request).memories] == ["We deploy on Tuesdays"]
    assert not recall(bo.context(), Recall(author="bo")).memories


def test_its_author_is_told_before_an_action(either) -> None:
    ana, bo = either
    ana.save("Never edit `cart/ttl.py` by hand: it is generated.", kind="correction")
    sync_all([ana, bo])
    action = action_of("Edit", {"file_path": "/work/bo/shop/cart/ttl.py"}, ["/work/bo/shop"])
    assert action
    told = [as_told(known_before(each.caller, action, each.now_ms, set(), (), each.store)) for each in (ana, bo)]
    assert [", by ana)" in each.text for each in told if each] == [False, True]


def test_nothing_is_noted_without_a_team(tmp_path, shared) -> None:
    ana = Replica(tmp_path, "ana", Folder(shared, "t"))
    ana.write(team_tables.leave_team)
    ana.save("We deploy on Tuesdays.")
    for table in ("team", "team_projects", "team_pending", "team_log", "team_registers", "team_erased"):
        assert rows(ana.store.connection, f"SELECT * FROM {table}") == []


@pytest.mark.parametrize(
    "fields",
    [
        {"kind": "note"},
        {"kind": "preference"},
        {"kind": "summary"},
        {"kind": "decision", "tags": ["private"]},
        {"kind": "note", "tags": ["team", "private"]},
        {"kind": "decision", "text": "Kept: <private>CANARY-7 is here</private>"},
    ],
)
def test_private_text_stands_in_no_file(pair, shared, fields) -> None:
    ana, bo = pair
    ana.save(**{"text": "CANARY-7 stays here.", **fields})
    sync_all([ana, bo])
    assert b"CANARY-7" not in texts(shared)
    assert not any("CANARY-7" in text for text in contents(bo))


def test_a_note_with_the_tag_team_leaves(pair) -> None:
    ana, bo = pair
    ana.save("A note for all.", kind="note", tags=["team"])
    sync_all([ana, bo])
    assert contents(bo) == ["A note for all."]


def test_held_changes_wait_and_what_is_undone_sends_nothing(tmp_path, shared) -> None:
    ana = Replica(tmp_path, "ana", Folder(shared, "t"), hold_ms=HOUR_MS)
    gone, mended, kept = ana.save("CANARY-1"), ana.save("CANARY-2 is wrong"), ana.save("It is right.")
    ana.sync()
    ana.purge(gone)
    ana.erase(mended)
    ana.sync()
    assert b"CANARY" not in texts(shared)
    assert b"It is right" not in texts(shared)
    ana.now_ms += HOUR_MS
    ana.sync()
    assert b"CANARY" not in texts(shared)
    assert b"It is right" in texts(shared)
    assert kept.encode() in texts(shared)
    ana.now_ms += HOUR_MS
    assert ana.sync().sent == 0


def test_a_counter_is_given_when_the_hold_is_over_so_that_none_is_missing(tmp_path, shared) -> None:
    ana = Replica(tmp_path, "ana", Folder(shared, "t"), hold_ms=HOUR_MS)
    first, _ = ana.save("The first."), ana.save("The second.")
    ana.sync()
    ana.purge(first)
    ana.now_ms += HOUR_MS
    ana.sync()
    assert [
        each.counter for each in team_log.logged_operations(ana.store, ana.row(), ana.exchange._team().replica, 0, 9)
    ] == [1]


def test_a_secret_is_held_back_and_holds_up_no_other(tmp_path, shared) -> None:
    ana = Replica(tmp_path, "ana", Folder(shared, "t"))
    ana.exchange._site = ana.exchange._site._replace(redact=lambda text: text.replace("hush", "<redacted:own>"))
    ana.save("The word is hush.")
    ana.save("The other one leaves.")
    ana.sync()
    assert b"hush" not in texts(shared)
    assert b"The other one leaves." in texts(shared)
    assert team_pending.counts_of(ana.store, ana.row()).problems == 1


def test_paths_of_the_machine_do_not_leave(pair, shared) -> None:
    ana, bo = pair
    ana.save("Start /work/ana/shop/bin/run, not /home/ana/old/run; /etc/hosts stays.")
    sync_all([ana, bo])
    assert contents(bo) == ["Start bin/run, not ~/old/run; /etc/hosts stays."]
    assert b"/home/ana" not in texts(shared)
    assert b"/work/ana" not in texts(shared)


def test_edits_links_pins_and_deletions_arrive(either) -> None:
    ana, bo = either
    first, other = ana.save("We deploy on Tuesdays."), ana.save("The cache is in Redis.")
    sync_all([ana, bo])
    edited = bo.edit(first, "We deploy on Mondays, in the morning.")
    ana.pin(other)
    sync_all([ana, bo])
    assert ana.shared_state() == bo.shared_state()
    assert [row[7] for row in ana.shared_state() if row[0] == first] == [edited]
    ana.purge(other)
    bo.unpin(other)
    sync_all([ana, bo])
    assert ana.shared_state() == bo.shared_state()
    bo.restore(other)
    sync_all([ana, bo])
    assert ana.shared_state() == bo.shared_state()
    assert [row[6] for row in ana.shared_state() if row[0] == other] == [None]


def test_of_two_edits_both_are_kept_and_the_same_is_shown(either) -> None:
    ana, bo = either
    first = ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo])
    one, other = ana.edit(first, "We deploy on Mondays."), bo.edit(first, "We deploy on Fridays.")
    sync_all([ana, bo])
    assert {first, one, other} == set(ana.ids()) == set(bo.ids())
    assert ana.shared_state() == bo.shared_state()


def test_links_in_a_circle_hide_no_memory_for_good(either) -> None:
    ana, bo = either
    one, other = ana.save("The cache is in Redis."), ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo])
    ana.link(one, other)
    bo.link(other, one)
    sync_all([ana, bo])
    assert ana.shared_state() == bo.shared_state()
    shown = [row for row in ana.shared_state() if len(row) == 9 and row[7] is None]
    assert len(shown) == 1


@pytest.mark.parametrize("copied_as", [".sync-conflict-1", " (conflicted copy)", ".conflict"])
def test_erased_text_is_nowhere_and_does_not_come_back(pair, shared, tmp_path, copied_as: str) -> None:
    """Whether the name of the copy stands behind the other's or before it, and whoever has looked before."""
    ana, bo = pair
    memory = ana.save("CANARY-9 was a mistake.")
    sync_all([ana, bo])
    copy = next(shared.rglob("*.log")).read_bytes()
    bo.erase(memory)
    sync_all([ana, bo])
    assert ana.ids() == bo.ids() == []
    assert b"CANARY-9" not in texts(shared)
    # A file of an earlier state arrives from a machine that was off.
    log = next(path for path in shared.rglob("*.log") if b"cleared" in path.read_bytes())
    log.with_name(f"{log.stem}{copied_as}.log").write_bytes(copy)
    ana.transport = Folder(shared, "t")
    ana.open(ana.store)
    sync_all([ana, bo])
    assert ana.ids() == bo.ids() == []
    assert b"CANARY-9" not in texts(shared)
    assert memory not in Replica(tmp_path, "cy", Folder(shared, "t")).ids()


def test_a_copy_that_goes_again_leaves_what_was_erased_in_another_copy_known(pair, shared) -> None:
    ana, bo = pair
    memory = ana.save("CANARY-9 was a mistake.")
    sync_all([ana, bo])
    [log] = [path for path in shared.rglob("*.log") if b"CANARY-9" in path.read_bytes()]
    copy = log.read_bytes()
    ana.erase(memory)
    sync_all([ana, bo])
    folder = Folder(shared, "t")
    for name in ("one copy", "other copy"):
        log.with_name(f"{log.stem}.{name}.log").write_bytes(copy)
    key, replica = log.parent.name, log.name[:16]
    folder.look(key)
    log.with_name(f"{log.stem}.other copy.log").unlink()
    folder.look(key)
    assert b"" in folder.sums(key, replica).values()


def test_an_export_that_is_older_than_the_erasure_brings_nothing_back(either) -> None:
    ana, bo = either
    memory = ana.save("CANARY-9 was a mistake.")
    kept = ana.save("Something else.")
    sync_all([ana, bo])
    exported, _ = portable_after(bo.store, bo.row(), 0, 10)
    ana.erase(memory)
    sync_all([ana, bo])
    context = bo.context()
    imported = bo.write(lambda _: keep_portable(context, portable(exported, Redactor()), here=True))
    assert [each.reason for each in imported.left] == [ERASED]
    assert ana.ids() == bo.ids() == [kept]
    # An older palimp here has imported it all the same: it is not sent.
    again = next(each for each in portable(exported, Redactor()) if each.memory.id == memory)
    new = NewMemory(bo.row(), None, again.memory.title, again.memory.content, [], "decision", "import", "", NOON_MS)
    bo.write(lambda store: insert_as(store, memory, new))
    assert bo.sync().sent == 0
    sync_all([ana, bo])
    assert ana.ids() == [kept]


def test_an_erased_text_comes_back_under_no_other_id(either) -> None:
    ana, bo = either
    memory, private = ana.save("CANARY-9 was a mistake."), ana.save("CANARY-8 is mine.", kind="note")
    sync_all([ana, bo])
    ana.erase(memory)
    ana.erase(private)
    sync_all([ana, bo])
    incoming = [Incoming(origin=f"notes/{n}", title="", content=f"CANARY-{n} was a mistake.") for n in (7, 9)]
    context = bo.context()
    kept = bo.write(lambda _: keep_incoming(context, prepare_all(incoming, Redactor())))
    assert ([each.reason for each in kept.left], kept.imported) == ([ERASED], 1)
    # Somebody says it again here, where it was deleted: it stays on this machine, and that is said.
    bo.save("CANARY-9  was a mistake.")
    sync_all([ana, bo])
    assert not any("CANARY-9" in text for text in contents(ana))
    assert [each.problem for each in team_pending.pending_memories(bo.store, bo.row(), 9)] == [ERASED]


def test_an_erased_text_that_a_machine_sends_which_was_off_is_taken_by_nobody(either) -> None:
    ana, bo = either
    ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo])
    memory = ana.save("CANARY-9 was a mistake.")
    sync_all([ana])
    bo.save("CANARY-9 was a mistake.")
    ana.erase(memory)
    ana.sync()
    bo.sync()
    sync_all([ana, bo])
    assert contents(ana) == ["We deploy on Tuesdays."]
    [(_, _, why)] = team_heard.parked_operations(ana.store, ana.row(), 9)
    assert why == ERASED
    assert not rows(ana.store.connection, "SELECT 1 FROM team_parked WHERE instr(CAST(body AS TEXT), 'CANARY')")


def test_what_a_project_holds_enters_when_it_is_shared(tmp_path, shared) -> None:
    ana = Replica(tmp_path, "ana", Folder(shared, "t"))
    ana.write(lambda store: team_tables.unshare_project(store, ana.row()))
    first = ana.save("We deploy on Tuesdays.")
    ana.edit(first, "We deploy on Mondays, in the morning.")
    ana.write(lambda store: team_tables.share_project(store, ana.row(), KEY, ana.now_ms))
    bo = Replica(tmp_path, "bo", Folder(shared, "t"))
    sync_all([ana, bo])
    assert bo.shared_state() == ana.shared_state()
    assert len(bo.ids()) == 2


def test_a_link_waits_for_its_memory(pair) -> None:
    ana, bo = pair
    first = ana.save("We deploy on Tuesdays.")
    ana.sync()
    bo.sync()
    edited = bo.edit(first, "We deploy on Mondays, in the morning.")
    bo.sync()
    lines = ana.transport.read(KEY, bo.exchange._team().replica, 0, 9) or (
        ana.transport.look(KEY) and ana.transport.read(KEY, bo.exchange._team().replica, 0, 9)
    )
    project, redact = ana.exchange._project, ana.exchange._site.redact
    parked = (team_heard.Parked(line.replica, line.counter, line.body) for line in reversed(lines))
    page = [applying.prepare(project, redact, each) for each in parked]
    ana.write(lambda store: ana.exchange._apply(store, "c" * 16, page))
    assert edited in ana.ids()
    assert ana.shared_state() == bo.shared_state()
    assert team_heard.count_parked(ana.store, ana.row()) == 0


def test_an_operation_of_a_newer_palimp_is_kept_and_blocks_nothing(either) -> None:
    ana, bo = either
    ana.save("We deploy on Tuesdays.")
    ana.sync()
    replica = "f" * 16
    newer = (
        b'{"version":9,"project":"%s","replica":"%s","counter":1,"stamp":"000000000001.0000.%s","kind":"paint",'
        b'"id":"m0000000"}' % (KEY.encode(), replica.encode(), replica.encode())
    )
    bo.transport.append(KEY, replica, [(1, newer), (2, b"{}"), (3, newer)])
    bo.sync()
    assert contents(bo) == ["We deploy on Tuesdays."]
    assert team_heard.count_parked(bo.store, bo.row()) == 3
    assert team_heard.heard_counters(bo.store, bo.row())[replica] == 3
    bo.open(bo.store)
    bo.sync()
    assert team_heard.count_parked(bo.store, bo.row()) == 3


def test_a_copied_home_becomes_a_replica_of_its_own(tmp_path, shared, pair) -> None:
    ana, bo = pair
    ana.save("Before the copy.")
    sync_all([ana, bo])
    ana.store.connection.execute("VACUUM INTO ?", (str(tmp_path / "clone.db"),))
    clone = Replica.__new__(Replica)
    clone.__dict__.update(ana.__dict__)
    clone.transport = Folder(shared, "t")
    clone.bits, clone.drawn = iter(range(500, 9_999)), iter(range(1 << 40, 1 << 41))
    clone.open(open_store(tmp_path / "clone.db", "auto"))
    ana.save("By the one.")
    clone.save("By its copy.")
    sync_all([ana, clone, bo])
    assert sorted(contents(bo)) == ["Before the copy.", "By its copy.", "By the one."]
    assert ana.shared_state() == bo.shared_state() == clone.shared_state()


def test_a_replica_with_too_many_operations_becomes_another_one(either, monkeypatch) -> None:
    for module in (exchange, carried_folder, postgres):
        monkeypatch.setattr(module, "OPERATIONS_MAX", 3)
    ana, bo = either
    first = ana.write(team_tables.team_of)
    saved = [ana.save(f"Thing {number} is here.") for number in range(8)]
    sync_all([ana, bo])
    saved.append(ana.save("One more is here."))
    for _ in range(3):  # a replica that is full is left when it is looked at next
        sync_all([ana, bo])
    assert bo.ids() == ana.ids() == sorted(saved)
    assert first != ana.write(team_tables.team_of)
    assert max(bo.sync().vector.values()) == 3


def test_half_lines_copies_and_files_that_shrank_lose_nothing(pair, shared) -> None:
    ana, bo = pair
    ana.save("One.")
    sync_all([ana, bo])
    [log] = shared.rglob("*.log")
    before = log.read_bytes()
    ana.save("Two.")
    ana.sync()
    whole = log.read_bytes()
    log.write_bytes(whole[:-20])
    bo.sync()
    assert contents(bo) == ["One."]
    log.with_name(f"{log.stem} (conflicted copy).log").write_bytes(whole)
    bo.sync()
    assert contents(bo) == ["One.", "Two."]
    log.write_bytes(before[:30])
    ana.save("Three.")
    sync_all([ana, bo])
    assert contents(bo) == ["One.", "Two.", "Three."]


def test_what_a_folder_lost_is_sent_again(pair, shared) -> None:
    ana, bo = pair
    ana.save("One.")
    ana.sync()
    for path in shared.rglob("*.log"):
        path.unlink()
    ana.sync()
    bo.sync()
    assert contents(bo) == ["One."]


def test_a_round_without_news_writes_nothing(either) -> None:
    ana, bo = either
    ana.save("One.")
    sync_all([ana, bo])
    changes = ana.store.connection.total_changes()
    assert ana.sync().sent == 0
    assert ana.store.connection.total_changes() == changes


def test_a_link_in_the_folder_is_not_followed(pair, shared, tmp_path) -> None:
    ana, bo = pair
    ana.save("One.")
    sync_all([ana, bo])
    [log] = shared.rglob("*.log")
    mine = tmp_path / "mine"
    log.rename(mine)
    log.symlink_to(mine)
    before = mine.read_bytes()
    ana.save("Two.")
    with pytest.raises(TransportError):
        ana.sync()
    assert mine.read_bytes() == before
    log.unlink()
    sync_all([ana, bo])
    assert contents(bo) == ["One.", "Two."]


def test_a_folder_that_cannot_be_written_is_said_and_nothing_is_lost(pair, shared) -> None:
    ana, bo = pair
    ana.save("One.")
    project = shared / KEY
    project.write_text("a file where a folder must be")
    with pytest.raises(TransportError) as refused:
        ana.sync()
    assert str(project) in refused.value.text
    project.unlink()
    sync_all([ana, bo])
    assert contents(bo) == ["One."]


def test_an_erasure_leaves_nothing_of_a_write_that_was_killed(pair, shared) -> None:
    ana, bo = pair
    memory = ana.save("CANARY was to go.")
    sync_all([ana, bo])
    [log] = [path for path in shared.rglob("*.log") if b"CANARY" in path.read_bytes()]
    (log.parent / ".palimp-0123.tmp").write_bytes(log.read_bytes())
    ana.erase(memory)
    sync_all([ana, bo])
    assert b"CANARY" not in texts(shared)


def test_a_change_from_the_far_future_waits_and_moves_no_clock(pair) -> None:
    ana, bo = pair
    bo.now_ms += 400 * 24 * HOUR_MS
    late = bo.save("By a machine with a wrong clock.")
    sync_all([bo, ana])
    assert ana.ids() == []
    assert rows(ana.store.connection, "SELECT why FROM team_parked") == [
        ("its machine's clock is more than a day ahead",)
    ]
    kept = ana.save("By a right one.")
    ana.sync()
    assert rows(ana.store.connection, "SELECT stamp FROM team")[0][0] < f"{ana.now_ms + HOUR_MS:012x}"
    ana.now_ms = bo.now_ms
    ana.sync()
    assert ana.ids() == sorted([late, kept])
    assert rows(ana.store.connection, "SELECT * FROM team_parked") == []


def moved(replica: Replica, memory: str) -> None:
    """Move *memory* to the global scope."""
    replica.write(lambda store: set_project(store, [replica.seq(memory)], GLOBAL_PROJECT))


def test_what_is_moved_away_during_its_hold_is_not_sent(tmp_path: Path, shared: Path) -> None:
    ana = Replica(tmp_path, "ana", Folder(shared, "t"), hold_ms=HOUR_MS)
    memory = ana.save("A canary of another place.")
    ana.sync()
    moved(ana, memory)
    ana.now_ms += 2 * HOUR_MS
    ana.sync()
    assert b"canary" not in texts(shared)
    assert not rows(ana.store.connection, "SELECT * FROM team_pending")


def test_what_was_moved_away_is_changed_by_nobody_else_and_its_erasure_is_sent(pair, shared: Path) -> None:
    ana, bo = pair
    memory = ana.save("A canary of another place.")
    sync_all([ana, bo])
    moved(ana, memory)
    bo.write(lambda store: memory_rows.set_purged(store, bo.seq(memory), bo.now_ms))
    sync_all([bo, ana])
    assert rows(ana.store.connection, "SELECT deleted_at FROM memories") == [(None,)]

    ana.erase(memory)
    sync_all([ana, bo])
    assert b"canary" not in texts(shared)
    assert bo.ids() == []


def test_a_folder_that_cannot_be_written_is_read_all_the_same(pair, shared: Path, monkeypatch) -> None:
    ana, bo = pair

    def refuse(*_: object) -> None:
        raise OSError(errno.EROFS, "Read-only file system", str(shared))

    bo.save("The cart lives in Redis.")
    ana.save("We deploy on Tuesdays.")
    ana.sync()
    with monkeypatch.context() as read_only:
        read_only.setattr(carried_folder, "_make_folder", refuse)
        read_only.setattr(carried_folder, "replace_file", refuse)
        done = bo.sync()
    assert "We deploy on Tuesdays." in contents(bo)
    assert done.refused is not None
    bo.sync()
    ana.sync()
    assert "The cart lives in Redis." in contents(ana)


def test_a_notice_out_of_bounds_is_left_out(pair, shared: Path) -> None:
    ana, bo = pair
    ana.save("We deploy on Tuesdays.")
    sync_all([ana, bo])
    [path] = (shared / KEY).glob(f"{bo.write(team_tables.team_of).replica}.json")
    path.write_bytes(path.read_bytes().replace(b'"name":"bo"', b'"name":"bo","at":99999999999999999999'))
    ana.sync()
    assert ana.exchange.notices == []


def test_of_what_is_edited_in_its_hold_the_mended_text_goes_alone(pair, shared) -> None:
    ana, bo = pair
    sent = ana.save("Deploys are on Mondays.")
    sync_all([ana, bo])
    ana.hold_ms = HOUR_MS
    former = ana.save("CANARY is in this one.")
    again = ana.edit(sent, "CANARY-2: Deploys are on Tuesdays.")
    ana.sync()
    mended, last = ana.edit(former, "Nothing bad is in this one."), ana.edit(again, "Deploys are on Wednesdays.")
    ana.sync()
    ana.now_ms += HOUR_MS
    sync_all([ana, bo])
    assert b"CANARY" not in texts(shared)
    assert bo.ids() == sorted([sent, mended, last])
    assert {row[0]: row[7] for row in bo.shared_state() if len(row) == 9} == {sent: last, mended: None, last: None}


def test_a_version_that_stands_again_is_sent(pair, shared) -> None:
    ana, bo = pair
    ana.hold_ms = HOUR_MS
    former, other = ana.save("Deploys are on Mondays."), ana.save("The cart lives in Redis.")
    mended, private = ana.edit(former, "Deploys are on Tuesdays."), ana.edit(other, "CANARY")
    ana.sync()
    ana.unlink(mended, former)
    ana.purge(mended)
    ana.erase(private)
    ana.sync()
    ana.now_ms += HOUR_MS
    sync_all([ana, bo])
    assert bo.ids() == sorted([former, other])
    assert b"CANARY" not in texts(shared)


def test_a_machine_that_only_reads_has_all_and_no_other_hears_of_it(either) -> None:
    ana, bo = either
    bo.open(bo.store)
    bo.exchange._site = bo.exchange._site._replace(is_reader=True)
    first = ana.save("Deploys are on Mondays.")
    sync_all([ana])
    bo.save("CANARY of a job.")
    bo.sync()
    second = ana.edit(first, "Deploys are on Tuesdays.")
    sync_all([ana])
    bo.sync()
    assert {first, second} <= {*bo.ids()}
    assert ana.ids() == sorted([first, second])
    assert [each.replica for each in ana.transport.notices(KEY)] == [ana.exchange._team().replica]
    assert bo.exchange._team().replica not in ana.transport.look(KEY)
    assert len(team_pending.pending_memories(bo.store, bo.row(), 9)) == 1  # its own


@pytest.mark.parametrize(
    ("env", "reads"),
    [
        ({}, False),
        ({"CI": "true"}, True),
        ({"CI": "1"}, True),
        ({"CI": "false"}, False),
        ({"CI": ""}, False),
        ({"PALIMP_TEAM": "read"}, True),
        ({"CI": "true", "PALIMP_TEAM": "write"}, False),
    ],
)
def test_a_job_of_ci_only_reads_unless_it_is_said(env, reads) -> None:
    assert is_reader(env) == reads


def test_two_edits_of_one_version_disagree_on_both_machines(either) -> None:
    ana, bo = either
    first = ana.save("Deploys are on Mondays.")
    sync_all([ana, bo])
    edits = sorted([ana.edit(first, "Deploys are on Tuesdays."), bo.edit(first, "Deploys are on Thursdays.")])
    sync_all([ana, bo])
    for each in either:
        links = [row[:3] for row in each.shared_state() if len(row) == 5]
        assert (edits[1], edits[0], "disagrees") in links
    assert ana.shared_state() == bo.shared_state()
    chosen = ana.edit(edits[0], "Deploys are on Tuesdays and Thursdays.")
    sync_all([ana, bo])
    assert ana.shared_state() == bo.shared_state()
    assert len([row for row in bo.shared_state() if len(row) == 5 and row[2] == "disagrees"]) == 1
    assert chosen in bo.ids()


def test_what_a_pattern_of_the_team_fits_stays_on_its_machine_until_it_is_edited(either) -> None:
    ana, bo = either
    bo.transport.set_patterns(["ACME-[0-9]{6}"])
    held = ana.save("The customer is ACME-123456.")
    ana.save("The cart lives in Redis.")
    assert ana.sync().sent == 1
    bo.sync()
    assert contents(bo) == ["The cart lives in Redis."]
    [waiting] = team_pending.pending_memories(ana.store, ana.row(), 10)
    assert "those of the team" in waiting.problem
    ana.edit(held, "The customer is a secret.")
    sync_all([ana, bo])
    assert "The customer is a secret." in contents(bo)
    bo.transport.set_patterns([])
    ana.save("The other customer is ACME-654321.")
    sync_all([ana, bo])
    assert "The other customer is ACME-654321." in contents(bo)


def test_a_pattern_that_cannot_be_used_stops_sending_and_nothing_else(either) -> None:
    ana, bo = either
    ana.save("The cart lives in Redis.")
    sync_all([ana, bo])
    ana.save("We deploy on Tuesdays.")
    bo.save("Bo's decision.")
    bo.sync()
    bo.transport.set_patterns(["("])
    refused = ana.sync().refused
    assert refused
    assert "patterns" in refused.text
    assert "Bo's decision." in contents(ana)
    bo.transport.set_patterns([])
    sync_all([ana, bo])
    assert sorted(contents(bo)) == sorted(contents(ana))
