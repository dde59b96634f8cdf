"""What is given with a prompt, as text."""

import json
import re

from palimp_daemon.render.prompted import Given, prompted_text

NOON_MS = 1_763_726_400_000


def given(title: str, content: str) -> str:
    return prompted_text([Given("m1rv0001", "decision", title, content, NOON_MS)])


def test_a_title_is_told_where_the_text_does_not_begin_with_it():
    """Most do."""
    assert "m1rv0001 (decision, 2025-11-21)\n> Use trio. It has nurseries." in given(
        "Use trio", "Use trio. It has nurseries."
    )
    assert "(decision, 2025-11-21)\n> # Use trio\n> It has" in given("Use trio", "# Use trio\nIt has nurseries.")
    assert "(decision, 2025-11-21) Concurrency\n> Use trio." in given("Concurrency", "Use trio.")


def test_what_became_of_what_it_names_stands_beside_its_date():
    said = "`evict` is gone since 3 Nov"
    text = prompted_text([Given("m1rv0001", "decision", "Use trio", "Use trio.", NOON_MS, said)])
    assert f"m1rv0001 (decision, 2025-11-21) ({said})\n> Use trio." in text


def test_the_author_of_a_memory_of_a_team_stands_beside_its_date():
    text = prompted_text([Given("m1rv0001", "decision", "Use trio", "Use trio.", NOON_MS, author="ana\n*")])
    assert "m1rv0001 (decision, 2025-11-21, by ana" in text
    assert "ana\n" not in text


def test_an_id_stands_alone_in_a_line_of_json_too():
    """As in a hook's output, where no white space is left before it."""
    text = prompted_text([Given("m1rv0001", "decision", "Use trio", "Use trio.", NOON_MS)] * 2)

    assert re.findall(r"\bm1rv0001\b", json.dumps(text)) == ["m1rv0001"] * 2
