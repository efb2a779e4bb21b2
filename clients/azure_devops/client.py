"""Sends requests to Azure DevOps on behalf of a caller."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Hashable
from dataclasses import replace
from typing import Final, Self

from clients.advice import NO_ADVICE, Advice
from clients.azure_devops.failure_names import NO_PROJECT
from clients.azure_devops.failures import refuse_failure
from clients.azure_devops.finding import UNNAMED, DevOpsFinder
from clients.azure_devops.messages import OCTETS, TEXT, DevOpsAnswer, DevOpsExchange, DevOpsRequest
from clients.azure_devops.organization import Organization
from clients.azure_devops.paging import ListPage, ListPaging, collected
from clients.azure_devops.records import DevOpsRecord
from clients.kept import Kept
from refusal import Refusal

Authorize = Callable[[], Awaitable[str]]

LARGEST_TEXT: Final = 256 * 1024


class AzureDevOps:
    """Sends requests to an organization on behalf of a caller.

    Creating a client is fast, so each tool call creates its own client.

    - `authorize` returns the Authorization header of a request.
    - `project` is the default project.
    - `advice` is added to error messages.
    """

    def __init__(
        self,
        exchange: DevOpsExchange,
        organization: Organization,
        authorize: Authorize,
        *,
        project: str = "",
        advice: Advice = NO_ADVICE,
    ) -> None:
        self.organization = organization
        self._exchange = exchange
        self._authorize = authorize
        self._project = project
        self._advice = advice
        self._finder = DevOpsFinder(self.json, self.page, Kept(), None, advice.hints.get(NO_PROJECT, ""))

    def remembering(self, kept: Kept, caller: Hashable) -> Self:
        """Make this client use the given cache. Callers with the same access share a cache."""
        self._finder.kept, self._finder.caller = kept, caller
        return self

    def anew(self) -> Self:
        """Prepare this client to apply a change.

        After that, the client ignores data that other calls cached, and data that was cached before the approval.
        """
        self._finder.kept = Kept()
        return self

    def project(self, named: str | None) -> str:
        """The given project, or the default project.

        If no project is given and there is no default project, returns a placeholder. Before a request is sent, the
        placeholder is replaced with the project of the requested item.
        """
        if project := self.project_if_any(named):
            return project
        self._finder.is_sought = True
        return UNNAMED

    def project_if_any(self, named: str | None) -> str | None:
        return named or self._project or None

    async def send(self, request: DevOpsRequest, largest: int | None = None) -> DevOpsAnswer:
        """Send a request. A response of more than `largest` bytes is truncated.

        Raises:
            Refusal: The request failed, or the project of the request is ambiguous. The error message says what to do.
        """
        request = await self._finder.placed(request)
        base_url = self.organization.url(request.host)
        answer = await self._exchange.send(base_url, request, await self._authorize(), largest)
        refuse_failure(request, answer, self._advice)
        return answer

    async def json(self, request: DevOpsRequest) -> DevOpsRecord:
        """Send a request whose response must be a JSON object."""
        document: DevOpsRecord = (await self.send(request)).document
        return document

    async def all_of(self, *requests: DevOpsRequest) -> list[DevOpsRecord]:
        """Send several requests in parallel, and return the JSON objects in their responses."""
        return list(await asyncio.gather(*map(self.json, requests)))

    async def text(self, request: DevOpsRequest, largest: int = LARGEST_TEXT) -> DevOpsAnswer:
        """Read plain text. The response is truncated after `largest` bytes."""
        return await self.send(replace(request, accept=TEXT), largest)

    async def download(self, request: DevOpsRequest, largest: int) -> bytes:
        """Download a file.

        Raises:
            Refusal: The file is larger than `largest` bytes.
        """
        answer = await self.send(replace(request, accept=OCTETS), largest)
        if answer.is_cut:
            raise Refusal(f"The file is larger than the limit of {largest} bytes.")
        return answer.content

    async def page(self, request: DevOpsRequest, paging: ListPaging, limit: int) -> ListPage:
        """Read a list page by page, up to a limit."""
        return await collected(self.send, request, paging, limit)
