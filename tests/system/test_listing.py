"""`palimp list` by time, page by page; `palimp tags`; what `palimp search` says of documents."""

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest
from request_contexts import RequestContexts

from palimp_daemon.features.memories.save import draft, new_memory
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.store import ensure_project
from palimp_daemon.store.tables.memory_rows import insert
from palimp_daemon.store.tables.search.signatures import insert_signatures
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.paths import database_path
from palimp_protocol.messages.memory_messages import SaveMemory

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]
DAY_MS = 86_400_000


@pytest.fixture
def palimp(daemon, env, project):
    """Runs a command."""

    def run(*arguments: str, code: int = 0, said: str = "") -> subprocess.CompletedProcess[str]:
        done = subprocess.run(
            [*PALIMP, *arguments], env=env, cwd=project, input=said, capture_output=True, text=True, check=False
        )
        assert done.returncode == code, done.stderr
        return done

    return run


@pytest.fixture
def imported(palimp, project):
    """123 memories with dates of their own, which came in in another order."""
    begin = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp() * 1000)
    notes = project.parent / "notes"
    notes.mkdir()
    for number in range(123):
        day = datetime.fromtimestamp((begin + (number * 37 % 123) * DAY_MS) / 1000, UTC)
        (notes / f"{number:03}.md").write_text(
            f"---\ntitle: Note of day {number * 37 % 123}\ncreated: {day:%Y-%m-%d} 12:00\n"
            f"tags: {'even' if number % 2 else 'odd'}\n---\n"
            f"What was known on day {number * 37 % 123} of that year.\n"
        )
    palimp("import", str(notes), "--here")
    return [f"Note of day {number}" for number in reversed(range(123))]


def titles(text: str) -> list[str]:
    return [line.split("\t")[3] for line in text.splitlines()]


def test_pages_are_in_the_order_of_time_and_hold_all_of_it_once(palimp, imported):
    """Whatever the size of a page; and the end says how to go on."""
    assert titles(palimp("list", "--limit", "123").stdout) == imported
    first = palimp("list")
    assert titles(first.stdout) == imported[:50]
    assert "rows 1–50 of 123; next: palimp list --page 2" in first.stderr
    seen = [title for page in "123" for title in titles(palimp("list", "--page", page).stdout)]
    assert seen == imported
    last = palimp("list", "--page", "3", "--limit", "50").stderr
    assert "rows 101–123 of 123" in last
    assert "next" not in last
    assert "behind the last of 123" in palimp("list", "--page", "4", code=1).stderr
    assert "rows 1–74 of 123; next: palimp list --limit 74 --page 2" in palimp("list", "--limit", "74").stderr
    assert len(json.loads(palimp("list", "--limit", "110", "--json").stdout)["memories"]) == 110


def test_pages_hold_every_memory_of_a_store_that_says_the_same_many_times(env, daemon, project, palimp):
    """Versions before saved a text again; the pages stay the same parts of one list, whatever they leave out."""
    daemon.stop()
    store = open_store(Path(database_path(env)), "auto")
    there = RequestContexts(store)
    for text in [*(f"Note of lamp {number}." for number in range(40)), *["It is said again."] * 30, "The last one."]:
        context, memory = there(os.path.realpath(project)), draft(Redactor(), SaveMemory(text=text))
        row = ensure_project(store, context.caller, context.now_ms)
        seq, _ = insert(store, new_memory(context, row, memory), context.random)
        insert_signatures(store, [(seq, memory.entries)])
    store.connection.close()
    daemon.start()
    pages = [palimp("list", "--limit", "20", "--page", page) for page in "1234"]
    for first, page in zip((1, 21, 41, 61), pages, strict=True):
        assert f"rows {first}–{min(first + 19, 71)} of 71" in page.stderr
    seen = [line for page in pages for line in titles(page.stdout)]
    assert [line for line in seen if "lamp" in line] == [f"Note of lamp {number}." for number in reversed(range(40))]
    assert "18 more that say exactly the same" in pages[0].stderr
    assert "behind the last of 71" in palimp("list", "--limit", "20", "--page", "5", code=1).stderr


def test_a_span_of_time_is_a_day_or_how_long_ago_or_in_words(palimp, imported):
    """For lists and for searches."""
    found = titles(palimp("list", "--since", "2026-01-11", "--until", "2026-01-21").stdout)
    assert found == [f"Note of day {number}" for number in reversed(range(10, 20))]
    found = titles(palimp("search", "known", "--since", "2026-01-11T00:00+00:00", "--until", "2026-01-12").stdout)
    assert found == ["Note of day 10"]
    assert palimp("list", "--since", "yesterday", code=1).stdout.startswith("No memory matches")
    for wrong in ("yesterday's retries", "31-12-2026", "9999-99-99"):
        refused = palimp("list", "--since", wrong, code=2).stderr
        assert "no time that is understood" in refused
        assert "7d" in refused


def test_numbers_out_of_bounds_are_a_sentence_in_the_words_of_the_command(palimp):
    """Not in those of a decoder."""
    assert "--limit must be between 1 and 50 (got 74)." in palimp("search", "x", "--limit", "74", code=2).stderr
    assert "--limit must be between 1 and 1,000,000 (got 0)." in palimp("list", "--limit", "0", code=2).stderr
    assert "--limit must be a whole number (got 'x')." in palimp("search", "x", "--limit", "x", code=2).stderr
    assert "--limit must be between 1 and 200 (got 201)." in palimp("sessions", "--limit", "201", code=2).stderr
    assert "--tokens must be between 200 and 8,000 (got 5)." in palimp("summarize", "--tokens", "5", code=2).stderr


def test_tags_are_counted(palimp, imported):
    """The most frequent first; without purged memories."""
    assert palimp("tags").stdout == "odd\t62 memories\neven\t61 memories\n"
    assert json.loads(palimp("tags", "--json", "--limit", "1").stdout) == {
        "tags": [{"tag": "odd", "count": 62}],
        "total": 2,
    }
    assert palimp("tags", "--global", code=1).stdout.startswith("No memory here has a tag")


def test_a_search_finds_documents_and_says_what_they_are(palimp):
    """Behind the memories; a kind of memory narrows it to these."""
    assert palimp("search", "rate limits", code=1).stdout.startswith("No memory matches")
    palimp("docs", "add", "guide", "-", said="# A guide\n\nThe rate limits.\n")
    assert palimp("search", "rate limits").stdout.split("\t")[2:] == ["doc", "A guide", "The rate limits.\n"]
    assert palimp("search", "rate limits", "--kind", "decision", code=1).stdout.startswith("No memory matches")


MEANT = {"serch": "search", "lst": "list", "remember": "add", "ls": "list", "status": "health", "dcos": "docs"}


def test_a_command_that_is_none_is_answered_with_what_was_meant(palimp):
    """By how it is written, or by how others call it."""
    for typed, meant in MEANT.items():
        assert f"Did you mean {meant}" in palimp(typed, "x", code=2).stderr


def test_an_option_or_a_value_that_is_none_is_answered_with_what_was_meant(palimp):
    """Of that command."""
    assert "Did you mean --limit?" in palimp("list", "--limt", "3", code=2).stderr
    assert "Did you mean decision?" in palimp("list", "--kind", "decison", code=2).stderr
    assert "Did you mean log?" in palimp("changes", "lgo", code=2).stderr
    for group in ("docs", "changes", "config", "http", "mcp"):
        said = palimp(group, code=2).stderr
        assert "needs one of the commands above" in said
        assert f"palimp {group} [-h]" in said


def test_nothing_known_is_a_sentence(palimp):
    """For what a session would be given, too."""
    assert "This project has no memories yet" in palimp("context", code=1).stderr
