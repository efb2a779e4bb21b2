"""The protocol as this server implements it: names, errors, results and clients, without the SDK."""
