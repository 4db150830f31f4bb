"""What long calls owe who waits for them: to say how far they are, and to end when nobody waits any more.

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
from place import Place

CLUSTERS = 3


def stale_clusters(place):
    """Stale pages that hold together by their links, a few clusters of them."""
    Path(place.vault, "notes").mkdir()
    for cluster in range(CLUSTERS):
        for page in range(3):
            other = f"c{cluster}-{(page + 1) % 3}"
            text = f"---\nstatus: stale\n---\n# C{cluster} {page}\n\nWhat was known of part {page}. See [[{other}]].\n"
            Path(place.vault, f"notes/c{cluster}-{page}.md").write_text(text)
    place.lore("sync")


async def until(what, check):
    for _ in range(600):
        if check():
            return
        await asyncio.sleep(0.05)
    raise AssertionError(f"never: {what}")


async def progress_is_told(transport, generation):
    told = []

    async def hear(progress, total, message):
        told.append((progress, total, message))

    async with Client(transport, mode=generation) as client:
        result = await client.call_tool("compact_plan", {}, progress_callback=hear)
        assert not result.is_error and len(result.structured_content["clusters"]) == CLUSTERS, result
        # The client hears it beside the answer.
        await until("progress is told", lambda: told)
    assert told and all(total == 3 * CLUSTERS for _, total, _ in told), told
    assert [progress for progress, *_ in told] == sorted({progress for progress, *_ in told}), told
    assert "Gathering" in told[0][2], told


async def work_ends_with_its_client(place):
    """A client leaves while the first of several clusters is being summed up: that one is finished, no other begun."""
    begun, gate, script = (Path(place.home, name) for name in ("begun", "gate", "summarise.sh"))
    os.mkfifo(gate)
    script.write_text(f"echo begun >> '{begun}'\ncat '{gate}' > /dev/null\necho 'All that was known.'\n")
    place.lore("config", "set", "compact.command", f"sh '{script}'")
    with place.http() as (address, token):
        host, port = address.removeprefix("http://").split(":")
        body = '{"summarizer": "command"}'
        head = f"POST /api/compact HTTP/1.1\r\nHost: {host}\r\nAuthorization: Bearer {token}\r\nContent-Length: {len(body)}\r\n\r\n"
        with socket.create_connection((host, int(port))) as connection:
            connection.sendall((head + body).encode())
            await until("the first cluster is begun", begun.exists)
        own = {"Authorization": f"Bearer {token}"}

        def ask():
            assert httpx2.post(f"{address}/api/stats", headers=own).status_code == 200

        # The server has seen by then that the client is gone.
        [ask() for _ in range(5)]
        with gate.open("w") as out:
            out.write("go on\n")

        def compacted():
            pages = [path.read_text() for path in Path(place.vault, "notes").glob("c?-?.md")]
            return sum("compacted_into" in text for text in pages)

        await until("the first cluster is summed up", lambda: compacted() == 3)
        [ask() for _ in range(20)]
        assert begun.read_text() == "begun\n" and compacted() == 3, begun.read_text()


async def main():
    with tempfile.TemporaryDirectory() as folder:
        place = Place(folder)
        stale_clusters(place)
        for generation in ["legacy", "2026-07-28"]:
            await progress_is_told(place.stdio(), generation)
            with place.http() as (address, token):
                async with httpx2.AsyncClient(headers={"Authorization": f"Bearer {token}"}, timeout=60) as web:
                    await progress_is_told(streamable_http_client(f"{address}/mcp", http_client=web), generation)
        await work_ends_with_its_client(place)
        print("progress and clients that leave: ok", flush=True)


asyncio.run(main())
