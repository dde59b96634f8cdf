"""What palimp costs and brings is counted: given at the start and with a prompt, asked for, opened, written again."""

import json
import subprocess
from pathlib import Path
from typing import Any

from claude_hooks import PALIMP, Agent
from daemon_asking import ask_in_session
from mcp_clients import BareClient

from palimp_protocol.messages.caller import SessionRef


def usage(env: dict[str, str], project: Path, *options: str) -> dict[str, Any]:
    done = subprocess.run(
        [*PALIMP, "usage", "--json", *options], env=env, cwd=project, capture_output=True, text=True, check=False
    )
    assert done.returncode in (0, 1), done.stderr
    return json.loads(done.stdout)


def test_it_is_counted_what_a_session_was_given_and_used(daemon, env, project: Path):
    before = usage(env, project)
    [size] = before.pop("sizes")
    assert before == {"counts": [], "saved": [], "memories": [], "hooks": []}
    assert size["memories_bytes"] > 10_000
    text = "Invoices round half up in cents, by the helper settle_cents of the ledger module."
    other = "Deployments never happen on Fridays, because nobody answers the pager then."
    said = [
        ask_in_session(SessionRef("s0", "claude-code"), env, project, "save_memory", text=each, kind="decision")
        for each in (text, other)
    ]
    one = Agent(env, project, "s1")
    assert "settle_cents" in one.start()
    one.write("cart/total.py", "def total(invoice):\n    return ledger.settle_cents(invoice.cents, 'half up')\n")
    one.stop()
    client = BareClient({**env, "CLAUDE_CODE_SESSION_ID": "s1"}, project)
    client.initialize()
    client.request(2, "tools/call", {"name": "recall", "arguments": {"query": "rounding of invoices"}})
    client.answer(2)
    client.request(3, "tools/call", {"name": "recall", "arguments": {"id": said[1].id}})
    client.answer(3)
    client.request(4, "tools/call", {"name": "recall", "arguments": {"query": "unicorns"}})
    client.answer(4)
    assert "deploy" not in str(one.hook("UserPromptSubmit", prompt="And what is the capital of Mongolia?"))

    reply = usage(env, project)
    by_moment: dict[str, dict[str, int]] = {}
    for each in reply["counts"]:
        sums = by_moment.setdefault(each["moment"], dict.fromkeys(("times", "characters", "memories", "used"), 0))
        for name in sums:
            sums[name] += each[name]
    assert by_moment["start"]["memories"] == 2
    assert by_moment["start"]["characters"] > 100
    assert (by_moment["asked"]["times"], by_moment["nothing"]["times"]) == (1, 1)
    assert (by_moment["silent"]["times"], by_moment["silent"]["characters"]) == (1, 0)
    assert sum(each["count"] for each in reply["saved"]) == 2
    assert (by_moment["opened"]["times"], by_moment["opened"]["memories"]) == (1, 1)
    assert {each["title"][:8] for each in reply["memories"]} >= {"Invoices"}
    assert by_moment["start"]["used"] >= 1
    hooks = {each["moment"]: each for each in reply["hooks"]}
    assert {"start", "prompt", "after", "end"} <= set(hooks)
    assert all(0 < each["p50_ms"] <= each["p95_ms"] for each in hooks.values())

    health = subprocess.run([*PALIMP, "health"], env=env, cwd=project, capture_output=True, text=True, check=True)
    assert "tokens in" in health.stdout
    subprocess.run([*PALIMP, "delete", "--hard", "--yes", said[0].id], env=env, cwd=project, check=True)
    assert all(not each["title"].startswith("Invoices") for each in usage(env, project)["memories"])
