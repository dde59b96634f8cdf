"""What a session was about."""

from palimp_daemon.text.messages import Message
from palimp_daemon.text.session_summary import FILES_MAX, Digest


def test_a_summary_tells_requests_files_and_the_end():
    digest = Digest().with_messages(
        [
            Message("user", "Make the export fast"),
            Message("assistant", "Looking.", ("/w/src/export.py",)),
            Message("user", "yes"),
            Message("assistant", "It takes a second now."),
        ]
    )
    assert digest.is_telling
    assert digest.title == "Session: Make the export fast"
    assert digest.text == (
        "Asked:\n- Make the export fast\nEdited: export.py\nAt the end the agent said: It takes a second now."
    )


def test_it_grows_reading_by_reading_and_stays_small():
    digest = Digest()
    for number in range(100):
        digest = digest.with_messages(
            [Message("user", f"request number {number}"), Message("assistant", "ok", (f"/w/{number}.py",))]
        )
    assert digest.requests == 100
    assert "request number 0" in digest.text
    assert "(92 more)" in digest.text
    assert "request number 99" in digest.text
    assert digest.files == [f"{number}.py" for number in range(100 - FILES_MAX, 100)]


def test_a_question_alone_is_no_session_to_be_told_of():
    said = [Message("user", "What does this do?"), Message("assistant", "It sorts.")]
    assert not Digest().with_messages(said).is_telling
