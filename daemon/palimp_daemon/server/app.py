"""Start and stop the daemon.

Start: own the database, listen, then open it, so that racing clients wait in the backlog and start no other. Stop:
refuse requests, finish those in progress (DRAIN_S at most), tell peers; then the store finishes its mailbox,
checkpoints and closes.
"""

import importlib
import os
import secrets
import signal
from collections.abc import AsyncIterator, Mapping
from contextlib import ExitStack, suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import trio

from palimp_daemon.dispatch.dispatcher import Dispatcher
from palimp_daemon.dispatch.services import Foundation, Services, build_services
from palimp_daemon.dispatch.state import DaemonState
from palimp_daemon.embedding.models import Plan, plan_of
from palimp_daemon.embedding.semantic import Semantic
from palimp_daemon.features.document_listeners import DocumentListeners
from palimp_daemon.mcp.backend import Backend
from palimp_daemon.runtime.gc_tuning import freeze_objects, keep_collecting, pause_collecting
from palimp_daemon.runtime.log import Log
from palimp_daemon.runtime.private_dirs import can_be_made
from palimp_daemon.runtime.process_limits import descriptors
from palimp_daemon.runtime.socket_probe import is_listened_at
from palimp_daemon.runtime.systemd_messages import is_activated, notify, passed_listener, watchdog_interval_s
from palimp_daemon.server.background import housekeeping, memory_bound, path_watch
from palimp_daemon.server.background.hook_spool import take_in
from palimp_daemon.server.background.integrity_scan import IntegrityScan
from palimp_daemon.server.background.self_test import SelfTest
from palimp_daemon.server.connection_limit import ConnectionLimit, seats
from palimp_daemon.server.listener import listening_socket, router
from palimp_daemon.server.peers import Hello, Peers
from palimp_daemon.server.router import Core, GiveTo, Router, Send, Wire
from palimp_daemon.server.zmq_socket import TrioSocket
from palimp_daemon.settings.http_access import HttpAccess
from palimp_daemon.settings.page_access import PageAccess
from palimp_daemon.settings.resolver import Settings
from palimp_daemon.settings.startup import Config
from palimp_daemon.store.instance_lock import own_database, publish_address
from palimp_daemon.store.opening import open_store
from palimp_daemon.store.sqlite_connection import StoreUnavailableError
from palimp_daemon.store.store import Store
from palimp_daemon.store.worker.actor import Actor
from palimp_daemon.text.redact import Redactor
from palimp_protocol import __version__
from palimp_protocol.env import paths
from palimp_protocol.env.address import identity_of
from palimp_protocol.limits import DRAIN_S
from palimp_protocol.versions import running_version


async def serve(config: Config, settings: Settings, redact: Redactor) -> None:
    """Run until a signal, `palimp stop` or idleness.

    Raises:
        AlreadyOwnedError: another process owns the database.
        FolderError: its folder cannot be used.
        ListenError: the socket cannot be made.
        StoreLostError: the disk failed; start again.
    """
    env = settings.env
    with ExitStack() as stack:
        # Before anybody can know of us: a signal in the middle of a start is a stop, too.
        signals = stack.enter_context(trio.open_signal_receiver(signal.SIGTERM, signal.SIGINT))
        stack.enter_context(own_database(config, takes_over=is_activated(env)))
        config.stopped.unlink(missing_ok=True)
        config = _with_free_socket(config, env)
        socket, connection_limit = _listening(config, env, stack)
        publish_address(config)
        socket_place = path_watch.place_of_socket(config.socket)
        boot, store = secrets.token_hex(8), identity_of(config.lock)
        state = DaemonState(boot=boot, started_at=trio.current_time(), store=store)
        log = Log(config.log_level, paths.log_path(env))
        log.take_from_libraries()
        wire = Wire(socket, Peers(), set())
        actor = Actor(partial(_open, config, log), log.bug, socket.send_together, wire.overfull)
        plan = plan_of(config)
        semantic = Semantic(plan, actor, log, partial(_plan_now, config, settings)) if plan else None
        daemon = _compose(
            Foundation(
                actor,
                config,
                state,
                settings,
                log,
                redact,
                semantic=semantic,
                sessions=lambda: wire.peers.sessions(trio.current_time()),
            ),
            wire,
        )
        async with trio.open_nursery() as store_nursery:
            await store_nursery.start(actor.run)
            store_nursery.start_soon(trio.to_thread.run_sync, running_version)  # of the files that were started
            store_nursery.start_soon(path_watch.keep_looking, actor, state, config, socket_place, log)
            store_nursery.start_soon(memory_bound.keep_within, state, (config.database, config.conversations), log)
            if connection_limit:
                log("few_descriptors", limit=descriptors(), clients_at_once=connection_limit.seats)
                await store_nursery.start(connection_limit.run)
            await _serve_until_stopped(daemon, signals)
            store_nursery.cancel_scope.cancel()


class _Daemon(NamedTuple):
    base: Foundation
    services: Services
    dispatcher: Dispatcher
    integrity_scan: IntegrityScan
    self_test: SelfTest
    sdk: "_Sdk"
    router: Router
    peers: Peers


def _compose(base: Foundation, wire: Wire) -> _Daemon:
    actor, state, log, now_ms = base.actor, base.state, base.log, base.now_ms
    services = build_services(base)
    scan = IntegrityScan(actor, base.config.database, state, now_ms, log)
    self_test = SelfTest(services.bindings, services.recall.lexical, actor, state, now_ms, scan.examine)
    bindings = {**services.bindings, **self_test.bindings()}
    dispatcher = Dispatcher(bindings, services.identities, services.frame_words, state, services.latencies, log)
    wake_history = services.git_history.wake
    backend = Backend(
        dispatcher,
        actor,
        base.settings,
        services.switches,
        services.contexts,
        wake_history,
        services.calling,
        services.usage,
        log,
    )
    sdk = _Sdk(backend, services.document_listeners)
    expect_calls = base.semantic.expect_query if base.semantic else _expect_nothing
    core = Core(dispatcher, actor, state, expect_calls)
    router = Router(wire, core, sdk.serve_session, log)
    return _Daemon(base, services, dispatcher, scan, self_test, sdk, router, wire.peers)


def _expect_nothing() -> None:
    """Do nothing: without the embedder nothing needs preparing."""


def _plan_now(config: Config, settings: Settings) -> Plan | None:
    return plan_of(config, settings.current(None).text("search.embedding_model"))


def _with_free_socket(config: Config, env: Mapping[str, str]) -> Config:
    """Copied state folders may share the runtime folder; containers may have none."""
    if env.get("PALIMP_SOCKET") or is_activated(env):
        return config
    if can_be_made(config.socket.parent) and not is_listened_at(config.socket):
        return config
    return replace(config, socket=Path(paths.socket_beside_store(env, user_id=os.getuid())))


def _listening(config: Config, env: Mapping[str, str], stack: ExitStack) -> tuple[TrioSocket, ConnectionLimit | None]:
    listener = passed_listener(env) or listening_socket(config.socket)
    if room := seats(descriptors()):
        connection_limit = ConnectionLimit(listener, config.socket, room, os.getuid())
        stack.callback(connection_limit.close)
        listener = connection_limit.inner
    else:
        connection_limit = None
    return TrioSocket(stack.enter_context(router(listener, config.socket, os.getuid()))), connection_limit


def _open(config: Config, log: Log) -> Store:
    if config.problem:
        hint = "Mend it with `palimp config set` or `palimp config unset`, or in its file and `palimp stop`."
        if config.problem.startswith("PALIMP_"):
            hint = "Change or unset this variable of the environment, then `palimp stop`."
        raise StoreUnavailableError(config.problem, hint)
    return open_store(config.database, config.search_engine, log)


async def _serve_until_stopped(daemon: _Daemon, signals: AsyncIterator[int]) -> None:
    base, services, router = daemon.base, daemon.services, daemon.router
    config, state, env, log = base.config, base.state, base.settings.env, base.log
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_stop_on_signal, signals, state)
        for start in (*services.background.before_serving, router.run):
            await nursery.start(start)
        _look_after(nursery, daemon)
        nursery.start_soon(daemon.sdk.keep_serving_http, services.http_access)
        nursery.start_soon(_keep_serving_page, services.page_access, daemon.dispatcher, base, log)
        for task in services.background.alongside:
            nursery.start_soon(task)
        nursery.start_soon(take_in, config.spool, daemon.dispatcher, log)
        if base.semantic:
            nursery.start_soon(base.semantic.run)
        freeze_objects()
        notify(env, f"READY=1\nSTATUS=palimp {__version__}")
        where = {"socket": str(config.socket), "database": str(config.database), "pid": os.getpid()}
        log("listening", **where)
        await state.stop.wait()
        notify(env, "STOPPING=1")
        if state.is_stopped_by_user:
            with suppress(OSError):  # a full disk: then relays start the next daemon sooner
                config.stopped.touch()
        with trio.move_on_after(DRAIN_S):
            await router.drain()
        router.leave()
        nursery.cancel_scope.cancel()
    log("stopped", uptime_s=round(trio.current_time() - state.started_at, 1))


def _look_after(nursery: trio.Nursery, daemon: _Daemon) -> None:
    base, services = daemon.base, daemon.services
    actor, log, env = base.actor, base.log, base.settings.env
    nursery.start_soon(keep_collecting)
    nursery.start_soon(housekeeping.keep_store, actor, services.recall_counts, services.usage, base.now_ms, log)
    nursery.start_soon(housekeeping.forget_what_is_over, actor, services.background.forget_gone, base.now_ms, log)
    nursery.start_soon(daemon.self_test.keep_checking, log)
    nursery.start_soon(daemon.integrity_scan.keep_examining)
    if idle_exit_s := base.config.idle_exit_s:
        accesses = (services.http_access, services.page_access)
        nursery.start_soon(housekeeping.exit_when_idle, base.state, daemon.peers, *accesses, idle_exit_s)
    if interval_s := watchdog_interval_s(env):
        nursery.start_soon(housekeeping.ping_watchdog, actor, interval_s, partial(notify, env, "WATCHDOG=1"))


async def _stop_on_signal(signals: AsyncIterator[int], state: DaemonState) -> None:
    async for _ in signals:
        state.request_stop(by_user=False)


class _Sdk:
    def __init__(self, backend: Backend, document_listeners: DocumentListeners) -> None:
        self._backend = backend
        self._document_listeners = document_listeners
        self._lock = trio.Lock()
        self._server: Any = None
        self._changed: Any = None

    async def server(self) -> Any:
        async with self._lock:
            if self._server is None:
                # In a thread, so that others are answered meanwhile.
                self._server, self._changed = await trio.to_thread.run_sync(_build_server, self._backend)
                self._document_listeners.subscribe(self._changed.resources)
        return self._server

    async def serve_session(self, hello: Hello, give_to: GiveTo, send: Send) -> None:
        server = await self.server()
        from palimp_daemon.mcp.peer_session import Before, serve_session  # noqa: PLC0415  see _build_server

        await serve_session(
            (server, self._changed),
            hello.caller(),
            Before(
                msgspec.json.decode(hello.initialize),
                is_initialized=hello.initialized,
                is_upgraded=hello.served_by not in ("", running_version()),
            ),
            give_to,
            send,
            self._backend.log.bug,
        )

    async def keep_serving_http(self, access: HttpAccess) -> None:
        """Serve HTTP whenever it is wanted; import it only then."""
        while access.wanted_port is None:
            access.settle("")
            await access.wait_for_change()
        await trio.to_thread.run_sync(importlib.import_module, "palimp_daemon.mcp.http_server")
        from palimp_daemon.mcp.http_server import keep_serving  # noqa: PLC0415  see _build_server

        await keep_serving(access, self.server, self._backend.log)


async def _keep_serving_page(access: PageAccess, dispatcher: Dispatcher, base: Foundation, log: Log) -> None:
    """Serve the page whenever it is wanted; import it only then.

    It is also wanted if a previous daemon served it until lately.
    """
    access.resume(base.now_ms())
    await access.wait_until_wanted()
    with pause_collecting():
        # In a thread, so that others are answered meanwhile.
        await trio.to_thread.run_sync(importlib.import_module, "palimp_daemon.web.page_server")
    from palimp_daemon.web.page_server import keep_serving_page  # noqa: PLC0415  see _build_server

    await keep_serving_page(access, dispatcher, lambda: base.actor.written, log)


def _build_server(backend: Backend) -> Any:
    with pause_collecting():
        # `sessions` is used elsewhere; here it is imported for its cost.
        importlib.import_module("palimp_daemon.mcp.peer_session")
        from palimp_daemon.mcp.list_changed import Changed  # noqa: PLC0415
        from palimp_daemon.mcp.server import build_server  # noqa: PLC0415

        changed = Changed()
        return build_server(backend, changed), changed
