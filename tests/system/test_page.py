"""The page: a way in for its user alone, memories to look at and to change, and nothing that cannot be taken back."""

import html
import json
import os
import re
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from html.parser import HTMLParser
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from urllib.parse import urlencode

import pytest
from claude_hooks import Agent
from conversation_services import transcript
from daemon_asking import ask, ask_in_session
from page_browser import FORM, HIDDEN, Answer, PageBrowser
from repositories import Repository
from retry_helper import RETRY
from running_daemon import wait_until
from terminals import on_terminal

from palimp_daemon.web.live_updates import STREAMS_MAX
from palimp_protocol import __version__
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.caller import SessionRef
from palimp_protocol.messages.rule_messages import Check

PALIMP = [sys.executable, "-m", "palimp_shim.__main__"]

HOSTILE = (
    "<script>alert(1)</script>",
    '"><img src=x onerror=alert(1)>',
    "' onmouseover='alert(1)",
    "</textarea></title></style><svg/onload=alert(1)>",
    "javascript:alert(1)//{{7*7}}${7*7}{% raw %}",
    "[a](javascript:alert(1)) ![b](https://evil.example/x.png) <https://evil.example>",
    "&lt;script&gt;alert(1)&lt;/script&gt;",
    "<!--<script>--><plaintext><base href=//evil.example>",
    "\u202egnp.exe\u202c \u2066x\u2069 \u200b\u200d\ufeff\x1b[31mred\x07",
    "\u0000\ud83d lone",
    "A" * 9_000,
    "e\u0301" + "\u0301" * 500,
    "%0d%0aSet-Cookie: a=b",
)


SCRIPTS = ("htmx/hx-sse.min.js", "live.js", "inbox.js")
HTMX = [("src", "/static/htmx/htmx.min.js")]


class Elements(HTMLParser):
    """Looks at each element as a browser does: none runs anything or leads elsewhere."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "script":
            assert attrs in [HTMX, *([("src", f"/static/{name}"), ("defer", None)] for name in SCRIPTS)]
        assert tag != "svg" or dict(attrs)["role"] == "img", "a picture that the server did not draw"
        assert tag not in {"img", "base", "plaintext", "style", "iframe", "object", "xmp"}
        for name, value in attrs:
            assert not name.startswith("on")
            assert name != "style"
            if name.startswith("hx-"):
                assert not re.search(r"hx-on|js:|javascript:|\[", name + (value or ""))
            if name in ("href", "src", "action", "formaction"):
                assert (value or "").startswith(("/", "?", "#"))
                assert not (value or "").startswith("//")


@pytest.fixture
def browser(daemon, env, project) -> PageBrowser:
    """A browser that was let in."""
    return PageBrowser(env, project)


def save(env: dict[str, str], project: Path, text: str, **more: object) -> str:
    return ask(env, project, "save_memory", text=text, **more).id


def content_of(env: dict[str, str], project: Path, id_: str) -> str:
    return ask(env, project, "recall", ids=[id_], detail="full").memories[0].content


def test_nothing_of_it_is_loaded_before_it_is_asked_for(daemon, env, project):
    """Neither its modules nor a port: a daemon that nobody looks at costs what it did."""

    def loaded() -> set[str]:
        maps = Path(f"/proc/{daemon.pid}/maps").read_text()
        return set(re.findall(r"site-packages/(markupsafe|pydantic_core)/", maps))

    script = "import palimp_daemon.server.app, sys; print(*sys.modules)"
    names = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout.split()
    rooms = ("starlette", "jinja2", "hypercorn", "palimp_daemon.web", "palimp_daemon.runtime.http_serving")
    assert [name for name in names if name.startswith(rooms)] == []
    assert loaded() == set()

    PageBrowser(env, project)

    assert loaded() == {"markupsafe"}  # and not the SDK


def test_the_way_in_is_good_once_and_leads_to_the_project(browser: PageBrowser):
    """The cookie is for the page alone, no script reads it, and the token is in no address afterwards."""
    again = browser.get(browser.way_in)

    assert again.status == 401
    assert "palimp page" in again.text
    assert "What holds now" in browser.get(browser.first).text
    assert browser.way_in.rpartition("/")[2] not in browser.first


def test_the_cookie_is_http_only_and_strict_and_answers_are_guarded(daemon, env, project):
    browser = PageBrowser(env, project)
    browser.cookie = ""  # another browser
    address = ask(env, project, "page")
    let_in = browser.get("/" + address.url.removeprefix(address.page))
    browser.cookie = let_in.headers["set-cookie"].partition(";")[0]
    page = browser.get(browser.first)

    parts = {part.strip().lower() for part in let_in.headers["set-cookie"].split(";")[1:]}
    assert {"httponly", "samesite=strict", "path=/"} <= parts
    assert let_in.headers["referrer-policy"] == "no-referrer"
    for answer in (let_in, page, browser.get("/nothing")):
        assert "default-src 'none'" in answer.headers["content-security-policy"]
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["cache-control"] == "no-store"


def test_another_server_that_got_the_cookie_has_nothing_of_it(browser: PageBrowser, env, project):
    """Browsers send cookies of 127.0.0.1 to every port; what a page of that port makes them ask is refused."""
    id_ = save(env, project, "Secret plans.")
    got: list[str] = []

    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            got.append(self.headers["Cookie"])
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=server.handle_request).start()
    other = f"127.0.0.1:{server.server_port}"
    victim = PageBrowser.__new__(PageBrowser)
    victim.port, victim.host, victim.cookie = server.server_port, other, browser.cookie
    victim.get("/")
    server.server_close()

    assert got == [browser.cookie]
    form = browser.get(f"{browser.first}memory/{id_}").form("/purge")
    for site, origin in (("same-site", f"http://{other}"), ("cross-site", "null"), ("", f"http://{other}"), ("", "")):
        headers = {"Sec-Fetch-Site": site, "Origin": origin, "Content-Type": "application/x-www-form-urlencoded"}
        sent = {name: value for name, value in headers.items() if value}
        assert browser.send("GET", browser.first, None, sent).status == 403
        assert browser.send("POST", form[0], "form_token=x", sent).status == 403
    assert browser.post(form[0], {**form[1], "form_token": "guessed"}).status == 403
    assert content_of(env, project, id_) == "Secret plans."


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be somebody else")
def test_another_user_gets_nothing_also_with_the_cookie(browser: PageBrowser):
    """Not a byte: the connection is closed."""
    script = (
        "import os, socket, sys; 'x'.encode('idna'); uid = int(sys.argv[3]); os.setgid(uid); os.setuid(uid)\n"
        "s = socket.create_connection(('127.0.0.1', int(sys.argv[1])));"
        "s.sendall(sys.argv[2].encode());"
        "data = b''\n"
        "try:\n  data = s.recv(1000)\nexcept ConnectionError:\n  pass\nprint(data)"
    )
    request = (
        f"GET {browser.first} HTTP/1.1\r\nHost: {browser.host}\r\nCookie: {browser.cookie}\r\nSec-Fetch-Site: none"
    )
    command = [sys.executable, "-c", script, str(browser.port), f"{request}\r\n\r\n"]

    same = subprocess.run([*command, "0"], capture_output=True, text=True, check=True)
    other = subprocess.run([*command, "65534"], capture_output=True, text=True, check=True)

    assert "200" in same.stdout
    assert other.stdout == "b''\n"


def test_connections_that_are_over_take_no_place(browser: PageBrowser):
    """More than are served at once, one after the other."""
    assert {browser.get("/static/page.css").status for _ in range(100)} == {200}


def test_what_is_stored_is_shown_as_text_wherever_it_stands(browser: PageBrowser, env, project):
    """As text, title, tag: in rows, on its own page, in the form, in the question before an erasure, in the history."""
    shown = []
    for text in HOSTILE:
        clean = text.encode("utf-8", "replace").decode().replace("\0", "")
        tag = "".join(clean.split())[:50] or "t"
        id_ = save(env, project, clean, title=clean[:150], tags=[tag])
        pages = ["", f"memory/{id_}", f"memory/{id_}/edit", f"memory/{id_}/erase", "history"]
        shown += [browser.get(browser.first + page) for page in pages]

    for page in shown:
        assert page.status == 200
        Elements().feed(page.text)
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b\u200b]", page.text)


def test_an_edit_is_a_version_that_undo_takes_back(browser: PageBrowser, env, project):
    id_ = save(env, project, "We deploy on Tuesdays.", tags=["deploy"])
    where, hidden = browser.get(f"{browser.first}memory/{id_}/edit").form("/edit")

    edited = browser.follow(browser.post(where, {**hidden, "text": "We deploy on\r\nFridays.", "tags": "deploy ci"}))

    newer = re.search(r"palimp show (\w+)", edited.text)
    assert newer
    assert content_of(env, project, newer[1]) == "We deploy on\nFridays."
    assert f"/memory/{id_}" in edited.text
    assert ask(env, project, "acts").acts[0].kind == "edit"
    assert ask(env, project, "acts").acts[0].author == "user"

    where, hidden = edited.form("/undo")
    undone = browser.follow(browser.post(where, hidden))
    assert "Undone." in undone.text
    assert not ask(env, project, "recall", ids=[id_]).memories[0].superseded_by


def test_a_form_that_is_sent_twice_changes_nothing_twice(browser: PageBrowser, env, project):
    id_ = save(env, project, "We deploy on Tuesdays.")
    where, hidden = browser.get(f"{browser.first}memory/{id_}/edit").form("/edit")
    fields = {**hidden, "text": "We deploy on Fridays.", "tags": ""}

    first, second = browser.post(where, fields), browser.post(where, fields)

    assert (first.status, second.status) == (303, 303)
    assert [act.kind for act in ask(env, project, "acts").acts] == ["edit", "save"]


def test_the_second_of_two_tabs_is_shown_the_first_one_s_version(browser: PageBrowser, env, project):
    """And its text, which then becomes a version after that."""
    id_ = save(env, project, "We deploy on Tuesdays.")
    first, second = [browser.get(f"{browser.first}memory/{id_}/edit").form("/edit") for _ in range(2)]
    browser.post(first[0], {**first[1], "text": "We deploy on Fridays."})

    late = browser.post(second[0], {**second[1], "text": "We deploy on Mondays."})

    assert "Somebody was quicker" in late.text
    assert "We deploy on Fridays." in late.text
    assert "We deploy on Mondays." in late.text
    where, hidden = late.form("/edit")
    assert "Kept as a new version" in browser.follow(browser.post(where, {**hidden, "text": "On Mondays."})).text


@pytest.mark.parametrize("action", ["pin", "mute", "purge"])
def test_each_button_says_what_it_did_and_offers_undo(browser: PageBrowser, env, project, action: str):
    id_ = save(env, project, "We deploy on Tuesdays.")
    page = f"{browser.first}memory/{id_}"
    where, hidden = browser.get(page).form(f"/{action}")

    done = browser.follow(browser.post(where, hidden))
    taken_back = browser.follow(browser.post(*done.form("/undo")))

    assert 'role="status"' in done.text
    assert "Undone." in taken_back.text
    assert f'/{action}"' in browser.get(page).text  # it can be done again


def test_an_erasure_shows_what_goes_and_asks(browser: PageBrowser, env, project):
    id_ = save(env, project, "A name that must go.")
    asked = browser.get(f"{browser.first}memory/{id_}/erase")
    assert "A name that must go." in asked.text
    assert content_of(env, project, id_)

    done = browser.follow(browser.post(*asked.form("/erase")))

    assert "Erased for good." in done.text
    assert ask(env, project, "recall", ids=[id_]).unknown


def test_what_is_asked_for_and_is_not_there_is_said(browser: PageBrowser):
    """In words, with the way back; and a body that is too long is not read to its end."""
    for path in ("/nothing", "/p/0123/", f"{browser.first}memory/zzz", f"{browser.first}?kind=nonsense"):
        answer = browser.get(path)
        assert answer.status in (400, 404)
        assert "That did not work" in answer.text
        assert (f'href="{browser.first}"' in answer.text) == path.startswith(browser.first)
    assert browser.post(f"{browser.first}undo", {"form_token": "x" * 300_000}).status == 413


def test_every_page_opens_where_everything_is(browser: PageBrowser, env, project):
    """A rule, a pin, a mute, a version, proposals, a session: each template meets what it shows."""
    rule = save(env, project, "Never use npm here, always pnpm.", kind="preference")
    first = save(env, project, "Deploys are on Tuesdays.", kind="decision", tags=["deploy"])
    muted = save(env, project, "The old deploy script is slow.")
    edited = ask(env, project, "edit", id=first, text="Deploys are on Fridays.").id
    ask(env, project, "pin", ids=[edited])
    ask(env, project, "mute", ids=[muted])
    session = SessionRef("s-1", "claude-code")
    ask_in_session(session, env, project, "save_memory", text="Deploys need two people.")
    assert Agent(env, project, "s-2").start()
    ask(env, project, "capture", text="User: We always deploy from the main branch, never from a laptop.\n")
    [proposal] = ask(env, project, "review").proposals

    pages = {
        "": (
            "Deploys are on Fridays",
            "claude-code",
            "Pinned: every session",
            "Standing rules",
            "1 earlier",
            "1 waits for your yes",
        ),
        "?kind=decision": ("Deploys are on Fridays",),
        "?tag=deploy&from=0": ("Deploys are on Fridays",),
        "search": ("Ask as you would ask",),
        "search?q=deploys+people": ("<mark>Deploys</mark>", "Why it stands here", "for words"),
        "search?q=unicorns": ("No memory answers this",),
        "search?q=deploys&since=nonsense": ('role="alert"',),
        "inbox": ("never from a laptop",),
        "sessions": ("Deploys need two people", "claude-code"),
        "sessions?session=s-1": ("Deploys need two people", "s-1"),
        "rules": ("Never use npm here", "do not run <code>npm</code>", "kept 0"),
        "removed": ("No removed code is known here",),
        "documents": ("no documents yet",),
        "health": ("palimp works",),
        "team": ("it is in no team", "palimp team create"),
        "settings": ("page.port", "palimp config set search.semantic"),
        "about": ("A path, symbol",),
        "about?name=deploys": ("About",),
        "about?name=%3Cscript%3E": ("&lt;script&gt;",),
        "about?name=unicorns": ("No memory that holds names it",),
        "history": ("edited", "pinned", "muted", "captured"),
        f"memory/{rule}": ("Never use npm here",),
        f"memory/{edited}": ("Versions and links", "Unpin", "sessions?session=s-2", "at its start", "pinned"),
        f"memory/{muted}": ("Unmute", "None was given it unasked"),
        f"memory/{proposal.id}": ("proposal", "The words it rests on"),
    }
    for path, shown in pages.items():
        page = browser.get(browser.first + path)
        assert page.status == 200, path
        assert [each for each in shown if each not in page.text] == [], path
        Elements().feed(page.text)


def test_what_happens_at_a_breach_is_set_and_undone(browser: PageBrowser, env, project):
    ask(env, project, "mend_rule", text="No npm.", checks=[Check(sort="command", commands=("npm",))])
    where, hidden = browser.get(f"{browser.first}rules").form("/refuse")

    done = browser.follow(browser.post(where, hidden))

    assert "refused once" in done.text
    assert [each.at_breach for each in ask(env, project, "rules").rules] == ["refuse"]
    where, hidden = done.form("/undo")
    browser.follow(browser.post(where, hidden))
    assert [each.at_breach for each in ask(env, project, "rules").rules] == ["remind"]
    assert browser.post(f"{browser.first}rules/m1/burn", hidden).status == 404


def test_a_form_that_names_no_act_undoes_nothing(browser: PageBrowser, env, project):
    id_ = save(env, project, "We deploy on Tuesdays.")
    _, hidden = browser.get(f"{browser.first}memory/{id_}/edit").form("/edit")
    assert browser.post(f"{browser.first}undo", {"form_token": hidden["form_token"]}).status == 400
    assert content_of(env, project, id_) == "We deploy on Tuesdays."


def test_a_text_that_was_corrected_and_sent_again_is_another_change(browser: PageBrowser, env, project):
    """Whether a form is sent twice is told by all that was typed."""
    id_ = save(env, project, "We deploy on Tuesdays.")
    where, hidden = browser.get(f"{browser.first}memory/{id_}/edit").form("/edit")
    first = browser.post(where, {**hidden, "text": "We deploy on Fridays."})
    again = browser.post(where, {**hidden, "text": "We deploy on Fridays, at noon."})
    same = browser.post(where, {**hidden, "text": "We deploy on Fridays."})
    assert (first.status, same.status) == (303, 303)
    assert again.status in (400, 409)
    assert "Somebody was quicker" in again.text
    assert "at noon" in again.text


def test_a_second_way_in_keeps_the_forms_of_the_first_tab(browser: PageBrowser, env, project):
    id_ = save(env, project, "We deploy on Tuesdays.")
    where, hidden = browser.get(f"{browser.first}memory/{id_}/edit").form("/edit")
    address = ask(env, project, "page")
    assert browser.get("/" + address.url.removeprefix(address.page)).status == 303
    assert browser.post(where, {**hidden, "text": "We deploy on Fridays."}).status == 303


def test_what_was_typed_is_given_back_where_nobody_is_let_in_any_more(browser: PageBrowser, env, project):
    """The daemon was started anew while somebody wrote."""
    id_ = save(env, project, "We deploy on Tuesdays.")
    where, hidden = browser.get(f"{browser.first}memory/{id_}/edit").form("/edit")
    browser.cookie = ""
    late = browser.post(where, {**hidden, "text": "Fridays <b>\u202e é 🎉"})
    assert late.status == 401
    assert "Fridays &lt;b&gt;" in late.text
    Elements().feed(late.text)


def test_what_does_not_hold_takes_no_place_from_what_does(browser: PageBrowser, env, project):
    save(env, project, "We deploy on Tuesdays.")
    kept = save(env, project, "Retries are three.")
    for number in range(52):
        kept = ask(env, project, "edit", id=kept, text=f"Retries are {number + 4}.").id
    first = browser.get(browser.first).text
    assert "We deploy on Tuesdays" in first
    assert "52 earlier" in first
    assert "Nothing more holds here" in browser.get(f"{browser.first}?from=500").text


def test_the_form_of_a_memory_that_was_replaced_is_that_of_the_newest(browser: PageBrowser, env, project):
    old = save(env, project, "Retries are three.")
    newer = ask(env, project, "edit", id=old, text="Retries are four.").id
    newest = ask(env, project, "edit", id=newer, text="Retries are five.").id
    shown = browser.follow(browser.get(f"{browser.first}memory/{old}/edit"))
    assert shown.form("/edit")[0].endswith(f"/memory/{newest}/edit")
    assert "Retries are five" in shown.text


def test_a_port_that_is_taken_leaves_the_page_where_it_is(browser: PageBrowser, env, project):
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    with pytest.raises(PalimpError, match="cannot be used"):
        ask(env, project, "page", port=server.server_port)
    server.server_close()
    assert browser.get(browser.first).status == 200


def test_removed_code_is_shown_with_its_reason_and_watched_for_no_more(browser: PageBrowser, env, project):
    repository = Repository(project)
    repository.commit("Retry", client_py=RETRY)
    repository.commit("Drop retries: <script>alert(1)</script> hides outages", client_py="x = 1\n")
    subprocess.run([*PALIMP, "changes", "import"], env=env, cwd=project, check=True, capture_output=True)
    listed = browser.get(f"{browser.first}removed?path=client")
    Elements().feed(listed.text)
    [number] = {*re.findall(r"/removed/(h\d+)", listed.text)}

    shown = browser.get(f"{browser.first}removed/{number}")

    Elements().feed(shown.text)
    assert "hides outages" in shown.text
    assert "<del>-def " in shown.text
    where, hidden = shown.form("/dismiss")
    dismissed = browser.follow(browser.post(where, hidden))
    where, hidden = dismissed.form("/watch")
    assert "Watched for again" in browser.follow(browser.post(where, hidden)).text
    assert browser.get(f"{browser.first}removed/h999").status in (400, 404)


def test_a_document_is_rendered_and_nothing_in_it_runs_or_leads_elsewhere(browser: PageBrowser, env, project):
    text = "# Limits\n\n| a | b |\n|---|---|\n| *sixty* | requests |\n\n" + "\n\n".join(HOSTILE)
    text = text.encode("utf-8", "replace").decode().replace("\0", "")
    ask(env, project, "add_doc", slug="limits", title="Limits <b>", content=text)
    ask(env, project, "edit_doc", slug="limits", content=f"{text}\n\nMore.")

    assert "Limits &lt;b&gt;" in browser.get(f"{browser.first}documents").text
    page = browser.get(f"{browser.first}documents/limits")
    Elements().feed(page.text)
    assert "<em>sixty</em>" in page.text
    assert "palimp docs restore limits" in page.text
    assert browser.get(f"{browser.first}documents/limits?page=99").status in (200, 400)
    assert browser.get(f"{browser.first}documents/none").status in (400, 404)


def test_a_conversation_is_read_slice_by_slice_and_found_in_a_search(browser: PageBrowser, env, project):
    """What was said is anybody's text, too."""
    spoken = [each.replace("\0", "").encode("utf-8", "replace").decode() for each in HOSTILE]
    said = transcript(*spoken, *(f"We count quokka {number}." for number in range(60 - len(spoken))))
    command = [*PALIMP, "capture", "-"]
    subprocess.run(command, env=env, cwd=project, input=said, capture_output=True, text=True, check=False)
    [session] = {each.session for each in ask(env, project, "recall", kind="conversation", detail="full").memories}

    first = browser.get(f"{browser.first}conversation?session={session}")

    Elements().feed(first.text)
    assert "1 to 50 of" in first.text
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in first.text
    assert "from=51" in first.text
    assert "quokka" in browser.get(f"{browser.first}conversation?session={session}&from=51").text
    found = browser.get(f"{browser.first}search?q=quokka+{59 - len(spoken)}&kind=conversation").text
    [where] = {*re.findall(r'href="(/p/[^"]*/conversation[^"#]*)', found)[:1]}
    assert "51 to" in browser.get(html.unescape(where)).text
    assert browser.get(f"{browser.first}conversation?session=zzz").status == 404
    assert browser.get(f"{browser.first}conversation").status == 400


@pytest.mark.parametrize(("answer", "is_kept"), [("keep", True), ("drop", False)])
def test_a_proposal_is_kept_or_dropped_and_that_is_undone(
    browser: PageBrowser, env, project, answer: str, is_kept: bool
):
    ask(env, project, "capture", text="User: We always deploy from the main branch, never from a laptop.\n")
    [proposal] = ask(env, project, "review").proposals
    form = browser.get(f"{browser.first}inbox").form(f"/{answer}")

    done = browser.follow(browser.post(*form))

    assert "Nothing waits." in done.text
    assert bool(ask(env, project, "recall", ids=[proposal.id]).memories) == is_kept
    assert "Undone." in browser.follow(browser.post(*done.form("/undo"))).text
    assert [each.id for each in ask(env, project, "review").proposals] == [proposal.id]


def test_all_projects_are_searched_at_once_each_under_its_name(browser: PageBrowser, env, project):
    (other := project.parent / "other").mkdir()
    save(env, project, "Deploys are on Tuesdays.")
    save(env, other, "Deploys are by hand: <script>alert(1)</script>")
    ask(env, project, "save_memory", text="Deploys need two people everywhere.", scope="global")

    found = browser.get("/?q=deploys").text

    Elements().feed(found)
    assert [
        name for name in ("project", "other", "for all projects") if f"<h2><bdi>{name}</bdi></h2>" not in found
    ] == []
    assert found.count("<mark>Deploys</mark>") == 3
    assert "No memory of any project" in browser.get("/?q=unicorns").text
    assert "/?q=deploys" in browser.get(f"{browser.first}search?q=deploys").text


def test_memories_are_narrowed_to_a_client_and_an_author_in_the_list_and_in_a_search(
    browser: PageBrowser, env, project
):
    save(env, project, "Deploys are on Tuesdays.")
    said = "Deploys need two people who are awake."
    ask_in_session(SessionRef("s-1", "claude-code"), env, project, "save_memory", text=said)

    for path in ("?client=Claude-Code", "search?q=deploys&client=claude-code"):
        shown = browser.get(browser.first + path).text
        assert "need two people" in re.sub("</?mark>", "", shown)
        assert "on Tuesdays" not in re.sub("</?mark>", "", shown)
    for path in ("?author=ana", "search?q=deploys&author=ana", "?client=codex"):
        assert "two people" not in re.sub("</?mark>", "", browser.get(browser.first + path).text)
    assert "not for kind doc" in browser.get(f"{browser.first}search?q=deploys&kind=doc&client=codex").text


def test_what_is_new_since_the_last_look_stays_marked_for_a_whole_visit(browser: PageBrowser, env, project):
    """Which is as long as the browser is let in: the next time, what was seen is not new."""
    save(env, project, "Deploys are on Tuesdays.")
    first = browser.get(browser.first)
    looked = first.headers["set-cookie"].partition(";")[0]
    assert first.headers["set-cookie"].count("HttpOnly") == 1
    assert ">new<" not in first.text  # nobody looked before: all would be
    ask_in_session(SessionRef("s-1", "claude-code"), env, project, "save_memory", text="Deploys need two people.")
    later = PageBrowser(env, project)
    later.cookie += f"; {looked}"

    for _ in range(2):
        now = later.get(later.first)
        assert "1 on this page is new since" in now.text
        assert now.text.count(">new<") == 1
        assert later.get(f"{later.first}sessions").text.count(">new<") == 1


def test_projects_are_chosen_from_a_list_and_one_that_is_off_says_so(browser: PageBrowser, env, project):
    save(env, project, "We deploy on Tuesdays.")
    ask(env, project, "switch", on=False)

    chooser = browser.get("/").text

    assert html.escape(str(project)) in chooser
    assert "agents get nothing of it" in chooser
    assert "palimp is off for this project" in browser.get(browser.first).text
    ask(env, project, "switch", on=True)
    assert "palimp is off for this project" not in browser.get(browser.first).text
    assert browser.get("/p/global/").status == 200


def test_the_command_prints_an_address_that_works_and_keeps_the_port(daemon, env, project):
    def page(*more: str) -> dict[str, str]:
        command = [*PALIMP, "page", "--json", *more]
        done = subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=True)
        return json.loads(done.stdout)

    first, second = page(), page()
    kept = ask(env, project, "config", key="page.port").settings[0].value

    assert first["page"] == second["page"] == f"http://127.0.0.1:{kept}/"
    assert first["url"] != second["url"]
    printed = subprocess.run(
        [*PALIMP, "page", "--print"], env=env, cwd=project, capture_output=True, text=True, check=True
    )
    assert printed.stdout.startswith(f"{first['page']}in/")


def test_a_memory_that_is_printed_can_be_opened_there_instead(daemon, env, project):
    id_ = save(env, project, "We deploy on Tuesdays.")
    screenless = {name: value for name, value in env.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
    opened = subprocess.run(
        [*PALIMP, "show", id_, "--open"], env=screenless, cwd=project, check=True, capture_output=True, text=True
    )
    assert re.fullmatch(r"http://127\.0\.0\.1:\d+/in/\S+\n", opened.stdout)
    assert "once" in opened.stderr


@pytest.mark.parametrize("arguments", [("page", "--print"), ("show", "ID", "--open")])
def test_an_agent_s_shell_gets_no_address(daemon, env, project, arguments: tuple[str, ...]):
    """What is done on the page counts as a person's: it would be a yes that nobody said."""
    id_ = save(env, project, "We deploy on Tuesdays.")
    done = subprocess.run(
        [*PALIMP, *(id_ if each == "ID" else each for each in arguments)],
        env=env | {"CLAUDECODE": "1"},
        cwd=project,
        capture_output=True,
        text=True,
        check=False,
    )

    assert done.returncode != 0
    assert done.stdout == ""
    assert "Only a person" in done.stderr
    with pytest.raises(PalimpError, match="session gets no address"):
        ask_in_session(SessionRef("s-1", "claude-code"), env, project, "page")


def test_a_port_that_is_taken_is_said(daemon, env, project):
    server = HTTPServer(("127.0.0.1", 0), BaseHTTPRequestHandler)
    command = [*PALIMP, "page", "--print", "--port", str(server.server_port)]

    done = subprocess.run(command, env=env, cwd=project, capture_output=True, text=True, check=False)
    server.server_close()

    assert done.returncode != 0
    assert "something else listens there" in done.stderr
    assert PageBrowser(env, project).first  # another port, and the daemon lives


def seen_by(page: Answer) -> str:
    """Return the count of writes that a page was made with."""
    [seen] = re.findall(r'"/events\?seen=(\d+)"', page.text)
    return seen


def test_a_stream_tells_of_each_write_after_the_page_was_made(browser: PageBrowser, env, project):
    """What was written between the page and its stream, too; and a page that only looks writes nothing."""
    shown = [browser.first + path for path in ("", "inbox", "sessions", "rules", "history")]
    for path in shown:
        seen = seen_by(browser.get(path))  # the first time, it may note the project
    assert {seen_by(browser.get(path, **{"palimp-follows": "1"})) for path in shown} == {seen}

    save(env, project, "We deploy on Tuesdays.")
    with browser.stream(f"/events?seen={seen}") as lines:
        assert next(lines) == "event: served"
        assert next(lines).startswith(f"data: {__version__}+")
        assert next(line for line in lines if line.startswith("event: ")) == "event: written"
        save(env, project, "Retries are capped at three.")
        assert next(line for line in lines if line.startswith("event: ")) == "event: written"


def test_a_stream_is_for_who_was_let_in_and_there_are_only_so_many(browser: PageBrowser):
    with ExitStack() as streams:
        for _ in range(STREAMS_MAX):
            next(streams.enter_context(browser.stream("/events")))
        assert browser.get("/events").status == 503
    browser.cookie = ""
    assert browser.get("/events").status == 401


def test_the_team_s_page_has_what_is_held_back_and_who_was_heard_of(browser: PageBrowser, env, project, tmp_path):
    def team(*words: str) -> None:
        subprocess.run([*PALIMP, "team", *words], env=env, cwd=project, check=True, capture_output=True)

    team("create", str(tmp_path / "carried"), "--as", "laptop <b>")
    assert "No project is shared yet" in browser.get(f"{browser.first}team").text
    team("share", "--yes", "--as", "shop")
    id_ = save(env, project, "Deploys are on Tuesdays.", kind="decision")

    page = browser.get(f"{browser.first}team")

    Elements().feed(page.text)
    assert "laptop &lt;b&gt;" in page.text
    for shown in ("yours, not sent", "theirs, not applied", "nobody yet", "Held back", f"memory/{id_}"):
        assert shown in page.text


def test_a_filter_is_kept_where_another_is_added(browser: PageBrowser, env, project):
    session = SessionRef("s-1", "claude-code")
    ask_in_session(session, env, project, "save_memory", text="Deploys need two people.", tags=["deploy"])
    page = html.unescape(browser.get(f"{browser.first}?client=claude-code&kind=note").text)
    assert "kind=note&tag=deploy&client=claude-code" in page
    assert 'href="?kind=decision&client=claude-code"' in page
    assert 'href="?client=claude-code"' in page  # the kind once more takes it off


def test_a_search_shows_the_best_rows_and_more_of_them_when_asked(browser: PageBrowser, env, project):
    ids = {save(env, project, f"Invoice {number} is stored in cents.") for number in range(25)}

    best = browser.get(f"{browser.first}search?q=invoice&kind=note").text
    longer = re.search(r'rel="next" href="([^"]*)"', best)
    assert longer
    all_of_them = browser.get(f"{browser.first}search{html.unescape(longer[1])}").text

    assert [sum(each in page for each in ids) for page in (best, all_of_them)] == [20, 25]
    assert "kind=note" in longer[1]
    assert 'rel="next"' not in all_of_them


READY_S = 60
"""Until the next daemon serves the page, on a busy machine."""


def restart(env: dict[str, str], project: Path) -> None:
    """Stop the daemon, and have any command start the next one."""
    subprocess.run([*PALIMP, "stop"], env=env, cwd=project, check=True, capture_output=True)
    subprocess.run([*PALIMP, "list"], env=env, cwd=project, check=False, capture_output=True)


def answer_of_next(browser: PageBrowser) -> Answer:
    """Return the answer of the daemon that is being started."""

    def is_there() -> bool:
        with suppress(OSError):
            browser.get("/static/icon.svg")
            return True
        return False

    wait_until(is_there, READY_S)
    return browser.get(browser.first)


def test_a_page_that_was_open_goes_on_with_the_next_daemon(browser: PageBrowser, env, project):
    """With its forms; the address that opened it stays spent, and no file has what the cookie is."""
    id_ = save(env, project, "Deploys are on Fridays.")
    form = browser.get(f"{browser.first}memory/{id_}").form("/purge")
    waiting = ask(env, project, "page").url
    restart(env, project)

    assert "Deploys are on Fridays" in answer_of_next(browser).text
    said = browser.follow(browser.post(*form)).text
    assert "Purged" in said
    stranger = PageBrowser.__new__(PageBrowser)
    stranger.port, stranger.host, stranger.cookie = browser.port, browser.host, ""
    for token in (browser.way_in, "/in/" + waiting.rpartition("/")[2]):
        assert stranger.get(token).status == 401
    assert stranger.get(browser.first).status == 401
    assert browser.send("GET", browser.first, None, {"Sec-Fetch-Site": "same-site"}).status == 403
    kept = Path(env["PALIMP_HOME"], "page.json")
    assert kept.stat().st_mode & 0o777 == 0o600
    assert browser.cookie.partition("=")[2] not in kept.read_text()


def test_a_page_that_was_not_used_for_half_an_hour_does_not_come_back(browser: PageBrowser, env, project):
    subprocess.run([*PALIMP, "stop"], env=env, cwd=project, check=True, capture_output=True)
    kept = Path(env["PALIMP_HOME"], "page.json")
    known = json.loads(kept.read_text())
    kept.write_text(json.dumps(known | {"used_at": known["used_at"] - 1_800_000}))
    subprocess.run([*PALIMP, "list"], env=env, cwd=project, check=False, capture_output=True)

    assert not kept.exists()
    with pytest.raises(ConnectionRefusedError):
        browser.get(browser.first)
    again = PageBrowser(env, project)
    again.cookie = browser.cookie
    assert again.get(browser.first).status == 401


def test_ids_in_a_terminal_lead_to_the_page_while_it_is_served(browser: PageBrowser, env, project):
    """Where colours are wanted: elsewhere, and in a pipe, nothing is there but the id."""
    id_ = save(env, project, "Deploys are on Fridays.")

    shown = on_terminal(["list"], env, project, 120)[0]
    [address] = re.findall(f"\x1b]8;[^;]*;(http[^\x1b]*)\x1b\\\\\x1b\\[36m{id_}", shown)
    assert address == f"http://{browser.host}{browser.first}memory/{id_}"
    assert "Deploys are on Fridays" in browser.get(address.removeprefix(f"http://{browser.host}")).text
    for plain in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert "]8;" not in on_terminal(["list"], env | plain, project, 120)[0]
    piped = subprocess.run([*PALIMP, "list"], env=env, cwd=project, capture_output=True, check=True)
    assert b"]8;" not in piped.stdout

    Path(env["PALIMP_HOME"], "page.json").unlink()  # as when it closes
    assert "]8;" not in on_terminal(["list"], env, project, 120)[0]


def test_ids_outside_of_tables_are_links_too_on_a_terminal_alone(browser: PageBrowser, env, project):
    """Of whole memories, of what was done, of what waits, of a name, a digest, a session and removed code."""
    first = save(env, project, "Deploys of the cart are on Tuesdays.", kind="decision")
    session = SessionRef("s-1", "claude-code")
    newer = ask_in_session(session, env, project, "edit", id=first, text="Deploys of the cart are on Fridays.").id
    assert Agent(env, project, "s-1").start()
    ask(env, project, "capture", text="User: We always deploy from the main branch, never from a laptop.\n")
    [proposal] = [each.id for each in ask(env, project, "review").proposals]
    page = f"http://{browser.host}{browser.first}"

    for words, linked in (
        (["show", newer], {newer, first}),
        (["undo", "--list"], {newer, first}),
        (["undo", "--dry-run"], {proposal}),
        (["about", "cart"], {newer, first}),
        (["summarize"], {newer}),
        (["sessions", "s-1"], {newer}),
        (["context"], {newer}),
        (["search", "deploys of the cart"], {newer, first}),
        (["review", "--keep", proposal], {proposal}),
        (["add", "The cart is red."], set[str]()),
    ):
        shown = on_terminal(words, env, project, 100)[0]
        found = set(re.findall(f"\x1b]8;[^;]*;{re.escape(page)}memory/(m[0-9a-z]+)\x1b", shown))
        assert linked <= found or (found and not linked), (words, shown)
        plain = [*PALIMP, *(each for each in words if each != proposal)]
        piped = subprocess.run(plain, env=env, cwd=project, capture_output=True, check=False)
        assert b"\x1b]8" not in piped.stdout + piped.stderr
    assert "\x1b]8" not in on_terminal(["show", newer, "--json"], env, project, 100)[0]


def disagreement(env: dict[str, str], project: Path) -> tuple[str, str]:
    older, newer = (
        save(env, project, f"The cart of `cart/ttl.py` lives for {minutes} minutes.") for minutes in (30, 60)
    )
    ask(env, project, "supersede", older=older, newer=newer, relation="disagrees", why="one was measured")
    return older, newer


@pytest.mark.parametrize("kept", [0, 1])
def test_of_two_that_disagree_one_is_kept_and_that_is_undone(browser: PageBrowser, env, project, kept: int):
    """Whichever it is: the other one is replaced by it, in a history that takes it back."""
    ids = disagreement(env, project)
    page = browser.get(f"{browser.first}inbox")
    assert "one was measured" in page.text
    forms = [form for form in FORM.findall(page.text) if "/disputes/" in form[0]]
    [fields] = [fields for _, inner in forms if (fields := dict(HIDDEN.findall(inner))).get("kept") == ids[kept]]

    done = browser.follow(browser.post(html.unescape(forms[0][0]), fields))

    assert "Nothing waits." in done.text
    held = ask(env, project, "recall", ids=[*ids]).memories
    assert [each.superseded_by for each in held] == (["", ids[0]] if kept == 0 else [ids[1], ""])
    assert "Undone" in browser.follow(browser.post(*done.form("/undo"))).text
    assert len(ask(env, project, "review", disputes=True).disputes) == 1


def test_two_that_disagree_may_both_hold(browser: PageBrowser, env, project):
    ids = disagreement(env, project)
    page = browser.get(f"{browser.first}inbox")
    [(where, fields)] = {
        (where, tuple(HIDDEN.findall(inner)))
        for where, inner in FORM.findall(page.text)
        if "/disputes/" in where and dict(HIDDEN.findall(inner))["kept"] == ""
    }

    done = browser.follow(browser.post(html.unescape(where), dict(fields)))

    assert "Both hold" in done.text
    assert not any(each.superseded_by for each in ask(env, project, "recall", ids=[*ids]).memories)
    assert ask(env, project, "review", disputes=True).disputes == []
    browser.follow(browser.post(*done.form("/undo")))
    assert len(ask(env, project, "review", disputes=True).disputes) == 1


def test_what_disagrees_is_listed_in_a_terminal_with_what_settles_it(daemon, env, project):
    older, newer = disagreement(env, project)
    listed = subprocess.run(
        [*PALIMP, "review"], env=env, cwd=project, capture_output=True, text=True, check=True
    ).stdout
    assert f"palimp supersede {older} {newer}" in listed
    [command] = re.findall("palimp (undo link[0-9]+)", listed)
    subprocess.run([*PALIMP, *command.split()], env=env, cwd=project, check=True, capture_output=True)
    assert ask(env, project, "review", disputes=True).disputes == []


def test_what_holds_stands_under_its_subjects_or_by_time(browser: PageBrowser, env, project):
    disagreement(env, project)
    save(env, project, "Deploys are on Fridays.")

    by_subject, by_time = browser.get(browser.first).text, browser.get(f"{browser.first}?by=time").text

    assert "<bdi>cart/ttl.py</bdi></a></h3>" in by_subject
    assert by_subject.index("lives for 30") < by_subject.index("And besides") < by_subject.index("on Fridays")
    assert "</h3>" not in by_time
    assert by_time.index("on Fridays") < by_time.index("lives for 30")


def test_one_search_finds_all_four_sources(browser: PageBrowser, env, project):
    save(env, project, "Quokka counts are kept for a week.")
    ask(env, project, "add_doc", slug="quokkas", title="Quokkas", content="# Quokkas\n\nThey are counted at night.\n")
    said = transcript("How many quokka visits were there?", "Nobody counted them.")
    command = [*PALIMP, "capture", "-"]
    subprocess.run(command, env=env, cwd=project, input=said, capture_output=True, text=True, check=False)
    code = (
        "def count_quokka(visits):\n    total = 0\n    for visit in visits:\n        total += visit\n    return total\n"
    )
    repository = Repository(project)
    repository.commit("Count", quokka_py=code)
    repository.commit("Count no more", quokka_py="")
    subprocess.run([*PALIMP, "changes", "import"], env=env, cwd=project, check=True, capture_output=True)

    shown = browser.get(f"{browser.first}search?q=quokka").text

    for heading in ("From documents", "Removed code", "From conversations and commits"):
        assert f"<h2>{heading}</h2>" in shown
    for path in ("memory/m", "documents/quokkas", "removed/h", "conversation?session="):
        assert path in shown
    assert "From documents" not in browser.get(f"{browser.first}search?q=quokka&kind=note").text


def test_the_doctor_looks_when_it_is_asked_to_and_its_findings_stand_with_what_mends_them(
    browser: PageBrowser, env, project
):
    """Those of one that a person ran in a terminal, too."""
    page = browser.get(f"{browser.first}health")
    assert "It has not looked since" in page.text

    looked = browser.follow(browser.post(*page.form("/health/doctor")))

    assert "The doctor has looked." in looked.text
    assert "claude-code" in looked.text
    assert "→ Run <code>palimp install</code>." in looked.text
    assert "A memory was saved, found and purged through MCP" in looked.text
    Elements().feed(looked.text)
    run = [*PALIMP, "doctor", "--json"]
    found = json.loads(subprocess.run(run, env=env, cwd=project, capture_output=True, check=False).stdout)
    kept = ask(env, project, "diagnose").findings
    assert [(each.check, each.state, each.hint) for each in kept] == [
        (each["check"], each["state"], each["hint"]) for each in found["findings"]
    ]


def test_paths_commit_messages_and_authors_are_shown_as_text(browser: PageBrowser, env, project):
    """What git knows is anybody's, too, and so is a name."""
    repository = Repository(project)
    paths = ["<img src=x onerror=alert(1)>.py", "' onmouseover='alert(1).py", "javascript:alert(1).py", "\u202egnp.py"]
    for path in paths:
        repository.write(path, RETRY)
    repository.commit("Retry")
    for path in paths:
        (project / path).unlink()
    repository.git("config", "user.name", HOSTILE[0])
    repository.commit("\n\n".join(each.replace("\0", "").encode("utf-8", "replace").decode() for each in HOSTILE))
    subprocess.run([*PALIMP, "changes", "import"], env=env, cwd=project, check=True, capture_output=True)
    listed = browser.get(f"{browser.first}removed")
    hunks = {*re.findall(r"/removed/(h\d+)", listed.text)}
    assert len(hunks) == len(paths)
    pages = [f"removed/{hunk}" for hunk in hunks]
    pages += [f"search?q=retry&kind={kind}" for kind in ("removed-code", "commit")]
    pages += [f"search?{urlencode({'q': each, 'author': each, 'client': each})}" for each in HOSTILE[:6]]
    pages += [f"about?{urlencode({'name': path})}" for path in paths]

    for page in (listed, *(browser.get(browser.first + page) for page in pages)):
        assert page.status == 200
        Elements().feed(page.text)
        assert not re.search("[\u202a-\u202e\u2066-\u2069\x00-\x08\x1b\u200b]", page.text)
