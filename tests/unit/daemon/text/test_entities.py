"""One key for a name however it is written."""

import pytest

from palimp_daemon.text.entities import entities_in, keys_of_name, symbol_key, tickets_in


@pytest.mark.parametrize(
    "symbol",
    ["getUserById", "get_user_by_id", "GetUserByID", "get_user_by_id()", "Users.getUserById", "users::getUserById"],
)
def test_a_symbol_is_its_words(symbol: str):
    assert symbol_key(symbol) == "#get user by id"


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("src/cart/ttl.py", "/cart/ttl.py"),
        ("./cart/ttl.py", "/cart/ttl.py"),
        ("ttl.py", "/ttl.py"),
        ("`settle_cents`", "#settle cents"),
        ("cargo", "$cargo"),
        ("SHOP-12", "!SHOP-12"),
        ("#12", "!#12"),
    ],
)
def test_a_name_that_is_asked_about_has_the_key_that_texts_have(name: str, key: str):
    assert key in keys_of_name(name)


@pytest.mark.parametrize("name", ["Alice Meyer", "round half up", "請求書", "—", ""])
def test_terms_and_persons_have_no_key_of_a_path_or_ticket(name: str):
    assert not [key for key in keys_of_name(name) if key[0] in "/!"]


@pytest.mark.parametrize(
    ("text", "tickets"),
    [
        ("Fixed in SHOP-12 and #7; see SHOP-12.", ["SHOP-12", "#7"]),
        ("UTF-8, ISO-8601, SHA-256, RFC-2616 and colour #12345678 are none", []),
        ("page.html#12 and a-SHOP-12 neither", []),
    ],
)
def test_tickets(text: str, tickets: list[str]):
    assert tickets_in(text) == tickets


def test_a_text_names_each_thing_once():
    text = "`cart/ttl.py` calls `expireCart`; src/cart/ttl.py tests expire_cart() with `cargo test`, for SHOP-12."
    found = entities_in(text)
    assert [each.key for each in found] == ["/cart/ttl.py", "#expire cart", "$cargo", "!SHOP-12"]
    assert found[0].name == "cart/ttl.py"
