"""What is wrong with a command line is said in a sentence, with what was probably meant."""

import pytest

from palimp_protocol.errors import PalimpError
from palimp_shim.cli.main import parser_for


def refused(*arguments: str) -> PalimpError:
    """Return what is said of *arguments*."""
    with pytest.raises(PalimpError) as raised:
        parser_for(arguments).parse_args(arguments)
    return raised.value


@pytest.mark.parametrize(
    "arguments",
    [
        ("search", "--no-verify"),
        ("search", "git", "commit", "--no-verify"),
        ("show", "--no-verify"),
        ("add", "--no-verify"),
    ],
)
def test_text_that_looks_like_an_option_is_told_where_to_stand(arguments: tuple[str, ...]):
    """Not that something else is missing."""
    error = refused(*arguments)
    assert error.text == f"palimp {arguments[0]} has no option --no-verify."
    assert f"palimp {arguments[0]} -- --no-verify" in error.hint


def test_behind_two_dashes_it_is_text():
    assert parser_for(["search"]).parse_args(["search", "--", "--no-verify", "-x"]).query == ["--no-verify", "-x"]


def test_what_is_missing_is_said_where_all_options_are_known():
    assert refused("show", "--json").text == "ID is missing."
    assert refused("show", "--proj", ".").text == "ID is missing."


def test_what_may_be_left_out_is_not_called_missing():
    assert refused("edit").text == "ID is missing."
    assert refused("docs", "add").text == "slug and file are missing."


def test_a_slip_in_an_option_is_told_the_nearest_one():
    assert "Did you mean --purged?" in refused("show", "m1", "--purgd").hint
    assert "Did you mean" not in refused("edit", "m1", "--scope").hint


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("find", "x"), "search"),
        (("docs", "show", "api"), "read"),
        (("changes", "list"), "log"),
        (("docs", "rm"), "delete"),
    ],
)
def test_a_name_from_elsewhere_leads_to_the_command(arguments: tuple[str, ...], meant: str):
    """Also to one of a group, where another group says it otherwise."""
    assert f"Did you mean {meant}?" in refused(*arguments).hint


@pytest.mark.parametrize(
    ("arguments", "meant"),
    [
        (("install", "codex"), "--client codex"),
        (("uninstall", "gemini"), "--client gemini"),
        (("review", "keep", "m1"), "--keep"),
    ],
)
def test_an_option_typed_as_a_word_leads_to_the_option(arguments: tuple[str, ...], meant: str):
    assert f"Did you mean {meant}?" in refused(*arguments).hint


def test_a_word_that_is_no_option_leads_nowhere():
    assert "Did you mean" not in refused("list", "everything").hint


def test_of_several_ways_each_is_named():
    assert refused("changes", "check").text == "One of these is needed: --staged or FILE."
