"""Serves resources over HTTP: list, read, write and delete them by URI, with ETags and ranges.

Each request becomes an MCP message. A request that writes or deletes a resource becomes a tool call.
"""

from __future__ import annotations

import re
from base64 import b64decode, b64encode
from collections.abc import Mapping
from functools import cache
from typing import Any, Final
from urllib.parse import quote

from mcp_server.declarations.shelf import DELETE, PIECE, WRITE
from mcp_server.declarations.tool import CONFIRM
from mcp_server.http.endpoint import Endpoint
from mcp_server.http.gate import RejectedError
from mcp_server.http.messages import JSON, HttpAnswer, HttpRequest, has
from mcp_server.http.plain import PRIVATE, Message, Reply, answer, ask, query, tagged
from mcp_server.protocol.json_text import to_json
from refusal import Refusal

_PLACE: Final = "/resources"
_LIST: Final = "resources/list"
_TAG: Final = re.compile(r'"([\x21\x23-\x7e]{1,200})"')
_RANGE: Final = re.compile(r"bytes=(?:(\d{1,15})-(\d{1,15})?|-(\d{1,15}))")
_MEDIA_TYPE: Final = re.compile(r"[\w!#$&^.+-]+/[\w!#$&^.+-]+(?:; ?charset=[\w-]+)?", re.ASCII)
# Headers that prevent browsers from running stored content as a page of this server.
_INERT: Final = {
    "x-content-type-options": "nosniff",
    "content-security-policy": "default-src 'none'; sandbox",
    "content-disposition": "attachment",
}


async def answer_resources(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    """Handle a request according to its method. The URI is in the query parameter `uri` or in the rest of the path."""
    match request.method:
        case "PUT":
            return await _write(endpoint, request)
        case "DELETE":
            return await _delete(endpoint, request)
    wanted = cache(lambda: _message_for(request))
    reply = await ask(endpoint, request, wanted)
    if reply.is_turned_away:
        return reply.problem()
    return _list(request, reply) if wanted().method == _LIST else _read(request, reply)


def _message_for(request: HttpRequest) -> Message:
    """The message for a GET request, which reads a resource or lists all resources."""
    given = _given(request)
    if uri := _address(request, given):
        # If the range depends on a condition, ignore the range and return the whole resource, which HTTP always allows.
        piece = {} if "if-range" in request.headers else _piece(request.headers.get("range", ""))
        return Message("resources/read", {"uri": uri, **({"_meta": {PIECE: piece}} if piece else {})})
    return Message(_LIST, {"cursor": given["cursor"]} if "cursor" in given else {})


def _given(request: HttpRequest) -> Mapping[str, str]:
    return query(request, "uri", "cursor", "confirm")


def _changed(request: HttpRequest) -> Mapping[str, str]:
    """Arguments for writing or deleting a resource: the URI of the resource, and the confirmation code, if any."""
    given = _given(request)
    return {"uri": _named(_address(request, given)), **_confirmed(given)}


def _address(request: HttpRequest, given: Mapping[str, str]) -> str:
    """The URI of a resource. Empty if the request has no URI. A URI in the path is percent-decoded exactly once."""
    by_path = request.path.removeprefix(_PLACE).removeprefix("/")
    if by_path and "uri" in given:
        raise Refusal("Pass the resource once: as ?uri= or in the path.")
    return by_path or given.get("uri", "")


def _confirmed(given: Mapping[str, str]) -> Mapping[str, str]:
    """The confirmation code in the request, if any. By sending the code, the client states that the user approved the
    change.
    """
    return {CONFIRM: given["confirm"]} if "confirm" in given else {}


def _named(uri: str) -> str:
    if not uri:
        raise Refusal(f"Name a resource, for example {_PLACE}?uri={quote('file:///docs/README.md', safe='')}.")
    return uri


def _list(request: HttpRequest, reply: Reply) -> HttpAnswer:
    if reply.result is None:
        return reply.problem()
    document = {name: reply.result[name] for name in ("resources", "nextCursor") if name in reply.result}
    return tagged(request, to_json(document), {**reply.headers, "content-type": JSON})


def _read(request: HttpRequest, reply: Reply) -> HttpAnswer:
    if reply.result is None:
        return reply.problem(404)
    if len(reply.result["contents"]) != 1:
        # A resource of another server may consist of several parts, so return all of them as JSON.
        document = to_json({"contents": reply.result["contents"]})
        return tagged(request, document, {**reply.headers, **_INERT, "content-type": JSON})
    [contents] = reply.result["contents"]
    content = b64decode(contents["blob"]) if "blob" in contents else contents["text"].encode()
    return _content(request, reply, contents, content)


def _content(request: HttpRequest, reply: Reply, contents: Mapping[str, Any], content: bytes) -> HttpAnswer:
    about = contents.get("_meta") or {}
    headers = {**reply.headers, **_INERT, "content-type": _media_type(contents)}
    if "etag" not in about:
        return tagged(request, content, headers)
    headers |= {"etag": f'"{about["etag"]}"', "cache-control": "private, no-cache", "accept-ranges": "bytes"}
    if has(request, headers["etag"]):
        return HttpAnswer(304, b"", headers)
    if "start" not in about:
        return HttpAnswer(200, content, headers)
    start = about["start"]
    place = f"bytes {start}-{start + len(content) - 1}/{about['size']}"
    return HttpAnswer(206, content, {**headers, "content-range": place})


def _media_type(contents: Mapping[str, Any]) -> str:
    """The media type that the resource declares, if it is valid. Text is always sent as UTF-8."""
    said = str(contents.get("mimeType") or "")
    if not _MEDIA_TYPE.fullmatch(said):
        return "text/plain; charset=utf-8" if "text" in contents else "application/octet-stream"
    is_plain = said.startswith("text/") and ";" not in said and "text" in contents
    return f"{said}; charset=utf-8" if is_plain else said


def _piece(said: str) -> Mapping[str, int]:
    """The requested range. Empty if the header has an unsupported form: HTTP requires that such headers are ignored."""
    found = _RANGE.fullmatch(said)
    if found is None:
        return {}
    first, last, of_the_end = found.groups()
    if of_the_end:
        return {"start": -int(of_the_end)} if int(of_the_end) else {}
    if last is None:
        return {"start": int(first)}
    return {"start": int(first), "length": int(last) - int(first) + 1} if int(last) >= int(first) else {}


async def _write(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    reply = await ask(endpoint, request, lambda: _writing(request))
    if reply.is_waiting or reply.is_failed:
        return _undone(reply, WRITE)
    written = reply.structured
    where = {"location": f"{_PLACE}?uri={quote(written['uri'], safe='')}", "etag": f'"{written["etag"]}"'}
    return answer(201 if written["created"] else 200, written, {**reply.headers, **PRIVATE, **where})


def _writing(request: HttpRequest) -> Message:
    named = _changed(request)
    if request.headers.get("content-encoding", "identity") != "identity":
        raise RejectedError(415, "Send the content without a Content-Encoding.")
    arguments = {**named, **_sent(request.body), **_etag(request), **_said_type(request)}
    return Message("tools/call", {"name": WRITE, "arguments": arguments})


async def _delete(endpoint: Endpoint, request: HttpRequest) -> HttpAnswer:
    reply = await ask(endpoint, request, lambda: _deleting(request))
    if reply.is_waiting or reply.is_failed:
        return _undone(reply, DELETE)
    return HttpAnswer(204, b"", {**reply.headers, **PRIVATE})


def _deleting(request: HttpRequest) -> Message:
    named, etag = _changed(request), _etag(request)
    if not etag.get("etag"):
        words = 'Send If-Match with the ETag of the resource to delete, or "*" for any version.'
        raise RejectedError(428, words)
    return Message("tools/call", {"name": DELETE, "arguments": {**named, **etag}})


def _undone(reply: Reply, tool: str) -> HttpAnswer:
    if reply.is_waiting:
        return reply.waiting()
    return reply.problem(400 if reply.requester.view.called(tool) else 404)


def _sent(content: bytes) -> Mapping[str, str]:
    """Return the content as an argument of the tool that writes a resource. Content other than UTF-8 becomes base64."""
    try:
        return {"text": content.decode()}
    except UnicodeDecodeError:
        return {"blob": b64encode(content).decode()}


def _said_type(request: HttpRequest) -> Mapping[str, str]:
    said = request.headers.get("content-type", "")
    return {"media_type": said} if said else {}


def _etag(request: HttpRequest) -> Mapping[str, str]:
    """The argument with the ETag that the resource must have. Empty if the resource must not exist yet."""
    match, no_match = (request.headers.get(name) for name in ("if-match", "if-none-match"))
    if no_match is not None and (no_match.strip() != "*" or match is not None):
        raise Refusal(
            "If-None-Match must be * (the resource must not exist yet), and cannot be combined with If-Match."
        )
    if match is None or match.strip() == "*":
        return {} if match is None else {"etag": "*"}
    found = _TAG.fullmatch(match.strip())
    if found is None:
        raise Refusal("If-Match must be one ETag as you received it, in quotes, or * for any version.")
    return {"etag": found[1]}
