"""A service behind the tools that answers whatever an attacker would, and the calls that reach it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import web

from clients.azure_devops.connection import basic_authorization
from tests.fakes.azure_devops.service import Elsewhere
from tests.fakes.serving import serving_locally
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.calling import TOKEN, calling

Say = Callable[[web.BaseRequest], web.StreamResponse]
SIGNED: Final = basic_authorization(TOKEN).partition(" ")[2]
LARGEST_ANSWER: Final = 9 * 1024 * 1024
MOST_REQUESTS: Final = 120

# Readings of every kind: one thing, a list in each way of paging, a text, a file, a search.
READINGS: Final[dict[str, dict[str, Any]]] = {
    "get_work_item": {"id": 1, "includeComments": True, "includeRelations": True},
    "list_projects": {},
    "list_builds": {},
    "get_build_logs": {"buildId": 1},
    "get_file_content": {"repository": "shop", "path": "/x"},
    "list_pull_requests": {"repository": "shop"},
    "list_branches": {"project": "*"},
    "list_repositories": {"includeActivity": True},
    "compare_commits": {"repository": "shop", "base": "main", "target": "mend", "includeDiffs": True},
    "get_work_item_attachment": {"attachmentId": "0b1ec7ed-0000-4000-8000-0000000000ff"},
    "search_code": {"searchText": "x"},
    "list_work_items": {"query": "SELECT [System.Id] FROM WorkItems"},
    "get_wiki_page": {"wikiId": "w", "path": "/"},
    "get_current_user": {},
}


@dataclass
class Hostile:
    say: Say = lambda _: web.Response(status=500)
    asked: list[web.BaseRequest] = field(default_factory=list)

    async def answer(self, request: web.BaseRequest) -> web.StreamResponse:
        self.asked.append(request)
        # Whatever it says, it is asked below the organization, and by nobody else.
        assert request.raw_path.startswith("/acme/"), request.raw_path
        return self.say(request)


@asynccontextmanager
async def reached(hostile: Hostile) -> AsyncIterator[Caller]:
    async with serving_locally(hostile.answer) as url, calling(Elsewhere(f"{url}/acme"), project="Web") as caller:
        yield caller
