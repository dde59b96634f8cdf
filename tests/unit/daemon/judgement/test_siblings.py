"""What is said of another subject does not stand before what is said of the one that was asked for."""

from dataclasses import replace

import pytest

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.judgement.siblings import COMPARED_WORDS, are_of_one_kind, is_about_another
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables.memory_links import links_among
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

DAY_MS = 86_400_000


def first(request_context, question: str, *texts: str) -> str:
    """Return the first answer to *question* of *texts*, saved in sessions of their own, ten days apart."""
    for number, text in enumerate(texts):
        context = request_context(session=f"s{number}")
        later = replace(context, now_ms=context.now_ms + 10 * number * DAY_MS)
        save_memory(later, SaveMemory(text=text, kind="decision"))
    [answer, *_] = recall(replace(context, now_ms=later.now_ms + DAY_MS), Recall(query=question)).memories
    return answer.title


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        ("The north gate opens at 7.", "The south gate opens at 6.", "when does the north gate open"),
        ("Seeds of wheat are kept in silo 4.", "Seeds of maize are kept in silo 9.", "where are seeds of wheat kept"),
        ("Das Tor im Norden öffnet um 7.", "Das Tor im Süden öffnet um 6.", "wann öffnet das tor im norden"),
        ("La puerta norte abre a las 7.", "La puerta sur abre a las 6.", "a qué hora abre la puerta norte"),
        ("Pump A runs at 04:00.", "Pump B runs at 05:30.", "when does pump A run"),
    ],
)
def test_the_older_one_about_what_is_asked_for_stands_first(request_context, older: str, newer: str, question: str):
    assert first(request_context, question, older, newer) == older.rstrip(".")


def test_what_has_another_value_now_stands_first(request_context):
    older, newer = "The north gate opens at 7.", "The north gate opens at 6."
    assert first(request_context, "when does the north gate open", older, newer) == newer.rstrip(".")


@pytest.mark.parametrize(
    ("older", "newer", "question"),
    [
        (
            "The gate opens on Mondays at 7.",
            "The gate opens on Fridays at 6.",
            "does the gate open on mondays",
        ),
        ("Das Tor öffnet montags um 7.", "Das Tor öffnet freitags um 6.", "Öffnet das Tor montags?"),
        ("La porte ouvre lundi à 7.", "La porte ouvre vendredi à 6.", "Est-ce que la porte ouvre lundi ?"),
        ("La puerta abre lunes a las 7.", "La puerta abre viernes a las 6.", "¿Se abre la puerta los lunes?"),
        ("Il cancello apre lunedì alle 7.", "Il cancello apre venerdì alle 6.", "È lunedì che apre il cancello?"),
        ("O portão abre segunda às 7.", "O portão abre sexta às 6.", "Ainda abre segunda o portão?"),
        ("De poort opent maandag om 7.", "De poort opent vrijdag om 6.", "Opent de poort maandag?"),
        ("Ворота открыты понедельник с 7.", "Ворота открыты пятница с 6.", "Открыты ли ворота понедельник?"),
    ],
)
def test_a_question_that_has_the_former_value_confirmed_asks_for_the_one_that_holds(
    older: str, newer: str, question: str
):
    assert not is_about_another(newer, older, question)
    asked = next(word for word in older.split() if word not in newer)
    assert is_about_another(newer, older, asked)


def test_texts_that_are_not_alike_are_no_siblings():
    older, newer = "The north gate opens at 7.", "We agreed on wheat for the field behind the gate, not maize."
    assert not is_about_another(newer, older, "when does the north gate open")


def test_only_the_beginning_of_a_long_text_is_compared():
    older, newer = (f"{'word ' * COMPARED_WORDS}{end}" for end in ("north gate at 7", "south gate at 6"))
    assert not is_about_another(newer, older, "when is the north gate open")


@pytest.mark.parametrize(
    ("one", "other", "are_siblings"),
    [
        ("wheat fields: mown twice", "maize fields: mown once", True),
        ("The storage of wheat ends in May", "The storage of maize ends in July", True),
        ("The storage of wheat ends in May", "The storage of wheat ends in July", False),
        ("Anna mows the wheat fields", "Bela mows the wheat fields since Anna left", False),
        ("field 3 is mown twice", "field 4 is mown once", False),
        ("We mow the wheat", "They mow the wheat", False),
        ("Anna reviews the fields on Mondays", "Bela reviews the fields on Fridays", False),
        ("Redis holds the harvest for 1 day", "Valkey holds the harvest for 2 days", False),
        ("Weizen Felder sind im Juni gemäht", "Gerste Felder sind im August gemäht", True),
        ("summer hours again: the gate opens at 6", "winter hours again: the gate opens at 8", False),
    ],
)
def test_two_texts_that_begin_with_subjects_of_one_kind_are_siblings(one: str, other: str, *, are_siblings: bool):
    """Either way round, whatever is asked; a name that the other text has, a number or a pronoun is no such subject.

    Before another verb than an auxiliary, one may have taken the other's place.
    """
    assert are_of_one_kind(one, other) is are_of_one_kind(other, one) is are_siblings


@pytest.mark.parametrize(("crop", "is_linked"), [("Wheat", True), ("Maize", False)])
def test_no_link_is_inferred_between_siblings(request_context, store: Store, crop: str, *, is_linked: bool):
    texts = (
        "Wheat fields are mown twice by crew 3, in June and September.",
        f"{crop} fields are mown once by crew 5, in September, because of the rain.",
    )
    for number, text in enumerate(texts):
        context = request_context(session=f"s{number}")
        later = replace(context, now_ms=context.now_ms + 90 * number * DAY_MS)
        save_memory(later, SaveMemory(text=text, kind="decision"))
    assert bool(links_among(store, [1, 2])) is is_linked
