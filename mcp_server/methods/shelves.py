"""Serves the resources of shelves. Each request for a resource of a shelf becomes a tool call."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from mcp_server.declarations.shelf import LIST, PIECE, READ
from mcp_server.methods.answers import structured_of
from mcp_server.protocol.results import Json
from mcp_server.visit import Context

_PIECE_NAMES: Final = ("start", "length")
_ABOUT: Final = ("etag", "size", "modified", "start")


async def listed(context: Context, cursor: str | None) -> tuple[list[Json], str | None]:
    """A page of the resources on the caller's shelf, and the cursor of the next page.

    The page and the cursor are empty if the caller has no shelf.
    """
    tool = context.visit.view.shelf_tool(LIST)
    if tool is None:
        return [], None
    found = await structured_of(tool, {"cursor": cursor} if cursor else {}, context)
    return [_resource(entry) for entry in found["resources"]], found.get("next")


async def read(context: Context, uri: str, meta: Mapping[str, Any] | None) -> Json | None:
    """Read a resource of a shelf. None if the URI does not belong to the shelf."""
    tool = context.visit.view.shelf_tool(READ, uri)
    if tool is None:
        return None
    piece = (meta or {}).get(PIECE)
    chosen = {name: piece[name] for name in _PIECE_NAMES if name in piece} if isinstance(piece, Mapping) else {}
    found = await structured_of(tool, {"uri": uri, **chosen}, context)
    content: Json = {name: found[name] for name in ("blob", "text") if name in found}
    about = {name: found[name] for name in _ABOUT if name in found}
    return {"uri": uri, "mimeType": found["mimeType"], **content, "_meta": about}


def _resource(entry: Mapping[str, Any]) -> Json:
    about = {name: entry[name] for name in ("etag", "modified")}
    return {**{name: entry[name] for name in ("uri", "name", "mimeType", "size")}, "_meta": about}
