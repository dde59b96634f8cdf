"""The templates keep what the policy says, and show no stored text but escaped and without hidden characters."""

import hashlib
import html
import re
import shlex
from pathlib import Path
from typing import get_args

import pytest

from palimp_daemon.web.page_templates import MARK, ROOM, Templates, environment
from palimp_protocol.errors import PalimpError
from palimp_protocol.messages.act_messages import DID, ActKind
from palimp_shim.cli.main import parser_for

TEMPLATES = sorted((ROOM / "templates").glob("*.html"))


HTMX = {
    *("hx-get", "hx-trigger", "hx-target", "hx-select", "hx-select-oob", "hx-swap", "hx-boost"),
    *("hx-headers", "hx-config", "hx-sse:connect"),
}
"""Attributes of htmx that the templates use."""

OWN_SCRIPT_LINES_MAX = 150


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_no_script_no_style_and_no_address_of_elsewhere_stands_in_a_template(path):
    """The policy would forbid them; here it is seen before a browser says so."""
    text = path.read_text("utf-8")
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:|https?://|hx-on|js:", text, re.IGNORECASE)
    assert not re.search(r"<script(?! src=\"/static/)", text, re.IGNORECASE)
    for name, value in re.findall(r"(hx-[\w:-]+)=\"([^\"]*)\"", text):
        assert name in HTMX, "another attribute of htmx: look whether it takes code"
        assert "[" not in value, "a filter of a trigger is code, and so are values that begin with js:"
    assert not re.search(r"\|\s*safe\b|autoescape|Markup", text)


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_each_form_that_changes_something_has_its_token_and_its_name(path):
    for form in re.findall(r"(?s)<form[^>]*method=\"post\".*?</form>", path.read_text("utf-8")):
        assert "hidden(form_token," in form


def test_what_a_template_shows_is_escaped():
    made = environment().from_string('<p title="{{ text | name }}">{{ text | line }}|{{ text | text }}</p>')
    shown = made.render(text="</p>\"'<script>\u202e\u200b\x1b[31m&amp;")
    assert "<script>" not in shown
    assert shown.count("<p") == shown.count("</p>") == 1
    assert "\u202e" not in shown
    assert "\x1b" not in shown


async def test_a_lone_surrogate_can_be_sent():
    answer = await Templates().answer(
        "problem.html",
        {"key": "", "message": None, "seen": 0, "here": "/", "problem": "a\ud800b", "hint": "\udcff"},
    )
    assert answer.status_code == 200


def test_each_kind_of_act_has_its_verb():
    assert set(DID) == set(get_args(ActKind))


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"a {MARK}<b>{MARK} c", "a <mark>&lt;b&gt;</mark> c"),
        (f"a {MARK}b", "a b"),
        (f"{MARK}</mark>{MARK}", "<mark>&lt;/mark&gt;</mark>"),
    ],
)
def test_matched_words_are_marked_and_escaped(text: str, shown: str):
    assert environment().from_string("{{ text | marked }}").render(text=text) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Run `palimp <doctor>`, then `stop`.", "Run <code>palimp &lt;doctor&gt;</code>, then <code>stop</code>."),
        ("One ` alone & nothing", "One ` alone &amp; nothing"),
        ("<b>", "&lt;b&gt;"),
    ],
)
def test_a_command_between_backticks_is_shown_as_code(text: str, shown: str):
    assert environment().from_string("{{ text | with_code }}").render(text=text) == shown


@pytest.mark.parametrize("path", TEMPLATES, ids=lambda path: path.name)
def test_each_command_that_a_page_names_can_be_typed(path):
    """But for what a value stands in."""
    for typed in re.findall(r"<(?:code|pre)>(palimp [^<]*)</", path.read_text("utf-8")):
        words = shlex.split(re.sub(r"\{\{.*?\}\}|\bDIR\b|…", "3", html.unescape(typed)))[1:]
        try:
            parser_for(words).parse_args(words)
        except PalimpError as error:
            assert "missing" in error.text or "one of the commands" in error.text, (typed, error.text)


def test_foreign_scripts_are_those_whose_checksums_and_licence_are_kept():
    folder = ROOM / "static" / "htmx"
    lines = [line.split() for line in (folder / "SHA256SUMS").read_text().splitlines()]
    sums = {name: digest for digest, name in lines}
    assert {path.name for path in folder.glob("*.js")} == {*sums}
    for name, digest in sums.items():
        assert hashlib.sha256((folder / name).read_bytes()).hexdigest() == digest
    licences = Path(__file__).parents[4] / "LICENSES"
    assert "web/static/htmx" in (licences / "README.md").read_text()
    assert "Zero-Clause BSD" in (licences / "0BSD.txt").read_text()


def test_our_own_script_is_short():
    lines = [line for path in (ROOM / "static").glob("*.js") for line in path.read_text().splitlines()]
    assert len(lines) <= OWN_SCRIPT_LINES_MAX
