"""The SDK as an adapter, for what only the SDK supports. Imported on first use."""
