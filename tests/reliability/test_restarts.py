"""F17: a healthy store is never refused, however often it is opened and whatever is written in it."""

import random
import unicodedata
from pathlib import Path

import pytest
from daemon_asking import ask
from lanes import many
from request_contexts import RequestContexts
from running_daemon import wait_until

from palimp_daemon.features.memories.save import draft, store_drafts
from palimp_daemon.store.opening import EXAMINED_AT_START_BYTES, open_store
from palimp_daemon.text.redact import Redactor
from palimp_protocol.env.paths import database_path
from palimp_protocol.messages.memory_messages import SaveMemory
from palimp_protocol.surrogates import mend_surrogates

EXAMINED_S = 120.0
"""Seconds in which a few megabytes are examined on a machine that is busy with other things."""

RESTARTS = many(6, 200)
MEMORIES = many(300, 2_000)

SCRIPTS = {
    "latin": "éàüßøłžşıœæñ",
    "greek": "αβγδέήόύώς",
    "cyrillic": "абвгдёжзийъ",
    "hebrew": "אבגדהוזחט\u05b8\u05b0",
    "arabic": "ابتثجحخ\u064e\u0651",
    "devanagari": "कखगघच\u093e\u094d\u0902",
    "thai": "กขคงจ\u0e35\u0e48",
    "han": "我们决定使用数据库",
    "kana": "かきくけこカキクケコー",
    "hangul": "가나다라마바사",
    "full width": "ＡＢＣａｂｃ１２３",
    "emoji": "🎉👍🏽👨\u200d👩\u200d👧🏳️\u200d🌈",
    "marks": "\u0301\u0327\u20dd\u200b\u200d",
    "signs": "…!?«»—·§¶∑",
    "ascii": "abcdefghij_0123",
    "tags": "\U000e0041\U000e0062\U000e007f",
    "directions": "a\u202eb\u2066c\u200f\u061c",
    "breaks": "a\u2028b\u2029c\u0085\x0b\x1c",
    "lone halves": "a\ud83c\udf89\udfff\ud800",
    "no characters": "\ufdd0\uffff\U0010ffff\ue000\x01\x1b",
}
ANYTHING = 0.1
"""Share of the words whose characters are drawn from all that there are."""


def text_of(chance: random.Random, words: int) -> str:
    """Return *words* words, each of one script, in one of the normal forms."""
    drawn = (_letters(chance) for _ in range(words))
    text = mend_surrogates(" ".join("".join(chance.choices(letters, k=chance.randrange(1, 12))) for letters in drawn))
    return unicodedata.normalize(chance.choice(["NFC", "NFD", "NFKC", "NFKD"]), text)


def _letters(chance: random.Random) -> str:
    """Return the letters of one script, or some characters of any."""
    if chance.random() < ANYTHING:
        return "".join(chr(chance.randrange(1, 0x110000)) for _ in range(8))
    return SCRIPTS[chance.choice(list(SCRIPTS))]


def _is_examined(env: dict[str, str], project: Path) -> bool:
    """Have the store examined, as `palimp doctor` does, which waits a while: other requests would break it off."""
    ask(env, project, "canary", project="/nowhere")
    return bool(ask(env, project, "health").examined_at)


@pytest.mark.parametrize("size", ["small", "above 4 MB"])
def test_f17_a_store_of_all_scripts_is_never_refused_and_never_rebuilt(env, daemon, project, size: str, tally):
    """At no start, in no examination of all of it: at the end of each life `palimp doctor` has it examined."""
    chance, path = random.Random(3), Path(database_path(env))
    daemon.stop()
    store = open_store(path, "auto")
    request_context = RequestContexts(store)
    words = 12 if size == "small" else 12 + 3 * EXAMINED_AT_START_BYTES // (MEMORIES * 60)
    texts = [f"{text_of(chance, words)} fact{number}x" for number in range(MEMORIES)]
    for first in range(0, MEMORIES, 100):
        session = f"s{first}"
        store_drafts(
            [
                (request_context(None, session), draft(Redactor(), SaveMemory(text=text)))
                for text in texts[first : first + 100]
            ]
        )
    store.connection.close()
    assert (path.stat().st_size > EXAMINED_AT_START_BYTES) is (size != "small")
    for life in range(RESTARTS):
        daemon.start()
        number = chance.randrange(MEMORIES)
        assert ask(env, project, "recall", query=f"fact{number}x", scope="all").total == 1
        ask(env, project, "save_memory", text=f"{text_of(chance, 9)} life{life}x")
        wait_until(lambda: _is_examined(env, project), EXAMINED_S)
        health = ask(env, project, "health")
        assert health.problem == ""
        assert health.store.rebuilt == []
        assert daemon.stop() == 0
    tally("F17", f"restarts of all scripts, {size}", restarts=RESTARTS, refused=0, rebuilt=0)
