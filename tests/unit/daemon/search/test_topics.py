"""Topics are names that several texts share, and never words that they share by chance."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.search.stems import Stems
from palimp_daemon.search.topics import topics_of

STEMS = Stems(str.split)


def topics(*texts: str, tags: tuple[str, ...] = ()) -> list[str]:
    return [word for word, _ in topics_of([(text, tags) for text in texts], STEMS, 12)]


def test_words_of_everyday_language_are_no_topics():
    assert topics("Every box has a label.", "We check every box.", "A box stands on every shelf.", "Soup is hot.") == []


def test_names_are_topics_however_they_are_known():
    texts = ("Sessions live in Redis.", "We moved off Redis.", "Call `checkout` first.", "The checkout is slow.")
    assert topics(*texts, "HTTPServer stops.", "Restart HTTPServer.", "Soup.") == ["checkout", "httpserver", "redis"]


def test_a_tag_is_a_topic():
    found = topics_of([("It is slow.", ["payments"]), ("It fails.", ["payments"]), ("Soup.", [])], STEMS, 12)
    assert found == [("payments", 2)]


def test_words_of_scripts_without_capitals_count():
    assert topics("缓存 决定", "缓存 问题", "汤") == []  # shorter than a topic
    assert topics("データベース 決定", "データベース 問題", "スープ") == ["データベース"]


def test_a_name_is_one_whatever_it_stands_beside():
    assert topics("使用Redis缓存会话", "서버는Redis를 쓴다", "We moved off Redis.") == ["redis"]
    assert topics("Wir legen Sitzungen in Postgres ab", "מסד הנתונים בPostgres") == ["postgres"]


@given(st.lists(st.text(max_size=60), max_size=4), st.lists(st.text(max_size=8), max_size=2))
def test_any_texts_have_topics_or_none(texts: list[str], tags: list[str]):
    for word, times in topics_of([(text, tags) for text in texts], STEMS, 3):
        assert word == word.lower()
        assert 2 <= times <= len(texts)
