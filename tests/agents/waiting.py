"""Long calls report their progress, and end when the client disconnects.

usage: waiting.py LORE
"""

import asyncio
import os
import socket
import tempfile
from pathlib import Path

import httpx2
from mcp.client.client import Client
from mcp.client.streamable_http import streamable_http_client
from sandbox import Sandbox

CLUSTERS = 3


def stale_clusters(sandbox):
    """Creates a few clusters of linked stale pages."""
    Path(sandbox.vault, "notes").mkdir()
    for cluster in range(CLUSTERS):
        for page in range(3):
            other = f"c{cluster}-{(page + 1) % 3}"
            text = f"---\nstatus: stale\n---\n# C{cluster} {page}\n\nWhat was known of part {page}. See [[{other}]].\n"
            Path(sandbox.vault, f"notes/c{cluster}-{page}.md").write_text(text)
    sandbox.lore("sync")


async def until(what, check):
    for _ in range(600):
        if check():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"timed out: {what}")


async def progress_is_reported(transport, generation):
    reported = []

    async def on_progress(progress, total, message):
        reported.append((progress, total, message))

    async with Client(transport, mode=generation) as client:
        result = await client.call_tool("compact_plan", {}, progress_callback=on_progress)
        assert not result.is_error and len(result.structured_content["clusters"]) == CLUSTERS, result
        # Progress may arrive after the answer.
        await until("progress is reported", lambda: reported)
    assert reported and all(total == 3 * CLUSTERS for _, total, _ in reported), reported
    assert [progress for progress, *_ in reported] == sorted({progress for progress, *_ in reported}), reported
    assert "Gathering" in reported[0][2], reported


async def disconnect_ends_the_work(sandbox):
    """A client disconnects while the first of several clusters is summarized: that one is finished, no other is started."""
    started, gate, script = (Path(sandbox.home, name) for name in ("started", "gate", "summarise.sh"))
    os.mkfifo(gate)
    script.write_text(f"echo started >> '{started}'\ncat '{gate}' > /dev/null\necho 'All that was known.'\n")
    sandbox.lore("config", "set", "compact.command", f"sh '{script}'")
    with sandbox.http("--allow-machine") as (address, token):
        host, port = address.removeprefix("http://").split(":")
        body = '{"summarizer": "command"}'
        head = f"POST /api/compact HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall((head + body).encode())
            await until("the first cluster is started", started.exists)
        own = {"Authorization": f"Bearer {token}"}

        def request():
            assert httpx2.post(f"{address}/api/stats", headers=own).status_code == 200

        # By then the server has noticed the disconnect.
        [request() for _ in range(5)]
        with gate.open("w") as out:
            out.write("go on\n")

        def compacted():
            pages = [path.read_text() for path in Path(sandbox.vault, "notes").glob("c?-?.md")]
            return sum("compacted_into" in text for text in pages)

        await until("the first cluster is compacted", lambda: compacted() == 3)
        [request() for _ in range(20)]
        assert started.read_text() == "started\n" and compacted() == 3, started.read_text()


async def main():
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(folder)
        stale_clusters(sandbox)
        for generation in ["legacy", "2026-07-28"]:
            await progress_is_reported(sandbox.stdio(), generation)
            with sandbox.http() as (address, token):
                async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as web:
                    await progress_is_reported(streamable_http_client(f"{address}/mcp", http_client=web), generation)
        await disconnect_ends_the_work(sandbox)
        print("progress and disconnected clients: ok", flush=True)


asyncio.run(main())
