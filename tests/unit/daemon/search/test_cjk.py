"""Texts in scripts without spaces are looked for by pairs of characters."""

import pytest

from palimp_daemon.search.cjk import pieces_of, side_by_side, unspaced_characters, unspaced_phrases
from palimp_daemon.search.terms import parse_query


def test_each_character_is_a_word():
    assert unspaced_characters("label 日本, テスト") == ["日", "本", "テ", "ス", "ト"]


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("本", ["本"]),
        ("日本", ["日 本"]),
        ("日本語", ["日 本 語", "日 本", "本 語"]),
        ("日本 と", ["日 本", "と"]),
        ("running", []),
    ],
)
def test_a_query_has_the_pairs_that_stand_side_by_side_and_what_is_short_as_a_whole(text: str, phrases: list[str]):
    assert unspaced_phrases(text) == phrases


def test_a_sentence_is_not_looked_for_as_a_whole():
    """Nobody saved it in these words."""
    terms = parse_query("支付网关的请求最多可以重试几次?").terms
    assert {"网 关", "重 试"} <= set(terms)
    assert max(len(term) for term in terms if " " in term) == 3


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("缓存的时间", ["缓存", "时间"]),
        ("ボタンを追加してください", ["ボタン", "追加"]),
        ("토큰은 언제 만료됩니까", ["토큰", "만료"]),
        ("그러나 토큰", ["토큰"]),
        ("retry three times", []),
        ("缓存缓存", ["缓存", "存缓"]),
    ],
)
def test_what_says_nothing_is_no_piece(text: str, pieces: list[str]):
    """Characters and words of grammar, and hiragana."""
    assert [piece.text for piece in pieces_of(text)] == pieces


def test_a_piece_knows_where_it_stands():
    assert [(piece.start, piece.text) for piece in pieces_of("the 商品目录")] == [
        (4, "商品"),
        (5, "品目"),
        (6, "目录"),
    ]
    assert [piece.start for piece in pieces_of("缓存缓存")] == [0, 1]


@pytest.mark.parametrize(
    ("text", "asked", "found"),
    [
        ("用户的通知邮件在后台发送,通知", "通知邮件怎么发送", ["通知邮件", "发送", "通知"]),
        ("因为请求太慢", "請求書", []),
        ("消费税率", "税", ["税"]),
        ("消费税率", "税x", ["税"]),
        ("税 10%", "税率", ["税"]),
        ("日志log", "日志", ["日志"]),
    ],
)
def test_what_is_asked_for_is_found_by_characters_side_by_side(text: str, asked: str, found: list[str]):
    """One alone is chance, where more are asked for."""
    pattern = side_by_side([*asked, "log"])
    assert pattern
    assert pattern.findall(text) == found


def test_nothing_is_looked_for_side_by_side_where_no_such_character_is_asked_for():
    assert side_by_side(["log", "x", "日志"]) is None
