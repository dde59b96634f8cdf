"""Every setting, defined once for daemon, command line and docs.

A project's file may be a stranger's, and an agent misled: `guarded` says why a setting is the user's alone.
"""

import re
from dataclasses import dataclass
from typing import Any, Final, cast

from palimp_protocol.limits import CHARACTERS_PER_TOKEN, CONTEXT_CHARACTERS_MAX, CONTEXT_WORK_CHARACTERS_MAX
from palimp_protocol.text import quote_text

Value = str | int | bool | tuple[str, ...]

RUNS_A_PROGRAM: Final = "it names a program that is run"
OPENS_A_PORT: Final = "it opens palimp to other programs"
PROTECTS: Final = "it protects secrets"
IS_A_LIMIT: Final = "it is a limit"
IS_OF_ALL: Final = "it is one for all projects"
HOLDS_AGENTS: Final = "it says what an agent is held to"
DECIDES_FOR_USER: Final = "it says what is kept without the user's yes"
IS_A_PATH: Final = "it names a path outside the project"


class SettingError(ValueError):
    """No such setting or value; the text names right ones."""


@dataclass(frozen=True)
class Setting:
    """One setting. *choices*, if any, are all its values; a tuple *default*: a list of texts."""

    key: str
    default: Value
    meaning: str
    choices: tuple[str, ...] = ()
    minimum: int = 0
    maximum: int = 2**31 - 1
    pattern: str = ""
    """Regular expression for a whole text."""
    guarded: str = ""
    """Why a project's file and agents may not set it; empty: they may."""
    off: Value | None = None
    """Value by which a project's file switches its feature off: sessions are told."""
    needs_restart: bool = False
    """Whether a change waits for the daemon's restart."""

    @property
    def variable(self) -> str:
        """Its environment variable."""
        return "PALIMP_" + self.key.upper().replace(".", "_")

    @property
    def type_name(self) -> str:
        """Its values, in words."""
        if self.choices:
            return ("list of " if isinstance(self.default, tuple) else "") + " | ".join(self.choices)
        names: dict[type, str] = {bool: "true | false", int: "whole number", tuple: "list of texts", str: "text"}
        return names[type(self.default)]


SETTINGS: Final = {
    setting.key: setting
    for setting in (
        Setting(
            "search.engine",
            "auto",
            "Full-text engine: fts5, fts4, or auto, which takes FTS5 where SQLite has it.",
            choices=("auto", "fts5", "fts4"),
            guarded=IS_OF_ALL,
            needs_restart=True,
        ),
        Setting(
            "search.semantic",
            "auto",
            "Rank semantically too: on, off, or auto, which does where palimp[semantic] is installed.",
            choices=("auto", "on", "off"),
            guarded=IS_OF_ALL,
            needs_restart=True,
        ),
        Setting(
            "search.embedding_model",
            "auto",
            "Which model embeds memories. minilm: the best for English, of no use for other languages. multilingual:"
            " sixteen languages, so that a question in one finds a memory in another. auto: minilm for English, and"
            " multilingual for everything else as soon as there is something else. A change embeds all memories"
            " again in the background; `palimp embed` shows how far it is.",
            choices=("auto", "minilm", "multilingual"),
            guarded=IS_OF_ALL,
        ),
        Setting(
            "search.model_path",
            "",
            "The ONNX file of another model; empty: search.embedding_model.",
            guarded=IS_A_PATH,
            needs_restart=True,
        ),
        Setting(
            "search.model_sha256",
            "",
            "The checksum that search.model_path must have; empty: not checked.",
            guarded=IS_OF_ALL,
            needs_restart=True,
        ),
        Setting(
            "daemon.idle_exit_minutes",
            30,
            "Minutes without a session or request after which a daemon started by a client exits; 0: never.",
            guarded=IS_A_LIMIT,
            needs_restart=True,
        ),
        Setting(
            "docs.dir",
            ".palimp/docs",
            "The folder of a project's documents, inside the project.",
        ),
        Setting(
            "conversations.keep",
            "on",
            "Keep what is said in sessions and git's commit messages, with secrets redacted, so that recall finds it"
            " where no memory answers: on, or off. `palimp conversations --read` reads earlier sessions.",
            choices=("on", "off"),
            guarded=IS_OF_ALL,
        ),
        Setting(
            "conversations.keep_days",
            730,
            "Days after which what was said in sessions is deleted; 0: never.",
            guarded=IS_A_LIMIT,
        ),
        Setting(
            "conversations.max_mb",
            2048,
            "Megabytes that conversations and commit messages may take; the oldest are deleted first.",
            minimum=16,
            maximum=1_000_000,
            guarded=IS_A_LIMIT,
        ),
        Setting(
            "recall.claude_memory",
            default=True,
            meaning="Whether recall also finds what the own memories of Claude Code, Codex, Qwen Code and Gemini CLI"
            " say of the project, in the clients' files. palimp only reads them, and shows them only on request.",
            guarded=IS_OF_ALL,
        ),
        Setting(
            "changes.on_return",
            "deny_once",
            "When an edit reintroduces removed code: deny_once refuses it with the reason and accepts it when sent"
            " again, note only warns, off does not check.",
            choices=("deny_once", "note", "off"),
            off="off",
        ),
        Setting(
            "changes.import",
            "auto",
            "Read the git history of a project when a session starts in it, or what was removed in it is asked for:"
            " auto, or off.",
            choices=("auto", "off"),
            off="off",
        ),
        Setting(
            "changes.keep_days",
            1095,
            "Days after which removed code is forgotten; 0: never.",
            guarded=IS_A_LIMIT,
            needs_restart=True,
        ),
        Setting(
            "hooks.before_acting",
            default=True,
            meaning="Whether an agent is told, before it reads or edits a file or runs a command, what memories say"
            " about that file or command, and what worked when the command failed in an earlier session.",
            off=False,
        ),
        Setting(
            "hooks.rules",
            default=True,
            meaning="Whether an agent is reminded, before it runs a command or edits a file, of a saved rule that this"
            " would break, once in each session; and whether it is counted how often rules are kept and broken.",
            guarded=HOLDS_AGENTS,
        ),
        Setting(
            "hooks.patience",
            1,
            "Factor for the deadlines of hooks, for slow machines. Set PALIMP_HOOKS_PATIENCE in the environment: hooks"
            " do not read config.toml.",
            minimum=1,
            guarded=IS_A_LIMIT,
            needs_restart=True,
        ),
        Setting(
            "capture.turns",
            8,
            "Turns after which a session's transcript is searched for memories. It also is before a context compaction,"
            " at the end, and one minute (with capture.command five) after the last turn. 0: never.",
            off=0,
        ),
        Setting(
            "capture.command",
            "",
            "A program that extracts memories instead of the rules, such as `claude -p`: it gets a prompt with the"
            " conversation on stdin. Empty: none, and no model is called.",
            guarded=RUNS_A_PROGRAM,
        ),
        Setting(
            "summarize.command",
            "",
            "A program that puts a digest into words, such as `claude -p`: it gets a prompt with the digest on stdin."
            " Empty: none, and no model is called.",
            guarded=RUNS_A_PROGRAM,
        ),
        Setting(
            "redact.patterns",
            (),
            "Your own patterns (RE2) of what must not be stored; in the environment one per line.",
            guarded=PROTECTS,
            needs_restart=True,
        ),
        Setting(
            "http.enabled",
            default=False,
            meaning="Serve MCP over HTTP on this machine, too: `palimp http enable` makes the token that clients need.",
            guarded=OPENS_A_PORT,
        ),
        Setting(
            "http.port",
            8427,
            "The port on 127.0.0.1; 0: any that is free.",
            maximum=65_535,
            guarded=OPENS_A_PORT,
        ),
        Setting(
            "page.port",
            0,
            "The port of `palimp page` on 127.0.0.1; 0: any that is free, which is then written here and kept.",
            maximum=65_535,
            guarded=OPENS_A_PORT,
        ),
        Setting(
            "log.level",
            "info",
            "Least level that is logged. debug logs the texts of memories, too.",
            choices=("debug", "info", "warning", "error"),
            guarded=IS_OF_ALL,
            needs_restart=True,
        ),
        Setting(
            "mcp.context_tokens",
            8192,
            "Tokens of context that a session is given at its start at most; 0: none. Above"
            f" {CONTEXT_CHARACTERS_MAX // CHARACTERS_PER_TOKEN:,} nothing changes: Claude Code puts a longer one"
            " into a file. All but standing rules has"
            f" {CONTEXT_WORK_CHARACTERS_MAX // CHARACTERS_PER_TOKEN:,} at most.",
            guarded=IS_A_LIMIT,
        ),
        Setting(
            "mcp.ask",
            default=True,
            meaning="Whether a save that repeats an older memory, or likely replaces it, asks the user which of them"
            " holds, in clients that can ask (MCP's elicitation).",
            off=False,
        ),
        Setting(
            "save.review",
            "never",
            "Whose saves wait for your yes in `palimp review`, and are not told to sessions unasked until then: never,"
            " agents (what agents save), or all (what commands save, too).",
            choices=("never", "agents", "all"),
            guarded=DECIDES_FOR_USER,
        ),
        Setting(
            "save.review_in",
            (),
            "Folders of the projects in which save.review holds; empty: all.",
            guarded=DECIDES_FOR_USER,
        ),
        Setting(
            "team.hold",
            60,
            "Minutes for which a new or changed memory of a shared project waits before it is sent to the team; what is"
            " undone, edited or made private meanwhile is not sent, or only as it is then.",
            maximum=10_080,
            guarded=IS_OF_ALL,
        ),
        Setting(
            "mcp.toolsets",
            ("memory", "docs", "changes", "upkeep"),
            "Groups of tools that clients get: memory, docs, changes, upkeep.",
            choices=("memory", "docs", "changes", "upkeep"),
        ),
        Setting(
            "mcp.tool_prefix",
            "",
            "Prefix of the names of tools, for clients that do not show which server a tool is of.",
            pattern=r"[A-Za-z0-9_-]{0,32}",
            guarded=IS_OF_ALL,
        ),
        Setting(
            "mcp.format",
            "toon",
            "Form of lists of three rows and more in tool answers.",
            choices=("toon", "text", "json"),
        ),
    )
}


def setting_named(key: str) -> Setting:
    """Return the setting called *key*.

    Raises:
        SettingError: there is none; the text names the nearest.
    """
    if setting := SETTINGS.get(key):
        return setting
    raise SettingError(unknown(key))


def unknown(key: str) -> str:
    """Return the sentence that *key* is no setting, with the nearest names."""
    import difflib  # noqa: PLC0415  only for what is wrong

    near = difflib.get_close_matches(key, SETTINGS, n=3, cutoff=0.5)
    near += [
        known for known in SETTINGS if known.split(".")[-1] == key.rsplit(".", maxsplit=1)[-1] and known not in near
    ]
    hint = f"Nearest: {', '.join(near[:3])}." if near else "`palimp config list` names all."
    return f"no setting is called {quote_text(key)}. {hint}"


def value_from_text(setting: Setting, text: str, source: str = "") -> Value:
    """Return the value of *text*, as in the environment; lists have one text per line.

    Raises:
        SettingError: there is none; the text names *source*, or the key.
    """
    if isinstance(setting.default, tuple):
        return check_value(setting, [line for line in text.splitlines() if line], source)
    if isinstance(setting.default, bool):
        meant = {"true": True, "on": True, "1": True, "false": False, "off": False, "0": False}.get(text.lower())
        return check_value(setting, text if meant is None else meant, source)
    if isinstance(setting.default, int):
        try:
            return check_value(setting, int(text), source)
        except ValueError as error:
            if isinstance(error, SettingError):
                raise
            return check_value(setting, text, source)
    return check_value(setting, text, source)


def check_value(setting: Setting, value: object, source: str = "") -> Value:
    """Return *value*, as in a TOML file, if *setting* can have it.

    Raises:
        SettingError: it cannot; the text names *source*, or the key.
    """
    name = source or setting.key
    if isinstance(setting.default, tuple):
        return _checked_texts(setting, value, name)
    if isinstance(setting.default, bool):
        if not isinstance(value, bool):
            raise SettingError(f"{name} is {quote_text(value)}; it must be true or false.")
        return value
    if isinstance(setting.default, int):
        return _checked_number(setting, value, name)
    if not isinstance(value, str):
        raise SettingError(f"{name} is {quote_text(value)}; it must be a text.")
    if setting.choices and value not in setting.choices:
        raise SettingError(f"{name} is {quote_text(value)}; it must be one of {', '.join(setting.choices)}.")
    if setting.pattern and not re.fullmatch(setting.pattern, value):
        raise SettingError(f"{name} is {quote_text(value)}; it must fit {setting.pattern}.")
    return value


def _checked_number(setting: Setting, value: object, name: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool):
        raise SettingError(f"{name} is {quote_text(value)}; it must be a whole number.")
    if value < setting.minimum:
        raise SettingError(f"{name} is {quote_text(value)}; the least is {setting.minimum}.")
    if value > setting.maximum:
        raise SettingError(f"{name} is {quote_text(value)}; the most is {setting.maximum}.")
    return value


def _checked_texts(setting: Setting, value: object, name: str) -> tuple[str, ...]:
    texts = cast("list[Any]", value) if isinstance(value, list | tuple) else [value]
    if not all(isinstance(text, str) and text for text in texts):
        raise SettingError(f"{name} is {quote_text(cast('object', value))}; it must be a list of texts.")
    if wrong := [text for text in texts if setting.choices and text not in setting.choices]:
        raise SettingError(f"{name} has {quote_text(wrong[0])} in it; there are {', '.join(setting.choices)}.")
    return tuple(str(text) for text in texts)
