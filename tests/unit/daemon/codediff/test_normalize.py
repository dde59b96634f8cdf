"""Lines of code as they are compared."""

import pytest

from palimp_daemon.codediff.normalize import definitions, is_significant, key_of, shape_of, skeleton_of, tokens_of


def test_layout_quotes_and_a_last_comma_do_not_make_another_line():
    assert key_of("    call('a',  b),") == key_of('call("a", b)') == 'call("a",b)'


def test_a_line_that_is_too_long_is_compared_by_its_beginning():
    assert key_of("x" * 600) == key_of("x" * 500 + "y")


@pytest.mark.parametrize(
    "line",
    [
        "    delay = compute_backoff(attempt)",
        'raise TimeoutError("gave up")',
        "const result = await client.fetch(url);",
        "#[tokio::test(flavor = multi)]",
    ],
)
def test_a_line_that_says_something_is_significant(line):
    assert is_significant(line)


@pytest.mark.parametrize(
    "line",
    [
        "",
        "}",
        "else:",
        "# a comment about delays",
        "// another comment here",
        " * documentation of it",
        "import os.path",
        "from os import path, sep",
        "use std::sync::Arc;",
        "    AppGroup,",
        "first, second, third",
        "return true;",
        "const x = require('express')",
    ],
)
def test_brackets_comments_imports_and_lists_of_names_are_not(line):
    assert not is_significant(line)


def test_the_shape_keeps_calls_and_attributes_and_forgets_variables():
    assert shape_of("total = queue.pop(first, 3)") == shape_of("sum_ = waiting.pop(other, 7)")
    assert shape_of("total = queue.pop(first, 3)") != shape_of("total = queue.push(first, 3)")


def test_a_line_that_calls_nothing_has_no_shape():
    assert shape_of("total = first + second") == ""


def test_the_skeleton_forgets_every_name():
    assert skeleton_of("total = queue.pop(first, 'a')") == skeleton_of("x = y.push(z, 'b')")


def test_tokens_are_found_in_strings_too():
    assert "apple" in tokens_of('say("an apple")')


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("def retry(call):", "retry"),
        ("    async def fetch_all(self):", "fetch_all"),
        ("class Backoff(Base):", "Backoff"),
        ("func (s *Server) Handle(w io.Writer) error {", "Handle"),
        ("pub(crate) async fn poll_read(&self) -> Poll {", "poll_read"),
        ("export default function App() {", "App"),
        ("export const useThing = () => {", "useThing"),
        ("pub struct Handle {", "Handle"),
        ("MAX_RETRIES = 5", "MAX_RETRIES"),
        ("  componentDidMount() {", "componentDidMount"),
    ],
)
def test_names_that_a_line_defines(line, name):
    assert definitions(line) == (name,)


@pytest.mark.parametrize("line", ["if (ready) {", "for (const a of b) {", "call(a, b);", "x = 1", "  while (true) {"])
def test_lines_that_define_nothing(line):
    assert definitions(line) == ()


def test_of_a_very_long_line_only_the_beginning_is_looked_at():
    """The patterns take quadratic time: a whole megabyte would not end."""
    assert definitions("a(" + ") " * 500_000) == ()
    assert definitions(" " * 600 + "def late():") == ()
