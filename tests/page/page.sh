#!/usr/bin/env bash
# The page in a real browser: the Chromium that is here, driven by Playwright, with axe-core looking for barriers. It never
# downloads a browser: CI, as root, asks apt-get for Debian's. Where one of the three is not to be had, that is said, and
# is no failure.
set -euo pipefail
cd "$(dirname "$0")/../.."

axe_version=4.14.1
bin="${VENV:-.venv}/bin"
here=.cache/page
mkdir -p "$here"

skip() {
  echo "make page: SKIPPED, $1"
  exit 0
}

find_browser() {
  command -v chromium || command -v chromium-browser || command -v google-chrome
}

if ! find_browser >/dev/null && [ -n "${CI:-}" ] && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null; then
  echo "make page: installing Chromium with apt-get"
  {
    timeout 120 apt-get -qq update
    DEBIAN_FRONTEND=noninteractive timeout 300 apt-get -qq -y --no-install-recommends install chromium fonts-dejavu-core
  } >"$here/apt.log" 2>&1 || true
fi
PALIMP_CHROMIUM=$(find_browser) || skip "no Chromium is here: install it (Debian: apt-get install chromium), and run it again"

if [ ! -e "$here/axe-$axe_version.js" ]; then
  PATH="$PWD/.cache/node/node_modules/.bin:$PATH" # the Node.js of `make client`, where there is no other
  packed=$(cd "$here" && timeout 120 npm pack --silent "axe-core@$axe_version") || skip "npm cannot fetch axe-core"
  tar xzf "$here/$packed" -C "$here" package/axe.min.js
  mv "$here/package/axe.min.js" "$here/axe-$axe_version.js"
fi

"$bin/pip" install --quiet --constraint constraints.txt --group browser || skip "Playwright cannot be installed here"

export PALIMP_CHROMIUM PALIMP_AXE="$PWD/$here/axe-$axe_version.js"
exec "$bin/pytest" tests/page -n 0 "$@"
