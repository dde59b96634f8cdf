"""What a service does in the background: tasks for which its callers do not wait."""

import trio


class BackgroundTasks:
    """The base of a service that has them: their nursery is open while `run` runs."""

    _background: trio.Nursery | None = None

    async def run(self, *, task_status: trio.TaskStatus[None] = trio.TASK_STATUS_IGNORED) -> None:
        """Be ready for what is done in the background. Runs until cancelled."""
        async with trio.open_nursery() as nursery:
            self._background = nursery
            task_status.started()
            await trio.sleep_forever()
