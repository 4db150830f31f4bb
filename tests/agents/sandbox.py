"""A separate vault, and servers on it."""

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from mcp.client.stdio import StdioServerParameters, stdio_client

LORE = os.path.abspath(sys.argv[1])


class Sandbox:
    """A vault with its own home."""

    def __init__(self, folder, git=False):
        self.home, self.vault = Path(folder, "home"), Path(folder, "vault")
        self.env = {
            "PATH": os.environ["PATH"],
            "HOME": str(folder),
            "LORE_HOME": str(self.home),
            "LORE_MODEL": "wordllama-256",
            "LORE_ACTOR": "tester",
        }
        Path(folder, ".gitconfig").write_text("[user]\nname = tester\nemail = tester@localhost\n")
        self.lore("init", str(self.vault), "--profile", "brain", "--name", "brain", *([] if git else ["--no-git"]))

    def lore(self, *words):
        done = subprocess.run([LORE, *words], env=self.env, capture_output=True, text=True)
        assert done.returncode == 0, (words, done.stderr)
        return done.stdout

    def stdio(self, *more):
        return stdio_client(
            StdioServerParameters(command=LORE, args=["serve", "--tools", "all", *more], env=self.env, cwd=str(self.vault))
        )

    @contextlib.contextmanager
    def http(self, *more):
        """Starts an HTTP server; yields its address and a token."""
        arguments = [LORE, "serve", "--tools", "all", "--http", "127.0.0.1:0", *more]
        server = subprocess.Popen(arguments, env=self.env, cwd=self.vault, stderr=subprocess.PIPE, text=True)
        self.server = server
        try:
            line = server.stderr.readline()
            address = line.split("listening on ")[1].split(";")[0]
            token = next(
                line.split('"')[1]
                for line in Path(self.home, "tokens.toml").read_text().splitlines()
                if line.startswith("token")
            )
            yield address, token
        finally:
            server.terminate()
            assert server.wait(timeout=5) == 0, server.stderr.read()
