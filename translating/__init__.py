"""Splits texts into parts to translate and parts to keep byte for byte."""
