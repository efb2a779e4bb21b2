"""Reads which tools a caller selects with the URL, the headers, and the session.

The URL, the headers and the session can only narrow the selection.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Final

from mcp_server.catalog.catalog import Selection
from refusal import Refusal

TOOLSETS: Final = "x-mcp-toolsets"
TOOLS: Final = "x-mcp-tools"
READ_ONLY: Final = "x-mcp-readonly"
CHOICES: Final = (TOOLSETS, TOOLS, READ_ONLY)
# The separator of several selections in a header. All of these selections apply.
AND: Final = "&"
LONGEST_SELECTION: Final = 8192
_SPELLED: Final = {TOOLSETS: "X-MCP-Toolsets", TOOLS: "X-MCP-Tools", READ_ONLY: "X-MCP-Readonly"}

Names = tuple[str, ...]


def choice_in(headers: Mapping[str, str]) -> dict[str, str]:
    """The headers in a request that select tools."""
    return {name: headers[name] for name in CHOICES if name in headers}


def together(first: Mapping[str, str], second: Mapping[str, str]) -> dict[str, str]:
    """Combine the headers of two selections into headers that apply both selections."""
    return {
        name: f" {AND} ".join(choice[name] for choice in (first, second) if name in choice)
        for name in CHOICES
        if name in first or name in second
    }


def selection_of(choice: Mapping[str, str], toolsets: str | None = None) -> Selection:
    """The selection in a request, from its headers and from the toolsets in its URL.

    Raises:
        Refusal: The URL or a header contains an empty or invalid selection.
    """
    return _selection(tuple(choice.items()), toolsets)


@lru_cache(maxsize=64)
def _selection(chosen: tuple[tuple[str, str], ...], toolsets: str | None) -> Selection:
    choice = dict(chosen)
    return Selection.of(
        None if toolsets is None else _names("The address", toolsets),
        [_names(_SPELLED[TOOLSETS], part) for part in _parts(choice, TOOLSETS)],
        [_names(_SPELLED[TOOLS], part) for part in _parts(choice, TOOLS)],
        read_only=any([_truth(part) for part in _parts(choice, READ_ONLY)]),  # noqa: C419 - validates every value
    )


def _parts(choice: Mapping[str, str], name: str) -> list[str]:
    if name not in choice:
        return []
    if len(choice[name]) > LONGEST_SELECTION:
        raise _too_long(_SPELLED[name])
    return choice[name].split(AND)


def _names(where: str, text: str) -> Names:
    """Split a list of names. Order and repetition are ignored, so that equal selections share a view."""
    if len(text) > LONGEST_SELECTION:
        raise _too_long(where)
    names = {name for entry in text.split(",") if (name := entry.strip())}
    if not names:
        # Reject an empty list, because a caller who wanted to narrow the selection would otherwise get all tools.
        raise Refusal(f"{where} is empty. List toolsets or tools, separated by commas, or omit the selection.")
    return tuple(sorted(names))


def _truth(text: str) -> bool:
    match text.strip().lower():
        case "true" | "1":
            return True
        case "false" | "0":
            return False
    raise Refusal(f"{_SPELLED[READ_ONLY]} must be true or false.")


def _too_long(where: str) -> Refusal:
    return Refusal(f"{where} is longer than {LONGEST_SELECTION} characters.")
