"""Splits texts into parts to translate and parts that must stay unchanged."""
