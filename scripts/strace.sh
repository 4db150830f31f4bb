#!/bin/sh
# Installs strace, with which `make stress` watches Lore on hostile vaults.
set -eu

if ! command -v strace >/dev/null 2>&1 && [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null 2>&1; then
    { apt-get update -qq && apt-get install -y -qq strace; } >/dev/null 2>&1 || true
fi
command -v strace >/dev/null 2>&1 || {
    echo "error: strace is not installed" >&2
    echo "hint: install it with your package manager" >&2
    exit 1
}
