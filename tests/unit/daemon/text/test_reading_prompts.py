"""Whether a prompt only asks for what is there, or tidies it: told by how it begins, in many languages."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.reading_prompts import BEGINNING_CHARACTERS, QUESTION_PART, reading_part


@pytest.mark.parametrize(
    "prompt",
    [
        "Explain how the scheduler works",
        "please, can you list all TODO comments",
        "Rename `a` to `b` everywhere",
        "The README has a typo, fix it",
        "I need a regex for dates",
        "Erkläre mir diese Funktion",
        "Kannst du mal, bitte: zeige alle Importe",
        "explique-moi cette fonction",
        "Muéstrame los archivos cambiados",
        "解释一下这个函数",
        "この関数を説明して",
        "이 함수를 설명해 줘",
        "Объясни эту функцию",
    ],
)
def test_who_asks_to_see_or_to_tidy_reads(prompt: str):
    assert reading_part(prompt) == 1.0


@pytest.mark.parametrize(
    "prompt",
    [
        "Add a table for invoices",
        "Set up the deploy of the new service",
        "we need fuzzy search on the product list",
        "Füge eine Tabelle für Rechnungen hinzu",
        "Ajoute une table pour les factures",
        "追加一个发票表",
        "請求書の表を追加して",
        "",
        "\U0001f680",
    ],
)
def test_who_asks_for_something_new_does_not(prompt: str):
    assert reading_part(prompt) == 0.0


@pytest.mark.parametrize("prompt", ["Why do we not use MySQL?", "Warum nehmen wir kein MySQL?", "なぜ MySQL ではない"])
def test_a_question_reads_in_part(prompt: str):
    assert reading_part(prompt) == QUESTION_PART


def test_a_word_that_only_begins_as_such_a_verb_is_none():
    assert reading_part("listen to the port of the gateway") == 0.0
    assert reading_part("Sorted lists are to be cached") == 0.0


def test_what_is_pasted_behind_the_task_does_not_count():
    assert reading_part("Add a cache. " + "x " * BEGINNING_CHARACTERS + "typo") == 0.0


@given(st.text())
def test_any_text_reads_wholly_in_part_or_not_at_all(prompt: str):
    assert reading_part(prompt) in (0.0, QUESTION_PART, 1.0)
