"""Passes HTTP requests to functions, and converts the functions' results to responses.

Requests and responses have the same quirks as on the platform.
"""

from __future__ import annotations

import hmac
import json
import logging
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from aiohttp import hdrs, web

from answer_stream import OFFERED
from local_host import worker
from local_host.routes import Routes
from local_host.streams import Stream
from local_host.timers import Timer
from local_host.worker import Datum, Function

logger = logging.getLogger("local_host")

BODY_LIMIT = 210 * 2**20

_NO_KEY = "A key is required. Send a key from the setting LOCAL_HOST_KEYS in the x-functions-key header.\n"

# If a request repeats one of these headers, keep the values separate: each value is a list that selects tools, and all
# lists apply.
_CHOICES: Final = "x-mcp-"
_OF_A_NAME: Final = (
    "Only programs on this machine can run timers. In the URL, use an IP address or localhost as the host.\n"
)
# Matches hosts that always refer to this machine, whatever a DNS server returns.
_UNBINDABLE: Final = re.compile(r"(localhost|[0-9]{1,3}(\.[0-9]{1,3}){3}|\[[0-9a-f:.]+\])(:[0-9]{1,5})?", re.IGNORECASE)

# The headers that the server itself writes. The function's own values for these headers are dropped, because a response
# with repeated headers would be invalid.
_WRITTEN_BY_THE_SERVER = {"content-length", "transfer-encoding", "connection"}


class Front:
    """Answers the HTTP requests to an app."""

    def __init__(
        self, functions: Iterable[Function], routes: Routes, timers: Iterable[Timer], keys: Sequence[str]
    ) -> None:
        self._functions = {function.name: function for function in functions}
        self._routes = routes
        self._timers = {timer.name.lower(): timer for timer in timers}
        self._keys = [key.encode() for key in keys]

    def application(self) -> web.Application:
        application = web.Application(client_max_size=BODY_LIMIT)
        application.router.add_post("/admin/functions/{name}", self._run_timer)
        application.router.add_route("*", "/{path:.*}", self._call_function)
        return application

    async def _call_function(self, request: web.Request) -> web.StreamResponse:
        # Decode the path, except encoded slashes, as Kestrel does.
        found = self._routes.find(request.method, request.rel_url.path_safe.replace("%25", "%"))
        if found is None:
            return web.Response(status=404)
        function, parameters = self._functions[found[0]], found[1]
        if rejected := self._rejection(function, request):
            return rejected
        return await _answer(function, request, parameters)

    def _rejection(self, function: Function, request: web.Request) -> web.Response | None:
        """Return the error response if the request must not be passed to the function."""
        if function.trigger.get("authLevel", "FUNCTION") != "ANONYMOUS" and not self._holds_key(request):
            return web.Response(status=401, text=_NO_KEY)
        if (request.content_length or 0) > BODY_LIMIT:
            return web.Response(status=413)
        if problem := _problem_of_framing(request):
            return web.Response(status=400, text=problem)
        return None

    async def _run_timer(self, request: web.Request) -> web.Response:
        timer = self._timers.get(request.match_info["name"].lower())
        if not self._holds_key(request):
            return web.Response(status=401, text=_NO_KEY)
        if timer is None:
            return web.Response(status=404)
        # Require JSON, as the platform does. A page of another site cannot send JSON without a preflight request.
        if request.content_type != "application/json":
            return web.Response(status=415)
        try:
            json.loads(await _body(request))
        except (ValueError, RecursionError):
            return web.Response(status=400)
        if not _is_from_this_machine(request):
            return web.Response(status=403, text=_OF_A_NAME)
        await timer.run()
        return web.Response(status=202)

    def _holds_key(self, request: web.Request) -> bool:
        """Whether the request can call a function that requires a key. If no keys are configured, every request can
        call the function.
        """
        given = request.headers.get("x-functions-key") or request.query.get("code", "")
        return not self._keys or any(hmac.compare_digest(given.encode(), key) for key in self._keys)


async def _answer(function: Function, request: web.Request, parameters: Mapping[str, str]) -> web.StreamResponse:
    value = await _request_value(request, parameters)
    trace = request.headers.get("traceparent", ""), request.headers.get("tracestate", "")
    stream = Stream(request)
    # A connection serves several requests, so this context variable is set for each request.
    OFFERED.set(stream)
    outcome = await worker.invoke(function, value, *trace)
    return await stream.ended(_response(outcome.value) if outcome.succeeded else web.Response(status=500))


def _is_from_this_machine(request: web.Request) -> bool:
    """Whether a program on this machine sent the request. Requests from web pages do not count: even DNS rebinding
    cannot make them look local.
    """
    origin = request.headers.get(hdrs.ORIGIN)
    return bool(_UNBINDABLE.fullmatch(request.host)) and origin in {None, f"{request.scheme}://{request.host}"}


def _problem_of_framing(request: web.Request) -> str:
    """Return the reason why the transfer encoding of the body is not supported, or an empty string."""
    if hdrs.TRAILER in request.headers:
        return "Trailers are not supported: send all headers before the body.\n"
    encoding = request.headers.get(hdrs.TRANSFER_ENCODING, "chunked").strip().lower()
    return "" if encoding == "chunked" else "The only supported Transfer-Encoding is chunked.\n"


async def _request_value(request: web.Request, parameters: Mapping[str, str]) -> Any:
    body = await _body(request) if request.body_exists else b""
    query = {name: value for name, value in joined(request.query.items()).items() if value}
    headers = joined(request.headers.items())
    return Datum(
        {
            "method": Datum(request.method, "string"),
            "url": Datum(f"{request.scheme}://{request.host}{request.path_qs}", "string"),
            "headers": _strings(headers),
            "query": _strings(query),
            "params": _strings(parameters),
            "body": Datum(body, "bytes"),
        },
        "http",
    )


async def _body(request: web.Request) -> bytes:
    try:
        return await request.read()
    except web.RequestPayloadError:
        encoding = request.headers.get(hdrs.CONTENT_ENCODING, "the announced encoding")
        raise web.HTTPBadRequest(text=f"The body cannot be read: the encoding is not {encoding}.") from None


def _strings(values: Mapping[str, str]) -> dict[str, Any]:
    return {name: Datum(value, "string") for name, value in values.items()}


def joined(pairs: Iterable[tuple[str, str]]) -> dict[str, str]:
    """Join all values with the same name, ignoring the case of names. Empty values are omitted."""
    joined: dict[str, str] = {}
    spelling: dict[str, str] = {}
    for name, value in pairs:
        first = spelling.setdefault(name.lower(), name)
        before = joined.get(first)
        if before is not None and name.lower().startswith(_CHOICES):
            joined[first] = f"{before} & {value}"
        else:
            joined[first] = f"{before},{value}" if before and value else before or value
    return joined


def _response(value: Any) -> web.Response:
    if value is None:
        return web.Response(status=204)
    if value.type == "string":
        return web.Response(text=value.value)
    parts = value.value
    status = int(parts["status_code"].value)
    if not 200 <= status <= 999:
        logger.error("A function answered with the invalid HTTP status %d", status)
        return web.Response(status=500)
    response = web.Response(status=status, body=parts["body"].value)
    _add_headers(response, parts)
    return response


def _add_headers(response: web.Response, parts: Mapping[str, Any]) -> None:
    for name, header in parts["headers"].items():
        if name.lower() not in _WRITTEN_BY_THE_SERVER:
            response.headers[name] = header.value
    for cookies in parts["cookies"] or ():
        for cookie in cookies.values():
            response.headers.add(hdrs.SET_COOKIE, cookie.OutputString())
