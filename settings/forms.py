"""Parsers for setting values. If a value is invalid, the parser raises a ValueError that describes valid values."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

MODES: Final = ("none", "oauth", "platform", "key")
ADAPTERS: Final = ("both", "sdk")
_SHORTEST_KEY: Final = 32
_LONGEST_SENTENCE: Final = 500
_NAME: Final = re.compile(r"[A-Za-z0-9._-]{1,64}")
_HOST: Final = re.compile(r"(?:[A-Za-z0-9._-]+|\[[0-9A-Fa-f:.]+\])(?::(?:\d+|\*))?")
_ORIGIN: Final = re.compile(r"https?://" + _HOST.pattern)
_GUID: Final = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def names(text: str) -> tuple[str, ...]:
    return tuple(name for entry in text.split(",") if (name := entry.strip()))


def keys(text: str) -> tuple[str, ...]:
    found = names(text)
    if any(len(key.encode()) < _SHORTEST_KEY for key in found):
        raise ValueError(f"each key needs at least {_SHORTEST_KEY} characters")
    return found


def toolsets(text: str) -> tuple[str, ...]:
    if not (found := names(text)):
        raise ValueError("name at least one toolset")
    return found


def server_name(text: str) -> str:
    if not _NAME.fullmatch(text):
        raise ValueError("it can have up to 64 characters: letters, digits, and any of -._")
    return text


def hosts(text: str) -> tuple[str, ...]:
    return _each(
        text, _HOST, "each host must be a name such as mcp.example.com, optionally followed by a port (:443) or :*"
    )


def origins(text: str) -> tuple[str, ...]:
    return _each(text, _ORIGIN, "each origin must be a scheme and a host, such as https://portal.example.com")


def _each(text: str, form: re.Pattern[str], expected: str) -> tuple[str, ...]:
    if not all(map(form.fullmatch, entries := names(text))):
        raise ValueError(expected)
    return entries


def sentence(text: str) -> str:
    if len(text) > _LONGEST_SENTENCE or not text.isprintable():
        raise ValueError(f"it must be one line of at most {_LONGEST_SENTENCE} characters")
    return text.strip()


def percent(text: str) -> float:
    share = float(text)
    if not 0 <= share <= 100:
        raise ValueError("it must be from 0 to 100")
    return share


def truth(text: str) -> bool:
    match text.lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
    raise ValueError("it must be true or false")


def count(text: str) -> int:
    if not text.isdecimal():
        raise ValueError("it must be a whole number; 0 means no limit")
    return int(text)


def within(least: int, most: int) -> Callable[[str], int]:
    """Return a parser of whole numbers in this range."""

    def parsed(text: str) -> int:
        if not text.isdecimal() or not least <= int(text) <= most:
            raise ValueError(f"it must be a whole number from {least} to {most}")
        return int(text)

    return parsed


def tenants(text: str) -> tuple[str, ...]:
    return tuple(
        name.lower()
        for name in _each(text, _GUID, "a tenant must be specified by its ID, as shown in Entra's overview")
    )


def adapters(text: str) -> str:
    if text not in ADAPTERS:
        raise ValueError(f"it must be one of {', '.join(ADAPTERS)}")
    return text


def claims(text: str) -> tuple[tuple[str, str], ...]:
    found = tuple(_claim(entry) for entry in names(text))
    if not found:
        raise ValueError("name at least one claim, such as acct=0")
    return found


def _claim(text: str) -> tuple[str, str]:
    name, _, value = map(str.strip, text.partition("="))
    if not name or " " in name or not value or value.startswith("="):
        raise ValueError("a claim is a name, =, and a value, such as acct=0")
    return name, value


def mode(text: str) -> str:
    if text not in MODES:
        raise ValueError(f"it must be one of {', '.join(MODES)}")
    return text
