"""Ids lead to the page as long as it is served, as its file says, and nowhere else."""

import json
import re
import time
from pathlib import Path

import pytest

from palimp_protocol.env.page_address import UNUSED_S, key_of
from palimp_protocol.messages.caller import Caller, ProjectRef
from palimp_shim.cli.page_links import link_of, links_in, note_asked, with_links

SHOP = Caller(ProjectRef("/work/shop", "shop"))


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"PALIMP_HOME": str(tmp_path)}


def serve(env: dict[str, str], content: object) -> None:
    Path(env["PALIMP_HOME"], "page.json").write_text(content if isinstance(content, str) else json.dumps(content))


A_DAY_S = 86_400
"""Ahead of any clock here: what is collected may be tried minutes later."""


def used(seconds_ago: float = 0, port: object = 4711) -> dict[str, object]:
    return {"port": port, "used_at": int((time.time() - seconds_ago) * 1000), "browsers": []}


@pytest.mark.parametrize(
    ("column", "text", "path"),
    [
        ("id", "m3x7", "memory/m3x7"),
        ("id", "h12", "removed/h12"),
        ("session", "a b/c", "sessions?session=a%20b%2Fc"),
    ],
)
def test_each_leads_to_its_own_page(env: dict[str, str], column: str, text: str, path: str):
    serve(env, used())
    note_asked(env, SHOP)
    assert link_of(column, text) == f"http://127.0.0.1:4711/p/{key_of('/work/shop')}/{path}"
    note_asked(env, Caller())
    assert link_of(column, text) == f"http://127.0.0.1:4711/p/global/{path}"


@pytest.mark.parametrize(("column", "text"), [("id", "act12"), ("id", "../x"), ("kind", "m3x7")])
def test_what_has_no_page_is_no_link(env: dict[str, str], column: str, text: str):
    serve(env, used())
    note_asked(env, SHOP)
    assert link_of(column, text) == ""


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", used(UNUSED_S + 1), used(-A_DAY_S), used(port=0), used(port="1"), used(port=70_000)]
)
def test_a_file_that_says_nothing_of_use_says_that_none_is_served(env: dict[str, str], content: object):
    serve(env, content)
    note_asked(env, SHOP)
    assert link_of("id", "m3x7") == ""


def test_without_a_file_none_is_served(env: dict[str, str]):
    note_asked(env, SHOP)
    assert link_of("id", "m3x7") == ""


@pytest.mark.parametrize(
    ("line", "ids"),
    [
        ("m1rv7je2  2026-11-30  note: It replaces m1rv9abcd, says m1rv9abcd.", ["m1rv7je2", "m1rv9abcd", "m1rv9abcd"]),
        ("machines and mistakes are memories; m1rv is short, x-m1rv7je2 and m1rv7je2_ are other names", []),
        ("2026-11-30 02:43  removed-code  h12        client.py", ["h12"]),
        ("h12  client.py:7", ["h12"]),
        ("We encode with h264 and h265.", []),
    ],
)
def test_ids_in_a_line_are_links_and_words_are_not(env: dict[str, str], line: str, ids: list[str]):
    serve(env, used())
    note_asked(env, SHOP)
    found = [line[start:end] for start, end, _ in links_in(line)]
    assert found == ids
    assert with_links(line).count("\x1b]8;;http://127.0.0.1:4711/") == len(ids)
    assert re.sub("\x1b]8;;[^\x1b]*\x1b\\\\", "", with_links(line)) == line


def test_no_id_is_a_link_where_no_page_is_served(env: dict[str, str]):
    note_asked(env, SHOP)
    assert with_links("m1rv7je2  note") == "m1rv7je2  note"
