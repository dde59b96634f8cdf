"""Request and reply of `config`: look at settings, set them, or unset them."""

from typing import Annotated, Literal

from msgspec import Meta, Struct

from palimp_protocol import limits
from palimp_protocol.settings import SETTINGS

SettingsFile = Literal["user", "project"]

Given = str | int | bool | list[str]
"""A value as it is sent."""


class Configure(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Look at settings, set one, or unset one."""

    key: Annotated[str, Meta(min_length=1, max_length=100, description="Such as mcp.format; omit for all.")] | None = (
        None
    )
    value: (
        Annotated[
            str,
            Meta(
                max_length=limits.SETTING_CHARACTERS_MAX,
                description="Set it to this. Of a list, one text per line.",
            ),
        ]
        | None
    ) = None
    unset: Annotated[bool, Meta(description="Take it out of the file.")] = False
    file: Annotated[SettingsFile, Meta(description="Which file is written.")] = "user"


class SettingInForce(Struct, frozen=True, kw_only=True):
    """A setting as it is now."""

    key: str
    value: Given
    origin: str
    """flag, the name of a variable, project, user or default."""
    default: Given
    meaning: str
    remark: str = ""
    """That the daemon must start again before a change counts; empty: it counts at once."""


class Settings(Struct, frozen=True, kw_only=True):
    """The settings that were asked for, and what was done."""

    settings: list[SettingInForce]
    user_file: str
    project_file: str = ""
    done: str = ""
    """What was changed, and where; empty: nothing was to be."""
    notes: list[str] = []


def refused_to_agents(request: Configure) -> str:
    """Return why an agent may not do what *request* asks for; empty when it may."""
    setting = SETTINGS.get(request.key or "")
    is_change = request.value is not None or request.unset
    return f"only its user sets {setting.key}: {setting.guarded}" if setting and setting.guarded and is_change else ""


def value_text(value: Given, between: str = "; ") -> str:
    """Return *value* as a person writes it; what stands *between* the texts of a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    return between.join(value) if isinstance(value, list) else str(value)
