"""Sends requests to Azure Resource Manager with azd's sign-in."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from typing import Any
from urllib.parse import urlencode

from cannot_go_on import CannotGoOnError
from signed_in import SignedIn
from waiting import Clock
from web import BUSY, Web, WebAnswer

HOST = "https://management.azure.com"
MOST_PAGES = 100
# The status codes after which a request is retried. For a while, requests for a new resource may return 404.
BUSY_OR_NOT_YET_THERE = BUSY | {404}


class ResourceManager:
    def __init__(self, web: Web, clock: Clock) -> None:
        self._service = SignedIn(HOST, "Azure Resource Manager", web, clock)

    def get(self, path: str, version: str, query: Mapping[str, str] | None = None) -> WebAnswer:
        return self._service.ask("GET", _address(path, version, query))

    def post(self, path: str, version: str, again: Container[int] = BUSY) -> WebAnswer:
        return self.ask("POST", path, version, again=again)

    def ask(
        self, method: str, path: str, version: str, content: object = None, again: Container[int] = BUSY
    ) -> WebAnswer:
        return self._service.ask(method, _address(path, version), content, again)

    def pages(self, path: str, version: str, query: Mapping[str, str] | None = None) -> Iterator[WebAnswer]:
        """The pages of a list, up to the last page or the first error."""
        answer = self.get(path, version, query)
        yield answer
        for _ in range(MOST_PAGES):
            link = str(answer.content.get("nextLink") or "")
            if not link.startswith(f"{HOST}/"):
                return
            answer = self._service.ask("GET", link[len(HOST) :])
            yield answer


def entries(page: WebAnswer) -> Iterator[dict[str, Any]]:
    """The valid entries of a page."""
    found = page.content.get("value")
    yield from (entry for entry in (found if isinstance(found, list) else []) if isinstance(entry, dict))


def _address(path: str, version: str, query: Mapping[str, str] | None = None) -> str:
    if not path.startswith("/"):
        raise CannotGoOnError(f"{path!r} is not a resource id. Run 'azd provision', which sets the id.")
    return f"{path}?{urlencode({'api-version': version, **(query or {})})}"
