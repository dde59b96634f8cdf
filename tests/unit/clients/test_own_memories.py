"""Which client keeps a memory of its own, by its settings as they are."""

from pathlib import Path

import pytest

from palimp_clients.own_memories import OWN_MEMORIES, keeps_own_memory


@pytest.mark.parametrize(
    ("client", "name", "text", "keeps"),
    [
        ("claude-code", ".claude/settings.json", None, True),
        ("claude-code", ".claude/settings.json", '{"autoMemoryEnabled": false}', False),
        ("claude-code", ".claude/settings.json", '{"autoMemoryEnabled": "no"}', True),
        ("claude-code", ".claude/settings.json", "{", True),
        ("codex", ".codex/config.toml", None, False),
        ("codex", ".codex/config.toml", "[features]\nmemories = true\n", True),
        ("codex", ".codex/config.toml", "features = 7\n", False),
        ("codex", ".codex/config.toml", "[", False),
        ("qwen", ".qwen/settings.json", "", True),
        ("qwen", ".qwen/settings.json", '{"memory": {"enableManagedAutoMemory": false}}', False),
        ("gemini", ".gemini/settings.json", "{}", True),
        ("opencode", "none", None, False),
    ],
)
def test_a_client_keeps_one_unless_its_settings_say_otherwise(
    tmp_path: Path, client: str, name: str, text: str | None, keeps: bool
):
    if text is not None:
        (tmp_path / name).parent.mkdir(parents=True)
        (tmp_path / name).write_text(text)
    env = {"HOME": str(tmp_path)}
    assert keeps_own_memory(client, env) is keeps
    assert client not in OWN_MEMORIES or OWN_MEMORIES[client].file(env) == tmp_path / name
