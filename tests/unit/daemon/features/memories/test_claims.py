"""What a text says that it replaces."""

import pytest

from palimp_daemon.features.memories.claims import claims_in


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        ("Replaces m1rv7je2.", ["m1rv7je2"]),
        ("This supersedes the decision `m1rv7je2` and overrides [m1rv9abc", ["m1rv7je2", "m1rv9abc"]),
        ("Redis instead of m1rv7je2, replaced by m1rv7je2", ["m1rv7je2"]),
        ("五次。replaces (m1rv7je2)", ["m1rv7je2"]),
        ("See m1rv7je2 for what Redis replaces.", []),
        ("The motor replaces magnets", []),
        ("", []),
    ],
)
def test_only_ids_behind_the_words_are_claims(text, ids):
    assert [claim.id for claim in claims_in(text)] == ids
