"""The plain SDK serving SQLite's full-text search on uvicorn: python -m scripts.benchmarks.fts_server DATABASE PORT."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import uvicorn
from mcp.server import MCPServer

from scripts.benchmarks.fts import Fts


def main() -> None:
    fts = Fts(Path(sys.argv[1]))

    def search_azure_updates(query: str, limit: int = 20) -> dict[str, Any]:
        """Search Azure updates."""
        return {"results": fts.search(query, limit)}

    server = MCPServer("fts", version="1", log_level="WARNING", subscriptions=False)
    server.add_tool(search_azure_updates)
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[2]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
