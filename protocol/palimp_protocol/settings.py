"""Every setting: its key, type, default and meaning, defined once for the daemon and the command line.

A setting comes from the environment (`PALIMP_` and its key in capitals, dots and dashes as `_`), else
from the user's `config.toml`, else from here.
"""

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True)
class Setting:
    """One setting. *choices*, if any, are all its values, else any text is one; *minimum* bounds a number.

    A tuple as *default*: its value is a list of texts.
    """

    key: str
    default: str | int | tuple[str, ...]
    meaning: str
    choices: tuple[str, ...] = ()
    minimum: int = 0

    @property
    def variable(self) -> str:
        """The environment variable that overrides it."""
        return "PALIMP_" + self.key.upper().replace(".", "_")


SearchEngine = Literal["auto", "fts5", "fts4"]

SETTINGS: Final = {
    setting.key: setting
    for setting in (
        Setting(
            "search.engine",
            "auto",
            "Full-text engine: fts5, fts4, or auto, which takes FTS5 where SQLite has it.",
            choices=("auto", "fts5", "fts4"),
        ),
        Setting(
            "search.semantic",
            "auto",
            "Rank by meaning too: on, off, or auto, which does where palimp[semantic] is installed.",
            choices=("auto", "on", "off"),
        ),
        Setting("search.model_path", "", "The ONNX file of the model; empty: the one that palimp[semantic] installs."),
        Setting("search.model_sha256", "", "The checksum that search.model_path must have; empty: not checked."),
        Setting(
            "daemon.idle_exit_minutes",
            30,
            "Minutes without a session or request after which a daemon started by a client exits; 0: never.",
        ),
        Setting(
            "changes.on_return",
            "deny_once",
            "When an edit brings removed code back: deny_once refuses it with the reason and lets it pass when it is"
            " sent again, note only says so, off does not check.",
            choices=("deny_once", "note", "off"),
        ),
        Setting(
            "changes.import",
            "auto",
            "Read the git history of a project when a session starts in it: auto, or off.",
            choices=("auto", "off"),
        ),
        Setting("changes.keep_days", 1095, "Days after which removed code is forgotten; 0: never."),
        Setting(
            "hooks.patience",
            1,
            "What the deadlines of hooks are multiplied with, for slow machines. Set it in the environment, where the"
            " hooks themselves see it.",
            minimum=1,
        ),
        Setting(
            "capture.turns",
            8,
            "Turns after which a session's transcript is looked through for what is worth remembering; also before"
            " compaction and at the end. 0: never by itself.",
        ),
        Setting(
            "capture.command",
            "",
            "A program that extracts memories instead of the rules, such as `claude -p`: it gets a prompt with the"
            " conversation on stdin. Empty: none, and no model is called.",
        ),
        Setting(
            "redact.patterns",
            (),
            "Your own patterns (RE2) of what must not be stored; in the environment one per line.",
        ),
        Setting("log.level", "info", "Least level that is logged.", choices=("debug", "info", "warning", "error")),
        Setting(
            "mcp.context_tokens",
            8192,
            "Tokens of context that a session is given at its start at most; 0: none.",
        ),
        Setting(
            "mcp.format",
            "toon",
            "Form of lists of three rows and more in tool answers.",
            choices=("toon", "text", "json"),
        ),
    )
}
