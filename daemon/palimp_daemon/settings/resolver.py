"""Resolve settings: flag, environment, the project's file, the user's file, default.

Files are `stat`ed at each question, a project's (perhaps on a hanging mount) by a thread once a second. A project's
file, perhaps a stranger's, sets only harmless settings. A fault in the user's file prevents a start, since a default
might do something forbidden; a running daemon keeps former values.
"""

import contextlib
import errno
import math
import tomllib
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

import trio

from palimp_protocol.env import paths
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.limits import SETTINGS_BYTES_MAX
from palimp_protocol.messages.caller import Caller
from palimp_protocol.settings import SETTINGS, SettingError, Value, check_value, unknown, value_from_text
from palimp_protocol.text import quote_text

PROJECT_FILE: Final = ".palimp/config.toml"
"""A project's own settings, in its worktree."""

FILES_MAX: Final = 64
"""Files of settings in memory; a user has tens of projects."""

LOOK_S: Final = 1.0
"""Seconds between two looks at a project's file."""

PATIENCE_S: Final = 0.05
"""Seconds that a caller with a deadline waits for such a look, then uses former values."""

Signature = tuple[int, int, int]
"""Inode, size and mtime of a file."""


class InForce(NamedTuple):
    """A setting's value and origin: flag, a variable's name, project, user or default."""

    value: Value
    origin: str


class Values:
    """Values in force, by type."""

    def __init__(self, found: Mapping[str, InForce]) -> None:
        self.found = found

    def text(self, key: str) -> str:
        """Return a text."""
        value = self.found[key].value
        assert isinstance(value, str)  # noqa: S101  as its definition says
        return value

    def number(self, key: str) -> int:
        """Return a number."""
        value = self.found[key].value
        assert isinstance(value, int)  # noqa: S101  as its definition says
        return value

    def flag(self, key: str) -> bool:
        """Return a flag."""
        return self.found[key].value is True

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts."""
        value = self.found[key].value
        assert isinstance(value, tuple)  # noqa: S101  as its definition says
        return value


class _Contents(NamedTuple):
    signature: Signature | None
    values: Mapping[str, Value]
    problems: tuple[str, ...]
    remarks: tuple[str, ...]


class Settings:
    """The settings, kept up to date."""

    def __init__(self, env: Mapping[str, str], flags: Mapping[str, str] | None = None) -> None:
        self.env = env
        self.user_file = Path(paths.config_path(env))
        self._fixed, self._fixed_problems = _fixed_values(env, flags or {})
        self._files: dict[Path, _Contents] = {}
        self._looked_at: dict[Path, float] = {}
        self._looking: dict[Path, trio.Event] = {}
        """Looks in threads, each with an event for its end."""
        self._known: tuple[_Contents, _Contents, Values] | None = None
        self.at_start = self.current(None)
        """Values of settings that need a restart, until then."""

    async def of(self, caller: Caller, *, look_again_s: float = LOOK_S, patience_s: float = math.inf) -> Values:
        """Return the values for *caller*'s project; check its file after *look_again_s*.

        After *patience_s* its former values hold, or none.
        """
        path = project_file(caller)
        if path and (path in self._looking or self._is_due(path, look_again_s)):
            with trio.move_on_after(patience_s):
                if path in self._looking:
                    await self._looking[path].wait()
                if self._is_due(path, look_again_s):
                    self._looked_at[path] = trio.current_time()
                    await self._look(path)
        return self.current(caller)

    def _is_due(self, path: Path, look_again_s: float) -> bool:
        return trio.current_time() - self._looked_at.get(path, -LOOK_S) >= look_again_s

    async def _look(self, path: Path) -> None:
        self._looking[path] = done = trio.Event()
        token = trio.lowlevel.current_trio_token()
        has_begun = False

        def look() -> None:
            nonlocal has_begun
            has_begun = True
            try:
                self._read(path, is_strangers=True)
            finally:
                with contextlib.suppress(trio.RunFinishedError):
                    token.run_sync_soon(self._end_look, path, done)

        try:
            await trio.to_thread.run_sync(look, abandon_on_cancel=True)
        except trio.Cancelled:
            if not has_begun:  # cancelled before there was a thread: nobody else would tell its end
                self._looked_at.pop(path, None)
                self._end_look(path, done)
            raise
        await done.wait()

    def _end_look(self, path: Path, done: trio.Event) -> None:
        if self._looking.get(path) is done:
            del self._looking[path]
        done.set()

    def current(self, caller: Caller | None) -> Values:
        """Return the last known values for *caller*'s project, or those of all."""
        user, project = self._read(self.user_file), self._of_project(caller)
        if self._known is None or self._known[0] is not user or self._known[1] is not project:
            found = {key: InForce(setting.default, "default") for key, setting in SETTINGS.items()}
            for values, origin in ((user.values, "user"), (project.values, "project")):
                found |= {key: InForce(value, origin) for key, value in values.items()}
            found |= self._fixed
            self._known = (user, project, Values(found))
        return self._known[2]

    def problems(self) -> list[str]:
        """Return faults of the user's settings, a sentence each."""
        return [*self._fixed_problems, *self._read(self.user_file).problems]

    def problems_of_project(self, caller: Caller) -> list[str]:
        """Return faults of the project's settings, which do not count then."""
        return list(self._of_project(caller).problems)

    def remarks(self, caller: Caller | None) -> list[str]:
        """Return ignored entries of the files, a sentence each."""
        user, project = self._read(self.user_file), self._of_project(caller)
        return [*user.remarks, *project.problems, *project.remarks]

    def switched_off(self, caller: Caller) -> str:
        """Return a sentence on settings that only the project switches off, or ""."""
        here, elsewhere = self.current(caller).found, self.current(None).found
        keys = [
            setting.key
            for setting in SETTINGS.values()
            if setting.off is not None
            and here[setting.key] == (setting.off, "project")
            and elsewhere[setting.key].value != setting.off
        ]
        if not keys:
            return ""
        return f"Switched off in this project, by its {PROJECT_FILE}: {', '.join(keys)} (see `palimp config list`)."

    def _of_project(self, caller: Caller | None) -> _Contents:
        path = project_file(caller)
        return self._files.get(path, _NOTHING) if path else _NOTHING

    def _read(self, path: Path, *, is_strangers: bool = False) -> _Contents:
        try:
            at = path.lstat() if is_strangers else path.stat()
        except (OSError, ValueError):
            self._files.pop(path, None)
            return _NOTHING
        signature = (at.st_ino, at.st_size, at.st_mtime_ns)
        known = self._files.get(path)
        if known is None or known.signature != signature:
            before = known
            known = _contents(path, signature, is_strangers=is_strangers)
            if known.problems and before is not None:
                known = known._replace(values=before.values)
            if len(self._files) >= FILES_MAX:
                self._files.clear()
                self._looked_at.clear()
            self._files[path] = known
        return known


def project_file(caller: Caller | None) -> Path | None:
    """Return the path of the settings of *caller*'s project."""
    if caller is None or caller.project is None:
        return None
    return _file_in(caller.project.tree or caller.project.root)


@lru_cache(FILES_MAX)  # asked for by every call; a Path is slow to build and to hash
def _file_in(root: str) -> Path:
    return Path(root) / PROJECT_FILE


_NOTHING: Final = _Contents(None, {}, (), ())


def _contents(path: Path, signature: Signature, *, is_strangers: bool) -> _Contents:
    try:
        if is_strangers and not path.parent.resolve().is_relative_to(path.parent.parent.resolve()):
            raise OSError(errno.ELOOP, "its folder is a symbolic link that leads out of the project")
        data = read_bounded(path, SETTINGS_BYTES_MAX, follows_links=not is_strangers)
        table = _flat(tomllib.loads(data.decode()))
    except OSError as error:
        return _Contents(signature, {}, (f"{quote_text(path)} cannot be read: {error.strerror or error}.",), ())
    except (ValueError, RecursionError, RuntimeError) as error:
        return _Contents(signature, {}, (f"{quote_text(path)} cannot be read: {error}.",), ())
    values: dict[str, Value] = {}
    problems: list[str] = []
    remarks: list[str] = []
    for key, given in table.items():
        if key not in SETTINGS:
            remarks.append(f"{quote_text(path)}: {unknown(key)}")
        elif is_strangers and (why := SETTINGS[key].guarded):
            remarks.append(f"{quote_text(path)}: a project may not set {key}, since {why}. It is ignored.")
        else:
            try:
                values[key] = check_value(SETTINGS[key], given)
            except SettingError as error:
                problems.append(f"{quote_text(path)}: {error}")
    return _Contents(signature, values, tuple(problems), tuple(remarks))


def _fixed_values(env: Mapping[str, str], flags: Mapping[str, str]) -> tuple[dict[str, InForce], list[str]]:
    fixed: dict[str, InForce] = {}
    problems: list[str] = []
    for key, setting in SETTINGS.items():
        for text, origin, name in (
            (flags.get(key), "flag", f"--set {key}"),
            (env.get(setting.variable), setting.variable, setting.variable),
        ):
            if text is None or key in fixed:
                continue
            try:
                fixed[key] = InForce(value_from_text(setting, text, name), origin)
            except SettingError as error:
                problems.append(str(error))
    problems += [f"--set: {unknown(key)}" for key in flags if key not in SETTINGS]
    return fixed, problems


def _flat(table: Mapping[str, Any], prefix: str = "") -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for key, value in table.items():
        if isinstance(value, dict):
            flat |= _flat(cast("dict[str, Any]", value), f"{prefix}{key}.")
        else:
            flat[prefix + key] = value
    return flat
