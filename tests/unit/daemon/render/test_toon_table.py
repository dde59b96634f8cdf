"""A table is what TOON's own library writes, and what it reads back."""

import toon_format
from hypothesis import example, given
from hypothesis import strategies as st

from palimp_daemon.render.toon_table import toon_table

TEXTS = (
    st.text(max_size=12)
    | st.text("ab-0159.+eE#,:|\"'\\[]{}() \t\n\r\x01\x7f\u2028é日", max_size=6)
    | st.sampled_from(
        ["", "true", "false", "null", "-", "05", "1e5", "+1", ".5", "1.", "\u00a0a", "１２", "#x", "a\ud7ff"]
    )
)
NUMBERS = st.integers() | st.floats(-1e9, 1e9).map(lambda number: round(number, 2)) | st.floats(1e-6, 1e20)


@given(
    st.lists(st.fixed_dictionaries({"id": TEXTS, "score": NUMBERS, "said": TEXTS | NUMBERS}), min_size=1, max_size=4)
)
@example([{"id": "a", "score": -0.0, "said": 1e-6}])
@example([{"id": "true\n", "score": 1e16, "said": "12\n"}])
def test_a_table_is_what_the_official_library_writes(rows):
    text = toon_table("memories", rows)

    assert text == toon_format.encode({"memories": rows})
    assert toon_format.decode(text) == {"memories": rows}
