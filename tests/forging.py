"""Text that somebody tampered with."""

from __future__ import annotations


def altered(text: str) -> str:
    """Return the text with another letter in its middle, where each letter of base64 counts."""
    middle = len(text) // 2
    return text[:middle] + ("B" if text[middle] == "A" else "A") + text[middle + 1 :]
