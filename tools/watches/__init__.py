"""Watches of Azure updates: what is new to a search, sent to where a team reads it."""
