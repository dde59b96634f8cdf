"""Documents against a plain dict, with a crash at any step of any write."""

import shutil
from itertools import count
from pathlib import Path
from unittest.mock import patch

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule
from lanes import examples, steps
from running_daemon import fresh_home

from palimp_neighbours.documents.daemon.folder import Folder
from palimp_protocol.errors import PalimpError

SLUGS = st.sampled_from(["one", "two", "three"])
TEXTS = st.text("ab\né", min_size=1, max_size=20)
STEPS = st.integers(1, 12)
"""The call of the operating system at which the process dies; a write makes fewer than twelve."""


class CrashError(BaseException):
    """The process died here: nothing after it happens, not even an exception handler of ours."""


class DocumentsModel(RuleBasedStateMachine):
    """What is in the folder is what a dict would hold; after a crash, what it held before or after the write."""

    @initialize()
    def start(self) -> None:
        self.home = fresh_home()
        self.folder = Folder(self.home / "docs")
        self.model: dict[str, str] = {}

    def teardown(self) -> None:
        if hasattr(self, "home"):
            shutil.rmtree(self.home)

    @rule(slug=SLUGS, text=TEXTS)
    def add(self, slug: str, text: str) -> None:
        if slug in self.model:
            with pytest.raises(PalimpError):
                self.folder.add(slug, slug, text)
        else:
            self.folder.add(slug, slug, text)
            self.model[slug] = text

    @rule(slug=SLUGS, text=TEXTS)
    def edit(self, slug: str, text: str) -> None:
        if slug not in self.model:
            with pytest.raises(PalimpError):
                self.folder.edit(slug, text, None)
        else:
            self.folder.edit(slug, text, f"About {slug}")
            self.model[slug] = text

    @rule(slug=SLUGS)
    def delete(self, slug: str) -> None:
        if slug not in self.model:
            with pytest.raises(PalimpError):
                self.folder.delete(slug)
        else:
            self.folder.delete(slug)
            del self.model[slug]

    @rule(slug=SLUGS, text=TEXTS, what=st.sampled_from(["add", "edit", "delete"]), step=STEPS)
    def crash(self, slug: str, text: str, what: str, step: int) -> None:
        """Die in the middle of a write, come back, repair."""
        if (what == "add") == (slug in self.model):
            return
        before = dict(self.model)
        after = {**before, slug: text} if what != "delete" else {key: before[key] for key in before if key != slug}
        with dying_at(step):
            try:
                if what == "add":
                    self.folder.add(slug, slug, text)
                elif what == "edit":
                    self.folder.edit(slug, text, f"New {text[:3].strip() or 'title'}")
                else:
                    self.folder.delete(slug)
            except CrashError:
                pass
        notes = self.folder.disagreements()
        repaired = self.folder.repair()
        assert not notes or repaired
        found = self.contents()
        assert found in (before, after)
        self.model = found

    @invariant()
    def everything_is_there(self) -> None:
        if hasattr(self, "folder"):
            assert self.contents() == self.model
            assert self.folder.disagreements() == []

    def contents(self) -> dict[str, str]:
        return {slug: self.folder.text(entry) for slug, entry in self.folder.entries().items()}


def dying_at(step: int):
    """Make the *step*-th call that changes the disk the last thing that happens."""
    calls = count(1)
    stack = patch.multiple(
        Path, replace=_dying(Path.replace, calls, step), unlink=_dying(Path.unlink, calls, step), mkdir=Path.mkdir
    )
    sync = patch("palimp_daemon.runtime.files.os.fsync", _dying(lambda _: None, calls, step))
    return _Both(stack, sync)


def _dying(original, calls, step: int):
    def act(*arguments, **named):
        number = next(calls)
        if number == step:
            raise CrashError
        if number > step:
            raise CrashError  # the process is dead: nothing else reaches the disk
        return original(*arguments, **named)

    return act


class _Both:
    def __init__(self, *patches) -> None:
        self.patches = patches

    def __enter__(self) -> None:
        for each in self.patches:
            each.start()

    def __exit__(self, *_) -> None:
        for each in self.patches:
            each.stop()


TestDocumentsModel = DocumentsModel.TestCase
TestDocumentsModel.settings = settings(max_examples=examples(60), stateful_step_count=steps(25))
