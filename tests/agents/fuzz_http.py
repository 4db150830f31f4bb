"""Fuzzes every operation of the HTTP server with valid and invalid requests from its OpenAPI document: no response may be a
server error, and every response must match the document.

usage: fuzz_http.py LORE [SCHEMATHESIS OPTION…]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from sandbox import Sandbox

PAGES = {
    "people/ada": "---\ntitle: Ada Lovelace\ntype: person\ntags: [keeper]\n---\n# Ada Lovelace\n\n> Keeps the lighthouse.\n\n"
                  "## State\n\nWell.\n\n- works_at [[companies/acme]] {1842..}\n- lives_in:: London {1840..} (source: letter)\n\n"
                  "---\n\n## Timeline\n\n- **2024-03-01** | visit — Saw the lamp.\n",
    "companies/acme": "---\ntitle: Acme\ntype: company\n---\n# Acme\n\nMakes lamps. [[people/ada]] keeps one.\n",
    "notes/tea": "# Tea\n\nAt four, with [[Ada Lovelace]].\n",
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(folder, git=True)
        for slug, text in PAGES.items():
            file = Path(folder, "page.md")
            file.write_text(text)
            sandbox.lore("put", slug, str(file), "--project", "brain")
        with sandbox.http() as (address, token):
            config = str(Path(__file__).with_name("schemathesis.toml"))
            words = ["--config-file", config, "run", f"{address}/api/openapi.json", "--no-color"]
            header = ["--header", f"Authorization: Bearer {token}"]
            command = [sys.executable, "-m", "schemathesis.cli", *words, *header, *sys.argv[2:]]
            done = subprocess.run(command, cwd=folder, env={**os.environ, "HOME": folder}, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
    print("fuzzing every operation: ok", flush=True)


main()
