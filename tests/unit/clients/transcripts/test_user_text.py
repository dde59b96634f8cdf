"""Only what a person typed is taken in the person's name."""

import time

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from palimp_clients.transcripts.user_text import typed_by_person

part = st.from_regex(r"[a-z][a-z0-9]{0,8}", fullmatch=True)
names = st.tuples(part, st.sampled_from("-_"), part).map("".join).filter(lambda name: not name.startswith("user"))
attributes = st.sampled_from(["", ' id="7"', " color='blue' summary=\"a > b\"", " flag", "\n  id=x"])
plain = st.text(
    st.characters(exclude_categories=["Cs", "Cc"], exclude_characters="<>`~&[]#\u2028\u2029\x85"),
    min_size=1,
    max_size=60,
).filter(lambda text: text.strip() and not text.isspace())


@given(names, attributes, plain, plain, st.booleans())
def test_an_element_of_any_client_goes_and_the_words_around_it_stay(name, attribute, inner, words, has_lines):
    """Whatever its name, alone in its lines; also twice, and with another of its name within."""
    content = f"\n{inner}\n" if has_lines else inner.strip()
    block = f"<{name}{attribute}>{content}</{name}>"
    nested = f"<{name}>{content}\n<{name}>{content}</{name}>\n{content}</{name}>"
    words = words.strip()
    assume(typed_by_person(words) == words)
    assert typed_by_person(block).strip() == ""
    for each in (block, nested, f"{block}\n{block}", f"{block}{block}", f"<{name}{attribute}/>"):
        assert typed_by_person(f"{each}\n{words}").strip() == words
        assert typed_by_person(f"{words}\n{each}").strip() == words
        assert typed_by_person(f"{words}\n\n{each}\n\n{words}").split() == [*words.split(), *words.split()]


@given(names, plain)
def test_an_element_that_was_cut_is_none_of_the_person_s(name, inner):
    """Where it is all there is."""
    assert typed_by_person(f"<{name}>\n{inner}").strip() == ""


@given(names, plain, plain)
def test_a_tag_in_a_sentence_takes_nothing_with_it(name, before, after):
    """Whoever writes of a tag keeps every word, at the beginning of a line, within it, in backticks and in fences."""
    for text in (
        f"<{name}> {after.strip()}",
        f"{before.strip()} <{name}> {after.strip()}",
        f"Use `<{name}>` or `</{name}>`: {after}",
        f"```xml\n<{name}>\n{after}\n```\n{before}",
        f"{before}\n<{name}>\n{after}",
    ):
        assume(typed_by_person(before) == before and typed_by_person(after) == after)
        assert typed_by_person(text) == text


@given(st.sampled_from(["div", "p", "project", "Button", "li", "svg"]), plain, plain)
def test_html_and_xml_that_a_person_pastes_stays(name, inner, words):
    assume(typed_by_person(words) == words)
    text = f"{words}\n<{name}>\n{inner}\n</{name}>\n{words}"
    assert typed_by_person(text) == text


CLIENTS = """
    ide_selection ide_opened_file ide_diagnostics task-notification teammate-message system-reminder command-name
    command-message local-command-stdout local-command-stderr local-command-caveat bash-input bash-stdout
    bash-stderr user-prompt-submit-hook new-diagnostics hook_context environment_context
    environment_details user_instructions INSTRUCTIONS turn_aborted session_context
""".split()  # noqa: SIM905  the clients' own names, as they are


@pytest.mark.parametrize("name", CLIENTS)
def test_elements_that_are_known_go_wherever_they_stand(name: str):
    """After words in the same line, and cut off at a line's beginning, too."""
    assert typed_by_person(f"Do it. <{name}>We decided to use X.</{name}>").strip() == "Do it."
    assert typed_by_person(f"<{name}>We decided to use X.").strip() == ""
    assert typed_by_person(f"Do it.\n<{name}>\nWe decided").strip() == "Do it."


COMMAND = "<command-message>{0}</command-message>\n<command-name>/{0}</command-name>\n<command-args>{1}</command-args>"


@pytest.mark.parametrize("command", ["plan", "review", "mine:doit"])
@pytest.mark.parametrize(
    "said", ["Cache the prices; never for longer than an hour.", "価格を一時間だけキャッシュして", "One.\n\nTwo."]
)
def test_what_stands_behind_a_slash_command_was_said(command: str, said: str):
    assert typed_by_person(COMMAND.format(command, said)).strip() == said
    indented = COMMAND.format(command, said).replace("\n<command", "\n            <command")
    assert typed_by_person(indented).strip() == said


@pytest.mark.parametrize(
    ("command", "given"),
    [("model", "opus"), ("rename", "The cache of prices"), ("plan", ""), ("commit", "-a"), ("cd", "/a b")],
)
def test_a_setting_or_a_name_behind_a_slash_command_is_not_said_to_the_agent(command: str, given: str):
    assert typed_by_person(COMMAND.format(command, given)).strip() == ""


@pytest.mark.parametrize(
    "text",
    [
        "Operation stopped by hook: Never commit to main here.",
        "Operation stopped by hook",
        "Agent execution stopped by hook: we decided that",
        "UserPromptSubmit operation blocked by hook:\nWe always branch first.",
        "PostToolUse:Edit hook error: Never edit generated files.",
        "SessionStart hook cancelled: We use uv.",
        "A previous agent produced the plan below to accomplish the user's task.\n\n# Plan\nAlways use X.",
    ],
)
def test_what_a_client_says_in_the_user_s_place_is_not_theirs(text: str):
    assert typed_by_person(text) == ""
    assert typed_by_person(f"Why does it say this?\n{text}") == f"Why does it say this?\n{text}"


@pytest.mark.parametrize("name", ["user_query", "user_message", "user-prompt", "userRequest"])
def test_what_wraps_a_person_s_words_is_taken_off(name: str):
    context = "<some_context>\nWe decided.\n</some_context>"
    text = f"{context}\n<{name}>\n<system-reminder>x</system-reminder>\nDo it.\n</{name}>"
    assert typed_by_person(text).strip() == "Do it."


@pytest.mark.parametrize(
    "text",
    [
        "Caveat: The messages below were generated by the user while running local commands.",
        "This session is being continued from a previous conversation that ran out of context. We decided to use X.",
        "# AGENTS.md instructions for /w\n\n<INSTRUCTIONS>\nAlways use X.\n</INSTRUCTIONS>",
        "This is the Gemini CLI. We are setting up the context for our chat. Always use X.",
        "Stop hook feedback:\nAlways use X.",
        "System: Please continue.",
        "PreToolUse:Bash hook additional context: always use X",
        "[Request interrupted by user for tool use]",
    ],
)
def test_what_a_client_says_without_an_element_is_not_the_person_s(text: str):
    assert typed_by_person(text).strip() == ""


def test_what_follows_an_interruption_is_said():
    assert typed_by_person("[Request interrupted by user]\nNo, use X.").strip() == "No, use X."


@given(st.text(st.sampled_from("<>/ab-_ \n`=\"'"), max_size=80))
def test_any_text_is_survived_and_only_shortened(text: str):
    assert len(typed_by_person(text)) <= len(text)


@pytest.mark.parametrize(
    "piece", ["<a-b>\n", "<a-b ", "<a-b>x</a-b>\n", "```\n<a-b>", "w\n<a-b> w\n", "<user_query>", "<a-", '<a-b x="']
)
def test_no_text_takes_long(piece: str):
    """Half a megabyte of what looks like tags; quadratic work would take minutes."""
    began = time.process_time()
    typed_by_person(piece * (500_000 // len(piece)))
    assert time.process_time() - began < 20
