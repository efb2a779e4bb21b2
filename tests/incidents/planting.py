"""Puts an incident into the fakes of Azure and Azure DevOps and into the updates, and serves an app that asks them."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from aiohttp import web

from tests.fakes.azure import troubles
from tests.fakes.azure.service import FakeAzure
from tests.fakes.azure.world import PRODUCTION
from tests.fakes.azure_devops import troubles as devops_troubles
from tests.fakes.azure_devops.service import FakeAzureDevOps
from tests.fakes.updates.api import Trouble, UpdatesApi
from tests.incidents.azure_past import AzurePast
from tests.incidents.devops_past import PROJECT, DevOpsPast
from tests.incidents.incident import Event, Incident, Json, dated
from tests.mcp_server.caller import Caller
from tests.offline import app_of, offline
from tests.tools.azure_devops.calling import TOKEN
from tests.tools.azure_devops.given import given
from tests.updates.syncing import moment, record
from tools.azure_updates.access import UPDATES

# `{organization}` in an incident is the address of the organization of Azure DevOps.
_ORGANIZATION: Final = "{organization}"
# Where each source of Azure is asked, as a part of the path.
_PLACES: Final = {
    "activity": "/eventtypes/management/values",
    "alerts": "/providers/Microsoft.AlertsManagement",
    "changes": "/providers/Microsoft.ResourceGraph/resources",
    "deployments": "/providers/Microsoft.Resources/deployments",
    "health": "/providers/Microsoft.ResourceHealth",
}
_DEVOPS_PLACES: Final = {
    "azure_devops": "/",
    "builds": "/_apis/build",
    "pull_requests": "/pullrequests",
    "releases": "/_apis/release",
}
_UPDATES: Final = "updates"
_ALERTS: Final = f"/subscriptions/{PRODUCTION}/providers/Microsoft.AlertsManagement/alerts"
_PLATFORM: Final = f"/subscriptions/{PRODUCTION}/providers/Microsoft.ResourceHealth/events"
NOT_CONFIGURED: Final = "not configured"
_FAILURES: Final = {
    "403": troubles.failing(403, "AuthorizationFailed", "The client does not have authorization to perform this."),
    "429": troubles.throttled(Retry_After="90"),
    "500": troubles.broken,
    "503": troubles.failing(503, "ServiceUnavailable", "The service is unavailable."),
}
TIMEOUT: Final = "timeout"
_DEVOPS_FAILURES: Final = {
    "401": devops_troubles.unauthorized,
    "403": devops_troubles.forbidden,
    "503": devops_troubles.unavailable_page,
    "sign-in": devops_troubles.sign_in_page(),
}


@dataclass(frozen=True)
class Planted:
    incident: Incident
    azure: FakeAzure
    azure_devops: FakeAzureDevOps
    caller: Caller
    # The ids of resources and groups, by their names.
    ids: Mapping[str, str]

    async def check(self) -> None:
        """The tool of each source finds what was planted in it."""
        found = {
            "change": await self._found("list_resource_changes", since="13d", max_results=200),
            "deployment": [
                one
                for group in {event.says["in"] for event in self.incident.of("deployment")}
                for one in await self._found("list_azure_deployments", resource_group=group)
            ],
            "pull_request": await self._found("list_pull_requests", project=PROJECT, status="completed"),
            "build": await self._found("list_builds", project=PROJECT),
            "release": await self._found("list_releases", project=PROJECT),
            "alert": await self._found("read_azure", path=_ALERTS, query={"timeRange": "30d"}),
            "platform": await self._found("read_azure", path=_PLATFORM),
        }
        for source, items in found.items():
            assert len(items) == len(self.incident.of(source)), source
        logged = {str(event["operationName"]["value"]) for event in self.azure.monitor.activity.events}
        assert logged >= {str(event.says["operation"]) for event in self.incident.of("activity")}

    async def _found(self, tool: str, **how: Any) -> Sequence[Any]:
        items: Sequence[Any] = (await given(self.caller, tool, **how))["items"]
        return items


def all_answer(incident: Incident) -> bool:
    """Whether the tools of all sources that `check` asks read them."""
    return set(incident.fails) <= {_UPDATES}


@asynccontextmanager
async def planted(incident: Incident, folder: Path) -> AsyncIterator[Planted]:
    """Serve the fakes with what happened in them, and an app for somebody who is `signed_in`."""
    azure, azure_devops = FakeAzure(), FakeAzureDevOps()
    async with azure.serving() as cloud, azure_devops.serving() as organization:
        told = _at(incident, organization)
        pipelines = DevOpsPast(azure_devops, told, organization)
        pipelines.plant()
        past = AzurePast(azure, told, pipelines)
        past.plant()
        feed = _feed(told)
        async with feed.serving() as updates:
            ended = asyncio.Event()
            _fail(told, azure, azure_devops, feed, ended)
            settings = {"AZURE_CLOUD": cloud, "AZURE_SUBSCRIPTION_ID": "Bakery Production", "UPDATES_API_URL": updates}
            settings |= _devops(told, organization) | {"UPDATES_SAMPLE": "false"}
            has_updates = _UPDATES not in told.fails
            async with _served(offline(folder / "kept") | settings, has_updates=has_updates) as caller:
                yield Planted(told, azure, azure_devops, caller, past.ids)
            ended.set()


@asynccontextmanager
async def _served(environment: dict[str, str], *, has_updates: bool) -> AsyncIterator[Caller]:
    app = app_of(environment)
    if has_updates:
        await (await app.providers.get(UPDATES)).library.settled()
    yield Caller(app.endpoint, "all")
    await app.close()


def _at(incident: Incident, organization: str) -> Incident:
    text = json.dumps([[_plain(one) for one in incident.events], incident.estate, incident.repositories])
    events, estate, repositories = json.loads(text.replace(_ORGANIZATION, organization))
    told = [Event(one.source, one.at, says, one.is_cause) for one, says in zip(incident.events, events, strict=True)]
    changed = {"events": told, "estate": estate, "repositories": repositories}
    return Incident(**{**vars(incident), **changed})


def _plain(event: Event) -> Json:
    return dict(event.says)


def _devops(incident: Incident, organization: str) -> dict[str, str]:
    if incident.fails.get("azure_devops") == NOT_CONFIGURED:
        return {}
    return {"ADO_ORG_URL": organization, "ADO_PAT": TOKEN, "ADO_PROJECT": PROJECT}


# The updates of Azure


def _feed(incident: Incident) -> UpdatesApi:
    others = [record(number) for number in range(30)]
    return UpdatesApi([*others, *(_announced(number, one) for number, one in enumerate(incident.of("update"), 500))])


def _announced(number: int, event: Event) -> Json:
    says, now = event.says, datetime.now(UTC)
    retirement = {"retires": "Retirement"}.get("retires" if "retires" in says else "", says.get("ring"))
    when = datetime.fromisoformat(dated(says.get("retires") or f"{event.at:%Y-%m-%d}", now)[:10])
    availability = {"ring": retirement or "General Availability", "year": when.year, "month": f"{when:%B}"}
    return record(
        number,
        title=says["about"],
        description=f"<p>{says.get('description', says['about'])}</p>",
        status=says.get("status"),
        tags=says.get("tags", ["Retirements"] if "retires" in says else ["Features"]),
        products=says["products"],
        productCategories=says.get("categories", ["Compute"]),
        availabilities=[availability],
        created=moment(event.at),
        modified=moment(event.at),
    )


# What fails


def _fail(
    incident: Incident, azure: FakeAzure, azure_devops: FakeAzureDevOps, feed: UpdatesApi, ended: asyncio.Event
) -> None:
    for source, how in incident.fails.items():
        if how == NOT_CONFIGURED:
            continue
        if source in _PLACES:
            azure.places[_PLACES[source]] = _silent(ended) if how == TIMEOUT else _FAILURES[how]
        elif source == _UPDATES:
            feed.troubles[Trouble.UNAVAILABLE] = 1
        else:
            azure_devops.places[_DEVOPS_PLACES[source]] = _DEVOPS_FAILURES[how]


def _silent(ended: asyncio.Event) -> troubles.Trouble:
    """No answer, for as long as anybody waits: the server waits for those that it still gives when it ends."""

    async def befall(_: web.BaseRequest) -> web.StreamResponse:
        await ended.wait()
        return web.Response()

    return befall
