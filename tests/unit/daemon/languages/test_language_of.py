"""Stop words in the language of a text, and stems of words that are not English."""

import os
import subprocess
import sys

import pytest

from palimp_daemon.languages.language_of import language_of, saying_nothing
from palimp_daemon.search.cyrillic_greek import inflected_stem, inflected_stems
from palimp_daemon.search.stems import Stems
from palimp_daemon.search.topics import topics_of

GERMAN = "Benenne die Funktion um, weil wir sie nicht mehr brauchen"


@pytest.mark.parametrize(
    ("text", "language"),
    [
        (GERMAN, "german"),
        ("Ajoute un bouton, parce que la croix n'est pas visible sur le téléphone", "french"),
        ("¿Por qué falla la prueba si no hemos cambiado nada en esa clase?", "spanish"),
        ("Почему этот тест не проходит, если мы ничего не меняли?", "russian"),
        ("why is the test red when nothing was changed in that class?", "english"),
        ("the man said: kill -9, die, pour, sort -n; a war of words", "english"),
        ("also so in an aquarium", "english"),
        ("sqlite wal checkpoint", "english"),
        ("", "english"),
        ("Café 日本", "english"),
        ("把缓存改成一小时, API", "other"),
        ("断电后偶尔损坏，现在低于 2.2 V 就不再写 `config_store.c`", "other"),
        ("βάση δεδομένων", "other"),
    ],
)
def test_a_text_is_known_by_the_words_that_every_text_in_its_language_has(text: str, language: str):
    """What is not known is taken for English, unless it is in other letters."""
    assert language_of(text) == language


def test_a_tie_is_won_by_the_language_with_more_of_its_function_words():
    """Five of the words are in the list of each; `em` is a function word of one, and `segunda` of none."""
    assert language_of("o que decidimos em segunda-feira sobre a cache?") == "portuguese"


@pytest.mark.parametrize("seed", ["0", "1", "2", "3"])
def test_a_tie_between_languages_is_broken_in_the_same_way_by_each_process(seed: str):
    """`como antes` is Spanish and Portuguese; a set has another order with each hash seed."""
    read = "from palimp_daemon.languages.language_of import language_of; print(language_of('como antes'))"
    found = subprocess.run(
        [sys.executable, "-c", read],
        env=os.environ | {"PYTHONHASHSEED": seed},
        capture_output=True,
        text=True,
        check=True,
    )
    assert found.stdout == "spanish\n"


def test_only_the_words_of_that_language_say_nothing():
    assert {"die", "weil", "wir", "sie", "nicht"} <= saying_nothing(GERMAN)
    assert not saying_nothing(GERMAN) & {"benenne", "funktion"}
    assert not saying_nothing("does the worker die because of the other worker")


@pytest.mark.parametrize(
    "forms", ["логи логах логов", "файл файлы файлами", "ошибка ошибки ошибками", "βάση βάσεις", "δεδομένα δεδομένων"]
)
def test_forms_of_a_word_in_cyrillic_and_greek_have_one_stem(forms: str):
    assert len(set(inflected_stems(forms))) == 1


@pytest.mark.parametrize("word", ["running", "straße", "日本語", "v2", ""])
def test_words_in_other_scripts_are_left_to_the_engine(word: str):
    assert inflected_stem(word) == ""
    assert inflected_stems(word) == []


def test_no_topic_is_a_word_that_says_nothing_in_its_language():
    texts = ["Das Backup läuft nachts, weil es dann nicht stört", "Das Backup liegt nicht hier, weil der Platz fehlt"]
    assert topics_of([(text, ["backup"]) for text in texts], Stems(str.split), 5) == [("backup", 2)]
