"""`palimpd`: own the database and serve it."""

import argparse
import os
import sys
from typing import cast

import trio

from palimp_daemon.capture.redact import PatternError, use_patterns
from palimp_daemon.config import ConfigError, config_from_environment
from palimp_daemon.gateway.listener import ListenError
from palimp_daemon.group_commit import StoreLostError
from palimp_daemon.ownership import AlreadyOwnedError
from palimp_daemon.serve import serve
from palimp_protocol import __version__

EXIT_FAILED = 1
EXIT_USAGE = 2
EXIT_OWNED = 75
"""EX_TEMPFAIL of sysexits.h: another process owns the database, which is no fault."""


def main() -> int:
    """Run the daemon; return its exit code."""
    parser = argparse.ArgumentParser(
        prog="palimpd",
        description="The palimp daemon: owns the database and serves it on a Unix socket.",
        epilog="Clients start it by themselves; run it by hand to see its log: palimpd",
    )
    parser.add_argument("--version", action="version", version=f"palimpd {__version__}")
    parser.add_argument("--exit-when-idle", action="store_true", help="exit after daemon.idle_exit_minutes")
    options = parser.parse_args()
    os.umask(0o077)
    env = dict(os.environ)
    code = 0
    try:
        config = config_from_environment(env, user_id=os.getuid(), exits_when_idle=options.exit_when_idle)
        use_patterns(config.redact_patterns)
        trio.run(serve, config, env)
    except* (ConfigError, PatternError) as errors:
        code = _fail(errors, EXIT_USAGE)
    except* AlreadyOwnedError as errors:
        code = _fail(errors, EXIT_OWNED)
    except* (ListenError, StoreLostError) as errors:
        code = _fail(errors, EXIT_FAILED)
    return code


def _fail(errors: ExceptionGroup[Exception], code: int) -> int:
    """Say what happened in one line and return *code*."""
    error = errors.exceptions[0]
    if isinstance(error, ExceptionGroup):
        return _fail(cast("ExceptionGroup[Exception]", error), code)
    sys.stderr.write(f"palimpd: {error}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
