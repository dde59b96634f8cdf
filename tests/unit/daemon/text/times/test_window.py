"""The time that a question names: the right days, in nine languages, and none where none is named."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from zoneinfo import ZoneInfo, available_timezones

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from questions_with_time import BY_LANGUAGE, TODAY
from questions_without_time import ATTRIBUTES, ENGLISH, HELD_OUT, OTHER_LANGUAGES

from palimp_daemon.text.times import question_time
from palimp_daemon.text.times.time_words import phrases_of, times
from palimp_daemon.text.times.window import BEGINNING_MS, OPEN_END_MS, Window, window_in

BERLIN = ZoneInfo("Europe/Berlin")
NOW = datetime.combine(TODAY, time(12), BERLIN)

ROWS = [(question, begin, end) for rows in BY_LANGUAGE.values() for question, begin, end in rows]

words = st.sampled_from(sorted({phrase for name in times() for phrase in phrases_of(name)}))
numbers = st.sampled_from(
    ["1", "3", "27", "27.", "0", "999", "2026", "2026-02-30", "31.02.2026", "2/30/2026", "Q3", "29", "0001"]
)
sentences = st.lists(
    words | numbers | st.sampled_from(["what did we decide", ",", "?", "was", "前", "月", "7月", "以来"]), max_size=9
)
questions = sentences.map(" ".join) | st.text(max_size=60) | st.sampled_from([question for question, *_ in ROWS])
zones = st.sampled_from(sorted(available_timezones())).map(ZoneInfo) | st.integers(-14, 14).map(
    lambda hours: timezone(timedelta(hours=hours))
)
moments = st.builds(lambda moment, zone: moment.replace(tzinfo=zone), st.datetimes(), zones)


def milliseconds(day: date | None, otherwise: int) -> int:
    """Return when *day* begins in Berlin."""
    return otherwise if day is None else int(datetime.combine(day, time(), BERLIN).timestamp() * 1000)


def window(question: str, now: datetime = NOW) -> Window:
    """Return the window of *question*, which has one."""
    found = window_in(question, now)
    assert found
    return found


def test_the_words_of_a_question_name_days():
    """Half open, in the calendar of the one who asks; a bound that is not said is open."""
    wrong = [
        (question, begin, end, found)
        for question, begin, end in ROWS
        if not (found := window_in(question, NOW))
        or not found.phrase
        or (found.begin_ms, found.end_ms) != (milliseconds(begin, BEGINNING_MS), milliseconds(end, OPEN_END_MS))
    ]

    assert wrong == []


def test_a_question_without_a_time_has_no_window():
    """May, march, versions, ports, habits, plans, durations, names and quotations are no time, and no order."""
    questions = ENGLISH + OTHER_LANGUAGES + HELD_OUT + ATTRIBUTES

    assert [(question, found) for question in questions if (found := window_in(question, NOW))] == []


@given(questions, moments)
@example("what was decided between 30 and 12 February", NOW)
@example("since 29 February", NOW)
@example("what did we decide 999 years ago", NOW)
def test_whatever_is_asked_and_whenever_a_window_is_one(question: str, now: datetime):
    """It has a length, is within what the calendar has, has begun, and parts the question into phrase and rest."""
    found = window_in(question, now)

    if found:
        assert BEGINNING_MS <= found.begin_ms < found.end_ms <= OPEN_END_MS
        assert found.begin_ms <= max(BEGINNING_MS, (now - datetime(1970, 1, 1, tzinfo=UTC)) / timedelta(milliseconds=1))
        assert found.phrase in question
        assert sorted("".join((found.phrase + found.rest).split())) == sorted("".join(question.split()))
        assert found.subject in found.rest or found.order
        assert found.phrase or found.order


@pytest.mark.parametrize(
    "now", [NOW.replace(tzinfo=ZoneInfo("Asia/Tokyo")), NOW.replace(tzinfo=ZoneInfo("America/Lima"))]
)
def test_a_day_is_one_of_the_zone_that_asks(now: datetime):
    """Yesterday begins at another moment in another zone."""
    found = window("What did we decide yesterday?", now)

    assert datetime.fromtimestamp(found.begin_ms / 1000, now.tzinfo) == datetime(2026, 10, 19, tzinfo=now.tzinfo)
    assert found.end_ms - found.begin_ms == 24 * 3_600_000


def test_the_day_on_which_the_clocks_change_has_its_hours():
    """On 25 October 2026 Berlin has 25 of them."""
    found = window("What did we decide yesterday?", datetime(2026, 10, 26, 9, tzinfo=BERLIN))

    assert found.end_ms - found.begin_ms == 25 * 3_600_000


def test_a_moment_without_a_zone_is_refused():
    """Its days would be anybody's."""
    with pytest.raises(ValueError, match="no zone"):
        window_in("yesterday", datetime(2026, 10, 20))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("question", "subject", "kinds"),
    [
        ("What did we decide last week?", "", ("decision",)),
        ("What was fixed in August?", "", ("fix",)),
        ("What did we write down on 27 May?", "", ()),
        ("what was decided about the cache in July", "cache", ("decision",)),
        ("What was recorded on 25 June about executor, secrets and retries?", "executor, secrets and retries", ()),
        ("what changed on august 19 (not counting the certification note)", "", ()),
        ("Which preferences were noted this month?", "", ("preference",)),
        ("What did we learn in March?", "", ("finding",)),
        ("Was haben wir letzte Woche entschieden?", "", ("decision",)),
        ("Was wurde im Juli zum Cache entschieden?", "Cache entschieden", ("decision",)),
        ("Qu'avons-nous décidé la semaine dernière ?", "", ("decision",)),
        ("¿Qué se corrigió esta semana?", "", ("fix",)),
        ("O que decidimos ontem?", "", ("decision",)),
        ("Che cosa abbiamo deciso ieri?", "", ("decision",)),
        ("Wat hebben we vorige week besloten?", "", ("decision",)),
        ("先週決めたことは？", "", ("decision",)),
        ("上周我们决定了什么？", "", ("decision",)),
        ("Что мы решили на прошлой неделе?", "", ("decision",)),
        ("что исправили вчера в парсере", "парсере", ("fix",)),
        ("지난주에 결정한 것은?", "", ("decision",)),
    ],
)
def test_what_is_left_of_a_question_is_what_it_is_about(question: str, subject: str, kinds: tuple[str, ...]):
    """Words that only lead in are left out; where nothing stays, the question lists what there is of that time."""
    found = window(question)

    assert (found.subject, found.kinds) == (subject, kinds)


@pytest.mark.parametrize(
    "question",
    [
        "what did we ship yesterday",
        "woran haben wir gestern gearbeitet",
        "qu'est-ce qu'on a ajouté hier",
        "en qué trabajamos ayer",
        "o que adicionamos ontem",
        "cosa abbiamo aggiunto ieri",
        "waaraan hebben we gisteren gewerkt",
        "昨日は何をしましたか",
        "昨日追加したメモ",
        "昨天发生了什么",
        "что сделали вчера",
        "어제 무엇을 했어?",
    ],
)
def test_doing_saving_and_happening_is_no_subject(question: str):
    assert window(question).subject == ""


def test_what_was_done_may_be_a_name():
    assert window("what did we ship about the build yesterday").subject.startswith("build")


@pytest.mark.parametrize(
    ("question", "order", "subject"),
    [
        ("latest decision on the payload format", "newest", "payload format"),
        ("most recent fix", "newest", ""),
        ("What is the latest we know about Meilisearch?", "newest", "Meilisearch"),
        ("the latest bug that was fixed", "newest", ""),
        ("recent decisions on the cache", "newest", "cache"),
        ("what have we noted lately about the cache", "newest", "cache"),
        ("newest rule about OTA updates", "newest", "OTA updates"),
        ("What did we decide last about retries?", "newest", "retries"),
        ("What was our first decision about caching?", "oldest", "caching"),
        ("letzte Entscheidung zum Cache", "newest", "cache"),
        ("dernière décision sur le cache", "newest", "cache"),
        ("最新の決定", "newest", ""),
        ("последнее решение про кэш", "newest", "кэш"),
        ("최근 결정", "newest", ""),
        ("Which decision about caching is the newest?", "newest", "caching"),
        ("What's the most recent change to the retry policy?", "newest", "retry policy"),
        ("the three latest decisions", "newest", ""),
        ("Was wurde zuletzt zum Cache entschieden?", "newest", "cache entschieden"),
    ],
)
def test_the_latest_and_the_first_are_an_order_and_no_span(question: str, order: str, subject: str):
    """They sort what is found, or list it where nothing else is asked."""
    found = window(question)

    assert (found.order, found.phrase) == (order, "")
    assert (found.begin_ms, found.end_ms) == (BEGINNING_MS, OPEN_END_MS)
    assert found.subject.lower() == subject.lower()


def test_an_order_goes_with_a_span():
    """The latest of last week is within that week."""
    found = window("What was the latest fix last week?")

    assert (found.order, found.phrase, found.kinds) == ("newest", "last week", ("fix",))


def test_a_former_state_may_have_been_noted_earlier():
    """What held in July may have been decided in May, whereas what was decided in July was noted then."""
    assert window("What was the free shipping limit in July?").is_former_state
    assert not window("Which decisions were made in July?").is_former_state


def test_what_was_said_roughly_is_no_exact_window():
    """Two weeks ago may be a few days more or less."""
    assert not window("What did we decide two weeks ago?").is_exact
    assert window("What did we decide last week?").is_exact


def test_a_long_question_is_read_up_to_a_bound():
    """A text of a megabyte, which somebody pasted, costs nothing, and a time behind the bound is none."""
    assert window_in("x " * 500_000 + "What did we decide yesterday?", NOW) is None


@pytest.mark.parametrize("times_on_each_line", ["2026-11-01 ", "a 2026 b ", "last week ", "20 may 2025 ", "Q3 2025; "])
def test_a_pasted_table_of_times_is_looked_at_a_few_times_only(monkeypatch, times_on_each_line: str):
    """Each look reads all that stands around a time."""
    looks: list[str] = []
    monkeypatch.setattr(question_time, "has_subject", lambda text, language: looks.append(language) or True)
    assert window_in(times_on_each_line * 100, NOW) is None
    assert len(looks) <= question_time.TIMES_MAX * len(times())
