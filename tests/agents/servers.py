"""Robustness of servers: several at once on one vault, a killed watcher, shutdown, and malformed input.

usage: servers.py LORE
"""

import asyncio
import contextlib
import json
import os
import signal
import socket
import subprocess
import tempfile
import time
from pathlib import Path

import httpx2
from mcp.client.client import Client
from sandbox import LORE, Sandbox

WRITERS, PAGES = 5, 8


async def until(what, check, seconds=20):
    """Waits until a check succeeds."""
    for _ in range(seconds * 20):
        if await check():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"timed out: {what}")


async def write(sandbox, number):
    """Runs one server that writes its own pages and adds to a page shared by all."""
    async with Client(sandbox.stdio()) as client:
        for page in range(PAGES):
            arguments = {"slug": f"notes/w{number}-{page}", "expected_version": 0, "content": f"# W{number} {page}\n"}
            result = await client.call_tool("memory_put", arguments)
            assert not result.is_error, result
            while True:
                version = (await client.call_tool("memory_get", {"slug": "notes/shared"})).structured_content["version"]
                entry = {"slug": "notes/shared", "date": "2024-01-01", "summary": f"w{number} {page}", "page_version": version}
                result = await client.call_tool("memory_timeline_add", entry)
                if not result.is_error:
                    break
                assert result.structured_content["error"]["code"] == "conflict", result


async def several_writers(sandbox):
    sandbox.lore("put", "notes/shared", write_file(sandbox, "# Shared\n"))
    await asyncio.gather(*(write(sandbox, number) for number in range(WRITERS)))
    shared = Path(sandbox.vault, "notes/shared.md").read_text()
    for number in range(WRITERS):
        for page in range(PAGES):
            assert Path(sandbox.vault, f"notes/w{number}-{page}.md").exists()
            assert shared.count(f"w{number} {page}\n") == 1, (number, page)
    checked = json.loads(sandbox.lore("validate", "--all", "--json"))
    assert not checked["problems"], checked


def write_file(sandbox, text):
    file = Path(sandbox.home, "text.md")
    file.write_text(text)
    return str(file)


def start(sandbox, *more):
    """Starts a server with piped stdin, stdout and stderr."""
    arguments = [LORE, "serve", "--tools", "all", *more]
    pipe = subprocess.PIPE
    return subprocess.Popen(arguments, env=sandbox.env, cwd=sandbox.vault, stdin=pipe, stdout=pipe, stderr=pipe)


def send(server, message):
    server.stdin.write((message if isinstance(message, str) else json.dumps(message)).encode() + b"\n")
    server.stdin.flush()


def receive(server):
    return json.loads(server.stdout.readline())


def initialize(server):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    send(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    assert receive(server)["result"]["serverInfo"]["name"] == "lore"
    send(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})


def call_tool(server, number, tool, arguments):
    call = {"name": tool, "arguments": arguments}
    send(server, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
    while True:
        answer = receive(server)
        if answer.get("id") == number:
            return answer


def close(server):
    with contextlib.suppress(ProcessLookupError):
        server.kill()
    server.communicate()


async def killed_watcher(sandbox):
    """When the watching server is killed, another one takes over."""
    first, second = start(sandbox), start(sandbox)
    try:
        for server in (first, second):
            initialize(server)
            call_tool(server, 2, "memory_stats", {})
        numbers = iter(range(10, 100000))

        async def found(word):
            answer = await asyncio.to_thread(call_tool, second, next(numbers), "memory_search", {"query": word})
            return bool(answer["result"]["structuredContent"]["hits"])

        Path(sandbox.vault, "notes/before.md").write_text("# Before\n\nquillwort\n")
        await until("the second server sees a new file", lambda: found("quillwort"))
        first.send_signal(signal.SIGKILL)
        first.wait()
        Path(sandbox.vault, "notes/after.md").write_text("# After\n\nbladderwrack\n")
        await until("it sees a new file after the watcher was killed", lambda: found("bladderwrack"))
    finally:
        close(first)
        close(second)


def shutdown(sandbox):
    for how in ["eof", signal.SIGTERM, signal.SIGINT]:
        server = start(sandbox)
        try:
            initialize(server)
            call_tool(server, 2, "memory_stats", {})
            began = time.monotonic()
            server.stdin.close() if how == "eof" else server.send_signal(how)
            assert server.wait(timeout=10) == 0, how
            assert time.monotonic() - began < 5, how
            server.stdin = None
        finally:
            close(server)


def malformed_lines(sandbox):
    """Malformed lines do not stop the server."""
    server = start(sandbox)
    try:
        initialize(server)
        for line in ["{", "[]", '"text"', '{"jsonrpc": "2.0"}', "\u0000", "x" * 100_000]:
            send(server, line)
        answer = call_tool(server, 7, "memory_stats", {})
        assert "result" in answer, answer
    finally:
        close(server)


async def bad_requests(sandbox):
    with sandbox.http() as (address, token):
        own = {"Authorization": f"Bearer {token}"}
        async with httpx2.AsyncClient(base_url=address, timeout=60) as web:
            async def status(method, path, **more):
                response = await web.request(method, path, **more)
                if response.status_code >= 400:
                    error = response.json()["error"]
                    assert error["message"] and error["hint"], response.text
                return response.status_code

            assert await status("GET", "/healthz") == 200
            assert await status("POST", "/api/stats") == 401
            assert await status("POST", "/api/stats", headers={"Authorization": "Bearer wrong"}) == 401
            assert await status("POST", "/api/stats", headers={**own, "Origin": "https://example.org"}) == 403
            assert await status("POST", "/api/stats", headers={**own, "Host": "example.org"}) == 403
            assert await status("POST", "/mcp", headers={**own, "Origin": "https://example.org"}) == 403
            assert await status("POST", "/mcp", content="{}") == 401
            assert await status("POST", "/api/stats", headers=own) == 200
            assert await status("POST", "/api/stats", headers={**own, "Origin": address}) == 200
            assert await status("POST", "/api/search", headers=own, content="{") == 400
            assert await status("POST", "/api/search", headers=own, content="[1]") == 400
            assert await status("POST", "/api/search", headers=own, content='{"query": 7}') == 400
            assert await status("POST", "/api/search", headers=own, content='{"nonsense": 7}') == 400
            assert await status("POST", "/api/nothing", headers=own) == 404
            assert await status("GET", "/nowhere", headers=own) == 404
            assert await status("GET", "/api/search", headers=own) == 405
            assert (await web.get("/api/search", headers=own)).headers["allow"] == "POST"
            assert await status("POST", "/api/context/x", headers=own) == 405
            assert await status("GET", "/api/context/%ff", headers=own) == 400
            assert await status("POST", "/api/stats?project=a&project=b", headers=own) == 400
            assert await status("POST", "/api/stats?project=", headers=own) == 200
            # A page number beyond the last page gives an empty result and allocates no memory.
            assert await status("POST", "/api/search_notes", headers=own, json={"query": "x", "page": 2**31}) == 200
            assert await status("POST", "/api/search", headers=own, content=b"x" * 50_000_000) == 413
            for path in ["../../../etc/passwd", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "/etc/passwd"]:
                assert await status("GET", f"/api/context/{path}", headers=own) in (400, 403, 404)
                assert await status("PUT", f"/api/context/{path}", headers=own, content="x") in (400, 403, 404), path
            page = "/api/context/notes/tags"
            assert await status("PUT", page, headers={**own, "If-Match": "*"}, content="# Tags\n") == 412
            made = await web.put(page, headers=own, content="# Tags\n")
            assert (made.status_code, made.headers["etag"]) == (201, '"1"'), made.text
            assert await status("PUT", page, headers={**own, "If-Match": '"9"'}, content="# Other\n") == 412
            assert await status("PUT", page, headers={**own, "If-None-Match": "*"}, content="# Other\n") == 412
            assert await status("PATCH", page, headers={**own, "If-Match": '"1"'}, content="More.") == 200
            read = await web.get(page, headers=own)
            assert (read.text, read.headers["etag"]) == ("# Tags\nMore.\n", '"2"'), (read.text, read.headers)
            assert await status("GET", page, headers={**own, "If-None-Match": '"2"'}) == 304
            assert await status("DELETE", page, headers=own) == 200
            assert await status("GET", page, headers=own) == 404
            disconnect(address, token)
            metrics = (await web.get("/metrics", headers=own)).text
            assert 'lore_requests_total{route="api",status="200"}' in metrics and token not in metrics
            document = (await web.get("/api/openapi.json", headers=own)).json()
            assert document["openapi"].startswith("3.1") and "/api/search" in document["paths"]


def disconnect(address, token):
    """Disconnects in the middle of a request, and before the response."""
    host, port = address.removeprefix("http://").split(":")
    head = f"POST /api/stats HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: "
    for request in [head + "1000\r\n\r\n{", head + "2\r\n\r\n{}"]:
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(request.encode())


def grants(sandbox):
    """Checks tokens limited to reading or to one project."""
    reads = json.loads(sandbox.lore("token", "add", "reader", "--json"))["token"]
    elsewhere = Path(sandbox.home, "elsewhere")
    sandbox.lore("project", "add", "elsewhere", str(elsewhere))
    other = json.loads(sandbox.lore("token", "add", "other", "--write", "--for", "elsewhere", "--json"))["token"]
    assert os.stat(Path(sandbox.home, "tokens.toml")).st_mode & 0o777 == 0o600
    with sandbox.http() as (address, _):
        def post(token, operation, **parameters):
            return httpx2.post(f"{address}/api/{operation}", headers={"Authorization": f"Bearer {token}"}, json=parameters)

        assert post(reads, "stats").status_code == 200
        assert post(reads, "put", slug="notes/no", content="x").status_code == 403
        assert post(other, "stats").status_code == 200
        # A project that the token does not cover does not exist for it.
        assert post(other, "stats?project=brain").status_code == 404
        assert post(other, "put?project=brain", slug="notes/no", content="x").status_code == 404
        assert post(other, "config_set", key="search.limit", value="5").status_code == 403
        assert post(other, "put", slug="notes/own", content="x").status_code == 200
        assert Path(elsewhere, "notes/own.md").exists() and not Path(sandbox.vault, "notes/own.md").exists()
        sandbox.lore("token", "remove", "other")
        assert post(other, "stats").status_code == 401
        assert not Path(sandbox.vault, "notes/no.md").exists()


async def main():
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(folder)
        await several_writers(sandbox)
        print("several writers: ok", flush=True)
        await killed_watcher(sandbox)
        print("killed watcher: ok", flush=True)
        shutdown(sandbox)
        malformed_lines(sandbox)
        await bad_requests(sandbox)
        grants(sandbox)
        print("shutdown, malformed lines, bad requests, grants: ok", flush=True)


asyncio.run(main())
