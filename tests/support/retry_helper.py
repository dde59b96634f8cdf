"""A function that is taken out and comes back, for tests of removed code."""

KEEP = "import time\n\n\ndef keep_it(value):\n    return value + 1\n"
RETRY = """

def retry_with_backoff(call, attempts=5):
    delay = 0.1
    for attempt in range(attempts):
        try:
            return call()
        except ConnectionError:
            time.sleep(delay)
            delay *= 2
    raise TimeoutError("gave up after retries")
"""
RENAMED = RETRY.replace("retry_with_backoff", "persist").replace("call", "action").replace("delay", "pause")

OTHER = (
    "\n\ndef parse_header(line):\n    name, _, value = line.partition(':')\n    return name.strip(), value.strip()\n"
)
"""A function that has nothing to do with it."""
