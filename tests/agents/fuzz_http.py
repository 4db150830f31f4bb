"""Asks every operation of the HTTP server by chance, as its OpenAPI document says they may be asked and as it says they may
not: no answer may be an error of the server, and every answer must be one that the document tells of.

usage: fuzz_http.py LORE [OPTION OF SCHEMATHESIS…]
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from place import Place

PAGES = {
    "people/ada": "---\ntitle: Ada Lovelace\ntype: person\ntags: [keeper]\n---\n# Ada Lovelace\n\n> Keeps the lighthouse.\n\n"
                  "## State\n\nWell.\n\n- works_at [[companies/acme]] {1842..}\n- lives_in:: London {1840..} (source: letter)\n\n"
                  "---\n\n## Timeline\n\n- **2024-03-01** | visit — Saw the lamp.\n",
    "companies/acme": "---\ntitle: Acme\ntype: company\n---\n# Acme\n\nMakes lamps. [[people/ada]] keeps one.\n",
    "notes/tea": "# Tea\n\nAt four, with [[Ada Lovelace]].\n",
}


def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder, git=True)
        for slug, text in PAGES.items():
            file = Path(folder, "page.md")
            file.write_text(text)
            place.lore("put", slug, str(file), "--project", "brain")
        with place.http() as (address, token):
            config = str(Path(__file__).with_name("schemathesis.toml"))
            words = ["--config-file", config, "run", f"{address}/api/openapi.json", "--no-color"]
            header = ["--header", f"Authorization: Bearer {token}"]
            command = [sys.executable, "-m", "schemathesis.cli", *words, *header, *sys.argv[2:]]
            done = subprocess.run(command, cwd=folder, env={**os.environ, "HOME": folder}, capture_output=True, text=True)
            assert done.returncode == 0, done.stdout + done.stderr
    print("every operation by chance: ok", flush=True)


main()
