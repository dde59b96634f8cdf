"""`palimp`: hooks first, since they start on every tool call of every session; everything else is the command line."""

import sys


def main() -> int:
    """Run the hook or the command in the program's arguments and return its exit code."""
    if sys.argv[1:2] == ["hook"]:
        from palimp_shim.hooks.run import main as hook  # noqa: PLC0415  each imports what it needs, and no more

        return hook(sys.argv[2:])
    from palimp_shim.cli.main import main as command  # noqa: PLC0415

    return command()


if __name__ == "__main__":
    sys.exit(main())
