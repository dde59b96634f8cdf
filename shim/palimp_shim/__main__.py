"""`palimp` and `palimp-shim`: hooks and status line first, since sessions start them often."""

import signal
import sys

from palimp_protocol.env.platforms import refusal_on

EXIT_UNSUPPORTED = 2


def main() -> int:
    """Run the hook or command; return its exit code."""
    if why := refusal_on(sys.platform):
        sys.stderr.write(f"palimp: {why}\n")
        return EXIT_UNSUPPORTED
    if sys.argv[1:2] == ["hook"]:
        from palimp_shim.hooks.run import main as hook  # noqa: PLC0415  each imports what it needs, and no more

        return hook(sys.argv[2:])
    if sys.argv[1:] == ["statusline"]:
        from palimp_shim.hooks.status_line import main as status_line  # noqa: PLC0415

        return status_line()
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, signal.SIG_DFL)  # an interrupt while modules come in is no traceback
    from palimp_shim.cli.main import main as command  # noqa: PLC0415

    return command()


def relay() -> int:
    """Relay until the client is gone."""
    if why := refusal_on(sys.platform):
        sys.stderr.write(f"palimp-shim: {why}\n")
        return EXIT_UNSUPPORTED
    from palimp_shim.relay.relay_loop import main as run  # noqa: PLC0415

    run()
    return 0


if __name__ == "__main__":
    sys.exit(main())
