"""Sends requests to a REST service: builds URLs, signs in, retries, decodes responses, and raises errors."""

from __future__ import annotations

from collections.abc import Mapping
from types import TracebackType
from typing import Any, Self, TypedDict, Unpack

from azure.core import AsyncPipelineClient
from azure.core.exceptions import (
    ClientAuthenticationError,
    HttpResponseError,
    ResourceExistsError,
    ResourceNotFoundError,
    map_error,
)
from azure.core.pipeline.policies import (
    AsyncHTTPPolicy,
    DistributedTracingPolicy,
    HttpLoggingPolicy,
    SansIOHTTPPolicy,
    UserAgentPolicy,
)
from azure.core.pipeline.transport import AsyncHttpTransport
from azure.core.rest import AsyncHttpResponse, HttpRequest

from clients.addresses import BaseUrl, Query, checked_base_url, fill, query_string
from clients.replies import HttpReply, reply_of
from clients.retries import REPEATABLE, Retries, once
from clients.transport import HttpTransport

USER_AGENT = "azure-team-mcp"
# Accepts gzip only, because the pipeline cannot decode the other compressions that the transport would accept.
HEADERS = {"Accept": "application/json", "Accept-Encoding": "gzip"}
FAILURES = {401: ClientAuthenticationError, 404: ResourceNotFoundError, 409: ResourceExistsError}

Authentication = AsyncHTTPPolicy[HttpRequest, AsyncHttpResponse] | SansIOHTTPPolicy[HttpRequest, Any]
Transport = AsyncHttpTransport[HttpRequest, AsyncHttpResponse]


class FormBody(dict[str, str]):
    """A body that is sent as an HTML form."""


class RequestOptions(TypedDict, total=False):
    """The optional parts of a request."""

    # The body. The body is sent as JSON, unless it is bytes or a `FormBody`.
    body: Any
    headers: Mapping[str, str]
    # Whether the request can be retried safely. Set only if the HTTP method does not show this.
    repeatable: bool
    # The maximum number of bytes to read from the response.
    cut_at: int | None
    # The read timeout in seconds, if it differs from the default.
    seconds: float | None


class RestClient:
    """Sends requests to a service. Paths are templates, in which each value becomes exactly one segment.

    Redirects are not followed. Use this object with `async with`, or close it.

    Raises:
        Refusal: The base URL is invalid. A URL that was not checked before must use https, or http to this machine.
    """

    def __init__(
        self,
        base_url: str,
        *,
        authentication: Authentication | None = None,
        default_query: Query | None = None,
        patience: float = 30.0,
        transport: Transport | None = None,
    ) -> None:
        self._base_url = base_url if isinstance(base_url, BaseUrl) else checked_base_url(base_url)
        self._default_query = default_query or {}
        policies = [
            UserAgentPolicy(base_user_agent=USER_AGENT),
            *([authentication] if authentication else []),
            DistributedTracingPolicy[HttpRequest, Any](),
            HttpLoggingPolicy(),
        ]
        carrier = transport or HttpTransport()
        self._pipeline = AsyncPipelineClient[HttpRequest, AsyncHttpResponse](
            self._base_url, policies=policies, transport=carrier
        )
        self._retries = Retries(patience, carrier.sleep)

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._pipeline.close()

    async def get(self, path: str, query: Query | None = None, /, **values: str | int) -> Any:
        """Send a GET request, and return the JSON of the response."""
        return (await self.send(f"GET {path}", values, query)).document

    async def send(
        self,
        request: str,
        values: Mapping[str, str | int],
        query: Query | None = None,
        **options: Unpack[RequestOptions],
    ) -> HttpReply:
        """Send a request as with `exchange`, and raise an AzureError unless it succeeds."""
        reply = await self.exchange(request, values, query, **options)
        if reply.status_code >= 300:
            map_error(reply.status_code, reply, FAILURES)
            raise HttpResponseError(response=reply)
        return reply

    async def exchange(
        self,
        request: str,
        values: Mapping[str, str | int],
        query: Query | None = None,
        **options: Unpack[RequestOptions],
    ) -> HttpReply:
        """Send a request, written as in the documentation of services: `PATCH /{project}/_apis/...`.

        Raises:
            AzureError: The service could not be reached, or its response could not be read, even after retries.
            Refusal: A value is not valid as a path segment.
        """
        method, path = request.split(" ", 1)
        address = self._base_url + fill(path, values)
        parameters = query_string({**self._default_query, **(query or {})})
        url = f"{address}?{parameters}" if parameters else address
        headers = {**HEADERS, **options.get("headers", {})}
        asked = HttpRequest(method, url, headers=headers, **_content(options.get("body")))
        repeatable = options.get("repeatable", method in REPEATABLE)
        only_once = {} if repeatable else {"middlewares": (once,)}
        silence = {"read_timeout": options["seconds"]} if options.get("seconds") else {}

        async def attempt() -> HttpReply:
            response = await self._pipeline.send_request(asked, stream=True, **only_once, **silence)
            return await reply_of(response, options.get("cut_at"))

        return await self._retries.reply(attempt, repeatable=repeatable)


def _content(body: Any) -> dict[str, Any]:
    if isinstance(body, FormBody):
        return {"data": dict(body)}
    return {"content" if isinstance(body, bytes) else "json": body}
