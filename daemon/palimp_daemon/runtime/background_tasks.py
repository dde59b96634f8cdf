"""Base of services with background tasks."""

import trio


class BackgroundTasks:
    """Keeps a nursery for background tasks open during `run`."""

    _background: trio.Nursery | None = None

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Open the nursery, until cancelled."""
        async with trio.open_nursery() as nursery:
            self._background = nursery
            task_status.started()
            await trio.sleep_forever()
