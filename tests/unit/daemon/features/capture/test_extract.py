"""What is captured from a conversation, and what is not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.features.capture.extract import RECAP_CHARACTERS_MAX, extracts_of
from palimp_daemon.features.capture.rules.cues import is_of_the_moment
from palimp_daemon.text.messages import Message


def captured(*said: str) -> list[tuple[str, str]]:
    """Return kind and quote of what is captured from messages, of which each begins with U: or A:."""
    roles = {"U": "user", "A": "assistant"}
    return [
        (each.kind, each.quote) for each in extracts_of([Message(roles[text[0]], text[2:].strip()) for text in said])
    ]


def test_a_decision_that_can_be_understood_alone_is_kept_alone():
    [extract] = extracts_of(
        [Message("assistant", "Redis or Postgres for the queue?"), Message("user", "We'll use Postgres for the queue.")]
    )
    assert (extract.kind, extract.quote) == ("decision", "We'll use Postgres for the queue.")
    assert extract.text == "We'll use Postgres for the queue."


@pytest.mark.parametrize(
    ("offer", "answer", "title"),
    [
        (
            "The charts are slow. I could render them in the browser or on the server.",
            "In the browser. We don't want a server that renders charts, the last one ate all memory.",
            "We don't want",
        ),
        ("Shall I use Redis or Postgres for the queue?", "Postgres. It is there already, always use it.", "“Shall I"),
    ],
)
def test_an_answer_is_called_by_its_own_sentence_if_that_can_stand_alone(offer: str, answer: str, title: str):
    [extract] = extracts_of([Message("assistant", offer), Message("user", answer)])
    assert extract.title.startswith(title)


@pytest.mark.parametrize(
    "said",
    [
        "use anyhow::bail! instead of panic! in the parser, always, because panics kill the worker",
        "never use `update!` without a rescue in this repo, since it raises",
        "from now on call valid? before save! in every model",
    ],
)
def test_a_mark_within_a_name_ends_no_sentence(said: str):
    [extract] = extracts_of([Message("user", said)])
    assert (extract.quote, extract.title) == (said, said)


def test_what_is_called_out_is_no_part_of_the_sentence_behind_it():
    [extract] = extracts_of([Message("user", "no! always use tabs in this repository")])
    assert extract.title == "always use tabs in this repository"


@pytest.mark.parametrize(
    ("said", "kind", "text"),
    [
        ("remember that staging is not reachable from the office", "note", "staging is not reachable from the office"),
        ("Please remember: the archive is read-only on weekends.", "note", "the archive is read-only on weekends."),
        ("keep in mind that you must never log tokens", "preference", "you must never log tokens"),
        ("Merk dir, dass der Testserver kein TLS hat.", "note", "der Testserver kein TLS hat."),
        ("Recuerda que el servidor de pruebas no tiene TLS.", "note", "el servidor de pruebas no tiene TLS."),
    ],
)  # fmt: skip
def test_what_is_to_be_remembered_is_kept_without_the_words_that_ask_for_it(said: str, kind: str, text: str):
    """A fact is a note, whatever it denies, and what the agent had said is no part of it."""
    [extract] = extracts_of([Message("assistant", "I deployed it to staging."), Message("user", said)])
    assert (extract.kind, extract.text, extract.is_asked_for) == (kind, text, True)


def test_a_request_to_remember_that_stands_behind_the_fact_keeps_the_fact():
    [extract] = extracts_of([Message("user", "The archive is read-only on weekends. Remember that.")])
    assert extract.text == "The archive is read-only on weekends."


@pytest.mark.parametrize(
    "said",
    [
        "let's drop the '-' before each commit",
        "drop the last hive in this view, nobody needs it there",
        "Replace bees with wasps in all four tests and rerun",
        "=== RUN TestAlways\n--- FAIL: TestAlways (0.00s)\n    always_test.go:12: must never be nil\nFAIL",
        "src/app.py:10: error: you must always use a type here\nFAILED tests/test_app.py - never equal",
        "## Review\n\nYou should always validate the input.\n\n## Style\n\nNever use global state in this project.\n",
        "**Naming:** always use snake case here.\n**Tests:** every change must have one.\n",
    ],
    ids=["an order", "at what is shown", "in so many things", "a test run", "a compiler", "a review", "labels"],
)
def test_orders_of_the_moment_and_pasted_texts_are_no_rules(said: str):
    assert captured(f"U: {said}") == []


def test_the_users_own_words_before_a_pasted_document_are_heard():
    pasted = "## Review\n\nNever use global state.\n\n## Style\n\nAlways use tabs."
    own = "From now on we always answer reviews within a day."
    assert [quote for _, quote in captured(f"U: {own}\n\n{pasted}")] == [own]


@pytest.mark.parametrize("now", ["Mending that now.", "Correcting the two of them now.", "Replacing it."])
def test_what_the_agent_is_at_is_no_fix(now: str):
    cause = "The scales are failing because I forgot to tare `Hive`."
    assert captured("U: ok continue", f"A: {cause} {now}") == []
    assert captured("U: the scales fail", f"A: {cause} `Hive` is tared at the start now.") != []


def test_a_letter_behind_a_hyphen_ends_a_sentence():
    said = "the hives in the yard have scales of type Q-B. always print their labels in pairs"
    [extract] = extracts_of([Message("user", said)])
    assert (extract.kind, extract.title) == ("preference", "always print their labels in pairs")


def test_the_agents_reason_for_what_is_not_done_is_a_fix():
    told = "The token had expired, and the queue swallowed the refusal. I rotated it and made the queue raise."
    assert captured("U: labels are not printed in hall 3", f"A: {told}") == [("fix", told)]


@pytest.mark.parametrize(
    "said",
    [
        "btw never weigh the hives in the rain, the scales drift by a kilo",
        "please stop adding labels that only repeat the number",
        "Bitte schreib mir grundsätzlich auf Englisch, auch in Notizen.",
    ],
)
def test_a_rule_said_by_the_way_is_one(said: str):
    assert [kind for kind, _ in captured(f"U: {said}")] == ["preference"]


def test_what_the_agent_is_about_to_do_is_no_fix():
    assert captured("U: the export crashes", "A: Let me fix the header because it is missing. I'll now run it.") == []


def test_what_the_agent_chose_is_a_decision_once_the_user_says_yes():
    chosen = "A: I chose flat files over a table, because they never change."
    assert captured(chosen, "U: yes, do that") == [("decision", chosen[3:])]
    assert captured(chosen, "U: hmm, why?") == []


OFFER = "A: RabbitMQ is simpler to run, Kafka keeps its messages. Either would work."


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        (OFFER, "U: rabbit then, nobody here wants to run zookeeper"),
        ("A: Option A is a banner, option B an email.", "U: B. It is simpler to explain."),
        ("A: I'd recommend five attempts with jitter.", "U: yes but cap it at 3, the upstream bans us after 4"),
    ],
    ids=["by name", "by label", "with a change"],
)
def test_who_picks_what_was_offered_and_says_why_has_decided(offer: str, answer: str):
    assert captured(offer, answer) == [("decision", answer[3:])]


@pytest.mark.parametrize(
    "answer",
    [
        "U: run the tests first, then commit",
        "U: let me ask the others, they know rabbit",
        "U: rabbit fails on my machine, have a look",
        "U: 1. fix the typo, 2. run the tests",
    ],
)
def test_an_answer_that_tells_what_to_do_now_picks_nothing(answer: str):
    assert captured(OFFER, answer) == []


def test_who_denies_what_the_agent_said_and_says_how_it_is_corrects_it():
    done, is_so = "A: I created the table in the public schema.", "A: It deletes users that were inactive."
    assert captured(done, "U: the public schema is frozen, our tables live in app")[0][0] == "correction"
    assert captured(is_so, "U: it anonymises them, it doesn't delete. That would break invoices.")[0][0] == "correction"
    assert captured(done, "U: the table still isn't there, same error as before") == []
    assert captured(done, "U: thanks, the table looks right") == []
    assert captured("A: This does it.", "U: this cannot be opened by our people, they sit elsewhere") == []


def test_a_correction_needs_something_to_correct_and_something_right():
    assert captured("A: I used requests.", "U: No, use httpx here, we need async.")[0][0] == "correction"
    assert captured("A: I used requests.", "U: No, that's fine, go on.") == []
    assert captured("U: No, use it.") == []


def test_a_preference_is_for_always_and_not_for_now():
    assert captured("U: Please always use pnpm in this repo.")[0][0] == "preference"
    assert captured("U: please use the other terminal for this") == []
    assert captured("U: could you always be a bit quicker? just kidding") == []
    assert captured("U: the tests never finish on my machine") == []
    assert captured("U: add a check that the name is never empty") == []


@pytest.mark.parametrize(
    "wish",
    [
        "Could you please always put imports at the top?",
        "Going forward, explain the plan before editing anything.",
        "when you write commit messages use the imperative mood",
        "we keep all SQL in .sql files here",
        "Each migration must be reversible, otherwise ops will reject it.",
        "naive datetimes are forbidden in this repository",
    ],
)
def test_how_things_are_done_is_said_in_many_ways(wish: str):
    assert captured(f"U: {wish}") == [("preference", wish)]


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Wir haben beschlossen, dass die Preise netto gespeichert werden.", "decision"),
        ("À partir de maintenant, toutes les dates sont stockées en UTC.", "decision"),
        ("Por favor, escribe siempre los mensajes de commit en inglés.", "preference"),
        ("Prefiro que nunca apagues ficheiros sem me perguntar.", "preference"),
        ("コミットメッセージは必ず英語で書いてください。", "preference"),
        ("我们决定图片存到 S3，不再放数据库里。", "decision"),
    ],
)
def test_other_languages_are_heard(said: str, kind: str):
    assert captured(f"U: {said}") == [(kind, said)]


@pytest.mark.parametrize(
    "said",
    [
        "Remember this: the staging database is reset every Monday.",
        "Merk dir bitte: der Testserver hat keine Mails.",
        "Souviens-toi que le serveur est vidé chaque lundi.",
        "Recuerda que el proveedor solo acepta archivos pequeños.",
        "Lembra-te que o servidor de testes é apagado à noite.",
        "覚えておいてください。ステージング環境は月曜にリセットされます。",
        "记住，测试环境每周一会重置。",
    ],
)
def test_who_asks_to_remember_something_is_obeyed(said: str):
    [extract] = extracts_of([Message("user", said)])
    assert extract.is_asked_for
    assert extract.quote == said


def test_a_reminder_to_do_something_is_none():
    assert captured("U: don't forget to run the tests again") == []
    assert captured("U: remember when we had that outage? haha") == []


RECAP = (
    "Recap of the export: rows are sorted by day, ties keep the order of the file, at most 500 rows go into a page, and"
    " empty days are left out, never padded."
)


def test_what_the_agent_says_again_at_the_end_is_a_decision():
    [extract] = extracts_of([Message("user", "Fine, write it up."), Message("assistant", f"Done then. {RECAP} Ok?")])
    assert (extract.kind, extract.quote) == ("decision", RECAP)
    assert extract.text == RECAP
    assert "export" in extract.title


@pytest.mark.parametrize(
    "said",
    [
        "So far 41 of 58 suites have run, all passed.",
        "Summary: I added the attribute, a migration and the filter; tests are green. Open: the label's translation.",
        "Understood: you want me to look at the cache. I'll start with the tests.",
        "Got it - shall I use five or six?",
    ],
)
def test_how_far_the_agent_is_is_no_recap(said: str):
    assert captured("U: how is it going", f"A: {said}") == []


def test_what_the_agent_told_is_a_decision_once_the_user_wants_it_to_stay_so():
    told = "I replaced the sequence by a counter row, so numbers have no gaps any more."
    assert captured("U: are numbers without gaps?", f"A: {told}", "U: Good, so it stays like this.")[-1] == (
        "decision",
        told,
    )
    assert captured("U: and the cache?", "A: I left the cache as it was.", "U: ok leave it for now") == []


def test_what_begins_with_a_pronoun_has_what_it_stands_for_with_it():
    before = "The importer reads the file `prices.csv` as Latin-1."
    [extract] = extracts_of(
        [Message("assistant", before), Message("user", "No, it must always be UTF-8, they changed it.")]
    )
    assert before in extract.text


def test_a_word_alone_is_about_the_sentence_before_it():
    said = "Do not use the word simply in documentation. Ever."
    assert captured(f"U: {said}") == [("preference", said)]


def test_a_fix_needs_a_cause_a_remedy_and_no_doubt():
    fixed = "A: The crash came from a stale cache. I clear it at startup now."
    assert captured("U: it crashes", fixed) == [("fix", fixed[3:])]
    assert captured("U: it crashes", "A: It may come from a stale cache. I added a log line.") == []
    assert captured("U: it crashes", "A: The crash came from a stale cache.") == []


def test_what_is_stated_before_the_remedy_is_the_cause_where_trouble_was_told_of():
    fixed = "A: CI runs in UTC and the test built its date in local time. I changed it to an explicit timezone."
    assert captured("U: tests pass here but fail in CI", fixed) == [("fix", fixed[3:])]
    assert captured("U: explain the failing test", fixed) == []
    looked = "A: The stack trace points at the parser. I added a log line there."
    assert captured("U: it crashes", looked) == []


@pytest.mark.parametrize(
    "text",
    [
        "here is the log:\nERROR: never use the flag --foo, always use --bar",
        'Fix the typos: "We decided to always use the blue bin, never the grey one."',
        "> We decided to use Kafka instead of Rabbit\nwhat does this mean?",
        "```\n# we decided to never use eval\n```\nrun this",
        "Imagine we decided to go with microservices.",
        "We decided to use X. " * 400,
    ],
    ids=["a log", "quoted", "cited", "code", "imagined", "pasted"],
)
def test_other_peoples_words_are_not_the_users(text):
    assert captured(f"U: {text}") == []


def test_the_same_words_are_captured_once():
    said = "U: We'll use Postgres for the queue, since it is there."
    assert len(captured(said, "A: ok", said)) == 1


def test_what_was_said_in_an_earlier_reading_is_answered_too():
    known = [Message("assistant", "I used requests for the client.")]
    [extract] = extracts_of([Message("user", "No, it must always be httpx here, we need async.")], known)
    assert (extract.kind, extract.before) == ("correction", known[0].text)


@given(st.lists(st.tuples(st.sampled_from(["user", "assistant"]), st.text(max_size=2_000)), max_size=4))
def test_any_conversation_is_survived_and_quotes_were_said(said):
    messages = [Message(role, text) for role, text in said]
    for extract in extracts_of(messages):
        assert any(extract.quote in message.text for message in messages)
        assert len(extract.quote) <= RECAP_CHARACTERS_MAX


@pytest.mark.parametrize(
    "text",
    ['"' + "a " * 2_000, "no " * 1_300, "with the " * 440, "we " * 1_300, "- x\n" * 1_000, "a.b. " * 800],
)
def test_no_text_takes_long(text):
    """Patterns that backtrack would not come back from these."""
    assert extracts_of([Message("assistant", "options"), Message("user", text), Message("assistant", text)]) == []


@pytest.mark.parametrize(
    ("offer", "answer", "text"),
    [
        (
            "I looked at both drivers. Do we log in UTC or in local time?",
            "it should always be UTC, the sites are in three zones",
            "“I looked at both drivers. Do we log in UTC or in local time?” – it should always be UTC, the sites are in"
            " three zones",
        ),
        (
            "A) one worker for each tenant. B) a shared pool with quotas. Which one?",
            "B) please, tenants come and go all day",
            "“B) a shared pool with quotas.” – B) please, tenants come and go all day",
        ),
    ],
    ids=["a question", "a label"],
)
def test_an_answer_and_its_question_are_one_statement(offer: str, answer: str, text: str):
    [extract] = extracts_of([Message("assistant", offer), Message("user", answer)])
    assert extract.text == text


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        ("Should the lamps be dimmed by PWM or by current?", "by current"),
        ("Sollen die Rezepte als Markdown oder als HTML liegen?", "Markdown"),
        ("レシピはMarkdownで書きますか、それともHTMLですか？", "Markdown"),
        ("単位はgramsとouncesのどちらにしますか？", "gramsで"),
        ("Which unit should the scale show?\n- grams\n- ounces", "grams"),
        ("I can (1) queue the prints or (2) refuse them. Which one?", "2 but tell the user why"),
        ("Which way should I take, a kiln or drying racks?", "racks"),
        ("In which halls should we run the kiln, in 3 or in 4?", "3"),
        ("Should rows be keyed per-tenant or per-region?", "per tenant, regions move"),
        ("Two ways:\n1. a kiln\n2. drying racks\nWhich one do you prefer?", "2"),
        ("Option one is a kiln, option two is drying.", "let's do drying for 30 h. kilns die in the damp cellar"),
    ],
)
def test_who_answers_which_of_two_things_is_to_be_has_decided_in_few_words(offer: str, answer: str):
    """The question is told with it, also in the title: a word alone names nothing."""
    [extract] = extracts_of([Message("assistant", offer), Message("user", answer)])
    assert (extract.kind, extract.quote) == ("decision", answer)
    assert extract.text.startswith("“")
    assert extract.text.endswith(f"” – {answer}")
    assert answer.split(maxsplit=1)[0] in extract.title


@pytest.mark.parametrize(
    ("offer", "answer"),
    [
        ("Are the lamps dimmed by PWM or by current?", "by current"),
        ("Do you see the flicker at PWM or at current?", "at current, mostly"),
        ("Should I run the slow tests or continue with the lamps?", "the slow tests"),
        ("Which lamp should I look at first, the left or the right one?", "left"),
        ("Which of the lamps are you looking at, the left or the right one?", "the left"),
        ("Shall I delete the old lamp or keep it?", "delete it"),
        ("Should the lamps be dimmed by PWM or by current?", "dimming is broken, look at the log"),
    ],
    ids=["what is", "what is seen", "the next step", "what is first", "what one does", "an act", "no answer"],
)
def test_an_answer_about_what_is_or_about_the_next_step_settles_nothing(offer: str, answer: str):
    assert captured(f"A: {offer}", f"U: {answer}") == []


def test_each_answer_to_the_questions_of_a_client_is_a_decision():
    """Below its question, as readers of transcripts write it; who types an order below his own question picks none."""
    asked = (
        "Where should the recipes live?\nSQLite",
        "How should we sort them?\nBy season",
        "What should be next?\nTests",
    )
    assert [(each.kind, each.text) for each in extracts_of([Message("user", "\n\n".join(asked))])] == [
        ("decision", "“Where should the recipes live?” – SQLite"),
        ("decision", "“How should we sort them?” – By season"),
    ]
    noted = captured("U: Which glaze should be used?\nAsh\nthe others crack in winter")
    assert noted == [("decision", "Ash\nthe others crack in winter")]
    assert captured("U: which of them should be faster?\nmeasure both") == []
    assert captured("U: Which of them should be faster?\nplease measure both") == []
    assert captured("U: Where should the recipes live?\nyou decide") == []


def test_of_a_long_message_the_question_is_what_is_answered():
    before = f"{'The parser reads one block after the other. ' * 30}Shall it stop at the first bad block?"
    [extract] = extracts_of(
        [Message("assistant", before), Message("user", "No, it must never stop, skip the block and count it.")]
    )
    assert extract.text.startswith("“The parser reads")
    assert "Shall it stop at the first bad block?” – No, it must never stop" in extract.text


def test_what_was_measured_is_a_finding_if_it_was_asked_for():
    told = "A cold start takes 2.4 s on average: 1.1 s of it reads the index, 0.2 s opens the socket."
    assert captured("U: measure the cold start, change nothing", f"A: {told}") == [("finding", told)]
    assert captured("U: rename the socket", f"A: {told}") == []
    assert captured("U: how long does the suite take?", "A: It takes 42 s, I'll look whether 20 s can be saved.") == []
    assert captured("U: how long does the suite take?", "A: It ran for 42 s.") == []


@pytest.mark.parametrize(
    "said",
    [
        "no no, leave it, we always have other things to do",
        "let's discuss it on Monday, until then everything stays as it is",
        "never mind, we never use it",
        "use hall 4 for now, 3 is always taken by the others",
        "nein, lass gut sein, wir nehmen immer das alte",
        "da igual, siempre lo hacemos así",
    ],
)
def test_what_is_put_off_settles_nothing(said: str):
    assert captured("A: Shall I build the export for all tenants?", f"U: {said}") == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("I told you the gateway closes after 30 seconds. My mistake, it's 90 seconds since the spring.", "correction"),
        ("We decided: no new endpoints in v1 any more, v2 only, since v1 ends in March.", "decision"),
        ("we do not put secrets into the image, they always come from the vault, since images are shared", "decision"),
    ],
)
def test_not_alone_makes_no_correction(said: str, kind: str):
    assert [each for each, _ in captured("A: I set up the gateway.", f"U: {said}")] == [kind]


@pytest.mark.parametrize(
    "pasted",
    [
        "diff --git a/rules.md b/rules.md\n--- a/rules.md\n+++ b/rules.md\n@@ -1 +1 @@\n-We use tabs."
        "\n+We always use spaces here.",
        "From: Ops <ops@example.org>\nTo: all\nSubject: Freeze\n\n"
        "From now on nobody deploys on Fridays, because we said so.",
        "[10:42] ana: from now on we always squash, agreed?\n[10:43] leo: yes, never merge commits",
        "The story:\n\nAs a beekeeper I want to weigh hives.\nAcceptance criteria:\n- always show grams\n- never round",
        "Steps to reproduce:\n1. open a hive\nExpected behaviour: it must never show -1, always use 0",
        "Expected: always 0\nActual: it never is",
    ],
    ids=["a diff", "a mail", "a chat", "a story", "a ticket", "a short ticket"],
)  # fmt: skip
def test_what_others_wrote_is_not_the_users_word(pasted: str):
    assert captured(f"U: {pasted}") == []


@pytest.mark.parametrize(
    ("said", "kind"),
    [
        ("Every export has a header line and 12 columns, the last one is always empty.", "finding"),
        ("Every export must have a header line and 12 columns.", "preference"),
        ("Every ferry has 12 seats and only one door, which is always open in the harbour.", "finding"),
    ],
)
def test_what_tells_how_something_always_is_settles_nothing(said: str, kind: str):
    assert captured("U: " + said) == [(kind, said)]


def test_a_fact_beside_what_the_agent_did_corrects_nothing():
    fact = "The customer has 400 shops and only 12 of them use the API."
    assert [kind for kind, _ in captured("A: Done. I set the limit to 300 calls.", "U: " + fact)] != ["correction"]


@pytest.mark.parametrize(
    "said",
    [
        "for the record: the hives by the creek are NOT ours and the farmer moves them in spring",
        "never open a hive below 12 degrees btw, last time that cost us a whole brood",
        "so weigh it in the evening, that's how we do every hive that stands on a scale",
        "and we write weights in grams, one line each, newest on top",
        "we say colony in all letters, not swarm. look at the others, too",
        "max 10 frames a box, more than that nobody can lift",
    ],
)
def test_how_we_do_things_and_how_much_of_them_is_kept(said: str):
    assert len(captured("A: I filled the feeder.", f"U: {said}")) == 1


@pytest.mark.parametrize(
    "said",
    [
        "they stop at my gate: `DoorError: no hinge on the left side`",
        "next: the lid of the third hive is loose in the wind",
        "we lose the first frame, not the last",
        "same as last time, the lid is on the wrong side",
        "that's how we got wet",
    ],
)
def test_how_things_went_wrong_is_not_how_we_do_them(said: str):
    assert captured("A: I filled the feeder.", f"U: {said}") == []


def test_last_time_is_a_reason_behind_a_comma_and_else_of_the_moment():
    assert not is_of_the_moment("never open a hive in the rain, last time that cost us a brood")
    assert is_of_the_moment("open it like last time")
