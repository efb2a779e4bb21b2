"""Texts in parts: what is translated of them, and what comes back byte for byte."""
