"""Sends requests to Azure through one connection pool, shared by all services and callers of this process."""

from __future__ import annotations

from typing import Final

from azure.core.exceptions import AzureError

from clients.azure.cloud import Service
from clients.azure.failures import UnansweredRefusal
from clients.azure.messages import AzureAnswer, AzureRequest
from clients.pool import Pool
from clients.replies import TooLargeError
from clients.retries import never_connected

_DONE: Final = "First check whether the change was made."


class AzureConnection(Pool):
    """Sends requests to Azure over HTTP."""

    async def send(
        self, service: Service, request: AzureRequest, authorization: str, largest: int | None = None
    ) -> AzureAnswer:
        headers = {"Authorization": authorization, **request.present_headers}
        query = {**request.query, **({"api-version": request.version} if request.version else {})}
        try:
            found = await self.answered(service.base_url, request, query, headers, largest)
        except TooLargeError as error:
            raise _too_large(service, request) from error
        except AzureError as error:
            raise _unanswered(service, request, was_sent=not never_connected(error)) from error
        return AzureAnswer(found.status, found.headers, found.content, found.is_cut, found.is_of_change)

    async def admit(self, service: Service) -> None:
        """Allow everything. If no scope is set, callers can access everything that Azure shows them."""


def _too_large(service: Service, request: AzureRequest) -> UnansweredRefusal:
    done = "Request less data." if request.is_repeatable else _DONE
    return UnansweredRefusal(f"The response from {service.name} is too large. {done}")


def _unanswered(service: Service, request: AzureRequest, *, was_sent: bool) -> UnansweredRefusal:
    done = f"Try again. {_DONE}" if was_sent and not request.is_repeatable else "Try again."
    text = f"{service.name} could not be reached at {service.base_url}, or its response was incomplete. {done}"
    return UnansweredRefusal(text, was_sent=was_sent)
