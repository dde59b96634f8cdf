"""What a service does in the background."""

import trio

from palimp_daemon.runtime.background_tasks import BackgroundTasks


class Service(BackgroundTasks):
    """Begins one task, if there is a nursery for it."""

    def begin(self, done: trio.Event) -> bool:
        if self._background is None:
            return False
        self._background.start_soon(self._finish, done)
        return True

    async def _finish(self, done: trio.Event) -> None:
        done.set()


async def test_tasks_are_begun_while_the_service_runs(nursery: trio.Nursery):
    """Before, there is nowhere to begin them."""
    service, done = Service(), trio.Event()
    assert not service.begin(done)

    await nursery.start(service.run)

    assert service.begin(done)
    with trio.fail_after(60):
        await done.wait()
