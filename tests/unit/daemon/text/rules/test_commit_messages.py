import pytest

from palimp_daemon.text.rules.commit_messages import commit_messages
from palimp_daemon.text.shell_commands import given_commands_in


@pytest.mark.parametrize(
    ("line", "messages"),
    [
        ("git commit -m 'Fix it'", ["Fix it"]),
        ('git add x && git commit -am "Fix it"', ["Fix it"]),
        ("git commit -m One -m Two", ["One\n\nTwo"]),
        ("git commit --message='Fix it'", ["Fix it"]),
        ("git commit -m \"$(cat <<'EOF'\nFix it\n\nBecause.\nEOF\n)\"", ["Fix it\n\nBecause."]),
        ("git commit -F - <<EOF\nFix it\nEOF", ["Fix it"]),
        ("git commit", []),
        ("git commit -F message.txt", []),
        ("git log -m x", []),
    ],
)
def test_reads_the_message_that_a_line_shows(line: str, messages: list[str]):
    assert commit_messages(line, given_commands_in(line)) == messages
