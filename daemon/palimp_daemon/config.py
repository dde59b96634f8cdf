"""The settings in force: the environment, the user's file and the defaults, read in one place."""

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from palimp_protocol import paths
from palimp_protocol.settings import SETTINGS, Setting


class ConfigError(ValueError):
    """A setting has a value that it cannot have."""


@dataclass(frozen=True, kw_only=True)
class Config:
    """Everything the daemon needs to know before it starts. Times are seconds."""

    database: Path
    lock: Path
    address: Path
    stopped: Path
    socket: Path
    spool: Path
    search_engine: str = "auto"
    semantic: str = "auto"
    model_path: str = ""
    model_sha256: str = ""
    on_return: str = "deny_once"
    imports_history: bool = True
    keep_changes_days: int = 1095
    """0: for ever."""
    hooks_patience: int = 1
    log_level: str = "info"
    answer_format: str = "toon"
    context_tokens: int = 8192
    capture_turns: int = 8
    """0: never by itself."""
    capture_command: str = ""
    redact_patterns: tuple[str, ...] = ()
    idle_exit_s: float = 0.0
    """0: never."""


def config_from_environment(env: Mapping[str, str], *, user_id: int, exits_when_idle: bool) -> Config:
    """Return the configuration that *env* and the user's file give.

    Raises:
        ConfigError: a value is not allowed, or the file cannot be parsed; the text names it.
    """
    file = _flat(_toml(paths.config_path(env)))
    lists = {key: _list(setting, env, file) for key, setting in SETTINGS.items() if isinstance(setting.default, tuple)}
    values = {key: _value(setting, env, file) for key, setting in SETTINGS.items() if key not in lists}
    return Config(
        database=paths.database_path(env),
        lock=paths.lock_path(env),
        address=paths.address_path(env),
        stopped=paths.stopped_path(env),
        spool=paths.spool_directory(env),
        socket=paths.socket_path(env, user_id=user_id),
        search_engine=str(values["search.engine"]),
        semantic=str(values["search.semantic"]),
        model_path=str(values["search.model_path"]),
        model_sha256=str(values["search.model_sha256"]),
        on_return=str(values["changes.on_return"]),
        imports_history=values["changes.import"] == "auto",
        keep_changes_days=int(values["changes.keep_days"]),
        hooks_patience=int(values["hooks.patience"]),
        log_level=str(values["log.level"]),
        context_tokens=int(values["mcp.context_tokens"]),
        capture_turns=int(values["capture.turns"]),
        capture_command=str(values["capture.command"]),
        redact_patterns=lists["redact.patterns"],
        answer_format=str(values["mcp.format"]),
        idle_exit_s=int(values["daemon.idle_exit_minutes"]) * 60.0 if exits_when_idle else 0.0,
    )


def _value(setting: Setting, env: Mapping[str, str], file: Mapping[str, Any]) -> str | int:
    """Return the value in force of *setting*: environment, then file, then default."""
    given = env.get(setting.variable)
    source = setting.variable if given is not None else setting.key
    value: Any = given if given is not None else file.get(setting.key, setting.default)
    if isinstance(setting.default, int):
        try:
            value = int(value)
        except (TypeError, ValueError):
            raise ConfigError(f"{source} is {value!r}; it must be a whole number.") from None
        if value < setting.minimum:
            raise ConfigError(f"{source} is {value}; the least is {setting.minimum}.")
    elif not isinstance(value, str):
        raise ConfigError(f"{source} is {value!r}; it must be a text.")
    elif setting.choices and value not in setting.choices:
        raise ConfigError(f"{source} is {value!r}; it must be one of {', '.join(setting.choices)}.")
    return value


def _list(setting: Setting, env: Mapping[str, str], file: Mapping[str, Any]) -> tuple[str, ...]:
    """Return the texts of a setting that is a list: from the environment one per line."""
    if (given := env.get(setting.variable)) is not None:
        return tuple(line for line in given.splitlines() if line)
    value: Any = file.get(setting.key, setting.default)
    texts = tuple(cast("list[Any]", value)) if isinstance(value, list | tuple) else (value,)
    if not all(isinstance(text, str) and text for text in texts):
        raise ConfigError(f"{setting.key} is {value!r}; it must be a list of texts.")
    return texts


def _toml(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    except (OSError, ValueError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    """Return nested tables as dotted keys."""
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(cast("dict[str, Any]", value), f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
