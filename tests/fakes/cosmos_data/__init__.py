"""Cosmos DB: a server from npm, made strict about partition keys, behind a door that watches and can fail."""
