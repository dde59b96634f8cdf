"""The daemon's configuration at its start."""

from dataclasses import dataclass
from pathlib import Path

from palimp_daemon.settings.resolver import Settings
from palimp_protocol.env import paths


@dataclass(frozen=True, kw_only=True)
class Config:
    """Configuration of the daemon. Times are seconds."""

    database: Path
    conversations: Path
    lock: Path
    address: Path
    stopped: Path
    socket: Path
    spool: Path
    search_engine: str = "auto"
    semantic: str = "auto"
    embedding_model: str = "auto"
    """At the start; it may change while the daemon runs."""
    model_path: str = ""
    model_sha256: str = ""
    keep_changes_days: int = 1095
    """0: for ever."""
    log_level: str = "info"
    redact_patterns: tuple[str, ...] = ()
    idle_exit_s: float = 0.0
    """0: never."""
    problem: str = ""
    """Fault of the settings; the daemon then offers only tools to mend them."""


def config_from(settings: Settings, *, user_id: int, exits_when_idle: bool) -> Config:
    """Return the configuration in *settings*; faulty values become defaults, reported in `problem`."""
    env, values = settings.env, settings.at_start
    problems = settings.problems()
    return Config(
        database=Path(paths.database_path(env)),
        conversations=Path(paths.conversations_path(env)),
        lock=Path(paths.lock_path(env)),
        address=Path(paths.address_path(env)),
        stopped=Path(paths.stopped_path(env)),
        spool=Path(paths.spool_directory(env)),
        socket=Path(paths.socket_path(env, user_id=user_id)),
        search_engine=values.text("search.engine"),
        semantic=values.text("search.semantic"),
        embedding_model=values.text("search.embedding_model"),
        model_path=values.text("search.model_path"),
        model_sha256=values.text("search.model_sha256"),
        keep_changes_days=values.number("changes.keep_days"),
        log_level=values.text("log.level"),
        redact_patterns=values.texts("redact.patterns"),
        idle_exit_s=values.number("daemon.idle_exit_minutes") * 60.0 if exits_when_idle else 0.0,
        problem=problems[0] if problems else "",
    )
