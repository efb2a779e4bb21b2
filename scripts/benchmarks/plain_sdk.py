"""Serves this server's tools with the plain SDK on uvicorn: python -m scripts.benchmarks.plain_sdk PORT."""

from __future__ import annotations

import sys

import uvicorn
from mcp.server import MCPServer

from tools.firewall.tools import new_azure_firewall_rules


def main() -> None:
    server = MCPServer("plain", version="1", log_level="WARNING", subscriptions=False)
    server.add_tool(new_azure_firewall_rules)
    app = server.streamable_http_app(json_response=True, stateless_http=True)
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning", access_log=False)


if __name__ == "__main__":
    main()
