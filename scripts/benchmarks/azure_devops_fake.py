"""A fake Azure DevOps for two servers: this server, and the official server, which sends different requests."""

from __future__ import annotations

from dataclasses import replace
from typing import Final
from weakref import WeakSet

from aiohttp import web

from tests.fakes.azure_devops.git_store import NO_COMMIT, identifier
from tests.fakes.azure_devops.routes import Asked, Json, Reply, listed
from tests.fakes.azure_devops.service import CLOUD, ORGANIZATION, FakeAzureDevOps
from tests.mcp_server.caller import Caller
from tests.tools.azure_devops.given import given

PROJECT: Final = "Web"
REPOSITORY: Final = "shop"
BUG: Final = "The basket forgets what was put into it"
PULL_REQUESTS, BUILDS = 20, 50

# The location of one REST resource in each area: the id and name of the REST resource, and its URL template.
_LOCATIONS: Final = {
    "Location": ("e81700f7-3be2-46de-8624-2eb35882fcaa", "ResourceAreas", "_apis/{resource}/{areaId}"),
    "wit": ("72c7ddf8-2cdc-4f60-90cd-ab71c14a399b", "workItems", "{project}/_apis/{area}/{resource}/{id}"),
    "git": (
        "9946fd70-0d40-406e-b686-b4744cbbcc37",
        "pullRequests",
        "{project}/_apis/{area}/repositories/{repositoryId}/{resource}/{pullRequestId}",
    ),
    "build": ("0cd358e1-9217-4d94-8269-1c1ee6f93dcf", "builds", "{project}/_apis/{area}/{resource}/{buildId}"),
}
_AREAS: Final = {
    "wit": "5264459e-e5e0-4bd8-b118-0985e68a4ec5",
    "git": "4e080c62-fa21-4fbc-8fef-2a10a2b38049",
    "build": "965220d5-5bb9-42cf-8d67-9b146df2a5a4",
}
_STORY: Final = "<p>Whoever comes back after an <b>hour</b> finds the basket empty.</p>" * 12
_ROUTED: Final = "/_apis/"

# The official server's query parameters, and the parameters that this server sends instead.
_OUR_WORDS: Final = {
    ("$expand", "Relations"): "relations",
    ("searchCriteria.status", "1"): "active",
    ("queryOrder", "4"): "queueTimeDescending",
}
_NEEDLESS: Final = {"searchCriteria.repositoryId"}


class FakeForTwo(FakeAzureDevOps):
    """Translates the official server's requests, because they have no API version in the query.

    `connections` counts connections with at least one request.
    """

    def __init__(self) -> None:
        super().__init__()
        self.connections = 0
        self._open: WeakSet[object] = WeakSet()

    async def fill(self, caller: Caller) -> None:
        """Fill the fake with the data that the benchmark reads, partly with this server's own tools."""
        self.work_items.add(PROJECT, "Bug", BUG, Description=_STORY, AssignedTo="grace.brewster@example.com")
        for number in range(3):
            task = self.work_items.add(PROJECT, "Task", f"Look into shelf {number}")
            await given(caller, "link_work_items", sourceId=1, targetId=task, linkType="child")
        await self._fill_repository(caller)
        pipeline = self.builds.define(PROJECT, "shop-ci")
        for _ in range(BUILDS):
            self.builds.finish(self.builds.add(pipeline, reason="individualCI", sourceVersion=identifier("shop")))

    async def _fill_repository(self, caller: Caller) -> None:
        shop = self.git.add(PROJECT, REPOSITORY, {"/readme.md": b"# Shop"})
        main = shop.refs["refs/heads/main"]
        for number in range(1, PULL_REQUESTS + 1):
            made = shop.commit({"/readme.md": b"# Shop", "/new.md": b"%d" % number}, [main], "Change", "Ada Byron")
            shop.move(f"refs/heads/change-{number}", NO_COMMIT, made, "Ada Byron")
            branches = {"sourceBranch": f"change-{number}", "targetBranch": "main"}
            named = {"project": PROJECT, "repository": REPOSITORY, "title": f"Change {number}", **branches}
            await given(caller, "create_pull_request", **named, reviewers=["grace.brewster@example.com"])

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        if request.transport not in self._open:
            self.connections += 1
            self._open.add(request.transport)
        return await super().handle(request)

    def _reply(self, request: Asked) -> Reply:
        if "api-version" in request.query:
            return super()._reply(request)
        if request.method == "OPTIONS":
            return Reply(listed([_location(request.path.removeprefix(_ROUTED))]))
        if request.path == f"{_ROUTED}ResourceAreas":
            return Reply(listed([_area(name, key) for name, key in _AREAS.items()]))
        return super()._reply(_in_our_words(request))


def _location(area: str) -> Json:
    key, name, template = _LOCATIONS[area]
    versions = {"resourceVersion": 7, "minVersion": "1.0", "maxVersion": "7.2", "releasedVersion": "7.1"}
    return {"id": key, "area": area, "resourceName": name, "routeTemplate": template, **versions}


def _area(name: str, key: str) -> Json:
    return {"id": key, "name": name, "locationUrl": f"https://{CLOUD}/{ORGANIZATION}/"}


def _in_our_words(request: Asked) -> Asked:
    query = {name: value for name, value in request.query.items() if name not in _NEEDLESS}
    ours = {name: _OUR_WORDS.get((name, value), value) for name, value in query.items()}
    return replace(request, query={**ours, "api-version": "7.1"})
