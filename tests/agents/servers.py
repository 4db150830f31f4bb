"""What servers must bear: several at once on one vault, a watcher that is killed, being told to end, and bad input.

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
from place import LORE, Place

WRITERS, PAGES = 5, 8


async def until(what, check, seconds=20):
    """Waits for something that must come true."""
    for _ in range(seconds * 20):
        if await check():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"never: {what}")


async def write(place, number):
    """One server that writes pages of its own, and adds to a page that all write to."""
    async with Client(place.stdio()) as client:
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


async def several_writers(place):
    place.lore("put", "notes/shared", write_file(place, "# Shared\n"))
    await asyncio.gather(*(write(place, number) for number in range(WRITERS)))
    shared = Path(place.vault, "notes/shared.md").read_text()
    for number in range(WRITERS):
        for page in range(PAGES):
            assert Path(place.vault, f"notes/w{number}-{page}.md").exists()
            assert shared.count(f"w{number} {page}\n") == 1, (number, page)
    checked = json.loads(place.lore("validate", "--all", "--json"))
    assert not checked["problems"], checked


def write_file(place, text):
    file = Path(place.home, "text.md")
    file.write_text(text)
    return str(file)


def start(place, *more):
    """A server whose ends we hold."""
    arguments = [LORE, "serve", *more]
    pipe = subprocess.PIPE
    return subprocess.Popen(arguments, env=place.env, cwd=place.vault, stdin=pipe, stdout=pipe, stderr=pipe)


def say(server, message):
    server.stdin.write((message if isinstance(message, str) else json.dumps(message)).encode() + b"\n")
    server.stdin.flush()


def hear(server):
    return json.loads(server.stdout.readline())


def greet(server):
    hello = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}
    say(server, {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": hello})
    assert hear(server)["result"]["serverInfo"]["name"] == "lore"
    say(server, {"jsonrpc": "2.0", "method": "notifications/initialized"})


def asked(server, number, tool, arguments):
    call = {"name": tool, "arguments": arguments}
    say(server, {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": call})
    while True:
        answer = hear(server)
        if answer.get("id") == number:
            return answer


def close(server):
    with contextlib.suppress(ProcessLookupError):
        server.kill()
    server.communicate()


async def watcher_dies(place):
    """When the server that watches is killed, another sees what changes."""
    first, second = start(place), start(place)
    try:
        for server in (first, second):
            greet(server)
            asked(server, 2, "memory_stats", {})
        numbers = iter(range(10, 100000))

        async def found(word):
            answer = await asyncio.to_thread(asked, second, next(numbers), "memory_search", {"query": word})
            return bool(answer["result"]["structuredContent"]["hits"])

        Path(place.vault, "notes/before.md").write_text("# Before\n\nquillwort\n")
        await until("the second server sees a new file", lambda: found("quillwort"))
        first.send_signal(signal.SIGKILL)
        first.wait()
        Path(place.vault, "notes/after.md").write_text("# After\n\nbladderwrack\n")
        await until("it sees one after the watcher died", lambda: found("bladderwrack"))
    finally:
        close(first)
        close(second)


def told_to_end(place):
    for how in ["eof", signal.SIGTERM, signal.SIGINT]:
        server = start(place)
        try:
            greet(server)
            asked(server, 2, "memory_stats", {})
            began = time.monotonic()
            server.stdin.close() if how == "eof" else server.send_signal(how)
            assert server.wait(timeout=10) == 0, how
            assert time.monotonic() - began < 5, how
            server.stdin = None
        finally:
            close(server)


def bad_lines(place):
    """Lines that are not messages leave the server alive."""
    server = start(place)
    try:
        greet(server)
        for line in ["{", "[]", '"text"', '{"jsonrpc": "2.0"}', "\u0000", "x" * 100_000]:
            say(server, line)
        answer = asked(server, 7, "memory_stats", {})
        assert "result" in answer, answer
    finally:
        close(server)


async def bad_requests(place):
    with place.http() as (address, token):
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
            # A page beyond all pages is empty, and takes no memory for what it does not hold.
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
            vanish(address, token)
            metrics = (await web.get("/metrics", headers=own)).text
            assert 'lore_requests_total{route="api",status="200"}' in metrics and token not in metrics
            document = (await web.get("/api/openapi.json", headers=own)).json()
            assert document["openapi"].startswith("3.1") and "/api/search" in document["paths"]


def vanish(address, token):
    """A client that leaves in the middle of its request, and one that leaves before the answer."""
    host, port = address.removeprefix("http://").split(":")
    head = f"POST /api/stats HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: "
    for request in [head + "1000\r\n\r\n{", head + "2\r\n\r\n{}"]:
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall(request.encode())


def grants(place):
    """Tokens that may read only, or only one project."""
    reads = json.loads(place.lore("token", "add", "reader", "--json"))["token"]
    other = json.loads(place.lore("token", "add", "other", "--write", "--for", "elsewhere", "--json"))["token"]
    assert os.stat(Path(place.home, "tokens.toml")).st_mode & 0o777 == 0o600
    with place.http() as (address, _):
        def post(token, operation, **parameters):
            return httpx2.post(f"{address}/api/{operation}", headers={"Authorization": f"Bearer {token}"}, json=parameters)

        assert post(reads, "stats").status_code == 200
        assert post(reads, "put", slug="notes/no", content="x").status_code == 403
        assert post(other, "stats").status_code == 403
        assert post(other, "config_set", key="search.limit", value="5").status_code == 403
        assert post(other, "put", slug="notes/no", content="x").status_code == 403
        assert not Path(place.vault, "notes/no.md").exists()


async def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        await several_writers(place)
        print("several writers: ok", flush=True)
        await watcher_dies(place)
        print("a watcher that is killed: ok", flush=True)
        told_to_end(place)
        bad_lines(place)
        await bad_requests(place)
        grants(place)
        print("told to end, bad lines, bad requests, grants: ok", flush=True)


asyncio.run(main())
