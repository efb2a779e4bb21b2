"""Learned intent detection: which of the available tools a sentence asks for."""
