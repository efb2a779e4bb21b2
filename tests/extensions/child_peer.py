"""Another MCP server as a process: it greets, speaks either era, and misbehaves as its tools are called.

It is run by itself, and imports nothing of ours.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

ERA = sys.argv[1]
SCHEMA = {"type": "object", "properties": {}}
TOOLS = [
    {"name": name, "inputSchema": SCHEMA} for name in ("tell", "die", "fork", "flood", "shout", "hang", "ask", "babble")
]

ODD_IDS: tuple[object, ...] = ([1], {}, None, 7, "nobody")


def say(document: object) -> None:
    sys.stdout.write(json.dumps(document) + "\n")
    sys.stdout.flush()


def babble() -> None:
    for odd in ODD_IDS:
        say({"jsonrpc": "2.0", "id": odd, "result": {}})
        say({"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": odd}})
    say([[], 7, {"id": []}])


def act(name: str) -> dict[str, object]:
    if name == "die":
        sys.stderr.write("it was too much\n")
        os._exit(3)
    if name == "fork":
        sleeping = "import os, time; os.setsid(); print(os.getpid(), flush=True); time.sleep(600)"
        child = subprocess.Popen([sys.executable, "-c", sleeping], stdout=subprocess.PIPE, text=True)
        assert child.stdout
        return {"pid": int(child.stdout.readline())}
    if name == "flood":
        sys.stderr.write("x" * 3_000_000)
    if name == "shout":
        say("y" * 3_000_000)
    if name == "hang":
        sys.stderr.write("hanging\n")
        sys.stderr.flush()
        time.sleep(600)
    if name == "babble":
        babble()
    if name == "ask":
        say({"jsonrpc": "2.0", "id": "mine", "method": "sampling/createMessage", "params": {}})
        return {"answer": json.loads(sys.stdin.readline())}
    about = {"pid": os.getpid(), "group": os.getpgid(0), "folder": str(Path.cwd())}
    return {"environment": dict(os.environ), **about}


def main() -> None:
    sys.stdout.write("Welcome! {this is no JSON}\n{nor this\n")
    for line in sys.stdin:
        message = json.loads(line)
        method, about = message.get("method"), message.get("params", {})
        answer = {"jsonrpc": "2.0", "id": message.get("id")}
        if method == "initialize" and ERA == "handshake":
            say({**answer, "result": {"protocolVersion": "2025-11-25", "capabilities": {}}})
        elif method == "server/discover" and ERA == "current":
            say({**answer, "result": {"supportedVersions": ["2026-07-28"], "capabilities": {}}})
        elif method == "tools/list":
            say({**answer, "result": {"tools": TOOLS}})
        elif method == "tools/call":
            say({**answer, "result": {"content": [], "structuredContent": act(about["name"])}})
        elif "id" in message and method:
            say({**answer, "error": {"code": -32601, "message": "no such method"}})


main()
