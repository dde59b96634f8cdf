"""Settings: environment, then file, then default; what cannot be is refused by name."""

from pathlib import Path

import pytest

from palimp_daemon.config import ConfigError, config_from_environment
from palimp_protocol.settings import SETTINGS


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "XDG_CONFIG_HOME": str(tmp_path / "config")}


def write(env: dict[str, str], text: str) -> None:
    folder = Path(env["XDG_CONFIG_HOME"]) / "palimp"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(text)


def config(env: dict[str, str], *, exits_when_idle: bool = True):
    return config_from_environment(env, user_id=1, exits_when_idle=exits_when_idle)


def test_without_anything_the_defaults_hold(env):
    """No file, no variables."""
    assert config(env).search_engine == "auto"
    assert config(env).idle_exit_s == 30 * 60
    assert config(env, exits_when_idle=False).idle_exit_s == 0


def test_the_environment_wins_over_the_file(env):
    """And the file over the default."""
    write(env, '[search]\nengine = "fts4"\n[log]\nlevel = "debug"\n')

    assert config(env).search_engine == "fts4"
    assert config(env | {"PALIMP_SEARCH_ENGINE": "fts5"}).search_engine == "fts5"
    assert config(env).log_level == "debug"


@pytest.mark.parametrize(
    ("variable", "value", "said"),
    [
        ("PALIMP_SEARCH_ENGINE", "lucene", "must be one of auto, fts5, fts4"),
        ("PALIMP_DAEMON_IDLE_EXIT_MINUTES", "soon", "whole number"),
        ("PALIMP_DAEMON_IDLE_EXIT_MINUTES", "-1", "the least is 0"),
    ],
)
def test_a_value_that_cannot_be_is_refused(env, variable: str, value: str, said: str):
    """The sentence names the variable and what would be right."""
    with pytest.raises(ConfigError, match=f"{variable}.*{said}"):
        config(env | {variable: value})


def test_a_broken_file_is_refused_by_name(env):
    """It is not ignored."""
    write(env, "[search\n")

    with pytest.raises(ConfigError, match=r"config\.toml cannot be read"):
        config(env)


def test_every_setting_has_a_variable_of_its_own():
    """Keys map to variables without collisions."""
    assert len({setting.variable for setting in SETTINGS.values()}) == len(SETTINGS)
