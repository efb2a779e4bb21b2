"""The names, errors, results and client data of the MCP protocol, without the SDK."""
