"""The commands of a parser that do something, for tests of all of them."""

import argparse


def leaf_commands(parser: argparse.ArgumentParser, name: str = "") -> dict[str, argparse.ArgumentParser]:
    """Return the commands of *parser* that do something, by their names."""
    inner = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not inner:
        return {name: parser}
    return {
        called: found
        for key, each in inner[0].choices.items()
        for called, found in leaf_commands(each, f"{name} {key}".strip()).items()
    }
