"""What can go wrong between Azure and whoever asks it, in the forms that were seen."""

from __future__ import annotations

import asyncio
import json
from base64 import b64encode
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from aiohttp import web

from tests.fakes.azure.routes import AzureError

Trouble = Callable[[web.BaseRequest], Awaitable[web.StreamResponse]]

_LOGIN: Final = 'Bearer authorization_uri="https://login.windows.net/72f988bf-86f1-41af-91ab-2d7cd011db47"'
_PIECE: Final = b" " * 65_536


@dataclass(frozen=True)
class Accident:
    """A trouble that befalls one request: of this method, whose path has this part. It may have been done before."""

    method: str
    part: str
    trouble: Trouble
    is_done: bool = False

    def befalls(self, method: str, path: str) -> bool:
        return method == self.method and self.part.lower() in path.lower()


def answering(status: int, body: bytes = b"", kind: str = "application/json; charset=utf-8", **headers: str) -> Trouble:
    """These bytes, whatever was asked. Underscores in names of headers stand for hyphens."""
    named = {"Content-Type": kind, **{name.replace("_", "-"): value for name, value in headers.items()}}

    async def befall(_: web.BaseRequest) -> web.StreamResponse:
        return web.Response(status=status, body=body, headers=named)

    return befall


def failing(status: int, code: str, message: str, **headers: str) -> Trouble:
    document = AzureError(status, code, message).reply.document
    return answering(status, json.dumps(document).encode(), x_ms_failure_cause="gateway", **headers)


def challenged(claims: str = '{"access_token":{"nbf":{"essential":true,"value":"1700000000"}}}') -> Trouble:
    """What continuous access evaluation and conditional access answer: come again with these claims."""
    said = b64encode(claims.encode()).decode()
    how = f'{_LOGIN}, error="insufficient_claims", error_description="User session has been revoked.", claims="{said}"'
    message = "Continuous access evaluation resulted in challenge with result: InteractionRequired."
    return failing(401, "TokenCreatedWithOutdatedPolicies", message, WWW_Authenticate=how)


def throttled(**headers: str) -> Trouble:
    """With the headers that are given; `Retry_After="7"` where none are."""
    message = "Number of 'read' requests for subscription 'x' actor 'y' exceeded. Please try again after '7' seconds."
    return failing(429, "SubscriptionRequestsThrottled", message, **(headers or {"Retry_After": "7"}))


async def cut_connection(request: web.BaseRequest) -> web.StreamResponse:
    if request.transport:
        request.transport.abort()
    return web.Response()


async def cut_body(request: web.BaseRequest) -> web.StreamResponse:
    response = web.StreamResponse(headers={"Content-Type": "application/json", "Content-Length": "1000"})
    await response.prepare(request)
    await response.write(b'{"value": [')
    return await cut_connection(request)


async def endless_body(request: web.BaseRequest) -> web.StreamResponse:
    """JSON that never ends, for as long as somebody reads it."""
    response = web.StreamResponse(headers={"Content-Type": "application/json"})
    await response.prepare(request)
    await response.write(b'{"value": [')
    while request.transport and not request.transport.is_closing():
        await response.write(_PIECE)
    return response


async def stalled(_: web.BaseRequest) -> web.StreamResponse:
    await asyncio.Event().wait()
    return web.Response()


async def looping(request: web.BaseRequest) -> web.StreamResponse:
    """A page whose next is itself."""
    here = f"{request.scheme}://{request.host}{request.raw_path}"
    return web.json_response({"value": [], "nextLink": here})


def paging_to(url: str) -> Trouble:
    """A page whose next is elsewhere."""
    return answering(200, json.dumps({"value": [], "nextLink": url}).encode())


unauthorized: Final = failing(
    401,
    "InvalidAuthenticationToken",
    "The access token is invalid.",
    WWW_Authenticate=f'{_LOGIN}, error="invalid_token"',
)
expired: Final = failing(
    401,
    "ExpiredAuthenticationToken",
    "The access token expiry UTC time '8/20/2024 4:48:47 PM' is earlier than current UTC time '8/20/2024 4:48:47 PM'.",
    WWW_Authenticate=f'{_LOGIN}, error="invalid_token", error_description="The access token has expired."',
)
throttled_without_saying: Final = failing(429, "TooManyRequests", "Too many requests.")
throttled_for_reads: Final = throttled(Retry_After="17", x_ms_ratelimit_remaining_subscription_reads="0")
throttled_for_cost: Final = throttled(x_ms_ratelimit_microsoft_costmanagement_qpu_retry_after="11")
busy: Final = failing(
    429, "RetryableErrorDueToAnotherOperation", "Operation could not be completed, as it was canceled by another one."
)
broken: Final = failing(500, "InternalServerError", "The server encountered an error processing the request.")
unavailable: Final = failing(503, "ServerTimeout", "The request timed out.", Retry_After="3")
bad_gateway: Final = answering(502, b"<html><body><h1>502 Bad Gateway</h1></body></html>", "text/html")
gateway_timeout: Final = failing(504, "GatewayTimeout", "The gateway did not receive a response in time.")
garbled: Final = answering(200, b"not compressed", Content_Encoding="gzip")
no_json: Final = answering(200, b'{"value": [')
