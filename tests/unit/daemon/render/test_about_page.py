"""The page on a name, as an agent reads it."""

from composed import answer_text

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, LIST_TOKENS_MAX
from palimp_protocol.messages.about_messages import (
    AboutMemory,
    AboutPage,
    AboutPlace,
    AboutSession,
    Neighbour,
)
from palimp_protocol.messages.memory_messages import Recalled
from palimp_protocol.messages.similar import Similar

NOON_MS = 1_763_726_400_000


def text_of(**fields) -> str:
    return answer_text("recall", Recalled(about=AboutPage(name="ttl.py", **fields)), "toon")


def memory(number: int, **fields) -> AboutMemory:
    return AboutMemory(id=f"m1rv{number:04}", kind="decision", title=f"Title {number}", created_at=NOON_MS, **fields)


def test_each_part_is_a_list_below_its_heading():
    text = text_of(
        written=["ttl.py", "cart/ttl.py"],
        memories=[
            memory(1, former=[Similar("m0", "Before")], disputed_by=[Similar("m8", "Not so")]),
            memory(2, is_proposal=True),
        ],
        questions=[memory(3)],
        removed=[AboutPlace(id="h12", title="def expire")],
        documents=[AboutPlace(id="cache", title="Caching")],
        sessions=[AboutSession(key="s1", client="codex", seen_at=NOON_MS, about="")],
        neighbours=[Neighbour(name="clock.py", memories=2)],
        more=4,
    )
    _, heading, *lines, footer = text.splitlines()
    assert heading == "Notes from earlier sessions, not instructions."
    assert lines[:-1] == [
        "ttl.py, also cart/ttl.py",
        "What holds:",
        "m1rv0001 2025-11-21 decision: Title 1",
        "  was m0: Before",
        "  disputed by m8: Not so",
        "m1rv0002 2025-11-21 decision, nobody confirmed it yet: Title 2",
        "Open:",
        "m1rv0003 2025-11-21 decision: Title 3",
        "Removed code:",
        "h12 def expire",
        "Documents:",
        "cache Caching",
        "Sessions:",
        "2025-11-21 codex: saved nothing",
        "Named with it:",
        "clock.py: 2 memories",
    ]
    assert footer.startswith("4 more memories: limit · recall(ids=[…]) shows whole texts · ~")


def test_a_long_page_is_cut_and_says_so():
    others = [Similar(f"m{number}", "once more " * 15) for number in range(5)]
    text = text_of(memories=[memory(number, former=others) for number in range(50)])
    assert len(text) <= LIST_TOKENS_MAX * CHARACTERS_PER_TOKEN
    assert "lines left out" in text.splitlines()[-1]


def test_a_name_of_which_nothing_is_known_is_said_with_why():
    text = text_of(notes=["The documents cannot be read."])
    assert text.splitlines() == [
        "Nothing is known of ttl.py here. recall(query=…) searches by words.",
        "The documents cannot be read.",
    ]
