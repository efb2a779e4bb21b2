"""Sends requests to Azure DevOps through one connection pool, shared by all hosts and callers of this process."""

from __future__ import annotations

from base64 import b64encode
from typing import Final

from azure.core.exceptions import AzureError

from clients.azure_devops.failures import UnreachableError
from clients.azure_devops.messages import DevOpsAnswer, DevOpsRequest
from clients.azure_devops.versions import Versions
from clients.pool import Pool
from clients.replies import TooLargeError
from clients.rest import Transport
from refusal import Refusal

# How often a request may be repeated with another API version: once with a supported version, and once with the
# preview of the supported version.
_MOST_VERSIONS: Final = 2
_DONE: Final = "First check whether the change was made."


def basic_authorization(token: str) -> str:
    """The Authorization header for a personal access token."""
    return f"Basic {b64encode(f':{token}'.encode()).decode()}"


class DevOpsConnection(Pool):
    """Sends requests to Azure DevOps over HTTP."""

    def __init__(self, *, patience: float = 20.0, transport: Transport | None = None) -> None:
        super().__init__(patience=patience, transport=transport)
        self._versions = Versions()

    async def send(
        self, base_url: str, request: DevOpsRequest, authorization: str, largest: int | None = None
    ) -> DevOpsAnswer:
        asked = self._versions.spoken(base_url, request)
        answer = await self._answer(base_url, asked, authorization, largest)
        for _ in range(_MOST_VERSIONS):
            if not self._versions.learn(base_url, asked, answer):
                break
            asked = self._versions.spoken(base_url, request)
            answer = await self._answer(base_url, asked, authorization, largest)
        return answer

    async def _answer(
        self, base_url: str, request: DevOpsRequest, authorization: str, largest: int | None
    ) -> DevOpsAnswer:
        # Without X-TFS-FedAuthRedirect, Azure DevOps returns a sign-in page if the credentials of a request are
        # invalid.
        signed = {"Authorization": authorization, "X-TFS-FedAuthRedirect": "Suppress"}
        query = {**request.query, "api-version": request.version}
        try:
            found = await self.answered(base_url, request, query, signed | request.present_headers, largest)
        except TooLargeError as error:
            raise _too_large(request) from error
        except AzureError as error:
            raise _unreachable(base_url, request) from error
        return DevOpsAnswer(found.status, found.headers, found.content, found.is_cut, found.is_of_change)


def _too_large(request: DevOpsRequest) -> Refusal:
    done = "Request less data." if request.is_repeatable else _DONE
    return Refusal(f"The response from Azure DevOps is too large. {done}")


def _unreachable(base_url: str, request: DevOpsRequest) -> UnreachableError:
    done = "Try again." if request.is_repeatable else f"Try again. {_DONE}"
    return UnreachableError(f"Cannot reach Azure DevOps at {base_url}, or its response was incomplete. {done}")
