"""The connections of this process to Azure DevOps: one pool for all hosts and all callers."""

from __future__ import annotations

from base64 import b64encode
from time import monotonic
from types import TracebackType
from typing import Final, Self

from azure.core.exceptions import AzureError
from azure.core.pipeline.transport import AioHttpTransport

from clients.addresses import checked_base_url
from clients.azure_devops.messages import Answer, Request
from clients.azure_devops.redaction import redacted, redacted_headers
from clients.azure_devops.versions import Versions
from clients.replies import Reply, TooLargeError
from clients.rest import RestClient, Transport
from clients.retries import seconds_asked_for
from refusal import Refusal

# One that the server speaks, and whether it is a preview there.
_MOST_VERSIONS: Final = 2
_LONGEST_DELAY: Final = 20.0
_DONE: Final = "Look first whether the change was made."


def basic_authorization(token: str) -> str:
    """The Authorization header for a personal access token."""
    return f"Basic {b64encode(f':{token}'.encode()).decode()}"


class Connection:
    """An `Exchange` over HTTP. It knows nobody: each request brings its own authorization.

    Where the service asks to be asked less, the next requests to that host wait. Use it with `async with`, or close it.
    """

    def __init__(self, *, patience: float = 20.0, transport: Transport | None = None) -> None:
        self._transport = transport or AioHttpTransport(connection_timeout=10, read_timeout=30)
        self._patience = patience
        self._clients: dict[str, RestClient] = {}
        self._not_before: dict[str, float] = {}
        self._versions = Versions()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    async def close(self) -> None:
        await self._transport.close()

    async def send(self, base_url: str, request: Request, authorization: str, largest: int | None = None) -> Answer:
        asked = self._versions.spoken(base_url, request)
        answer = await self._answer(base_url, asked, authorization, largest)
        for _ in range(_MOST_VERSIONS):
            if not self._versions.learn(base_url, asked, answer):
                break
            asked = self._versions.spoken(base_url, request)
            answer = await self._answer(base_url, asked, authorization, largest)
        return answer

    async def _answer(self, base_url: str, request: Request, authorization: str, largest: int | None) -> Answer:
        await self._keep_pace(base_url)
        try:
            reply = await self._reply(base_url, request, authorization, largest)
        except TooLargeError as error:
            raise _too_large(request) from error
        except AzureError as error:
            raise _unreachable(base_url, request) from error
        if delay := seconds_asked_for(reply):
            self._not_before[base_url] = monotonic() + min(delay, _LONGEST_DELAY)
        headers = redacted_headers(reply.headers, authorization)
        content = redacted(reply.content, authorization)
        return Answer(reply.status_code, headers, content, reply.is_cut, is_of_change=not request.is_repeatable)

    async def _keep_pace(self, base_url: str) -> None:
        wait = self._not_before.get(base_url, 0) - monotonic()
        if wait > 0:
            await self._transport.sleep(wait)

    async def _reply(self, base_url: str, request: Request, authorization: str, largest: int | None) -> Reply:
        headers = {
            "Accept": request.accept,
            "Authorization": authorization,
            # Without it, whoever is not signed in gets a page for people instead of a status.
            "X-TFS-FedAuthRedirect": "Suppress",
            **({} if request.body is None else {"Content-Type": request.content_type}),
            **request.headers,
        }
        if any(not value.isprintable() for value in headers.values()):
            raise Refusal("A value holds line breaks or other characters that cannot be sent in a header.")
        return await self._client(base_url).exchange(
            request.present_line,
            request.present_values,
            {**request.query, "api-version": request.version},
            body=request.body,
            headers=headers,
            repeatable=request.is_repeatable,
            cut_at=largest,
        )

    def _client(self, base_url: str) -> RestClient:
        if base_url not in self._clients:
            # Whether it may be in the open was found out when the settings were read.
            checked = checked_base_url(base_url, in_the_open=base_url.startswith("http://"))
            self._clients[base_url] = RestClient(checked, patience=self._patience, transport=self._transport)
        return self._clients[base_url]


def _too_large(request: Request) -> Refusal:
    done = "Ask for less of it." if request.is_repeatable else _DONE
    return Refusal(f"Azure DevOps answered with more than can be read. {done}")


def _unreachable(base_url: str, request: Request) -> Refusal:
    done = "Try again." if request.is_repeatable else f"Try again. {_DONE}"
    return Refusal(f"Azure DevOps could not be reached at {base_url}, or did not answer whole. {done}")
