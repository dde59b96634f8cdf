"""What is written as one word or as two is found in either spelling, and nothing else is."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.memories.recall import recall
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.search.folding import apart_by_script, fold
from palimp_daemon.search.irregular_forms import BASE_FORMS
from palimp_daemon.search.joined_words import (
    digits_of_joined,
    joined_in,
    names_in,
    parts_of,
    phrases_of,
    ungroup_numbers,
)
from palimp_protocol.messages.memory_messages import Recall, SaveMemory

OTHERS = (
    "Images in the archive may have 12 GB.",
    "Node 16 is what the old admin runs on.",
    "UTF-32 comes from the vendor.",
    "The API answers in 300 ms.",
    "会话保存在数据库里。",
    "캐시는 메모리에 있다.",
    "The table user_v7 is gone.",
)

names = st.text("abcdeghkmnoprstu", min_size=2, max_size=8)
numbers = st.integers(0, 999_999).map(str)
signs = st.sampled_from(["-", " ", "_", "/", ".", ": "])


def found(request_context, text: str, query: str) -> tuple[str, list[str]]:
    """Return the id of *text*, saved beside OTHERS, and those that *query* finds."""
    for other in OTHERS:
        save_memory(request_context(), SaveMemory(text=other))
    saved = save_memory(request_context(), SaveMemory(text=text))
    save_memory(request_context(), SaveMemory(text="The logo is blue."))
    return saved.id, [memory.id for memory in recall(request_context(), Recall(query=query)).memories]


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Exports are ISO-8859 texts.", "iso8859"),
        ("Exports are iso8859 texts.", "ISO 8859"),
        ("The cap is 64 KB.", "64KB"),
        ("The cap is 64KB.", "64 kb"),
        ("Backups take 7.5 TB.", "7.5TB"),
        ("Backups take 7.5TB.", "7.5 TB"),
        ("Retries stop after 40 minutes.", "40min"),
        ("Retries stop after 40min.", "40 minutes"),
        ("Sessions end after 8 hours.", "8h"),
        ("The journal is kept 21 days.", "21d"),
        ("A snapshot has 5 terabytes.", "5TB"),
        ("Six cranes share the quay.", "6 cranes"),
        ("The quay has 6 cranes.", "six cranes"),
        ("The quay has TWELVE cranes.", "12 cranes"),
        ("We run Vue 3.", "vue3"),
        ("We run Vue.js 3.", "vue3"),
        ("We run vue3.", "Vue 3"),
        ("cart_v4 is a view.", "cartV4"),
        ("cartV4 is a view.", "cart_v4"),
        ("cart-v4 is a view.", "cartv4"),
        ("Addresses are IP v6.", "ipv6"),
        ("The codec is H.265.", "h265"),
        ("Answers come from llama-3b.", "llama3b"),
        ("The dump has 2,345,678 rows.", "2345678"),
        ("The dump has 2345678 rows.", "2_345_678"),
        ("The dump has 2.345.678 rows.", "2345678"),
        ("The dump has 2 345 678 rows.", "2,345,678"),
        ("The dump has 23,45,678 rows.", "2345678"),
        ("Login goes by OAuth2.", "oauth"),
        ("Strings are localised (l10n) by hand.", "localization"),
        ("Serialization is by protobuf.", "s11n"),
        ("我们把Grafana放在内网。", "grafana"),
        ("인증은Keycloak이 한다.", "Keycloak"),
        ("ログはFluentdで集める。", "fluentd"),
        ("ใช้Terraformสร้างเครื่อง", "terraform"),
        ("ה-cache נמצא בMemcached.", "memcached"),
        ("上传上限为64MB。", "64 MB"),
        ("Ｋａｆｋａを使う。", "kafka"),
        ("本番ではPostgres15を使う。", "postgres 15"),
        ("Deploys go to the k8s cluster; 用K8s部署。", "kubernetes"),
    ],
)
def test_it_is_found_first_in_another_spelling(request_context, one: str, other: str):
    """Whichever was saved and whichever is asked for."""
    saved, ids = found(request_context, one, other)

    assert ids[:1] == [saved]


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("The cap is 64KB.", "64MB"),
        ("We have 31 nodes.", "3.1"),
        ("The client is at 3.1.", "31"),
        ("Files are named by SHA-256.", "256MB"),
        ("The 8 shards are full.", "utf8"),
        ("We have 2 users.", "userV2"),
        ("It is 10 o'clock.", "10MB"),
    ],
)
def test_what_is_another_thing_is_not_found(request_context, text: str, query: str):
    """A part of it says nothing."""
    saved, ids = found(request_context, text, query)

    assert saved not in ids


def test_what_stands_in_parts_is_marked_as_one(request_context):
    text = "Exports to the bank are ISO-8859, 64 KB at most."
    save_memory(request_context(), SaveMemory(text=text, title="The bank"))

    [memory] = recall(request_context(), Recall(query="iso8859 64kb")).memories
    assert "**ISO-8859**, **64 KB** at most" in memory.snippet


@given(name=names, number=numbers, sign=signs)
def test_a_name_and_its_number_are_one_word(name: str, number: str, sign: str):
    text = f"the {name}{sign}{number} and"

    assert f"{name}{number}" in {each.word for each in joined_in(text)}
    assert f"{name} {number}" in phrases_of(f"{name}{number}")


@given(number=st.integers(1_000, 10**14))
def test_a_number_is_the_same_however_its_thousands_are_grouped(number: int):
    for sign in (",", "_", "'", " ", "."):
        [joined, *_] = [
            each.word for each in joined_in(f"has {number:,} rows".replace(",", sign)) if each.word.isdecimal()
        ]
        assert joined == str(number)
    assert f"{number:,}".replace(",", " ") in phrases_of(str(number))
    assert ungroup_numbers(f"has {number:,} rows") == f"has {number} rows"


@pytest.mark.parametrize(
    "text", ["1.2.3", "3.14", "10.0.0.1", "2026-11-28", "12:30", "1,2", "1,20", "12,345,6", "0,001x"]
)
def test_no_other_digits_are_joined(text: str):
    assert list(joined_in(text)) == []
    assert ungroup_numbers(text) == text


@pytest.mark.parametrize("word", ["database", "3f2a1b9c0d", "a1b2c3", "0123", "199", "x" * 30 + "1"])
def test_no_other_word_is_cut(word: str):
    assert phrases_of(word) == []


def test_a_name_is_known_without_its_number():
    assert names_in("node20, OAuth2 and userV3 run in 30days, not in 10MB or on h264") == [
        "node",
        "oauth",
        "user",
        "days",
    ]


@given(parts=st.lists(names | numbers | signs | st.text(max_size=3), max_size=8))
def test_what_stands_in_parts_has_digits_by_which_it_is_looked_for(parts: list[str]):
    text = "".join(parts)

    for each in joined_in(text):
        assert all(digits in text for digits in digits_of_joined([each.word])), each
        assert digits_of_joined([each.word]), each


@given(st.text(max_size=80))
def test_any_text_can_be_read(text: str):
    for each in joined_in(text):
        assert 0 <= each.start < each.end <= len(text)
    names_in(text)
    for word in text.split():
        assert all(" " in phrase for phrase in phrases_of(word))
        assert all(part in word.lower() for part in parts_of(word)), "a text would say what is not in it"


@pytest.mark.parametrize("form", [form for form in BASE_FORMS if len(form) > 2 and form[1:-1].isdecimal()])
def test_a_number_stands_for_the_letters_that_it_counts(form: str):
    """As in `k8s`."""
    base = BASE_FORMS[form]

    assert form == f"{base[0]}{len(base) - 2}{base[-1]}"


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("使用Redis缓存", "使用 redis 缓存"),
        ("서버는Nginx를", "서버는 nginx 를"),
        ("30秒", "30 秒"),
        ("3٣ثانية", "33 ثانية"),
        ("10µs", "10μs"),
        ("naïve", "naive"),
    ],
)
def test_a_word_ends_where_another_script_begins(text: str, words: str):
    """But for letters that are signs in Latin words."""
    assert fold(text) == words
    assert fold(apart_by_script(text)) == words
