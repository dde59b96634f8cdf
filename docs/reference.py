"""Write docs/tools.md and docs/configuration.md from the table of operations and the definition of the settings.

    python docs/reference.py

A test fails when the pages are not what this writes.
"""

from pathlib import Path
from typing import Any

from palimp_daemon.dispatch.tool_schemas import input_schema
from palimp_protocol.messages.settings import value_text
from palimp_protocol.operations import OPERATIONS, Operation
from palimp_protocol.settings import SETTINGS, Setting
from palimp_shim.cli.operation_map import FACES, Face

HERE = Path(__file__).parent
TOOLSETS = {
    "memory": "Memories",
    "docs": "Documents",
    "changes": "Removed code",
    "upkeep": "Upkeep",
}


def tools_page() -> str:
    """Return docs/tools.md."""
    lines = [
        "# Operations",
        "",
        "<!-- Written by docs/reference.py from the table of operations. Do not edit. -->",
        "",
        "Each operation is one thing with three faces: an MCP tool, the same tool over HTTP (`palimp http enable`), and a",
        "command. Agents do not get those that are for the terminal only. Every command takes `--json`, and where it is",
        "about a project `--project DIR` and `--global`.",
    ]
    for toolset, title in TOOLSETS.items():
        lines += ["", f"## {title} (`mcp.toolsets`: `{toolset}`)"]
        for operation in OPERATIONS.values():
            if operation.toolset == toolset:
                lines += _operation(operation)
    return "\n".join(lines) + "\n"


def _operation(operation: Operation) -> list[str]:
    faces = FACES[operation.name]
    commands = ", ".join(dict.fromkeys(f"`palimp {face.command}`" for face in faces))
    where = f"MCP, HTTP, {commands}" if operation.is_tool else f"terminal only: {commands}"
    lines = ["", f"### {operation.name}", "", f"{operation.title}. {where}.", "", operation.description]
    schema = input_schema(operation.request)
    if schema["properties"]:
        lines += ["", "| parameter | type | default | meaning | in the terminal |", "|---|---|---|---|---|"]
        required = schema.get("required", [])
        lines += [_parameter(name, field, name in required, faces) for name, field in schema["properties"].items()]
    return lines


def _parameter(name: str, field: dict[str, Any], is_required: bool, faces: tuple[Face, ...]) -> str:  # noqa: FBT001
    choices = " \\| ".join(str(choice) for choice in field.get("enum", []))
    kind = choices or str(field.get("type", "any"))
    bounds = [f"{word} {field[key]:,}" for word, key in _BOUNDS if key in field]
    default = "required" if is_required else str(field.get("default", ""))
    options = ", ".join(dict.fromkeys(f"`{face.fields[name]}`" for face in faces if name in face.fields))
    why = next((face.why[name] for face in faces if name in face.why), "")
    kind = f"{kind} ({', '.join(bounds)})" if bounds else kind
    return f"| `{name}` | {kind} | {default} | {field.get('description', '')} | {options or why} |"


_BOUNDS = (
    ("least", "minimum"),
    ("most", "maximum"),
    ("characters at most", "maxLength"),
    ("items at most", "maxItems"),
)


def configuration_page() -> str:
    """Return docs/configuration.md."""
    lines = [
        "# Configuration",
        "",
        "<!-- Written by docs/reference.py from the definition of the settings. Do not edit. -->",
        "",
        "A setting has the value of the first that gives it one: `palimpd --set KEY=VALUE`, the environment, the project's",
        "`.palimp/config.toml`, your own `config.toml` (in `$XDG_CONFIG_HOME/palimp`, else `~/.config/palimp`), the default.",
        "`palimp config list --show-origin` says which; `palimp config set KEY VALUE` writes your file and keeps your",
        "comments, with `--in-project` the project's.",
        "",
        "A project's file may come with a cloned repository, and an agent may be talked into anything. So both may set only",
        "what can do no harm; of the others the table says why not. A change counts at once, but where it says *restart*:",
        "then after `palimp stop`, when the daemon starts again by itself.",
        "",
        "| setting | values | default | meaning | may a project or an agent set it |",
        "|---|---|---|---|---|",
        *(_setting(setting) for setting in SETTINGS.values()),
        "",
        "In the environment a setting is `PALIMP_` and its key in capitals, dots as `_`: `PALIMP_MCP_FORMAT=json`; lists have",
        "one text per line. In the file, dotted keys are tables:",
        "",
        "```toml",
        "[mcp]",
        'format = "text"   # no tables for me',
        "",
        "[redact]",
        "patterns = ['ACME-[0-9]{6}']",
        "```",
    ]
    return "\n".join(lines) + "\n"


def _setting(setting: Setting) -> str:
    values = setting.type_name.replace("|", "\\|")
    default = value_text(list(setting.default) if isinstance(setting.default, tuple) else setting.default, ", ")
    allowed = f"no: {setting.guarded}" if setting.guarded else "yes"
    restart = " *restart*" if setting.needs_restart else ""
    return f"| `{setting.key}` | {values} | {f'`{default}`' if default else 'empty'} | {setting.meaning}{restart} | {allowed} |"


def main() -> None:
    """Write both pages."""
    (HERE / "tools.md").write_text(tools_page(), encoding="utf-8")
    (HERE / "configuration.md").write_text(configuration_page(), encoding="utf-8")


if __name__ == "__main__":
    main()
