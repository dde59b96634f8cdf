"""What the client does not take yet waits, in order, and is counted to the byte."""

import os

import pytest

from palimp_shim.relay.line_writer import LineWriter


@pytest.fixture
def pipe():
    """Both ends of a pipe: one to read, and one to write that does not block."""
    reading, writing = os.pipe()
    os.set_blocking(writing, False)
    yield reading, writing
    for end in (reading, writing):
        try:
            os.close(end)
        except OSError:
            continue  # a test has closed it


def test_lines_arrive_whole_and_in_order(pipe):
    """Each with its end."""
    answers = LineWriter(pipe[1])
    answers.put("первая".encode())
    answers.put(b"{}")
    assert len(answers) == len("первая".encode()) + 1 + 3
    answers.write()

    assert os.read(pipe[0], 100) == "первая\n{}\n".encode()
    assert len(answers) == 0


def test_what_a_full_pipe_does_not_take_is_written_when_there_is_room(pipe):
    """Of a line that was taken in part the rest, and nothing of it twice."""
    line, answers, read = bytes(range(32, 127)) * 3_000, LineWriter(pipe[1]), b""
    answers.put(line)
    answers.put(b"last")
    answers.write()
    assert 0 < len(answers) < len(line) + 6
    while len(answers):
        read += os.read(pipe[0], 50_000)
        answers.write()
    os.close(pipe[1])
    while more := os.read(pipe[0], 50_000):
        read += more

    assert read == line + b"\nlast\n"


def test_that_the_client_is_gone_is_an_error(pipe):
    """And nothing is forgotten over it."""
    answers = LineWriter(pipe[1])
    answers.put(b"{}")
    os.close(pipe[0])
    with pytest.raises(BrokenPipeError):
        answers.write()

    assert len(answers) == 3
