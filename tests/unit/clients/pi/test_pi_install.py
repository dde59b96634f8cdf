"""pi gets an extension of our own beside its server, which names our program wherever that lies."""

import json
import subprocess
from pathlib import Path

from nodejs import NODE, needs_node

from palimp_clients.install.client_files import apply, undo
from palimp_clients.pi.dialect import EVENTS
from palimp_clients.pi.install import PI, extension_text

PROGRAMS = Path('/opt/über "den"/bin')


def test_the_extension_tells_of_every_event_by_our_program():
    text = extension_text(PROGRAMS).decode()
    [line] = [line for line in text.splitlines() if line.startswith("const PROGRAM")]
    assert json.loads(line.partition(" = ")[2]) == str(PROGRAMS / "palimp")
    assert all(f'"{event}"' in text for event in EVENTS)


@needs_node
def test_an_extension_whose_program_is_gone_says_nothing_and_stops_nothing(tmp_path):
    file = tmp_path / "palimp.mjs"
    file.write_bytes(extension_text(tmp_path))
    script = f"""
      import extension from {json.dumps(str(file))}
      const on = {{}}
      extension({{ on: (name, act) => (on[name] = act) }})
      const context = {{ cwd: "/", sessionManager: {{ getSessionId: () => "s", getSessionFile: () => undefined }} }}
      const said = [await on.session_start({{ reason: "startup" }}, context)]
      said.push(await on.before_agent_start({{ prompt: "p" }}, context))
      said.push(await on.tool_call({{ toolName: "bash", toolCallId: "c", input: {{}} }}, context))
      said.push(await on.tool_result({{ toolName: "bash", toolCallId: "c", isError: true }}, context))
      console.log(JSON.stringify(said.map((each) => each ?? null)))
    """
    done = subprocess.run([str(NODE), "--input-type=module"], input=script, capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == [None] * 4


def test_what_somebody_else_wrote_in_its_place_stays(tmp_path):
    env = {"HOME": str(tmp_path), "PALIMP_HOME": str(tmp_path / "state")}
    file = tmp_path / ".pi/agent/extensions/palimp.js"
    file.parent.mkdir(parents=True)
    file.write_text("// mine\n")
    changes, [said] = PI.changes(env, PROGRAMS)
    assert "yours, and stays" in said
    apply(changes, "pi", env)
    assert PI.is_installed(env)
    undo(PI.present(env), "pi", env)
    assert file.read_text() == "// mine\n"
