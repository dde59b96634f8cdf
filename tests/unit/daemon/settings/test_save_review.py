"""Whose saves wait for the user's yes, and in which projects."""

from pathlib import Path

import pytest

from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.save_review import SaveReview
from palimp_protocol.messages.caller import Caller, ProjectRef, SessionRef

AGENT, PERSON = SessionRef("s1", "claude-code"), None


@pytest.mark.parametrize(
    ("mode", "session", "waits"),
    [
        ("never", AGENT, False),
        ("agents", AGENT, True),
        ("agents", PERSON, False),
        ("all", PERSON, True),
    ],
)
def test_the_user_says_whose(tmp_path: Path, mode: str, session, waits: bool):
    settings = Settings({"HOME": str(tmp_path), "PALIMP_SAVE_REVIEW": mode})
    assert SaveReview(settings).waits(Caller(ProjectRef("/work/one", "one"), session)) is waits


def test_the_user_may_say_in_which_projects(tmp_path: Path):
    env = {"HOME": str(tmp_path), "PALIMP_SAVE_REVIEW": "agents", "PALIMP_SAVE_REVIEW_IN": "/work/one/\n/work/two"}
    review = SaveReview(Settings(env))
    assert review.waits(Caller(ProjectRef("/work/one", "one"), AGENT))
    assert not review.waits(Caller(ProjectRef("/work/three", "three"), AGENT))
    assert not review.waits(Caller(None, AGENT))


def test_no_project_has_a_say(tmp_path: Path):
    project = tmp_path / "project"
    (project / ".palimp").mkdir(parents=True)
    (project / ".palimp" / "config.toml").write_text('[save]\nreview = "never"\n')
    review = SaveReview(Settings({"HOME": str(tmp_path), "PALIMP_SAVE_REVIEW": "agents"}))
    assert review.waits(Caller(ProjectRef(str(project), "project"), AGENT))
