"""Topics are names that several texts share, and never words that they share by chance."""

from palimp_daemon.search.topics import topics_of


def stems(text: str) -> list[str]:
    return text.split()


def topics(*texts: str, tags: tuple[str, ...] = ()) -> list[str]:
    return [word for word, _ in topics_of([(text, tags) for text in texts], stems, 12)]


def test_words_of_everyday_language_are_no_topics():
    assert topics("Every box has a label.", "We check every box.", "A box stands on every shelf.", "Soup is hot.") == []


def test_names_are_topics_however_they_are_known():
    texts = ("Sessions live in Redis.", "We moved off Redis.", "Call `checkout` first.", "The checkout is slow.")
    assert topics(*texts, "HTTPServer stops.", "Restart HTTPServer.", "Soup.") == ["checkout", "httpserver", "redis"]


def test_a_tag_is_a_topic():
    found = topics_of([("It is slow.", ["payments"]), ("It fails.", ["payments"]), ("Soup.", [])], stems, 12)
    assert found == [("payments", 2)]


def test_words_of_scripts_without_capitals_count():
    assert topics("缓存 决定", "缓存 问题", "汤") == []  # shorter than a topic
    assert topics("データベース 決定", "データベース 問題", "スープ") == ["データベース"]
