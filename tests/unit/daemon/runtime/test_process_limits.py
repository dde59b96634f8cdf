"""What this process is to be allowed, where its user may have less."""

import resource
import subprocess
import sys

GIB = 1024**3


def test_more_address_space_than_the_user_may_have_is_not_asked_for():
    """Where a shell has set a limit (`ulimit -v`), a child process would fail."""
    code = (
        "import resource; from palimp_daemon.runtime.process_limits import bound_address_space as bound;"
        f"bound(3 * {GIB}); print(*resource.getrlimit(resource.RLIMIT_AS))"
    )

    def limited() -> None:
        resource.setrlimit(resource.RLIMIT_AS, (GIB, GIB))

    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, check=True, preexec_fn=limited)
    assert done.stdout.split() == [str(GIB), str(GIB)]
