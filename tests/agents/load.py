"""Two hundred clients search at once over persistent connections: every search is answered, and the memory of the server does
not grow with the requests.

usage: load.py LORE [SECONDS]
"""

import asyncio
import json
import os
import random
import sys
import tempfile
import time
from pathlib import Path

sys.argv, seconds = sys.argv[:2], float(sys.argv[2]) if len(sys.argv) > 2 else 6.0
from sandbox import Sandbox  # noqa: E402

CLIENTS = 200
PAGES = 150
WORDS = [start + end for start in ("lamp", "sea", "tide", "rope", "hull", "mast") for end in ("", "er", "ing", "let", "ry")]


def fill(sandbox):
    rng = random.Random(7)
    for number in range(PAGES):
        text = " ".join(rng.choices(WORDS, k=120))
        file = Path(sandbox.vault, "notes", f"page-{number}.md")
        file.parent.mkdir(exist_ok=True)
        file.write_text(f"# Page {number}\n\n{text}\n")
    sandbox.lore("sync", "--project", "brain")


class Load:
    """State shared by the clients: the address and the results."""

    def __init__(self, address, token, words):
        self.host, port = address.removeprefix("http://").split(":")
        self.port, self.token, self.words = int(port), token, words
        self.took, self.failed, self.until = [], [], 0.0

    def request(self, rng):
        body = json.dumps({"query": " ".join(rng.sample(self.words, 2)), "limit": 10}).encode()
        head = (f"POST /api/search HTTP/1.1\r\nHost: {self.host}\r\nAuthorization: Bearer {self.token}\r\n"
                f"Content-Length: {len(body)}\r\n\r\n")
        return head.encode() + body

    async def client(self, number):
        """Sends requests over one connection until the time is over."""
        rng = random.Random(number)
        reader, writer = await asyncio.open_connection(self.host, self.port)
        while time.monotonic() < self.until:
            began = time.monotonic()
            writer.write(self.request(rng))
            head = (await reader.readuntil(b"\r\n\r\n")).decode().lower()
            length = int(head.split("content-length: ")[1].split("\r\n")[0])
            body = await reader.readexactly(length)
            self.took.append(time.monotonic() - began)
            if not head.startswith("http/1.1 200 ") or b'"hits"' not in body:
                self.failed.append(head.split("\r\n")[0] + " " + body.decode())
        writer.close()

    async def run(self, seconds):
        self.until = time.monotonic() + seconds
        await asyncio.gather(*(self.client(number) for number in range(CLIENTS)))


def memory(process):
    """Returns the resident memory of a process in megabytes."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) / 1000


def cpu(process):
    """Returns the CPU time of a process in seconds."""
    fields = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def measure(sandbox, words, seconds):
    with sandbox.http() as (address, token):
        process = sandbox.server.pid
        load = Load(address, token, words)
        asyncio.run(load.run(seconds / 3))
        warm, spent, warmup = memory(process), cpu(process), len(load.took)
        asyncio.run(load.run(seconds * 2 / 3))
        grown, spent = memory(process), cpu(process) - spent
    took = sorted(load.took)
    count = len(took) - warmup
    print(f"{len(took)} searches by {CLIENTS} clients, {count / (seconds * 2 / 3):.0f} a second, {len(load.failed)} failed; "
          f"p50 {took[len(took) // 2] * 1e3:.0f} ms, p99 {took[len(took) * 99 // 100] * 1e3:.0f} ms; "
          f"{spent / count * 1e3:.2f} ms of CPU each; {warm:.0f} MB after a third, {grown:.0f} MB at the end", flush=True)
    assert not load.failed, load.failed[:3]
    assert len(took) >= 2 * CLIENTS, "some client got fewer than two answers"
    assert grown <= 1.3 * warm, (warm, grown)


def main():
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(folder)
        fill(sandbox)
        measure(sandbox, WORDS, seconds)
    print("two hundred clients: ok", flush=True)


if __name__ == "__main__":
    main()
