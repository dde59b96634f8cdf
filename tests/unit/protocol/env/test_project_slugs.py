"""What clients call the folder of a project among their own."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from palimp_protocol.env.project_slugs import SLUG_CHARACTERS_MAX, slug_of, slugs_of


@pytest.mark.parametrize(
    ("path", "slug"),
    [
        ("/home/ann/shop", "-home-ann-shop"),
        ("/home/ann/my.shop_2", "-home-ann-my-shop-2"),
        ("/tmp/my.app é😀/backend", "-tmp-my-app-----backend"),  # as Claude Code 2.1.332 called it
        ("/srv/магазин", "-srv--------"),
    ],
)
def test_what_is_no_letter_or_digit_of_ascii_becomes_a_hyphen_and_what_is_beyond_16_bits_two(path: str, slug: str):
    assert slug_of(path) == slug


def test_a_long_slug_is_cut_and_has_a_number_behind_it():
    """The numbers are those that Node.js gives for the function in Claude Code 2.1.332."""
    assert slug_of("/home/ann/" + "x" * 190) == "-home-ann-" + "x" * 190
    assert slug_of("/home/ann/" + "long-folder/" * 20) == ("-home-ann-" + "long-folder-" * 20)[:200] + "-s8ei9d"
    assert slug_of("/srv/" + "каталог😀/" * 30) == ("-srv-" + "----------" * 30)[:200] + "-8nc1hj"


def test_letters_may_have_been_composed_before():
    assert slugs_of("/srv/cafe\u0301") == ["-srv-cafe-", "-srv-caf-"]
    assert slugs_of("/srv/café") == ["-srv-caf-"]


@given(st.text(max_size=300))
def test_a_slug_is_a_name_whatever_the_path(path: str):
    slug = slug_of(f"/{path}")
    assert slug.isascii()
    assert "/" not in slug
    assert len(slug) <= SLUG_CHARACTERS_MAX + 8
