"""A page on one name: what holds with its history, what is disputed or open, and what is named with it."""

import pytest

from palimp_daemon.features.memories.erase_rows import erase
from palimp_daemon.features.memories.save import save_memory
from palimp_daemon.features.sessions.about_name import neighbours_in, page_on
from palimp_daemon.text.entities import entities_in
from palimp_protocol.messages.about_messages import SAME_NAME_TAG, SAME_NAME_TEXT, About, AboutPage
from palimp_protocol.messages.erasure import Erase
from palimp_protocol.messages.memory_messages import SaveMemory


@pytest.fixture
def save(request_context):
    def _save(text: str, folder: str = "/work/one", **more: object) -> str:
        return save_memory(request_context(folder), SaveMemory(text=text, **more)).id  # pyright: ignore[reportArgumentType]

    return _save


@pytest.fixture
def about(request_context):
    def _about(name: str, limit: int = 20) -> AboutPage:
        return page_on(request_context("/work/one"), About(name=name, limit=limit))

    return _about


def titles(page: AboutPage) -> list[str]:
    return [each.title for each in page.memories]


@pytest.mark.parametrize("name", ["getUserById", "get_user_by_id", "get_user_by_id()", "Users.getUserById"])
def test_a_symbol_is_found_however_it_is_written(save, about, name: str):
    save("`getUserById` caches for a minute.")
    save("Never call get_user_by_id() in a loop.")
    save("The user is known by id in the cart.")
    page = about(name)
    assert len(page.memories) == 2
    assert {*page.written} == {"getUserById", "get_user_by_id"}


@pytest.mark.parametrize("name", ["cart/ttl.py", "src/cart/ttl.py", "ttl.py"])
def test_a_path_is_found_by_its_end(save, about, name: str):
    save("In src/cart/ttl.py the clock is an argument.")
    save("The clock of orders is no argument.")
    assert titles(about(name)) == ["In src/cart/ttl.py the clock is an argument"]


@pytest.mark.parametrize(
    ("name", "count"), [("invoice", 2), ("Alice Meyer", 1), ("SHOP-12", 1), ("請求書", 1), ("Meyer Alice", 0)]
)
def test_terms_persons_and_tickets_are_found_by_their_words(save, about, name: str, count: int):
    save("Invoices are rounded half up.")
    save("An invoice has one currency; see SHOP-12.")
    save("Ask Alice Meyer about taxes, not Bob Meyer.")
    save("請求書は四捨五入で計算する")
    assert len(about(name).memories) == count


def test_names_that_are_said_to_be_one_have_one_page(save, about):
    save("The basket is emptied at night.")
    save("`cart/ttl.py` holds the clock of the cart.")
    said = [
        save(SAME_NAME_TEXT.format(*each), tags=[SAME_NAME_TAG]) for each in (("basket", "cart"), ("Korb", "basket"))
    ]
    for name in ("basket", "cart", "Korb"):
        page = about(name)
        assert len(page.memories) == 2
        assert {name, *page.written} >= {"basket", "cart", "Korb"}
        assert not {each.id for each in page.memories} & {*said}


def test_names_are_one_no_more_once_that_is_taken_back(save, about, request_context):
    save("The basket is emptied at night.")
    said = save(SAME_NAME_TEXT.format("basket", "cart"), tags=[SAME_NAME_TAG])
    erase(request_context("/work/one"), Erase(ids=[said]))
    assert about("cart").memories == []


def test_who_only_writes_so_makes_nothing_the_same(save, about):
    save("The basket is emptied at night.")
    save(SAME_NAME_TEXT.format("basket", "cart"))
    assert len(about("cart").memories) == 1


def test_what_a_memory_replaced_is_folded_under_it(save, about):
    first = save("Retries of `fetch_order` are capped at 3.", kind="decision")
    second = save("Retries of `fetch_order` are capped at 5.", kind="decision", replaces=[first])
    save("Who owns `fetch_order`?", kind="question")
    page = about("fetch_order")
    assert [(each.id, [old.id for old in each.former]) for each in page.memories] == [(second, [first])]
    assert [each.title for each in page.questions] == ["Who owns `fetch_order`?"]
    assert [(each.key, each.client) for each in page.sessions] == [("s1", "test")]


def test_nothing_of_another_project_is_on_it(save, about):
    save("`fetch_order` is secret here.", folder="/work/two")
    assert about("fetch_order") == AboutPage(name="fetch_order")


def test_more_than_are_shown_are_counted(save, about):
    for number in range(5):
        save(f"Fact {number} on `fetch_order`.")
    page = about("fetch_order", 2)
    assert (titles(page), page.more) == (["Fact 4 on `fetch_order`", "Fact 3 on `fetch_order`"], 3)


def test_a_neighbour_is_named_by_two():
    texts = ["`fetch_order` calls `retry_later`", "`fetchOrder` after retryLater, in cart/ttl.py", "cart/other.py"]
    assert [
        (each.name, each.memories) for each in neighbours_in([*map(entities_in, texts)], frozenset({"#fetch order"}))
    ] == [("retry_later", 2)]
