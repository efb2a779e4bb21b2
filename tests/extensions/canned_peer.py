"""Another MCP server as a process, which says what a file has it say, letter by letter.

It is run by itself, as `python canned_peer.py ERA FILE`, and imports nothing of ours.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

ERA = sys.argv[1]
CANNED: dict[str, Any] = json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))


def result_of(method: str, params: dict[str, Any]) -> object:
    if method == "initialize" and ERA == "handshake":
        return {"protocolVersion": "2025-11-25", "capabilities": {}, "serverInfo": {"name": "canned", "version": "1"}}
    if method == "server/discover" and ERA == "current":
        return {"supportedVersions": ["2026-07-28"], "capabilities": {}}
    if method == "tools/list":
        return {"tools": CANNED["tools"]}
    return CANNED["results"].get(params.get("name")) if method == "tools/call" else None


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        result = result_of(message["method"], message.get("params", {}))
        said = {"result": result} if result is not None else {"error": {"code": -32601, "message": "no such method"}}
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": message["id"], **said}) + "\n")
        sys.stdout.flush()
