"""What is captured of a few words, and what is only an order of the moment."""

import pytest

from palimp_daemon.features.capture.extract import extracts_of
from palimp_daemon.text.messages import Message


def captured(said: str, before: str = "I filled the feeder and closed the lid.") -> list[tuple[str, str]]:
    """Return kind and text of what is captured of *said*, the user's answer to *before*."""
    return [(each.kind, each.text) for each in extracts_of([Message("assistant", before), Message("user", said)])]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("no globals please", "decision"),
        ("spaces, not tabs", "preference"),
        ("stick with mercurial", "decision"),
        ("we only support little endian", "decision"),
        ("lets standardize on mercurial", "decision"),
        ("no plurals in table names", "preference"),
        ("never drop a table without asking", "preference"),
        ("probes must be sealed", "decision"),
        ("we're not supporting solaris", "decision"),
        ("we wont ship debug symbols", "decision"),
        ("drop ruby 2.7", "decision"),
        ("leave the hives/ dir alone", "preference"),
        ("double quotes everywhere", "preference"),
        ("udp from now on", "decision"),
        ("hold the heap below 64 MB", "decision"),
        ("no refactoring without asking", "preference"),
        ("docs in french only", "preference"),
        ("benutze immer clang", "preference"),
        ("keine singletons bitte", "decision"),
        ("utilise toujours clang", "preference"),
        ("usa siempre clang, nunca gcc", "preference"),
        ("use sempre clang", "preference"),
        ("usa sempre clang", "preference"),
        ("gebruik altijd clang", "preference"),
        ("всегда используй clang", "preference"),
        ("永远用clang编译", "preference"),
        ("必ずclangを使って", "preference"),
        ("항상 clang 사용해", "preference"),
    ],
)
def test_a_few_words_that_hold_on_are_kept_alone(said: str, kind: str):
    assert captured(said) == [(kind, said)]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("we use mercurial now", "decision"),
        ("we're on mercurial now", "decision"),
        ("we sign with gpg for now", "decision"),
        ("we're not supporting solaris for now", "decision"),
        ("stick with mercurial for the time being", "decision"),
        ("max 4 hives for now", "decision"),
        ("no globals in production for now", "decision"),
        ("höchstens 4 Körbe vorerst", "decision"),
        ("on reste sur mercurial pour l'instant", "decision"),
        ("nos quedamos con mercurial por ahora", "decision"),
        ("ficamos com mercurial por enquanto", "decision"),
        ("restiamo con mercurial per ora", "decision"),
        ("остаёмся на mercurial пока", "decision"),
    ],
)
def test_what_holds_for_the_time_being_is_kept_where_its_form_settles_it(said: str, kind: str):
    assert captured(said) == [(kind, said)]


@pytest.mark.parametrize(
    "said",
    [
        "open it now",
        "skip the lid for now",
        "we need the honey now",
        "we use it now",
        "leave the lid for now",
    ],
)
def test_an_order_for_now_is_none(said: str):
    assert captured(said) == []


@pytest.mark.parametrize(
    "said",
    [
        "green, not yellow",
        "queen, not drone",
        "rename it everywhere",
        "drop phase 2",
        "dont move the folder",
        "max 2 sentences please",
        "limit the smoke to 3",
        "the left hive, not this one",
        "paint it white",
        "drop row 7",
        "drop that hive",
        "no honey this time",
        "no idea",
        "leave the lid alone",
        "we're not done yet",
        "never happened to me",
        "bees everywhere, same thing",
        "max 5 rows please",
        "yes, use mine",
        "noch einmal bitte",
        "keine ahnung",
        "jamais vu ça",
        "sin problema",
        "sem pressa",
        "senza fretta",
        "geen probleem",
        "никаких проблем",
        "不用了",
        "いつも同じエラー",
        "다시 해줘",
    ],
)
def test_an_order_of_the_moment_and_small_talk_are_not_kept(said: str):
    assert captured(said) == []


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("The pump runs for 40 s.", "no, 25"),
        ("The pump listens on channel 4.", "its 9 actually"),
        ("La pompe tourne 40 s.", "non, 25 s"),
        ("ポンプは40秒動きます。", "いや、25秒で"),
    ],
)
def test_a_number_in_the_place_of_the_agents_is_a_correction_with_its_words(before: str, said: str):
    assert captured(said, before) == [("correction", f"“{before}” – {said}")]


@pytest.mark.parametrize(
    ("before", "said"),
    [
        ("I see 4 dead hives.", "no, 6"),
        ("The yard has 4 hives.", "no, 6"),
        ("I moved 4 files.", "no, 6 files moved"),
        ("The pump runs for 40 s.", "no, 25 s here"),
        ("The pump runs for 40 s.", "no, 40 s"),
    ],
    ids=["seen", "there", "counted", "at hand", "the same"],
)
def test_a_number_that_the_agent_counted_or_that_is_at_hand_corrects_nothing(before: str, said: str):
    assert captured(said, before) == []


def test_one_thing_put_in_the_place_of_the_agents_is_a_correction():
    before = "I keep the logs in Varnish."
    assert captured("squid, not varnish", before) == [("correction", f"“{before}” – squid, not varnish")]


def test_a_denial_of_the_agents_act_is_a_correction_and_has_it_in_front():
    before = "I put the cache in Varnish."
    assert captured("nope, squid. no varnish", before) == [("correction", f"“{before}” – nope, squid. no varnish")]


def test_what_the_agent_named_is_refused_by_its_name_alone():
    assert captured("no varnish", "I added Varnish before the server.") == [("decision", "no varnish")]
    assert captured("no varnish", "I cleaned the server.") == []
    assert captured("squid please, no varnish", "I added Varnish.") == [("decision", "squid please, no varnish")]


@pytest.mark.parametrize(
    ("offer", "said"),
    [
        ("Should I write it in Zig or D?", "zig"),
        ("Zal ik Varnish of Squid nemen?", "doe maar squid"),
        ("Использовать Varnish или Squid?", "давай squid"),
        ("Uso Varnish o Squid?", "squid"),
    ],
)
def test_one_of_two_names_is_a_choice_however_short(offer: str, said: str):
    assert captured(said, offer) == [("decision", f"“{offer}” – {said}")]


def test_what_the_agent_is_to_do_first_is_no_choice():
    assert captured("the lid", "Which should I open first, the lid or the box?") == []


def test_a_long_message_is_not_kept_for_one_short_form_in_it():
    long = "i looked at the feeder with anna and the bees like it, we sat there an hour, no lid please"
    assert captured(long) == []


def test_few_words_of_very_many_characters_are_no_short_message():
    """They are pasted, and patterns would look at them for long."""
    assert captured(f"no {'x' * 50} please")
    assert captured(f"no {'x' * 50_000} please") == []


@pytest.mark.parametrize(
    ("asked", "told", "said"),
    [
        ("smoke or a brush for the inspection?", "Both calm them. Smoke is quicker.", "brush"),
        ("Do we feed syrup, or fondant?", "Fondant does not freeze.", "it is cold already. let's take fondant"),
        ("which one for the frames", "Pine is cheap, and cedar lasts.", "cedar it is, then"),
        ("where do the jars go", "Most people keep them in the cellar.", "ok, cellar it is"),
    ],
)
def test_who_names_one_of_the_things_asked_about_has_chosen_it(asked: str, told: str, said: str):
    found = extracts_of([Message("user", asked), Message("assistant", told), Message("user", said)])
    assert [(each.kind, each.quote, each.before != "") for each in found] == [("decision", said, True)]


@pytest.mark.parametrize(
    ("asked", "told", "said"),
    [
        ("smoke or a brush for the inspection?", "Both calm them.", "thanks"),
        ("is it a queen or a drone?", "It is a drone.", "hm. look"),
        ("smoke or a brush for the inspection?", "Both calm them.", "brush is wet though"),
        ("which one", "The left one.", "yes it is"),
        ("which one", "The left one is full.", "fine as it is"),
    ],
)
def test_an_answer_that_names_none_of_them_chooses_nothing(asked: str, told: str, said: str):
    assert extracts_of([Message("user", asked), Message("assistant", told), Message("user", said)]) == []


@pytest.mark.parametrize(
    "said",
    [
        "alright we're moving to cedar frames",
        "we support varroa 3 and newer",
        "we decided against plastic foundation",
        "we stay on wooden hives",
    ],
)
def test_what_is_settled_in_few_words_is_kept_behind_an_opening_too(said: str):
    assert [kind for kind, _ in captured(said)] == ["decision"]
