#!/usr/bin/env bash
# Real agents' programs against palimp: all that tests/clients knows, or those that are named. Installs each, and the
# Node.js they need, with npm or pip into a folder of its own in .cache/clients (once).
set -euo pipefail
cd "$(dirname "$0")/../.."

python="${VENV:-.venv}/bin/python"

# Puts the programs of a package (with its version) on the PATH.
with_package() {
  local folder="$PWD/.cache/clients/${1//[@\/]/_}"
  if [ ! -e "$folder/installed" ]; then
    rm -rf "$folder"
    mkdir -p "$folder"
    echo '{"private": true}' >"$folder/package.json"
    npm install --prefix "$folder" --no-audit --no-fund --loglevel=error "$1" >&2
    touch "$folder/installed"
  fi
  export PATH="$folder/node_modules/.bin:$PATH"
}

# The same for a package from PyPI, in an environment of its own.
with_python_package() {
  local folder="$PWD/.cache/clients/${1//[=\[\]]/_}"
  if [ ! -e "$folder/installed" ]; then
    rm -rf "$folder"
    "$python" -m venv "$folder"
    "$folder/bin/pip" install --quiet "$1" >&2
    touch "$folder/installed"
  fi
  mkdir -p "$folder/programs"
  ln -sf "../bin/${1%%-*}" "$folder/programs/" # the environment's Python is nobody else's
  export PATH="$folder/programs:$PATH"
}

with_package node@22.23.3 # first: npm chooses versions of the others by the Node.js that it finds on the PATH
for package in $("$python" tests/clients/run.py --packages "$@"); do
  case "$package" in
    *==*) with_python_package "$package" ;;
    *) with_package "$package" ;;
  esac
done
exec "$python" tests/clients/run.py "$@"
