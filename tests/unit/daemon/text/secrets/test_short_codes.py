import pytest
from hypothesis import given
from hypothesis import strategies as st
from marked_secrets import wrongly_redacted

from palimp_daemon.text.secrets.short_codes import pins


def pins_in(text):
    return [text[span.start : span.end] for span in pins(text)]


@pytest.mark.parametrize(
    "said",
    ["The PIN is {}.", "door PIN: {}", "the pin of the safe is {}, he said", "PIN {}", "alarm code = {}",
     "passcode: `{}`", "Die PIN lautet {}", "el PIN es {}", "暗証番号は{}です", "пин-код: {}", "PIN (card): {}"],
)  # fmt: skip
@given(st.text("0123456789", min_size=4, max_size=8))
def test_digits_that_are_said_to_be_a_pin_are_one(said, digits):
    assert pins_in(said.format(digits)) == [digits]


@pytest.mark.parametrize(
    "text", ["the pin is four seven one one", "PIN: four-seven-one-one", "PIN lautet vier sieben eins eins"]
)
def test_a_pin_may_be_said_in_words(text):
    assert len(pins_in(text)) == 1


@pytest.mark.parametrize(
    "text",
    ["Pin react to 18.2.0-canary-a1b2c3d4e-20240101", "pin: 17", "pin 2024 releases", "pin: ==2.31.0", "GPIO pin 4",
     "Pin the action to actions/checkout@a4c123b1612dd272d1371c17149d439536b3216f.", "pin: 2024.10.1", "spin: 4711",
     "PIN length: 4", "pinned 4711 packages"],
)  # fmt: skip
def test_a_pin_of_a_board_or_of_a_package_is_none(text):
    assert pins_in(text) == []


def test_a_pin_of_letters_and_digits_is_one_where_it_is_written_in_capitals():
    text = """
        PIN ‹pin:Xk29fQ7mLp›
        PIN: ‹pin:Xk29fQ7mLp› for it
        pin Xk29fQ7mLp
        PIN of it, Xk29fQ7mLp
    """
    assert wrongly_redacted(text) == []
