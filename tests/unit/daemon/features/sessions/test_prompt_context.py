"""Which memories a prompt needs: what shares telling words with it, or is near it in meaning; else nothing."""

import itertools

import pytest
from request_contexts import NOON_MS, RequestContexts

from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions import cjk_overlap
from palimp_daemon.features.sessions.prompt_context import GIVEN_MAX, known_for_prompt
from palimp_daemon.store.store import Store
from palimp_daemon.store.tables import vector_rows
from palimp_daemon.store.tables.mutes import mute
from palimp_daemon.store.tables.vector_rows import QueryVector
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef
from palimp_protocol.messages.memory_messages import SaveMemory

ASKING = Caller(ProjectRef("/work/one", "one"), SessionRef("s2", "test"))
PROMPT = bytes([100, *[0] * 383])


def at(cosine: float) -> bytes:
    """Return a vector that is as near to PROMPT as *cosine*."""
    return bytes([round(100 * cosine), round(100 * (1 - cosine**2) ** 0.5), *[0] * 382])


@pytest.fixture
def saved(request_context: RequestContexts, store: Store):
    """Saves texts with vectors; the first has number 1."""

    def save(**near: float) -> None:
        for number, (text, cosine) in enumerate(near.items(), 1):
            save_memory(request_context(), SaveMemory(text=text.replace("_", " ")))
            vector_rows.insert(store, [(number, at(cosine))])

    return save


def given(store: Store, prompt: str, vector: bytes | None = None) -> list[str]:
    meaning = (QueryVector(vector),) if vector else ()
    return [row.content for row in known_for_prompt(ASKING, prompt, meaning, NOON_MS, store)]


def test_two_telling_words_are_enough_and_one_is_not(saved, store: Store):
    saved(Retries_of_the_upstream_end_after_three_attempts_whatever_the_gateway_answers=0.0)

    assert given(store, "the upstream is down for maintenance tonight so please add twenty retries with pauses")
    assert not given(store, "the upstream is down for maintenance tonight so please add a banner with an explanation")


@pytest.mark.parametrize("prompt", ["the window has no close icon", "add two buttons to the page"])
def test_words_that_developers_use_of_everything_tell_little_in_any_form(saved, store: Store, prompt: str):
    saved(Client_failure_opens_a_button_window=0.0)

    assert not given(store, prompt)


def test_what_is_near_in_meaning_is_given_without_a_word_in_common(saved, store: Store):
    saved(Invoices_hold_integer_cents=0.6, Tabs_are_four_wide=0.35)

    assert given(store, "represent prices in the catalogue", PROMPT) == ["Invoices hold integer cents"]
    assert not given(store, "represent prices in the catalogue")


def test_what_names_something_that_is_gone_is_told_by_what_says_so(saved, store: Store):
    saved(
        Berths_are_booked_in_Oakhook_and_paid_on_arrival_by_each_crew=0.6,
        Oakhook_is_gone_and_Mooringo_has_taken_its_place_for_good=0.2,
    )

    assert given(store, "add a berth to the list of the harbour", PROMPT) == [
        "Oakhook is gone and Mooringo has taken its place for good"
    ]


def test_what_else_is_said_beside_a_name_that_is_gone_is_told_as_before(saved, store: Store):
    saved(
        **{
            "Berths are booked in Oakhook, and the crane lifts forty tons of cargo": 0.6,
            "Oakhook is gone and Mooringo has taken its place for good": 0.2,
        }
    )

    told = given(store, "paint the tons that the crane lifts on a sign", PROMPT)
    assert told[0] == "Berths are booked in Oakhook, and the crane lifts forty tons of cargo"


def test_what_is_said_of_another_subject_keeps_nothing_back(request_context: RequestContexts, store: Store):
    """Alike and newer, it is about the gate that the prompt does not name."""
    for number, (gate, hour) in enumerate((("north", "seven"), ("south", "six")), 1):
        text = f"The {gate} gate of the harbour opens at {hour}"
        save_memory(request_context(session=f"g{number}"), SaveMemory(text=text))
        vector_rows.insert(store, [(number, at(0.6))])

    told = given(store, "add a note on the north gate of the harbour", PROMPT)
    assert "The north gate of the harbour opens at seven" in told


def test_who_only_asks_for_what_is_there_is_given_what_is_nearer(saved, store: Store):
    saved(Invoices_hold_integer_cents=0.6)

    assert not given(store, "explain the prices in the catalogue", PROMPT)
    assert not given(store, "why are there prices in the catalogue?", PROMPT)
    assert given(store, "explain why invoices hold cents", PROMPT)


def test_what_is_not_far_needs_a_telling_word(saved, store: Store):
    saved(Tailwind_was_ruled_out=0.45, Bootstrap_was_ruled_out=0.1, Stylesheets_are_modules=0.3)

    assert given(store, "style it with tailwind or bootstrap", PROMPT) == ["Tailwind was ruled out"]


@pytest.mark.parametrize(("cosine", "is_given"), [(0.62, True), (0.57, False)])
def test_a_memory_must_be_as_near_among_few_as_among_many(saved, store: Store, cosine: float, is_given: bool):
    saved(Invoices_hold_integer_cents=cosine)
    assert bool(given(store, "represent prices in the catalogue", PROMPT)) is is_given

    saved(**{f"Note {number} of the diary about the weather": 0.0 for number in range(300)})
    vector_rows.insert(store, [(1, at(cosine))])
    assert bool(given(store, "represent prices in the catalogue", PROMPT)) is is_given


def test_a_word_that_several_memories_have_is_less_telling(saved, store: Store):
    saved(**{f"Invoice number {number} was late": 0.3 for number in range(6)})

    assert not given(store, "print the invoice", PROMPT)


def test_what_bears_most_on_it_comes_first_and_three_at_most_are_given(saved, store: Store):
    saved(One_is_near=0.8, Two_is_nearer=0.85, Three_is_nearest=0.95, Tailwind_is_less_near=0.8, Far=0.5)

    found = given(store, "may I use tailwind", PROMPT)

    assert found == ["Tailwind is less near", "Three is nearest", "Two is nearer"]
    assert len(found) == GIVEN_MAX


def test_what_a_newer_one_likely_replaced_is_not_given(request_context: RequestContexts, store: Store):
    old = "Retention of raw files in the bucket: thirty days, then they are deleted."
    new = "Retention of raw files in the bucket goes up to ninety days for finance."
    save_memory(request_context(), SaveMemory(text=old, kind="decision"))
    request_context.minutes = itertools.count(60 * 24 * 30)
    save_memory(request_context(session="s9"), SaveMemory(text=new, kind="decision"))

    assert given(store, "delete the raw files of the bucket after their retention") == [new]


def test_a_prompt_without_a_word_that_says_anything_may_still_mean_something(saved, store: Store):
    saved(The_failing_build_is_known=0.8)

    assert given(store, "make it build again", PROMPT)


def test_memories_of_other_projects_and_of_the_session_itself_are_not_given(
    request_context: RequestContexts, store: Store
):
    save_memory(request_context("/work/two"), SaveMemory(text="Of another project."))
    save_memory(request_context(session="s2"), SaveMemory(text="Of the session itself."))
    vector_rows.insert(store, [(1, at(0.9)), (2, at(0.9))])

    assert not given(store, "make it near", PROMPT)


def test_what_has_no_vector_yet_is_given_by_its_words(request_context: RequestContexts, store: Store):
    save_memory(request_context(), SaveMemory(text="The ledger keeps integer cents."))

    assert given(store, "let the ledger keep cents", PROMPT)


def test_words_that_any_prompt_in_a_language_has_tell_nothing(saved, store: Store):
    """Though only one memory has them, the others being English."""
    saved(Rechnungen_werden_nachts_erzeugt_weil_die_Datenbank_dann_nicht_ausgelastet_ist=0.0, Tabs_are_four_wide=0.0)

    assert not given(store, "Benenne die Funktion um, weil wir sie dann nicht mehr brauchen")
    assert given(store, "Warum werden die Rechnungen nicht mehr nachts erzeugt?")


def test_a_prompt_in_cyrillic_may_have_other_forms_of_the_words(saved, store: Store):
    saved(Номера_карт_в_логах_запрещены_после_проверки=0.0)

    assert given(store, "Запиши номер карты в логи, когда оплата не проходит")
    assert not given(store, "Запиши ответ сервера в файл, когда оплата не проходит")


CACHE = "商品目录的缓存只保留五分钟。"


def test_without_spaces_two_pairs_of_characters_that_stand_apart_are_enough(saved, store: Store):
    saved(**{CACHE: 0.0})

    assert given(store, "商品加载很慢,把缓存改成一小时") == [CACHE]
    assert not given(store, "把缓存改成一小时")
    assert not given(store, "等五分钟再试")


def test_of_a_long_prompt_a_bounded_number_of_pieces_is_counted(saved, store: Store, monkeypatch: pytest.MonkeyPatch):
    saved(**{CACHE: 0.0})
    monkeypatch.setattr(cjk_overlap, "PIECES_MAX", 1)

    assert not given(store, "商品加载很慢,把缓存改成一小时")


def test_pieces_that_many_memories_have_or_that_are_said_of_everything_tell_nothing(saved, store: Store):
    saved(**{CACHE: 0.0, "这个函数和按钮的测试在文件里。": 0.0})
    assert not given(store, "更新函数和按钮的测试")

    saved(**{f"商品目录的缓存第{number}条。": 0.0 for number in "一二三四五六七八九十百千万亿兆京垓秭穰沟涧正载"})
    assert not given(store, "商品加载很慢,把缓存改成一小时")


def test_katakana_and_beginnings_of_korean_words_count_once_each(saved, store: Store):
    saved(**{"請求書のタイムゾーンはUTCにする。": 0.0, "액세스 토큰은 십오 분 뒤에 만료된다.": 0.0})

    assert given(store, "請求の時刻がタイムゾーンでずれています")
    assert not given(store, "タイムゾーンを選ぶ画面を追加してください")
    assert given(store, "사용자가 로그아웃되니 액세스 토큰의 시간을 늘려줘")
    assert not given(store, "토큰 화면을 추가해줘")


def test_what_is_muted_is_given_with_no_prompt(saved, store: Store):
    saved(Invoices_hold_integer_cents=0.6, Invoices_are_sent_on_Mondays=0.6)
    prompt = "represent prices on invoices in integer cents"
    assert "Invoices hold integer cents" in given(store, prompt, PROMPT)
    mute(store, [1], 0)
    assert "Invoices hold integer cents" not in given(store, prompt, PROMPT)


def test_what_a_muted_memory_likely_replaced_is_not_given_in_its_place(saved, store: Store):
    """Not even where the muted one bears less on the prompt."""
    saved(
        The_gateway_retries_upstream_calls_three_times=0.6, The_gateway_retries_upstream_calls_five_times_since_May=0.6
    )
    prompt = "how often does the gateway retry upstream calls"
    assert given(store, prompt, PROMPT) == ["The gateway retries upstream calls five times since May"]
    mute(store, [2], 0)
    assert given(store, prompt, PROMPT) == []
