"""Whether proposed code reintroduces removed code."""

from hypothesis import assume, given
from hypothesis import strategies as st
from retry_helper import RENAMED, RETRY

from palimp_daemon.codediff.match import Evidence, Place, compare, judge
from palimp_daemon.codediff.normalize import code_lines
from palimp_daemon.codediff.skip_list import is_of_settings

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


NAMES = st.from_regex(r"[a-z]{4,12}(-[a-z]{3,8})?", fullmatch=True)
VERSIONS = st.from_regex(r"[1-9]\d?\.\d{1,2}(\.\d{1,2})?", fullmatch=True)
PINS = st.sampled_from(
    [
        ("requirements.txt", "{name}=={version}"),
        ("requirements/dev.in", "{name}~={version},<{version}9"),
        ("package.json", '    "{name}": "^{version}",'),
        ("Cargo.toml", '{name} = {{ version = "{version}", features = ["full"] }}'),
        (".github/workflows/tests.yaml", "      - uses: actions/{name}@v{version}"),
        (
            ".github/workflows/ci.yml",
            "          - {{name: Linux, python: '{version}', os: ubuntu-latest, tox: {name}}}",
        ),
        ("go.mod", "\tgithub.com/{name}/{name} v{version}"),
        ("Dockerfile", "FROM registry/{name}:{version} AS build"),
    ]
)


@given(PINS, st.dictionaries(NAMES, st.tuples(VERSIONS, VERSIONS), min_size=1, max_size=8))
def test_versions_that_go_up_and_down_again_are_never_warned_about(pin, versions):
    """In requirements, manifests and workflows, whether the same versions come back or others."""
    path, form = pin
    old = [form.format(name=name, version=before) for name, (before, _) in versions.items()]
    for new in (old, [form.format(name=name, version=after) for name, (_, after) in versions.items()]):
        found = compare(new, old, {}, Place(same_path=True, names=0, shared=99, is_of_settings=is_of_settings(path)))
        assert judge(found) != "warn"


def test_steps_of_a_build_that_were_removed_are_warned_about():
    """Lines that say something come back in a file of settings as in any other."""
    steps = "- name: Upload the coverage report\n  run: bash upload_coverage.sh --token-from-vault --strict\n"
    steps += "- name: Notify the release channel\n  run: python notify_release.py --channel releases\n"
    place = Place(same_path=True, names=0, shared=99, is_of_settings=True)
    assert judge(compare(steps.splitlines(), steps.splitlines(), {}, place)) == "warn"


SIGNATURES = st.sampled_from(
    [
        "def {name}(self, request: Request, *, limit: int = 10) -> Response:",
        "    async def {name}(self, first, second):",
        "class {name}(BaseHandler, Generic[Key]):",
        "pub(crate) fn {name}(request: &Request, limit: usize) -> Result<Response> {{",
        "export default async function {name}(request, {{ limit }}) {{",
        "func (s *Server) {name}(w http.ResponseWriter, r *http.Request) {{",
    ]
)


@given(SIGNATURES, st.from_regex(r"[a-z]{4,10}_[a-z]{3,8}", fullmatch=True))
def test_a_signature_alone_is_not_warned_about_and_with_what_it_did_it_is(form, name):
    """One line says that something has this name again, not that it does what was removed."""
    signature = form.format(name=name)
    body = ["    answer = remote_call(request, limit=limit)", "    return checked(answer, signature=request.signature)"]
    place = Place(same_path=True, names=1, shared=99)
    assert judge(compare([signature], [signature], {}, place)) != "warn"
    assert judge(compare([signature, *body], [signature, *body], {}, place)) == "warn"


ROWS = ["Small store", "large one", "cold start", "warm cache", "many words", "no index", "eight peers", "slow disk"]


@given(st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 10**6)), min_size=1, max_size=len(ROWS)))
def test_tables_whose_numbers_were_measured_anew_are_not_warned_about(numbers):
    """A line that differs in its numbers only was written over, and did not come back."""
    assume(all(before != after for before, after in numbers))
    form = "| {name} recall over the socket, ranked | {number} ms | {number} times what grep takes |"
    old = [form.format(name=ROWS[row], number=before) for row, (before, _) in enumerate(numbers)]
    new = [form.format(name=ROWS[row], number=after) for row, (_, after) in enumerate(numbers)]
    assert judge(compare(new, old, {}, Place(same_path=True, names=0, shared=99))) != "warn"
