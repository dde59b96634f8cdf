"""Messages of `config`."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.settings import SETTINGS

SettingsFile = Literal["user", "project"]
Key = Annotated[str, Meta(min_length=1, max_length=100)]
Text = Annotated[str, Meta(max_length=limits.SETTING_CHARACTERS_MAX)]

Given = str | int | bool | list[str]
"""A value on the wire."""


class Configure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Show settings, set one, or unset one."""

    key: Annotated[Key, Meta(description="Such as mcp.format; omit for all.")] | None = None
    value: Annotated[Text, Meta(description="Set it to this. Of a list, one text per line.")] | None = None
    unset: Annotated[bool, Meta(description="Take it out of the file.")] = False
    file: Annotated[SettingsFile, Meta(description="Which file is written.")] = "user"


class SettingInForce(Struct, frozen=True, kw_only=True):
    """A setting in force."""

    key: str
    value: Given
    origin: str
    """flag, a variable's name, project, user or default."""
    default: Given
    meaning: str
    remark: str = ""
    """Says if a change waits for the daemon's next start; empty: it counts at once."""


class Settings(Struct, frozen=True, kw_only=True):
    """The requested settings, and the change."""

    settings: list[SettingInForce]
    user_file: str
    project_file: str = ""
    done: str = ""
    """The change and its file."""
    notes: list[str] = []


def refused_to_agents(request: Configure) -> str:
    """Return why an agent may not make *request*, or empty."""
    setting = SETTINGS.get(request.key or "")
    is_change = request.value is not None or request.unset
    return f"only its user sets {setting.key}: {setting.guarded}" if setting and setting.guarded and is_change else ""


def value_text(value: Given, between: str = "; ") -> str:
    """Return *value* as a person writes it; *between* separates a list's texts."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return between.join(value) if isinstance(value, list) else str(value)
