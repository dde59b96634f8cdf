"""Older memories that the answer to a save names, so that who saved can judge."""

import pytest

from palimp_daemon.features.memories import same_subject
from palimp_daemon.features.memories.same_subject import NewMemoryText, likeliest
from palimp_daemon.features.memories.save import draft, save_memory
from palimp_daemon.store.store import project_row
from palimp_daemon.store.tables.memory_rows import shown_id
from palimp_daemon.text.redact import Redactor
from palimp_protocol.messages.memory_messages import Saved, SaveMemory

OTHERS = [
    "The invoice printer needs a reboot every Monday.",
    "Feature flags live in LaunchDarkly, one project per team.",
    "Our logo must not be stretched.",
    "Nightly builds run on the big machine in the cellar.",
    "Customers export their data as CSV with semicolons.",
]


@pytest.fixture
def filled(request_context):
    """Request contexts of a project in which other things are known."""
    for text in OTHERS:
        save_memory(request_context(session="before"), SaveMemory(text=text))
    return request_context


def saved(request_context, text: str, **more) -> Saved:
    return save_memory(request_context(), SaveMemory(text=text, **more))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Staging is deployed by Jenkins from the main branch.", "Staging is deployed by GitHub Actions now."),
        ("Die Sitzung läuft nach 30 Minuten ab.", "Die Sitzung läuft künftig nach 60 Minuten ab."),
        ("缓存的过期时间是三十分钟。", "缓存的过期时间改为一小时。"),
        ("Кеш живёт тридцать минут.", "Кеш теперь живёт один час."),
    ],
)
def test_an_older_one_on_the_same_subject_is_named_and_no_other(filled, old, new):
    first = save_memory(filled(session="before"), SaveMemory(text=old))
    answer = saved(filled, new)
    assert [each.id for each in (*answer.linked, *answer.similar, *answer.same_subject)] == [first.id]


def test_three_are_named_at_most_and_none_that_was_replaced_or_is_named_already(filled):
    numbers = ("three", "four", "five", "six", "seven")
    ids = [saved(filled, f"Payment retries: {number} attempts against Stripe.").id for number in numbers]
    answer = saved(filled, "Payment retries: nine attempts against Stripe.", replaces=[ids[0]])
    told = [each.id for each in (*answer.similar, *answer.same_subject)]
    assert len(told) == 3
    assert ids[0] not in told
    later = saved(filled, "Payment retries: ten attempts against Stripe.", replaces=ids[1:4])
    assert not {*ids[:4]} & {each.id for each in (*later.similar, *later.same_subject)}


def test_what_another_project_knows_is_not_named(filled):
    text = "Staging is deployed by Jenkins from the main branch."
    save_memory(filled("/work/two"), SaveMemory(text=text))
    answer = saved(filled, "Staging is deployed by GitHub Actions from main.")
    assert answer.same_subject == answer.similar == []


def test_who_shares_two_words_or_one_that_few_have_is_likely():
    found = {1: [10, 11], 2: [10, 12, 13, 14], 3: [13, 14, 15, 16]}
    assert likeliest(found, 1_000)[0] == 10
    assert {*likeliest(found, 1_000)} == {10, 11, 13, 14}
    assert likeliest({}, 1_000) == []


def test_under_load_the_first_save_of_a_group_is_told(filled, monkeypatch):
    """The others are told nothing rather than take longer."""
    monkeypatch.setattr(same_subject, "SUBJECT_BUDGET_S", 0.0)
    first = save_memory(
        filled(session="before"), SaveMemory(text="Staging is deployed by Jenkins from the main branch.")
    )
    text = "Staging is deployed by GitHub Actions now."
    keys = draft(Redactor(), SaveMemory(text=text)).subject_keys
    project = project_row(filled.store, filled().caller)
    asked = NewMemoryText(project, "", text, "note", None, filled().now_ms, keys)
    found = same_subject.on_same_subject(filled.store, [asked, asked])
    assert [[shown_id(each.row) for each in one] for one in found] == [[first.id], []]
