"""The commands agree with the table of operations, field by field, and the documentation with both."""

import importlib.util
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from leaf_commands import leaf_commands

from palimp_protocol.operations import OPERATIONS
from palimp_protocol.settings import SETTINGS
from palimp_shim.cli.commands import ALIASES, HEADINGS, SUMMARIES, module_of
from palimp_shim.cli.main import operation_map, parser_for, whole_parser
from palimp_shim.cli.parsing import EXAMPLES

LOADED = (
    "import sys; from palimp_shim.cli.main import main; code = main();"
    " print(*(name for name in sys.modules if '.cli.' in name), file=sys.stderr); sys.exit(code)"
)
DOCS = Path(__file__).parents[4] / "docs"
OF_COMMANDS = {"help", "is_json", "project", "is_global", "run"}
"""What options mean that are no field of a request."""

ALONE = {
    "about": "--same-as asks for another operation",
    "page": "--print is about where it is opened",
    "show": "--open is about where it is shown",
    "changes check": "--stdin is about where the code is",
    "changes replay": "a program of its own, which asks for nothing",
    "changes import": "--status waits for nothing",
    "embed": "--status waits for nothing",
    "export": "where to, and in which form",
    "team share": "--yes is for scripts",
    "team leave": "the same",
    "team revoke": "the same",
    "completion": "it asks no daemon",
    "install": "it asks no daemon",
    "uninstall": "it asks no daemon",
    "health": "--watch asks again, --verbose is about printing",
    "doctor": "most of what it looks at is no daemon's business",
    "config list": "--show-origin is about printing",
    "delete": "--hard asks for another operation, and --yes is for scripts",
    "docs forget": "--yes is for scripts",
    "supersede": "--narrows and --disagrees say the same field",
    "rules add": "its options together say one field",
    "rules mend": "the same",
    "rules enforce": "--ask says another value of its field",
    "undo": "--list asks for another operation, and --yes is for scripts",
}
"""Commands with options of their own."""


COMMANDS = leaf_commands(whole_parser())
OPERATION_MAP = operation_map()


def options(command: str) -> set[str]:
    """Return what can be given to *command*: names of positionals, and options."""
    if command == "hook":  # answered before anything is parsed, since it starts on every tool call
        return set()
    actions = [action for action in COMMANDS[command]._actions if action.dest not in OF_COMMANDS]
    return {option for action in actions for option in action.option_strings[-1:] or [action.dest]}


def with_their_like(command: str, said: set[str]) -> set[str]:
    """Return the options *said* of *command*, and those that set the same."""
    actions = COMMANDS[command]._actions
    fields = {action.dest for action in actions if said & {*action.option_strings}}
    return said | {option for action in actions if action.dest in fields for option in action.option_strings[-1:]}


@pytest.mark.parametrize("argument", ["--help", "--version"])
def test_help_and_version_import_no_command(argument: str):
    """So that both answer at once, and a command that cannot be imported does not keep the others from being found."""
    ran = subprocess.run([sys.executable, "-c", LOADED, argument], capture_output=True, text=True, check=True)
    loaded = {*ran.stderr.split()}
    assert "palimp_shim.cli.commands" in loaded
    assert not loaded & {module_of(name) for name in SUMMARIES}


def test_the_listing_is_that_of_the_whole_parser():
    """Names, second names and summaries are the same, whether or not the commands were imported."""
    assert parser_for(["--help"]).format_help() == whole_parser().format_help()


def test_the_listing_has_a_heading_above_each_group_and_a_group_has_none(capsys):
    lines = parser_for(["--help"]).format_help().splitlines()
    for name, heading in HEADINGS.items():
        assert lines[lines.index(f"  {heading}:") + 1].split()[0] == name
    with pytest.raises(SystemExit):
        parser_for(["docs"]).parse_args(["docs", "--help"])
    assert "    add " in (printed := capsys.readouterr().out)
    assert "memories:" not in printed


def test_a_second_name_is_the_command():
    """With its options."""
    for alias, name in ALIASES.items():
        assert parser_for([alias, "x"]).parse_args([alias, "x"]).run is parser_for([name]).parse_args([name, "x"]).run


@pytest.mark.parametrize("name", OPERATIONS)
def test_every_operation_has_a_command_that_sets_each_of_its_fields(name: str):
    """A field that no option sets has a reason."""
    bindings = OPERATION_MAP[name]
    fields = set(OPERATIONS[name].request.__struct_fields__)
    said = {field for binding in bindings for field in (*binding.fields, *binding.why)}

    assert said == fields
    for binding in bindings:
        assert set(binding.fields.values()) <= options(binding.command), binding.command


def test_no_option_is_at_once_a_field_of_the_request_and_something_else():
    """A value under a field's name is sent as that field."""
    for name, bindings in OPERATION_MAP.items():
        for binding in bindings:
            dests = (
                {action.dest for action in COMMANDS[binding.command]._actions} if binding.command in COMMANDS else set()
            )
            said = binding.fields.keys() | binding.why.keys()
            assert dests & set(OPERATIONS[name].request.__struct_fields__) <= said, binding


def test_no_command_has_an_option_that_no_operation_has():
    """But those that are about the command itself; several options may set one field."""
    said: dict[str, set[str]] = {}
    for binding in (binding for bindings in OPERATION_MAP.values() for binding in bindings):
        said.setdefault(binding.command, set()).update(binding.fields.values())
    extra = {
        name: options(name) - with_their_like(name, said.get(name, set()))
        for name in COMMANDS
        if name not in ALONE and name != "save"
    }

    assert {name: left for name, left in extra.items() if left} == {}


def test_the_names_of_the_earlier_tools_are_commands():
    """Whoever knows those finds them here."""
    wanted = {"add", "search", "list", "show", "delete", "summarize", "compact", "capture", "health"}

    assert wanted <= COMMANDS.keys()
    assert {"config get", "config set", "config unset", "config list"} <= COMMANDS.keys()


@pytest.mark.parametrize("name", [name for name in COMMANDS if name != "save"])
def test_every_command_explains_itself(name: str):
    """With a description; those at the top with an example, too."""
    parser = COMMANDS[name]

    assert parser.description
    assert " " in name or (parser.epilog or "").startswith("Example")


def test_the_pages_are_what_the_definitions_say():
    """`python docs/reference.py` writes them."""
    spec = importlib.util.spec_from_file_location("reference", DOCS / "reference.py")
    assert spec
    assert spec.loader
    reference = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(reference)

    for name, page in reference.PAGES.items():
        assert (DOCS / "reference" / name).read_text() == page(), f"run `python docs/reference.py`: {name}"
    tools = (DOCS / "reference" / "tools.md").read_text()
    assert all(f"### {name}\n" in tools for name in OPERATIONS)
    assert all(f"| `{key}` |" in (DOCS / "reference" / "settings.md").read_text() for key in SETTINGS)
    assert all(operation.description for operation in OPERATIONS.values())


def typed_in(example: str) -> list[list[str]]:
    """Return the arguments of each call of palimp in *example*, as a shell reads it."""
    lexer = shlex.shlex(example, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    calls: list[list[str]] = [[]]
    for word in lexer:
        if set(word) <= set("|&;<>()"):
            calls.append([])
        else:
            calls[-1].append(word)
    return [call[1:] for call in calls if call[:1] == ["palimp"]]


@pytest.mark.parametrize("name", [name for name in COMMANDS if name not in ("save", "statusline")])
def test_every_example_can_be_typed_as_it_stands(name: str):
    """A shell and the parser take each; none is broken where the terminal is narrow."""
    epilog = COMMANDS[name].epilog
    if not epilog:
        return
    lines = [line.strip() for line in epilog.removeprefix(EXAMPLES).strip().split("\n")]
    calls = [call for line in lines for call in typed_in(line)]

    assert all(line in COMMANDS[name].format_help() for line in lines)
    assert len(calls) >= len(lines), "each calls palimp"
    for call in calls:
        parser_for(call).parse_args(call)
