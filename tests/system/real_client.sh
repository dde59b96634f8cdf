#!/usr/bin/env bash
# The real Claude Code, the MCP Inspector and the conformance suite against palimp. Installs them, and the Node.js they need, with
# npm into .cache/node (once), then runs real_client.py and conformance.py.
set -euo pipefail
cd "$(dirname "$0")/../.."

node=.cache/node
if [ ! -e "$node/installed-3" ]; then
  mkdir -p "$node"
  echo '{"private": true}' >"$node/package.json"
  # Node.js first: npm chooses versions of the others by the Node.js that it finds on the PATH.
  npm install --prefix "$node" --no-audit --no-fund --loglevel=error node@22.23.3
  PATH="$PWD/$node/node_modules/.bin:$PATH" npm install --prefix "$node" --no-audit --no-fund --loglevel=error \
    @anthropic-ai/claude-code@2.1.330 @modelcontextprotocol/inspector@2.12.0 \
    @modelcontextprotocol/conformance@0.2.0-alpha.12
  touch "$node/installed-3"
fi

export PATH="$PWD/$node/node_modules/.bin:$PATH"
"${VENV:-.venv}/bin/python" tests/system/real_client.py
PYTHONPATH=tests:tests/system "${VENV:-.venv}/bin/python" tests/system/conformance.py
