"""Serves full-text search with the plain SDK on uvicorn: python -m scripts.benchmarks.fts_server KIND DATABASE PORT."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import MCPServer

from scripts.benchmarks.fts import KINDS, Fts


def main() -> None:
    kind, database, port = sys.argv[1:]
    app = server_of(KINDS[kind](Path(database))).streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, host="127.0.0.1", port=int(port), log_level="warning", access_log=False)


def server_of(fts: Fts) -> MCPServer:
    def search_azure_updates(query: str, limit: int = 20) -> dict[str, Any]:
        """Search Azure updates."""
        return {"results": fts.search(query, limit)}

    server = MCPServer("fts", version="1", log_level="WARNING", subscriptions=False)
    server.add_tool(search_azure_updates)
    return server


if __name__ == "__main__":
    main()
