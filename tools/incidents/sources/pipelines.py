"""Reads Azure DevOps builds, releases per environment, and changes to pipelines and release definitions."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial
from typing import Any, Final

from clients.answers import Json, at
from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from clients.azure_devops.paging import HEADER_TOKEN
from incidents import event_kinds
from incidents.events import Event, Setting, commit_key, mapping, moment_of, number_keys, short
from incidents.question import IncidentQuestion, written
from tools.azure_devops.releases.records import latest_deployment, release_request
from tools.azure_devops.shared.build_records import builds, definitions
from tools.azure_devops.shared.withheld import variables_of, without_secrets

_MOST: Final = 100
_MOST_BUILDS: Final = 200
_LONGEST_BUILD: Final = timedelta(hours=6)
_MOST_DEFINITIONS: Final = 200
_LONGEST: Final = 4000
_FAILED: Final = frozenset({"failed", "rejected", "canceled"})

Read = Callable[[], Awaitable[list[Event]]]


def built(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> Read:
    return partial(_builds, devops, asked, project)


def released(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> Read:
    return partial(_releases, devops, asked, project)


def variables_changed(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> Read:
    return partial(_variable_groups, devops, asked, project)


def pipelines_changed(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> Read:
    return partial(_build_definitions, devops, asked, project)


def release_definitions_changed(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> Read:
    return partial(_release_definitions, devops, asked, project)


def person(value: Any) -> str:
    """Return the display name of a person."""
    found = mapping(value)
    return short(found.get("displayName") or found.get("uniqueName") if found else value)


async def _builds(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> list[Event]:
    # The query filters by queue time, which may be much earlier than the finish time.
    page = await builds(devops, project, {"minTime": written(asked.since - _LONGEST_BUILD)}, _MOST_BUILDS)
    return [event for build in page.items if (event := _build(asked, build))]


def _build(asked: IncidentQuestion, build: Mapping[str, Any]) -> Event | None:
    moment = moment_of(build.get("finishTime") or build.get("startTime") or build.get("queueTime"))
    if moment is None or not asked.has(moment):
        return None
    result = str(build.get("result") or build.get("status") or "")
    name, repository = str(at(build, "definition.name") or ""), str(at(build, "repository.name") or "")
    said = mapping(build.get("triggerInfo")).get("ci.message")
    is_check = build.get("reason") == "pullRequest"
    return Event(
        at=moment,
        source="azure_devops_builds",
        kind=event_kinds.ROUTINE if is_check else event_kinds.BUILT,
        what=short(f"{name} {build.get('buildNumber')} {result}{': ' + str(said) if said else ''}"),
        who=person(build.get("requestedFor")),
        has_failed=result in _FAILED,
        keys=frozenset(_keys_of_build(build)),
        names=(name, repository),
        words=_words(build.get("parameters"), build.get("templateParameters"), build.get("tags")),
        repository=repository,
        see=short(at(build, "_links.web.href")),
    )


def _keys_of_build(build: Mapping[str, Any]) -> Iterator[str]:
    yield f"build:{build.get('id')}"
    if build.get("buildNumber"):
        yield f"number:{str(build['buildNumber']).lower()}"
    if build.get("sourceVersion") and build.get("reason") != "pullRequest":
        yield commit_key(str(build["sourceVersion"]))


def _words(*values: Any) -> str:
    return json.dumps([value for value in values if value], ensure_ascii=False, default=str)[:_LONGEST]


async def _releases(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> list[Event]:
    query = {"$expand": "environments,artifacts,variables"}
    request = release_request("GET /{project}/_apis/release/releases", devops.project(project))
    page = await devops.page(replace(request, query=query), HEADER_TOKEN, _MOST)
    releases = without_secrets(page.items)
    return [
        replace(event, settings=settings)
        for release, settings in zip(releases, _variables_changed(releases), strict=True)
        for event in _deployed(asked, release)
    ]


def _variables_changed(releases: Sequence[Mapping[str, Any]]) -> list[tuple[Setting, ...]]:
    """For each release, return the variables whose values differ from the values in the previous release."""
    found: list[tuple[Setting, ...]] = []
    before: dict[Any, Json] = {}
    for release in reversed(releases):
        definition, now = at(release, "releaseDefinition.id"), dict(mapping(variables_of(release)["variables"]))
        known = before.get(definition, now)
        names = [name for name in {**known, **now} if known.get(name) != now.get(name)]
        found.append(tuple(Setting(f"variables.{name}", known.get(name), now.get(name)) for name in names))
        before[definition] = now
    return found[::-1]


def _deployed(asked: IncidentQuestion, release: Mapping[str, Any]) -> Iterator[Event]:
    """Yield an event for each environment to which a release was deployed."""
    for environment in release.get("environments") or ():
        step = latest_deployment(environment)
        moment = moment_of(step.get("lastModifiedOn") or environment.get("modifiedOn") or step.get("queuedOn"))
        if step and moment and asked.has(moment):
            yield _deployment(release, environment, step, moment)


def _deployment(
    release: Mapping[str, Any], environment: Mapping[str, Any], step: Mapping[str, Any], moment: datetime
) -> Event:
    definition, place = str(at(release, "releaseDefinition.name") or ""), str(environment.get("name") or "")
    status = str(step.get("status") or environment.get("status") or "")
    about = f": {release['description']}" if release.get("description") else ""
    artifacts = [mapping(one.get("definitionReference")) for one in release.get("artifacts") or () if mapping(one)]
    repositories = [str(at(one, "repository.name") or "") for one in artifacts]
    keys = (key for one in artifacts for key in _keys_of_artifact(one))
    return Event(
        at=moment,
        source="azure_devops_releases",
        kind=event_kinds.RELEASED,
        what=short(f"{definition} {release.get('name')} to {place} {status}{about}"),
        who=person(step.get("requestedBy") or release.get("modifiedBy") or release.get("createdBy")),
        has_failed=status in _FAILED,
        keys=frozenset((_told_twice(definition, release, moment), *keys)),
        names=(definition, *(str(at(one, "definition.name") or "") for one in artifacts), *repositories),
        words=_words(release.get("variables"), environment.get("variables"), release.get("description"), place),
        repository=next(filter(None, repositories), ""),
        see=short(at(release, "_links.web.href")),
    )


def _told_twice(what: str, record: Mapping[str, Any], moment: datetime) -> str:
    """Return a key that identifies a record. A record that several projects return has the same key in each project."""
    return f"shared:{what}:{record.get('id')}:{moment}"


def _keys_of_artifact(reference: Mapping[str, Any]) -> Iterator[str]:
    version = mapping(reference.get("version"))
    yield from number_keys(version.get("name"))
    if version.get("id"):
        yield f"build:{version['id']}"
    if commit := at(reference, "sourceVersion.id"):
        yield commit_key(str(commit))


async def _variable_groups(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> list[Event]:
    request = DevOpsRequest("GET /{project}/_apis/distributedtask/variablegroups", {"project": devops.project(project)})
    page = await devops.page(request, HEADER_TOKEN, _MOST_DEFINITIONS)
    found = (
        _edited(asked, "azure_devops_variables", "variable group", one, "modifiedOn")
        for one in without_secrets(page.items)
    )
    return list(filter(None, found))


async def _build_definitions(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> list[Event]:
    page = await definitions(devops, project, None, None, _MOST_DEFINITIONS)
    # In this list, `createdDate` is the time of a pipeline's newest revision.
    found = (_edited(asked, "azure_devops_pipelines", "pipeline", one, "createdDate") for one in page.items)
    return list(filter(None, found))


async def _release_definitions(devops: AzureDevOps, asked: IncidentQuestion, project: str) -> list[Event]:
    request = release_request("GET /{project}/_apis/release/definitions", devops.project(project))
    page = await devops.page(request, HEADER_TOKEN, _MOST_DEFINITIONS)
    found = (
        _edited(asked, "azure_devops_release_definitions", "release definition", one, "modifiedOn")
        for one in without_secrets(page.items)
    )
    return list(filter(None, found))


def _edited(asked: IncidentQuestion, source: str, what: str, record: Mapping[str, Any], when: str) -> Event | None:
    moment = moment_of(record.get(when))
    if moment is None or not asked.has(moment):
        return None
    name = str(record.get("name") or "")
    return Event(
        at=moment,
        source=source,
        kind=event_kinds.PIPELINE,
        what=short(f"{what} {name} changed"),
        who=person(record.get("modifiedBy") or record.get("authoredBy")),
        keys=frozenset({_told_twice(what, record, moment)}),
        names=(name,),
        words=_words(record.get("variables"), record.get("description")),
        see=short(at(record, "_links.web.href")),
    )
