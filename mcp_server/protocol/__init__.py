"""The protocol as this server speaks it: names, errors, results and clients, without the SDK."""
