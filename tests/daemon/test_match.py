"""Whether proposed code brings removed code back."""

from palimp_daemon.changes.lines import code_lines
from palimp_daemon.changes.match import Evidence, Place, compare, judge
from retry_helper import RENAMED, RETRY

OLD = RETRY.strip()
OTHER = """\
def parse_header(line):
    name, _, value = line.partition(":")
    if not value:
        raise ValueError(f"no header: {line}")
    return name.strip().lower(), value.strip()
"""


def compared(new: str, old: str, rarity: dict[str, float] | None = None, *, same_path: bool = True) -> Evidence:
    place = Place(same_path=same_path, names=0, shared=10)
    return compare(code_lines(new.splitlines()), code_lines(old.splitlines()), rarity or {}, place)


def judged(new: str, old: str = OLD, *, same_path: bool = True, names: int = 0) -> str:
    found = compare(code_lines(new.splitlines()), code_lines(old.splitlines()), {}, Place(same_path, names, 10))
    return judge(found)


def test_the_same_code_is_warned_about_wherever_it_comes():
    assert judged(OLD) == judged(OLD, same_path=False) == "warn"


def test_code_with_other_names_is_warned_about():
    assert judged(RENAMED) == "warn"


def test_code_in_another_style_is_warned_about():
    assert judged(OLD.replace("    ", "\t").replace('"', "'")) == "warn"


def test_other_code_is_not():
    assert judged(OTHER) == ""


def test_two_names_defined_anew_in_their_file_are_warned_about():
    old = "def load_user(id):\n    return db.get(User, id)\ndef drop_user(id):\n    db.delete(User, id)\n"
    new = "def load_user(key):\n    return cache[key]\ndef drop_user(key):\n    del cache[key]\n"
    assert judged(new, old, names=2) == "warn"
    assert judged(new, old, same_path=False, names=2) == ""


def test_removed_code_within_much_other_code_is_found():
    around = "\n".join(f"    register_handler({n}, build_{n}())" for n in range(40))
    assert judged(f"{around}\n{OLD}\n{around}") == "warn"


def test_a_few_common_lines_are_not_enough():
    assert (
        judged("    for attempt in range(attempts):\n        try:\n            send(attempt)\n", same_path=False) == ""
    )


def test_rare_lines_count_and_common_ones_do_not():
    four = "\n".join(OLD.splitlines()[:4])
    nothing_rare = {line.replace(" ", ""): 0.0 for line in four.splitlines()}
    rare, common = compared(four, four, same_path=False), compared(four, four, nothing_rare, same_path=False)
    assert rare.rarity > common.rarity
    assert (judge(rare), judge(common)) == ("warn", "note")


def test_the_pairs_say_which_lines_are_meant():
    assert (8, 8) in compared(RENAMED, OLD).pairs
