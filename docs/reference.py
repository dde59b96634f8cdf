"""Write the generated pages of docs/reference: tools, settings, command line, errors and exit codes, limits.

    python docs/reference.py

Sources: the table of operations, the definition of the settings, the command line's parser, the error codes, and every
named bound in the code with its docstring. A test fails when a page is not what this writes.
"""

import argparse
import ast
import math
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

from palimp_daemon.dispatch.tool_schemas import input_schema
from palimp_protocol.errors import ErrorCode
from palimp_protocol.messages.setting_messages import value_text
from palimp_protocol.operations import OPERATIONS, Operation
from palimp_protocol.settings import SETTINGS, Setting
from palimp_shim.cli.commands import CommandBinding
from palimp_shim.cli.main import EXIT_CODES, EXIT_FAILED, EXIT_INTERRUPTED, operation_map, whole_parser
from palimp_shim.cli.parsing import EXAMPLES

HERE = Path(__file__).parent / "reference"
ROOT = Path(__file__).parents[1]
TOOLSETS = {
    "memory": "Memories",
    "docs": "Documents",
    "changes": "Removed code",
    "upkeep": "Upkeep",
}


def tools_page() -> str:
    """Return tools.md."""
    lines = [
        "# Tools and operations",
        "",
        "<!-- Written by docs/reference.py from the table of operations. Do not edit. -->",
        "",
        "Each operation has three interfaces: an MCP tool, the same tool over HTTP (`palimp http enable`), and a",
        "command. Agents do not get those that are for the terminal only. Commands take `--json` where they print an answer of",
        "the daemon's, and `--project DIR` and `--global` where they are about a project.",
    ]
    of_operation = operation_map()
    for toolset, title in TOOLSETS.items():
        lines += ["", f"## {title} (`mcp.toolsets`: `{toolset}`)"]
        for operation in OPERATIONS.values():
            if operation.toolset == toolset:
                lines += _operation(operation, of_operation[operation.name])
    return "\n".join(lines) + "\n"


def _operation(operation: Operation, bindings: list[CommandBinding]) -> list[str]:
    commands = ", ".join(dict.fromkeys(f"`palimp {binding.command}`" for binding in bindings))
    where = f"MCP, HTTP, {commands}" if operation.is_tool else f"terminal only: {commands}"
    lines = ["", f"### {operation.name}", "", f"{operation.title}. {where}.", "", operation.description]
    schema = input_schema(operation.request)
    if schema["properties"]:
        lines += ["", "| parameter | type | default | meaning | in the terminal |", "|---|---|---|---|---|"]
        required = schema.get("required", [])
        lines += [_parameter(name, field, name in required, bindings) for name, field in schema["properties"].items()]
    return lines


def _parameter(name: str, field: dict[str, Any], is_required: bool, bindings: list[CommandBinding]) -> str:  # noqa: FBT001
    choices = " \\| ".join(str(choice) for choice in field.get("enum", []))
    kind = choices or str(field.get("type", "any"))
    bounds = [f"{word} {field[key]:,}" for word, key in _BOUNDS if key in field]
    default = "required" if is_required else str(field.get("default", ""))
    options = ", ".join(dict.fromkeys(f"`{binding.fields[name]}`" for binding in bindings if name in binding.fields))
    why = next((binding.why[name] for binding in bindings if name in binding.why), "")
    kind = f"{kind} ({', '.join(bounds)})" if bounds else kind
    return f"| `{name}` | {kind} | {default} | {field.get('description', '')} | {options or why} |"


_BOUNDS = (
    ("least", "minimum"),
    ("most", "maximum"),
    ("characters at most", "maxLength"),
    ("items at most", "maxItems"),
)


def settings_page() -> str:
    """Return settings.md."""
    lines = [
        "# Settings",
        "",
        "<!-- Written by docs/reference.py from the definition of the settings. Do not edit. -->",
        "",
        "The first of these that sets a value wins: `palimpd --set KEY=VALUE`, the environment, the project's",
        "`.palimp/config.toml`, your own `config.toml` (in `$XDG_CONFIG_HOME/palimp`, else `~/.config/palimp`), the default.",
        "`palimp config list --show-origin` says which; `palimp config set KEY VALUE` writes your file and keeps your",
        "comments, with `--in-project` the project's.",
        "",
        "A project's file may come with a cloned repository, and an agent can be misled. So both may set only harmless",
        "settings; for the others the table says why not. A change takes effect at once, or, where it says *restart*, at the",
        "next start of the daemon (`palimp stop`).",
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


class Command(NamedTuple):
    """One command that does something: its whole name and its parser."""

    name: str
    parser: argparse.ArgumentParser


def commands(parser: argparse.ArgumentParser, name: str = "palimp") -> Iterator[Command]:
    """Yield every command of *parser*, a command with subcommands before those."""
    yield Command(name, parser)
    for action in parser._actions:  # noqa: SLF001  argparse has no public way to list subcommands
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
            seen: set[int] = set()
            for key, each in action.choices.items():
                if id(each) not in seen:  # aliases share one parser
                    seen.add(id(each))
                    yield from commands(each, f"{name} {key}")


def command_line_page() -> str:
    """Return command-line.md: every command with its arguments, independent of argparse's layout of help texts."""
    lines = [
        "# Command line",
        "",
        "<!-- Written by docs/reference.py from the command line's parser. Do not edit. -->",
        "",
        "`palimp COMMAND --help` prints the same. [Exit codes](errors-and-exit-codes.md) are the same for every command.",
    ]
    for name, parser in commands(whole_parser()):
        lines += ["", f"## {name}", "", " ".join((parser.description or "").split())]
        rows = [row for action in parser._actions for row in _argument(action)]  # noqa: SLF001
        if rows:
            lines += ["", "| argument | meaning |", "|---|---|", *rows]
        if parser.epilog:
            lines += ["", "```", *parser.epilog.removeprefix(f"{EXAMPLES}\n  ").split("\n  "), "```"]
    return "\n".join(lines) + "\n"


def _argument(action: argparse.Action) -> list[str]:
    """Return the table rows of one argument: an option, a positional, or each subcommand."""
    if isinstance(action, argparse._HelpAction):  # noqa: SLF001
        return []
    if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001
        pseudo = action._choices_actions  # noqa: SLF001
        return [f"| `{each.dest}` | {_cell(' '.join((each.help or '').split()))} |" for each in pseudo]
    takes = action.metavar or (f"{{{','.join(map(str, action.choices))}}}" if action.choices else action.dest.upper())
    takes = takes if isinstance(takes, str) else " ".join(takes)
    if action.option_strings:
        name = ", ".join(action.option_strings) + ("" if action.nargs == 0 else f" {takes}")
    else:
        name = action.metavar if isinstance(action.metavar, str) else action.dest
    text = " ".join((action.help or "").split()).replace("%(default)s", str(action.default)).replace("%%", "%")
    return [f"| `{_cell(name)}` | {_cell(text)} |"]


def errors_page() -> str:
    """Return errors-and-exit-codes.md."""
    tree = ast.parse((ROOT / "protocol/palimp_protocol/errors.py").read_text(encoding="utf-8"))
    enum = next(node for node in tree.body if isinstance(node, ast.ClassDef) and node.name == "ErrorCode")
    meanings = dict(_documented(enum.body))
    lines = [
        "# Errors and exit codes",
        "",
        "<!-- Written by docs/reference.py from the error codes. Do not edit. -->",
        "",
        "An error has a stable `code` for programs, a `text` that says what was wrong, and a `hint` that says what to do next:",
        "in tool results, on the wire, and on the terminal. With `--json` a command that fails prints",
        '`{"error": {"code": …, "text": …, "hint": …}}` to stdout, too.',
        "",
        "| code | meaning | exit code of a command |",
        "|---|---|---|",
    ]
    lines += [f"| `{code.value}` | {meanings[code.name]} | {EXIT_CODES.get(code, EXIT_FAILED)} |" for code in ErrorCode]
    lines += [
        "",
        "| exit code | meaning |",
        "|---|---|",
        "| 0 | done |",
        "| 1 | nothing was found; `changes check`: removed code was found |",
        "| 2 | the request was wrong |",
        "| 3 | no daemon answers |",
        f"| {EXIT_FAILED} | the daemon could not do it, or a check failed (`doctor`, `health`) |",
        f"| {EXIT_INTERRUPTED} | interrupted |",
    ]
    return "\n".join(lines) + "\n"


def limits_page() -> str:
    """Return limits.md: the bounds that a user can meet, with their reasons; the others stand in their modules."""
    tree = ast.parse(LIMITS.read_text(encoding="utf-8"))
    reasons = dict(_documented(tree.body))
    values = {
        node.target.id: ast.unparse(node.value)
        for node in tree.body
        if isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name) and node.value is not None
    }
    lines = [
        "# Limits",
        "",
        "<!-- Written by docs/reference.py from the constants in the code. Do not edit. -->",
        "",
        "What a user can meet. What exceeds one is refused or cut, and the answer says so. Every other queue, wait and",
        "retry is bounded, too: each bound is a constant with its reason, in the module that keeps it.",
    ]
    for heading, names in LIMITS_MET.items():
        rows = [f"| `{name}` | {_number(values[name])} | {_cell(reasons[name])} |" for name in names]
        lines += ["", f"## {heading}", "", "| name | value | what and why |", "|---|---|---|", *rows]
    return "\n".join(lines) + "\n"


def _number(value: str) -> str:
    """Return the expression *value* as a number that a reader takes in at once."""
    number = math.prod(float(factor) for factor in value.split("*"))
    return f"{number:,.0f}" if number >= 1 else f"{number:g}"


def _cell(text: str) -> str:
    """Return *text* as it may stand in a table."""
    return text.replace("|", "\\|")


def _documented(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    """Yield the name and the docstring of each assignment in *body* that has one."""
    for statement, following in pairwise(body):
        target = (
            statement.target
            if isinstance(statement, ast.AnnAssign)
            else statement.targets[0]
            if isinstance(statement, ast.Assign)
            else None
        )
        if (
            isinstance(target, ast.Name)
            and isinstance(following, ast.Expr)
            and isinstance(following.value, ast.Constant)
        ):
            yield target.id, " ".join(str(following.value.value).split())


LIMITS = ROOT / "protocol" / "palimp_protocol" / "limits.py"

LIMITS_MET = {
    "Memories": [
        "TEXT_CHARACTERS_MAX",
        "TITLE_CHARACTERS_MAX",
        "TAGS_MAX",
        "TAG_CHARACTERS_MAX",
        "REPLACED_MAX",
        "WHY_CHARACTERS_MAX",
        "PINS_MAX",
        "MUTES_MAX",
        "REVIEWED_MAX",
        "MERGES_MAX",
    ],
    "Questions and answers": [
        "QUERY_CHARACTERS_MAX",
        "QUERY_WORDS_MAX",
        "RECALL_ROWS_MAX",
        "LIST_TOKENS_MAX",
        "ITEM_TOKENS_MAX",
        "HISTORY_SHOWN_MAX",
        "ACTS_SHOWN_MAX",
        "DIGEST_TOKENS_MAX",
        "SUBJECT_SHOWN_MAX",
    ],
    "Sessions": [
        "CONTEXT_CHARACTERS_MAX",
        "PROMPT_CONTEXT_TOKENS_MAX",
        "ACTION_CONTEXT_TOKENS_MAX",
        "SESSIONS_LISTED_MAX",
        "SESSION_EVENTS_MAX",
        "CAPTURE_CHARACTERS_MAX",
        "HOOK_INPUT_BYTES_MAX",
        "PEERS_MAX",
        "CLIENT_DEADLINE_S",
        "READ_DEADLINE_S",
    ],
    "Documents": [
        "DOCUMENT_CHARACTERS_MAX",
        "DOCUMENTS_MAX",
        "DOC_MATCHES_MAX",
        "DOC_VERSIONS_MAX",
        "DOC_HISTORY_BYTES_MAX",
        "PATTERN_CHARACTERS_MAX",
        "SLUG_CHARACTERS_MAX",
    ],
    "Removed code": [
        "CHECKED_CHARACTERS_MAX",
        "CHANGES_LISTED_MAX",
        "HUNKS_MAX",
        "IMPORT_COMMITS_MAX",
        "STAGED_BYTES_MAX",
    ],
    "Imports, settings and files": [
        "IMPORT_NOTE_CHARACTERS_MAX",
        "IMPORT_FILE_BYTES_MAX",
        "IMPORT_FILES_MAX",
        "IMPORT_ENTRIES_MAX",
        "SETTINGS_BYTES_MAX",
        "SETTING_CHARACTERS_MAX",
        "SOCKET_PATH_BYTES_MAX",
        "FRAME_BYTES_MAX",
        "LINE_BYTES_MAX",
        "LOG_BYTES_MAX",
        "WAL_BYTES_MAX",
    ],
}
"""By what a user does; names in palimp_protocol/limits.py."""

PAGES = {
    "tools.md": tools_page,
    "settings.md": settings_page,
    "command-line.md": command_line_page,
    "errors-and-exit-codes.md": errors_page,
    "limits.md": limits_page,
}


def main() -> None:
    """Write every page."""
    for name, page in PAGES.items():
        (HERE / name).write_text(page(), encoding="utf-8")


if __name__ == "__main__":
    main()
