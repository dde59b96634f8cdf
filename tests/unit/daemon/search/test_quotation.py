"""A query that stands in a memory word for word."""

from palimp_daemon.search.quotation import QUOTED_CHARACTERS_MIN, is_quotation

MESSAGE = "Serializer for class 'InspectionDto' is not found"


def test_a_message_is_found_in_what_quotes_it() -> None:
    text = f"Der Build brach ab: „{MESSAGE.upper()}“.".replace(" is ", "\n   is ")
    assert is_quotation(MESSAGE, ["日本語", text])
    assert is_quotation("ΟΙ ΔΟΚΙΜΈΣ ΤΗΣ ΠΎΛΗΣ ΑΠΈΤΥΧΑΝ ΤΗ ΝΎΧΤΑ", ["Οι δοκιμές της πύλης απέτυχαν τη νύχτα."])
    assert not is_quotation(MESSAGE, [MESSAGE.replace("is", "was"), ""])


def test_a_few_words_are_no_quotation() -> None:
    few = "retry limit " * 2
    assert len(few) < QUOTED_CHARACTERS_MIN
    assert not is_quotation(few, [few])
