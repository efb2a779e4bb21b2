"""Our own definitions for the MCP protocol, without the SDK: names, errors, results, and data about clients."""
