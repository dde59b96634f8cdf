"""`palimpd`: own the database and serve it."""

import argparse
import os
import sys
from dataclasses import replace
from typing import cast

import trio

from palimp_daemon.repair import repair
from palimp_daemon.runtime.process_limits import (
    TooLittleMemoryError,
    allow_descriptors,
    forbid_core_dumps,
    refuse_little_memory,
)
from palimp_daemon.server.app import serve
from palimp_daemon.server.listener import ListenError
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.startup import Config, config_from
from palimp_daemon.store.instance_lock import AlreadyOwnedError, FolderError
from palimp_daemon.store.sqlite_connection import StoreUnavailableError
from palimp_daemon.store.worker.group_commit import StoreLostError
from palimp_daemon.text.redact import PatternError, Redactor
from palimp_protocol import __version__
from palimp_protocol.env.state_folder import problem_with

EXIT_FAILED = 1
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
    parser.add_argument(
        "--set", dest="flags", action="append", default=[], metavar="KEY=VALUE", help="a setting; wins over all else"
    )
    parser.add_argument(
        "--repair",
        action="store_true",
        help="when the database is damaged, put what can be read of it into a new one, keep the old one, and exit",
    )
    options = parser.parse_args()
    os.umask(0o077)
    forbid_core_dumps()
    allow_descriptors()
    env = dict(os.environ)
    if problem := problem_with(env, user_id=os.getuid()):
        parser.error(problem)
    code = 0
    try:
        refuse_little_memory()
        if wrong := next((each for each in options.flags if "=" not in each), None):
            parser.error(f"--set {wrong}: it must be KEY=VALUE")
        settings = Settings(env, dict(each.split("=", 1) for each in options.flags))
        config = config_from(settings, user_id=os.getuid(), exits_when_idle=options.exit_when_idle)
        if options.repair:
            repair(config, lambda line: print(line, flush=True))  # noqa: T201  its result
        else:
            config, redact = _with_redactor(config)
            trio.run(serve, config, settings, redact)
    except* AlreadyOwnedError as errors:
        code = _fail(errors, EXIT_OWNED)
    except* (FolderError, ListenError, StoreLostError, StoreUnavailableError, TooLittleMemoryError) as errors:
        code = _fail(errors, EXIT_FAILED)
    return code


def _with_redactor(config: Config) -> tuple[Config, Redactor]:
    try:
        return config, Redactor(config.redact_patterns)
    except PatternError as error:
        return replace(config, problem=config.problem or f"redact.patterns: {error}"), Redactor()


def _fail(errors: ExceptionGroup[Exception], code: int) -> int:
    error = errors.exceptions[0]
    if isinstance(error, ExceptionGroup):
        return _fail(cast("ExceptionGroup[Exception]", error), code)
    sys.stderr.write(f"palimpd: {error}\n")
    return code


if __name__ == "__main__":
    sys.exit(main())
