"""Azure DevOps as it behaves, with state, over real HTTP: as Services with many hosts, or as a Server with one."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import asynccontextmanager
from typing import Final

from aiohttp import web

from tests.fakes import transport
from tests.fakes.azure_devops.approvals import Approvals
from tests.fakes.azure_devops.boards import Boards
from tests.fakes.azure_devops.builds import Builds
from tests.fakes.azure_devops.git import Git
from tests.fakes.azure_devops.iterations import Iterations
from tests.fakes.azure_devops.libraries import Libraries
from tests.fakes.azure_devops.people import People
from tests.fakes.azure_devops.permissions import Permissions
from tests.fakes.azure_devops.projects import Projects
from tests.fakes.azure_devops.pull_requests import PullRequests
from tests.fakes.azure_devops.releases import Releases
from tests.fakes.azure_devops.routes import Asked, Reply, Route, TroubleError
from tests.fakes.azure_devops.search import Search
from tests.fakes.azure_devops.sprints import Sprints
from tests.fakes.azure_devops.testplans import TestPlans
from tests.fakes.azure_devops.troubles import Trouble
from tests.fakes.azure_devops.wiki import Wikis
from tests.fakes.azure_devops.work_items import WorkItems
from tests.fakes.serving import serving_locally

ORGANIZATION: Final = "acme"
CLOUD: Final = "dev.azure.com"


class FakeAzureDevOps:
    """Answers by its routes, refuses what breaks their rules, and remembers what it was asked.

    A trouble befalls the next request, instead of its answer; one of `places` stays, and befalls every request whose
    path has that part; `delays` go with the next answers as Retry-After.
    """

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        # The version of the API that it speaks: that of Services, or of an older server.
        self.newest = "7.1"
        self.troubles: deque[Trouble] = deque()
        self.places: dict[str, Trouble] = {}
        self.delays: deque[str] = deque()
        self.people = People()
        self.projects = Projects(self.people)
        self.work_items = WorkItems(self.projects, self.people)
        self.git = Git(self.projects, self.people)
        self.pull_requests = PullRequests(self.git, self.work_items, self.people)
        self.builds = Builds(self.projects, self.people)
        self.approvals = Approvals(self.projects, self.people, self.builds)
        self.releases = Releases(self.projects, self.people)
        self.libraries = Libraries(self.projects)
        self.boards = Boards(self.projects, self.work_items)
        self.iterations = Iterations(self.projects)
        self.sprints = Sprints(self.projects, self.people, self.work_items, self.boards, self.iterations)
        self.wikis = Wikis(self.projects)
        self.permissions = Permissions(self.projects, self.git, self.wikis, self.builds, self.releases, self.iterations)
        self.test_plans = TestPlans(self.projects, self.work_items)
        self.search = Search(self.projects, self.work_items, self.wikis)

    @property
    def routes(self) -> Iterable[Route]:
        parts = (
            self.people,
            self.projects,
            self.work_items,
            self.git,
            self.pull_requests,
            self.builds,
            self.approvals,
            self.releases,
            self.libraries,
            self.boards,
            self.iterations,
            self.sprints,
            self.wikis,
            self.test_plans,
            self.search,
            self.permissions,
        )
        for part in parts:
            yield from part.routes

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[str]:
        """Serve on a free port of this machine, and answer the address of the organization there."""
        async with serving_locally(self.handle) as url:
            yield f"{url}/{ORGANIZATION}"

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        asked = await _asked(request)
        self.asked.append(asked)
        if self.troubles:
            return self.troubles.popleft()(request)
        if stays := next((trouble for part, trouble in self.places.items() if part in asked.path), None):
            return stays(request)
        try:
            reply = self._reply(asked)
        except TroubleError as trouble:
            reply = Reply(trouble.document, trouble.status)
        delay = {"Retry-After": self.delays.popleft()} if self.delays else {}
        return _response(reply, delay)

    def _reply(self, asked: Asked) -> Reply:
        if not asked.headers.get("Authorization"):
            raise TroubleError(401, "UnauthorizedRequestException", "TF400813: The user '' is not authorized.")
        for route in self.routes:
            places = route.places(asked)
            if places is not None:
                _check(route, asked, self.newest)
                self.projects.check(places)
                given = route.answer(_placed(asked, places))
                return given if isinstance(given, Reply) else Reply(given)
        message = f"The controller for path '{asked.path}' was not found or does not implement IController."
        return Reply(status=404, headers={"Content-Type": "text/plain; charset=utf-8"}, content=message.encode())


class Elsewhere(transport.Elsewhere):
    """Sends what is meant for the hosts of Azure DevOps Services to a fake, which sees the host that was meant."""

    def __init__(self, url: str) -> None:
        super().__init__(url.rpartition("/")[0], CLOUD)


async def _asked(request: web.BaseRequest) -> Asked:
    path, _, _ = request.raw_path.partition("?")
    organization = f"/{ORGANIZATION}/"
    assert path.startswith(organization), path
    host = (request.headers.get("Host") or "").removesuffix(CLOUD)
    virtual = host if host != request.headers.get("Host") else "any"
    return Asked(
        request.method,
        virtual,
        path.removeprefix(organization[:-1]),
        dict(request.query),
        request.headers.copy(),
        await request.read(),
    )


def _placed(asked: Asked, places: Mapping[str, str]) -> Asked:
    return Asked(asked.method, asked.host, asked.path, asked.query, asked.headers, asked.content, places)


def _check_version(route: Route, version: str | None, newest: str) -> None:
    number = (version or "").partition("-")[0]
    if number > newest:
        message = (
            f"The requested REST API version of {number} is out of range for this server. The latest REST API version"
            f" this server supports is {newest}."
        )
        raise TroubleError(400, "VssVersionOutOfRangeException", message)
    is_preview = "-preview" in route.version
    if is_preview and "-preview" not in (version or ""):
        message = "The resource is under preview. The -preview flag must be supplied in the api-version."
        raise TroubleError(400, "VssInvalidPreviewVersionException", message)
    wanted = {route.version} if newest == "7.1" else {newest + ("-preview" if is_preview else "")}
    if version not in wanted:
        raise TroubleError(400, "VssVersionNotSpecifiedException", f"{version} is not the version of {route.line}.")


def _check(route: Route, asked: Asked, newest: str) -> None:
    version, unknown = asked.query.get("api-version"), asked.query.keys() - route.query - {"api-version"}
    kind = asked.headers.get("Content-Type", "").partition(";")[0] or None
    if asked.host not in {"any", route.host}:
        raise TroubleError(404, "WrongHost", f"{asked.path} is not at {asked.host!r}.")
    _check_version(route, version, newest)
    if unknown:
        raise TroubleError(400, "UnknownQuery", f"{route.line} does not know {sorted(unknown)}.")
    if kind != route.content_type:
        raise TroubleError(415, "VssMediaTypeException", f"{route.line} does not take {kind}.")
    if asked.headers.get("X-TFS-FedAuthRedirect") != "Suppress":
        raise TroubleError(400, "NotSuppressed", "Without that header, a page would answer who is not signed in.")


def _response(reply: Reply, delay: Mapping[str, str]) -> web.Response:
    if reply.content is not None:
        body = reply.content if isinstance(reply.content, bytes) else _piece_by_piece(reply.content)
        return web.Response(body=body, status=reply.status, headers={**reply.headers, **delay})
    text = json.dumps(reply.document)
    headers = {"Content-Type": "application/json; charset=utf-8; api-version=7.1", **reply.headers, **delay}
    return web.Response(body=text.encode(), status=reply.status, headers=headers)


async def _piece_by_piece(content: Iterable[bytes]) -> AsyncIterator[bytes]:
    for piece in content:
        yield piece
