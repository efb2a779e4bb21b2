"""The SDK as an adapter, for what only it can read or do. Nothing imports this before it is needed."""
