"""The operation `config`: show settings, write the user's or the project's file.

Files are handled in a thread, one at a time.
"""

import os
from functools import partial
from pathlib import Path
from typing import Final

import trio

from palimp_daemon.runtime.files import replace_file
from palimp_daemon.runtime.threads import in_thread
from palimp_daemon.settings.reserved_folders import is_reserved
from palimp_daemon.settings.resolver import Settings, Values, project_file
from palimp_protocol.env.plain_files import read_bounded
from palimp_protocol.errors import ErrorCode, PalimpError, RequestError
from palimp_protocol.limits import SETTINGS_BYTES_MAX
from palimp_protocol.messages import setting_messages as messages
from palimp_protocol.messages.caller import Caller
from palimp_protocol.settings import SETTINGS, Setting, SettingError, Value, setting_named, value_from_text
from palimp_protocol.text import quote_text

RESTART: Final = "takes effect when the daemon starts again: `palimp stop`"


class ConfigOperation:
    """Handler of `config`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._lock = trio.Lock()

    async def answer(self, request: messages.Configure, caller: Caller) -> messages.Settings:
        """Return the settings after the change in *request*, if any.

        Raises:
            PalimpError: the setting, its value or place is invalid; no file was changed.
        """
        try:
            setting = setting_named(request.key) if request.key else None
            done = ""
            if request.value is not None or request.unset:
                async with self._lock:
                    done = await self._change(setting, request, caller)
        except SettingError as error:
            raise RequestError(_sentence(str(error))) from None
        values = await self._settings.of(caller, look_again_s=0.0)
        asked = [setting] if setting else list(SETTINGS.values())
        project = project_file(caller)
        notes = [] if setting else self._notes(caller)
        return messages.Settings(
            settings=[self._in_force(each, values) for each in asked],
            user_file=str(self._settings.user_file),
            project_file=str(project) if project else "",
            done=done,
            notes=[*notes, *(_note_if_overruled(setting, values, request) if setting and done else [])],
        )

    def _notes(self, caller: Caller) -> list[str]:
        notes = [*self._settings.problems(), *self._settings.remarks(caller), self._settings.switched_off(caller)]
        return [note for note in notes if note]

    async def _change(self, setting: Setting | None, request: messages.Configure, caller: Caller) -> str:
        if setting is None:
            raise RequestError("key: it is missing.", "Say which setting is meant.")
        if request.value is not None and request.unset:
            raise RequestError("value and unset exclude each other.")
        path = self._settings.user_file
        if request.file == "project":
            path = _checked_project_file(setting, caller)
        value = None if request.value is None else _checked_value(setting, request.value)
        await in_thread(partial(_write, path, setting, value, is_strangers=request.file == "project"))
        return f"{setting.key} is {'set' if value is not None else 'unset'} in {quote_text(path)}"

    def _in_force(self, setting: Setting, values: Values) -> messages.SettingInForce:
        value, origin = values.found[setting.key]
        is_late = setting.needs_restart and value != self._settings.at_start.found[setting.key].value
        return messages.SettingInForce(
            key=setting.key,
            value=_plain(value),
            origin=origin,
            default=_plain(setting.default),
            meaning=setting.meaning,
            remark=RESTART if is_late else "",
        )


def _checked_project_file(setting: Setting, caller: Caller) -> Path:
    path = project_file(caller)
    if path is None:
        raise RequestError("This is in no project.", "Set it in the user's file.")
    if setting.guarded:
        raise PalimpError(
            ErrorCode.REFUSED, f"A project may not set {setting.key}: {setting.guarded}.", "Set it in the user's file."
        )
    tree = path.parent.parent
    if path.is_symlink() or not path.parent.resolve().is_relative_to(tree.resolve()):
        raise PalimpError(
            ErrorCode.REFUSED, f"{quote_text(path)} leads out of the project.", "Put the file itself there."
        )
    return path


def _checked_value(setting: Setting, text: str) -> Value:
    value = value_from_text(setting, text)
    if setting.key == "docs.dir":
        inside = Path("/project")  # any: a folder's name is looked at, not what is there
        path = Path(os.path.normpath(inside / str(value)))
        if path == inside or not path.is_relative_to(inside) or is_reserved(path.relative_to(inside)):
            raise SettingError(f"docs.dir is {quote_text(value)}; it must be a folder of documents inside the project.")
    return value


def _write(path: Path, setting: Setting, value: Value | None, *, is_strangers: bool) -> None:
    from palimp_daemon.settings.toml_edit import with_value, without_value  # noqa: PLC0415  30 ms that few daemons need

    if not is_strangers:
        path = path.resolve()  # a link to the user's collection of settings stays one
    try:
        text = read_bounded(path, SETTINGS_BYTES_MAX, follows_links=not is_strangers).decode()
    except FileNotFoundError:
        text = ""
    except (OSError, ValueError) as error:
        raise RequestError(f"{quote_text(path)} cannot be read: {error}.", "It was left as it is.") from None
    try:
        changed = without_value(text, setting.key) if value is None else with_value(text, setting.key, value)
    except ValueError as error:
        raise RequestError(f"{quote_text(path)} is no TOML: {error}.", "Mend it first; it was left as it is.") from None
    if changed == text:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o755 if is_strangers else 0o700)
        mode = path.stat().st_mode & 0o777 if path.exists() else 0o644 if is_strangers else 0o600
        replace_file(path, changed.encode(), mode)
    except OSError as error:
        raise PalimpError(
            ErrorCode.STORE_UNAVAILABLE,
            f"{quote_text(path)} cannot be written: {error.strerror}.",
            "Nothing was changed.",
        ) from error


def _note_if_overruled(setting: Setting, values: Values, request: messages.Configure) -> list[str]:
    origin = values.found[setting.key].origin
    if request.unset or origin == request.file:
        return []
    return [f"{origin} says otherwise, and wins: {setting.key} stays {quote_text(values.found[setting.key].value)}."]


def _plain(value: Value) -> str | int | bool | list[str]:
    return list(value) if isinstance(value, tuple) else value


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:] if text.startswith("no ") else text
