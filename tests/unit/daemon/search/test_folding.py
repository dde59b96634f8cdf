"""The same word is found in whatever form it is written."""

import itertools
import sys
import unicodedata

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from lanes import examples

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search import characters
from palimp_daemon.search.folding import (
    _SIMPLE,
    _compose,
    _fold_text,
    apart_by_script,
    compatible,
    fold,
    symbol_of,
    symbol_word,
)
from palimp_daemon.search.fts4 import FTS4
from palimp_daemon.search.fts5 import FTS5
from palimp_daemon.search.stems import WORD
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

pytestmark = pytest.mark.both_engines

FORMS = ("NFC", "NFD", "NFKC", "NFKD")
CASES = (str, str.upper, str.lower, str.title, str.casefold)

SCRIPTS = {
    "Latin": "AZazßÀɏḀỿﬀﬆＡｚªıİſŉǅ",
    "Greek": "ΑΩαωάώἀῼᾳΐς",
    "Cyrillic": "АЯаяЁёйЙіўѐ",
    "Armenian": "ԱՖաևﬓ",
    "Hebrew": "אתיִשׁךם",
    "Arabic": "ءيآأإىﷲﻼ",
    "Devanagari": "अहकिीुंँ्क़",
    "Bengali": "অহকিুো্",
    "Tamil": "அஹகிொ்",
    "Thai": "กฮะัิุ่้ำ",
    "Lao": "ກຮັ່ຳ",
    "Khmer": "កឣាំ្",
    "Burmese": "ကအာ်ိ",
    "Georgian": "აჰᲐჸⴀ",
    "Ethiopic": "ሀፐቈ",
    "Hangul": "가힣각ㄱ",
    "Hiragana": "あんがぱゔ",
    "Katakana": "アンガパヴｱﾝｶﾞﾊﾟ",
    "Han": "一龥㐀豈⼀",
    "Cherokee": "ᎠᏴꭰ",
    "Adlam": "𞤀𞤢",
    "Deseret": "𐐀𐐨",
    "Mathematical": "𝐀𝔷𝟘",
    "Digits": "09٠٩०९０９²①½",
}
"""Letters, digits and marks of scripts: the first and the last, and those that fold to something else."""

EMOJI = [
    "🚀",
    "👍🏽",
    "👩‍💻",
    "🇩🇪",
    "❤️",
    "♥",
    "✅",
    "™",
    "ℹ️",
    "Ⓜ️",
    "‼️",
    "⁉",
    "〰️",
    "#️⃣",
    "1️⃣",
    "㊗️",
    "🏴󠁧󠁢󠁥󠁮󠁧󠁿",
    "→",
    "€",
    "☕",
]

words = st.sampled_from(sorted(SCRIPTS)).flatmap(
    lambda script: st.text(SCRIPTS[script] + "07", min_size=1, max_size=24)
)


def is_word(text: str) -> bool:
    """Tell whether there is something to be found in *text*, which begins with no mark: that belongs to no letter."""
    return len(fold(text).split()) == 1 and not any(
        unicodedata.category(word[0])[0] == "M" for word in unicodedata.normalize("NFKD", compatible(text)).split()
    )


@st.composite
def spellings(draw: st.DrawFn, word: str) -> str:
    """Return *word* in another case and normal form."""
    return unicodedata.normalize(draw(st.sampled_from(FORMS)), draw(st.sampled_from(CASES))(word))


SIMPLE = st.text(
    st.characters(codec="ascii")
    | st.sampled_from([chr(code) for code in range(0xA0, 0x2300) if _SIMPLE.fullmatch(chr(code))]),
    max_size=30,
)


@given(SIMPLE)
def test_characters_that_are_folded_by_themselves_become_what_the_whole_text_does(text: str):
    """Whatever stands beside them."""
    assert fold(text).split() == _fold_text(text).split()
    assert compatible(text) == _compose(text)


def test_a_letter_is_cut_off_its_neighbours_wherever_its_capital_is():
    """Of every letter with a capital that is not written by others."""
    capitals = [letter for letter in map(chr, range(0x80, sys.maxunicode)) if letter.isalpha() and letter.isupper()]
    for letter in capitals:
        if unicodedata.normalize("NFKC", letter) == letter:
            forms = {letter, *unicodedata.normalize("NFC", letter.lower()), *letter.casefold()}
            for neighbour in "a九":
                cut = {len(apart_by_script(f"{neighbour}{form}")) for form in forms if form.isalpha()}
                assert len(cut) == 1, (letter, forms)


def test_a_memory_is_found_by_each_of_its_words_in_any_form(request_context):
    """Of every script: in any case and normal form of either side."""
    numbers = itertools.count()

    @settings(max_examples=examples(150))
    @given(st.data(), st.lists(words.filter(is_word), min_size=1, max_size=3))
    def check(data: st.DataObject, own: list[str]) -> None:
        project = f"/work/{next(numbers)}"
        saved = save_memory(request_context(project), SaveMemory(text=data.draw(spellings(" ".join(own)))))
        asked = data.draw(spellings(data.draw(st.sampled_from(own))))
        assert [memory.id for memory in recall(request_context(project), Recall(query=asked)).memories] == [saved.id]

    check()


@pytest.mark.parametrize("word", ["0가", "3月", "ก9", "x漢字", "7ㄱ0힣"])
def test_what_is_written_without_spaces_answers_by_its_characters(request_context, word: str):
    """However common these are elsewhere: nothing of what was asked for is missing."""
    for number in range(40):
        save_memory(request_context(f"/work/{number}"), SaveMemory(text=word[-1] + str(number)))
    saved = save_memory(request_context(), SaveMemory(text=word))

    assert [memory.id for memory in recall(request_context(), Recall(query=word)).memories] == [saved.id]


@pytest.mark.parametrize("text", ["We deploy with {} on Fridays.", "go{}", "{}", "Straße {} später"])
def test_a_memory_is_found_by_its_emoji(request_context, text: str):
    """And not by another one; the snippet marks it where it is one character."""
    wrong = []
    for emoji in EMOJI:
        project = f"/work/{emoji}"
        save_memory(request_context(project), SaveMemory(text="Something else with a 🐢 on Mondays."))
        saved = save_memory(request_context(project), SaveMemory(text=text.format(emoji)))
        found = [memory.id for memory in recall(request_context(project), Recall(query=emoji)).memories]
        wrong += [] if found == [saved.id] else [emoji]

    assert wrong == []


def test_a_found_emoji_is_marked_in_the_snippet(request_context):
    """As a word is."""
    save_memory(request_context(), SaveMemory(text="Friday again: we deploy with 🚀 now.", title="Deploying"))

    assert "**🚀**" in recall(request_context(), Recall(query="🚀")).memories[0].snippet


@pytest.mark.parametrize(
    ("stored", "asked"),
    [
        ("Straße", "strasse"),
        ("STRASSE", "Straße"),
        ("ＡＰＩ", "api"),
        ("api", "ＡＰＩ"),
        ("ｶﾀｶﾅ", "カタカナ"),
        ("ガギグ", "ｶﾞｷﾞｸﾞ"),
        ("ﬁnal", "final"),
        ("x²", "x2"),
        ("ISPARTA", "ısparta"),
        ("ıspartalı", "ISPARTALI"),
        ("İzmir", "izmir"),
        ("Ὀδυσσεύς", "ΟΔΥΣΣΕΥΣ"),
        ("всё", "все"),
        ("co\u00adoperation", "cooperation"),
        ("می‌خواهم", "میخواهم"),
        ("مُحَمَّد", "محمد"),
        ("Ⅷ", "viii"),
        ("हिन्दी", "हिन्दी"),
        ("ที่อยู่ของเขา", "อยู่"),
    ],
)
def test_what_people_take_for_the_same_finds_each_other(request_context, stored: str, asked: str):
    """Full case folding, compatible letters, accents and points, what is not seen."""
    save_memory(request_context(), SaveMemory(text="Quite another matter."))
    saved = save_memory(request_context(), SaveMemory(text=f"A note: {stored}!"))

    assert [memory.id for memory in recall(request_context(), Recall(query=asked)).memories] == [saved.id]


@pytest.mark.parametrize(("stored", "asked"), [("ハス", "バス"), ("й", "и"), ("กา", "ก่า"), ("कल", "काल")])
def test_marks_that_make_another_letter_tell_words_apart(stored: str, asked: str):
    """Dakuten, the breve of й, tones, vowel signs."""
    assert fold(stored) != fold(asked)


def test_a_phrase_is_found_in_another_spelling(request_context):
    """All of it is folded, not words one by one."""
    saved = save_memory(request_context(), SaveMemory(text="Die große Straße führt zum Café."))

    for phrase in ('"die GROSSE strasse"', '"zum Cafe\u0301"', '"Große Straße führt"'):
        reply = recall(request_context(), Recall(query=phrase))
        assert ([memory.id for memory in reply.memories], reply.notes) == ([saved.id], [])


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_folding_again_changes_nothing(text: str):
    """Whatever the text."""
    once = fold(text)
    assert fold(once).split() == once.split()


@given(st.text(st.characters(exclude_categories=["Cs", "Cn"]), max_size=50))
def test_both_engines_cut_any_text_into_the_same_words(text: str):
    """But that FTS4 takes something out of the middle of long ones."""
    connection = apsw.Connection(":memory:")
    for engine, table in ((FTS5, "fts5(x)"), (FTS4, "fts4(x)")):
        connection.execute("DROP TABLE IF EXISTS memories_fts")
        connection.execute(f"CREATE VIRTUAL TABLE memories_fts USING {table}")
        for name in ("palimp_vocabulary", "palimp_words"):
            connection.execute(f"DROP TABLE IF EXISTS temp.{name}")
        engine.prepare(connection)
    texts = [engine.tokenize(connection, text) for engine in (FTS5, FTS4)]
    assert len(texts[0]) == len(texts[1]) == len(fold(text).split())
    connection.close()


@given(st.characters(exclude_categories=["Cs"]))
def test_a_symbol_is_read_back_from_its_word(character: str):
    """By which it is found again in a text."""
    word = fold(character).strip()
    if word == symbol_word(character):
        assert symbol_of(word) == character
    else:
        assert symbol_of(word) in ("", character)


def assigned(*blocks: range) -> list[str]:
    """Return the characters of *blocks* that are assigned in the Unicode of this Python."""
    return [chr(code) for code in itertools.chain(*blocks) if unicodedata.category(chr(code)) not in ("Cn", "Cs", "Co")]


@pytest.mark.skipif(unicodedata.unidata_version != "14.0.0", reason="the classes are written for Unicode 14")
def test_the_classes_of_characters_are_what_unicode_says():
    """Every mark is part of a word, every accent is left out, and nothing that is a letter."""
    everything = assigned(range(0x80, 0x20000), range(0xE0000, 0xE0200))
    for character in everything:
        category, combining = unicodedata.category(character), unicodedata.combining(character)
        is_accent = combining in range(10, 36) or combining >= 200
        assert (ord(character) in characters.ACCENTS) == is_accent, f"{ord(character):x}"
        if category in ("Mn", "Mc"):
            assert WORD.fullmatch("a" + character), f"{ord(character):x}"
        elif not (character.isalnum() or category in ("Me", "Cf")):
            assert not WORD.fullmatch("a" + character), f"{ord(character):x}"
