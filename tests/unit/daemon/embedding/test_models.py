"""Which embedding models are chosen, by the settings and by what is installed."""

import importlib.util
from collections.abc import Callable
from pathlib import Path

import pytest

from palimp_daemon.embedding.models import (
    MINILM,
    MINILM_PACKAGE,
    MULTILINGUAL,
    MULTILINGUAL_PACKAGE,
    installed_models,
    is_english,
    plan_of,
)
from palimp_daemon.settings.startup import Config
from palimp_protocol.env.installation import how_to_add

FIND_SPEC = importlib.util.find_spec


def config(**more) -> Config:
    return Config(
        **dict.fromkeys(("database", "conversations", "lock", "address", "stopped", "socket", "spool"), Path("/x")),
        **more,
    )


@pytest.fixture
def without(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Makes packages look as if they were not installed."""

    def without(*packages: str) -> None:
        monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name in packages else FIND_SPEC(name))

    return without


def test_both_models_are_those_that_the_extra_installs():
    """Only one of them knows other languages than English."""
    assert {name: model.is_english_only for name, model in installed_models().items()} == {
        MINILM: True,
        MULTILINGUAL: False,
    }
    assert all(model.file.path.exists() for model in installed_models().values())
    assert len({model.key for model in installed_models().values()}) == 2


@pytest.mark.parametrize(
    ("wanted", "main", "for_others"),
    [("auto", MINILM, MULTILINGUAL), ("minilm", MINILM, None), ("multilingual", MULTILINGUAL, None)],
)
def test_the_setting_chooses(wanted: str, main: str, for_others: str | None):
    plan = plan_of(config(embedding_model=wanted))

    assert plan is not None
    assert plan.main.name == main
    assert (plan.for_others.name if plan.for_others else None) == for_others
    assert not plan.remark


def test_what_is_wanted_now_goes_before_what_was_wanted_at_the_start():
    plan = plan_of(config(embedding_model="minilm"), "multilingual")

    assert plan is not None
    assert plan.names == "multilingual"


def test_ones_own_file_goes_before_the_models():
    plan = plan_of(config(model_path="/a/b.onnx", model_sha256="c"))

    assert plan is not None
    assert plan.names == "b.onnx"
    assert plan.main.file == (Path("/a/b.onnx"), "c", "onnx")


def test_switched_off_there_is_none():
    assert plan_of(config(semantic="off", model_path="/a/b.onnx")) is None


@pytest.mark.parametrize("wanted", ["auto", "minilm", "multilingual"])
@pytest.mark.parametrize(
    ("package", "missing", "there"),
    [(MINILM_PACKAGE, MINILM, MULTILINGUAL), (MULTILINGUAL_PACKAGE, MULTILINGUAL, MINILM)],
)
def test_the_model_that_is_there_does_for_one_that_is_not(without, wanted: str, package: str, missing: str, there: str):
    """And that is said, with what to do, where it is not what was wanted."""
    without(package)

    plan = plan_of(config(embedding_model=wanted))

    assert plan is not None
    assert plan.names == there
    says = f"The embedding model {missing} is not installed: {there} embeds everything." if wanted != there else ""
    assert (plan.remark, plan.hint) == (says, f"{how_to_add('semantic')} installs it." if says else "")


def test_without_any_there_is_a_plan_only_where_it_is_asked_for(without):
    """Then what is wrong is said when it is used."""
    without(MINILM_PACKAGE, MULTILINGUAL_PACKAGE)

    wanted = plan_of(config(semantic="on"))

    assert plan_of(config()) is None
    assert wanted is not None
    assert not wanted.main.file.path.exists()


def test_a_model_for_english_does_not_know_other_languages():
    """Whatever names and identifiers there are between the words."""
    assert is_english("rename the function because nobody needs it")
    assert not is_english("Benenne `parse_header()` um, weil wir sie nicht mehr brauchen")
    assert not is_english("把缓存改成一小时")
