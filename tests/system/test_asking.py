"""A save that likely replaces an older memory asks the user, by a client that can; and loses nothing by it."""

import subprocess
from pathlib import Path
from typing import Any

import httpx2
import mcp_types as types
import pytest
import trio
from claude_hooks import PALIMP
from daemon_asking import ask
from http_clients import serve_http
from mcp import Client
from mcp.client.streamable_http import streamable_http_client
from mcp_clients import BareClient, text_of
from sdk_sessions import sdk_session

from palimp_daemon.mcp.user_questions import QUESTION

FORMER = "We decided that the cart's cache keeps its entries for ten minutes."
LATTER = "We decided that the cart's cache keeps its entries for sixty minutes."
ERAS = ("legacy", "auto")
ASKED = "The user said so"
NOT_ASKED = "Older memories on the same subject. If the new memory makes one of these obsolete"


class User:
    """Somebody at a client: sees each form, and answers it the same way."""

    def __init__(self, choice: Any = "", action: Any = "accept") -> None:
        self.choice, self.action = choice, action
        self.forms: list[Any] = []

    async def __call__(self, _: Any, params: Any) -> types.ElicitResult:
        self.forms.append(params)
        if self.action != "accept":
            return types.ElicitResult(action=self.action)
        content = dict.fromkeys(params.requested_schema["properties"], self.choice)
        return types.ElicitResult(action="accept", content=content)


def saved_in_a_session(env: dict[str, str], project: Path, mode: str, user: User | None, *texts: str) -> list[str]:
    """Save *texts* in a session in which *user* is asked, with FORMER saved before; return what each save answered."""

    async def run() -> list[str]:
        more = {"elicitation_callback": user} if user else {}
        async with sdk_session(env, project, mode, **more) as session:
            called = [await session.call_tool("save_memory", {"text": text, "kind": "decision"}) for text in texts]
        return [text_of(answer) for answer in called]

    ask(env, project, "save_memory", text=FORMER, kind="decision")
    return trio.run(run)


def shown(env: dict[str, str], project: Path, text: str = "ten minutes") -> str:
    """Return what `palimp show` says of the memory with *text*, with its history."""
    found = ask(env, project, "recall", query=text, limit=20).memories
    ids = [each.id for each in found if text in each.title]
    done = subprocess.run([*PALIMP, "show", *ids], env=env, cwd=project, capture_output=True, text=True, check=True)
    return " ".join(done.stdout.split())


def memories(env: dict[str, str], project: Path) -> int:
    return ask(env, project, "statusline").memories


@pytest.mark.parametrize("mode", ERAS)
def test_the_older_one_is_replaced_because_the_user_says_so(daemon, env, project, mode):
    [answer] = saved_in_a_session(env, project, mode, user := User("replace"), LATTER)

    [form] = user.forms
    [field] = form.requested_schema["properties"].values()
    assert "sixty minutes" in form.message
    assert "ten minutes" in field["title"]
    assert f"{ASKED}. It replaces, from now on:" in answer
    assert NOT_ASKED not in answer
    assert memories(env, project) == 1
    assert "the user said so" in shown(env, project, "sixty minutes")


@pytest.mark.parametrize("mode", ERAS)
def test_an_exception_leaves_the_older_one_where_it_holds(daemon, env, project, mode):
    [answer] = saved_in_a_session(env, project, mode, User("narrow"), LATTER)

    assert f"{ASKED}. It narrows:" in answer
    assert memories(env, project) == 2
    assert "the user said so" in shown(env, project)


@pytest.mark.parametrize("mode", ERAS)
def test_both_are_kept_and_nothing_is_inferred_any_more(daemon, env, project, mode):
    [answer] = saved_in_a_session(env, project, mode, User("keep both"), LATTER)

    assert f"{ASKED}. These hold beside it:" in answer
    assert NOT_ASKED not in answer
    assert memories(env, project) == 2
    assert "perhaps" not in shown(env, project)
    assert "replaced" not in shown(env, project)


@pytest.mark.parametrize("mode", ERAS)
@pytest.mark.parametrize(
    "user", [None, User(action="decline"), User(action="cancel"), User("burn it"), User(["replace"]), User(7)]
)
def test_without_a_decision_it_is_as_without_the_question(daemon, env, project, mode, user):
    [answer] = saved_in_a_session(env, project, mode, user, LATTER)

    assert ASKED not in answer
    assert NOT_ASKED in answer
    assert memories(env, project) == 2


@pytest.mark.parametrize("mode", ERAS)
def test_who_dismisses_a_question_is_not_asked_again_and_who_declines_it_is(daemon, env, project, mode):
    texts = (LATTER, LATTER.replace("sixty", "ninety"), LATTER.replace("sixty", "forty"))
    saved_in_a_session(env, project, mode, dismissing := User(action="cancel"), *texts)
    saved_in_a_session(env, project, mode, declining := User(action="decline"), *(f"{text} Really." for text in texts))

    assert len(dismissing.forms) == 1
    assert len(declining.forms) == 3


@pytest.mark.parametrize("mode", ERAS)
def test_the_setting_switches_it_off(daemon, env, project, mode):
    ask(env, project, "config", key="mcp.ask", value="false")
    [answer] = saved_in_a_session(env, project, mode, user := User("replace"), LATTER)

    assert user.forms == []
    assert NOT_ASKED in answer


@pytest.mark.parametrize("mode", ERAS)
def test_what_is_on_another_subject_asks_nobody(daemon, env, project, mode):
    saved_in_a_session(env, project, mode, user := User("replace"), "Die Rechnungen gehen freitags hinaus.")

    assert user.forms == []


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")  # the client's library, under trio
@pytest.mark.parametrize("mode", ERAS)
async def test_over_http_the_user_is_asked_too(daemon, env, project, mode):
    served = serve_http(env)
    ask(env, project, "save_memory", text=FORMER, kind="decision")
    headers = {"Authorization": f"Bearer {served.token}", "X-Palimp-Project": str(project)}
    async with (
        httpx2.AsyncClient(headers=headers) as connection,
        Client(
            streamable_http_client(served.url, http_client=connection),
            mode=mode,
            elicitation_callback=User("replace"),
        ) as client,
    ):
        answer = await client.call_tool("save_memory", {"text": LATTER, "kind": "decision"})

    assert f"{ASKED}. It replaces, from now on:" in text_of(answer)


def asked_bare(env: dict[str, str], project: Path) -> tuple[BareClient, dict[str, Any]]:
    """Return a client of the handshake era whose save waits for its user, and the question."""
    ask(env, project, "save_memory", text=FORMER, kind="decision")
    client = BareClient(env, project)
    client.initialize(elicitation={})
    client.call(1, "save_memory", text=LATTER, kind="decision")
    return client, question(client)


def question(client: BareClient) -> dict[str, Any]:
    """Return the next message of the server's that is a request."""
    while "method" not in (message := client.read()) or "id" not in message:
        assert message.get("method", "").startswith("notifications/"), message
    assert message["method"] == "elicitation/create"
    return message


def answered(question: dict[str, Any], choice: str) -> dict[str, Any]:
    content = dict.fromkeys(question["params"]["requestedSchema"]["properties"], choice)
    return {"jsonrpc": "2.0", "id": question["id"], "result": {"action": "accept", "content": content}}


@pytest.mark.parametrize("is_killed", [True, False])
def test_a_daemon_that_ends_while_it_asks_loses_nothing_and_the_next_asks_again(daemon, env, project, is_killed):
    """What was answered to the one before is not taken for an answer to this one."""
    client, first = asked_bare(env, project)
    assert memories(env, project) == 2, "it was asked before it was stored"
    _ = daemon.kill() if is_killed else daemon.stop()

    second = question(client)
    assert second["id"] != first["id"]
    client.send(answered(first, "narrow"))
    client.send(answered(second, "replace"))
    text = client.answer(1)["result"]["content"][0]["text"]

    assert f"{ASKED}. It replaces, from now on:" in text
    assert memories(env, project) == 1


def test_while_one_question_waits_others_are_served_and_nobody_is_asked_a_second(daemon, env, project):
    client, first = asked_bare(env, project)

    assert NOT_ASKED in client.ask(2, "save_memory", text=LATTER.replace("sixty", "ninety"), kind="decision")
    assert "ten minutes" in client.ask(3, "recall", query="cart cache ten minutes")
    client.send(answered(first, "replace"))
    assert ASKED in client.answer(1)["result"]["content"][0]["text"]


def test_a_call_that_is_cancelled_withdraws_its_question(daemon, env, project):
    client, first = asked_bare(env, project)
    client.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})

    while (message := client.read()).get("method") != "notifications/cancelled":
        pass
    assert message["params"]["requestId"] == first["id"]
    client.send(answered(first, "replace"))
    client.ask(2, "recall", query="cart cache")
    assert memories(env, project) == 2


@pytest.mark.parametrize(
    "state", ["", "{}", "[]", "\0", "{" * 10_000, '{"id":"m1","title":3}', '{"id":"m1","title":"t"}']
)
def test_what_a_client_gives_back_and_is_none_of_ours_decides_nothing(daemon, env, project, state):
    ask(env, project, "save_memory", text=FORMER, kind="decision")

    async def run() -> None:
        async with sdk_session(env, project) as session:
            said = types.ElicitResult(action="accept", content={"m1": "replace"})
            answer = await session.call_tool(
                "save_memory", {"text": LATTER}, input_responses={QUESTION: said}, request_state=state
            )

        assert "sixty minutes" in text_of(answer)

    trio.run(run)
    assert memories(env, project) == 2
