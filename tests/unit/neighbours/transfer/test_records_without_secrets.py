"""What is imported is redacted before it is cut into memories; what is far too long is cut before it is redacted."""

from hypothesis import given
from hypothesis import strategies as st

from palimp_daemon.text.redact import Redactor
from palimp_neighbours.transfer.daemon.record import (
    SECRET_CHARACTERS_MAX,
    Note,
    pieces_of,
    without_secrets,
)
from palimp_neighbours.transfer.daemon.transfer_service import PREPARED_CHARACTERS, in_parts
from palimp_protocol.limits import TAG_CHARACTERS_MAX, TAGS_MAX, TEXT_CHARACTERS_MAX, TITLE_CHARACTERS_MAX

REDACT = Redactor()
TOKEN = "ghp_" + "a1B2" * 9


def clean(**said):
    note = Note("1", **{"title": "", "text": "A fact.", **said})
    return list(without_secrets(pieces_of(note, "elsewhere"), REDACT))


@given(st.integers(0, len(TOKEN)))
def test_a_token_at_the_end_of_a_piece_is_known_in_the_next(inside):
    before = "w" * (TEXT_CHARACTERS_MAX - inside - 1)
    pieces = clean(text=f"{before} {TOKEN} {'z' * TEXT_CHARACTERS_MAX}")
    text = "".join(piece.content for piece in pieces)
    assert "<redacted:github-token>" in text.replace(" ", "")
    assert TOKEN[:12] not in text
    assert TOKEN[-12:] not in text


def test_a_private_part_that_goes_over_pieces_is_in_none():
    pieces = clean(text=f"Before. <private>{'hidden ' * TEXT_CHARACTERS_MAX}</private> After.")
    assert [piece.content for piece in pieces] == ["Before.  After."]
    assert [(piece.part, piece.parts) for piece in pieces] == [(0, 1)]


def test_a_note_that_is_all_private_is_one_record_without_a_text():
    [piece] = clean(text=f"<private>{'hidden ' * TEXT_CHARACTERS_MAX}")
    assert (piece.content, piece.part, piece.parts) == ("", 0, 1)


@given(st.integers(0, len(TOKEN)))
def test_titles_and_tags_are_cut_behind_what_is_redacted(inside):
    title, tag = "t" * (TITLE_CHARACTERS_MAX - inside - 1), "t" * (TAG_CHARACTERS_MAX - inside - 1)
    [piece] = clean(title=f"{title} {TOKEN}", tags=(f"{tag} {TOKEN}",))
    for text, most in ((piece.title, TITLE_CHARACTERS_MAX), (piece.tags[0], TAG_CHARACTERS_MAX)):
        assert len(text) <= most
        assert TOKEN[:8] not in text


def test_of_titles_and_tags_no_more_is_read_than_can_matter():
    read: list[int] = []
    note = Note("1", "t" * 10**6, "A fact.", tags=tuple(f"{number}{'x' * 10**4}" for number in range(10**3)))
    list(without_secrets(pieces_of(note, "elsewhere"), lambda text: read.append(len(text)) or text))
    assert max(read) <= TITLE_CHARACTERS_MAX + SECRET_CHARACTERS_MAX
    assert len(read) <= 2 * TAGS_MAX + 3


@given(st.lists(st.integers(1, 3 * TEXT_CHARACTERS_MAX), max_size=12))
def test_parts_are_bounded_and_hold_whole_notes(lengths):
    records = [piece for n, each in enumerate(lengths) for piece in pieces_of(Note(str(n), "", "x" * each), "e")]
    parts = list(in_parts(records))
    assert [record for part in parts for record in part] == records
    for part in parts:
        assert part[0].part == 0
        assert part[-1].part == part[-1].parts - 1
        notes = [record for record in part if not record.part]
        assert len(notes) == 1 or sum(len(r.content) for r in part) <= PREPARED_CHARACTERS
