#!/usr/bin/env bash
# The real Claude Code (headless, on a terminal, and evaluating the plugin), the MCP Inspector and the conformance suite
# against palimp; what two other memory programs wrote, imported. Installs them, and the Node.js they need, with npm into
# .cache/node (once).
set -euo pipefail
cd "$(dirname "$0")/../.."

node=.cache/node
if [ ! -e "$node/installed-5" ]; then
  mkdir -p "$node"
  echo '{"private": true}' >"$node/package.json"
  # Node.js first: npm chooses versions of the others by the Node.js that it finds on the PATH.
  npm install --prefix "$node" --no-audit --no-fund --loglevel=error node@22.23.3
  PATH="$PWD/$node/node_modules/.bin:$PATH" npm install --prefix "$node" --no-audit --no-fund --loglevel=error \
    @anthropic-ai/claude-code@2.1.332 @modelcontextprotocol/inspector@2.12.0 \
    @modelcontextprotocol/conformance@0.2.0-alpha.12 @modelcontextprotocol/server-memory@2026.8.31 bun@1.4.5
  # Only claude-mem's store is used, which needs nothing but bun.
  (cd "$node" && npm pack --silent claude-mem@13.25.3 >/dev/null && tar xzf claude-mem-13.25.3.tgz)
  touch "$node/installed-5"
fi

# The last Claude Code whose hooks are commands.
old=.cache/claude-2.1.117
if [ ! -e "$old/node_modules/.bin/claude" ]; then
  mkdir -p "$old"
  echo '{"private": true}' >"$old/package.json"
  PATH="$PWD/$node/node_modules/.bin:$PATH" npm install --prefix "$old" --no-audit --no-fund --loglevel=error \
    @anthropic-ai/claude-code@2.1.117
fi

export PATH="$PWD/$node/node_modules/.bin:$PATH"
"${VENV:-.venv}/bin/python" tests/system/real_client.py
"${VENV:-.venv}/bin/python" tests/system/real_terminal.py
"${VENV:-.venv}/bin/python" tests/system/plugin_evals.py
PYTHONPATH=tests/support:tests/system "${VENV:-.venv}/bin/python" tests/system/conformance.py
NODE="$node" PYTHONPATH=tests/support "${VENV:-.venv}/bin/python" tests/system/real_imports.py
