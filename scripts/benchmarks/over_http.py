"""Benchmarks three servers with 100 clients over HTTP: the app in the local host, a bare function in the local host,
and the plain SDK on uvicorn.
"""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from local_host.process import serving
from mcp_server.http.messages import HttpRequest
from tests.mcp_server.caller import message
from tests.offline import offline

ROOT = Path(__file__).resolve().parent.parent.parent
CLIENTS, STEADY_RATE = 100, 50
WARM_SECONDS, STEADY_SECONDS, FULL_SECONDS = 2, 10, 6
RULE = {"team": "payments", "source": "10.0.0.0/24", "destination": "52.10.20.30"}

Report = dict[str, Any]


def measured() -> dict[str, dict[str, Report]]:
    """Return two reports for each server: under steady load and under full load."""
    call = message("tools/call", {"name": "new_azure_firewall_rules", "arguments": RULE})
    requests = [message("tools/list"), call]
    results = {}
    with TemporaryDirectory() as folder, serving(ROOT, settings=offline(Path(folder, "storage"))) as url:
        results["our app, `scripts/serve`"] = loads(url, requests)
    with serving(ROOT / "scripts" / "benchmarks" / "bare_app") as url:
        results["bare function, `scripts/serve`"] = loads(url, requests)
    with on_uvicorn("scripts.benchmarks.plain_sdk") as url:
        results["plain SDK, uvicorn"] = loads(url, requests)
    return results


def loads(url: str, requests: Sequence[HttpRequest]) -> dict[str, Report]:
    """Warm up the server, then put it under steady load and under full load."""
    plan = {
        "url": f"{url}/mcp",
        "requests": [{"headers": dict(request.headers), "body": request.body.decode()} for request in requests],
        "clients": CLIENTS,
    }
    _load(plan, WARM_SECONDS, None)
    return {"steady": _load(plan, STEADY_SECONDS, STEADY_RATE), "full": _load(plan, FULL_SECONDS, None)}


def _load(plan: dict[str, Any], seconds: int, rate: int | None) -> Report:
    load = subprocess.run(
        [sys.executable, "-m", "scripts.benchmarks.load"],
        input=json.dumps(plan | {"seconds": seconds, "rate": rate}),
        text=True,
        stdout=subprocess.PIPE,
        check=True,
        cwd=ROOT,
    )
    report: Report = json.loads(load.stdout)
    return report


@contextmanager
def on_uvicorn(module: str, *arguments: str) -> Iterator[str]:
    """Run a Python module as a server. The port is passed to the module as the last argument."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    server = subprocess.Popen([sys.executable, "-m", module, *arguments, str(port)], cwd=ROOT)
    try:
        _wait_until_open(port)
        yield f"http://127.0.0.1:{port}"
    finally:
        server.terminate()
        server.wait()


def _wait_until_open(port: int) -> None:
    end = time.monotonic() + 30
    while True:
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except ConnectionRefusedError:
            if time.monotonic() > end:
                raise
            time.sleep(0.05)
        else:
            return
