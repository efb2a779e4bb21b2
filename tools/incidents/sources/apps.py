"""Reads deployments to the affected applications: code, images and revisions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from clients.azure.apps.deployments import AppDeployment, recent_deployments
from clients.decoding import decoded
from incidents import event_kinds
from incidents.events import Event, commit_key, mapping, moment_of, number_keys, short
from incidents.inquiry import Inquiry
from incidents.neighbourhood import known_apps
from incidents.resources import IncidentResource

TYPES: Final = ("microsoft.web/sites", "microsoft.web/sites/slots", "microsoft.app/containerapps")
_MOST: Final = 50
_MOST_APPS: Final = 5

Read = Callable[[], Awaitable[list[Event]]]


def app_deployments(inquiry: Inquiry) -> Mapping[str, Read]:
    """Return a query per application."""
    apps = known_apps(inquiry.around, TYPES, _MOST_APPS)
    return {app.id.name: partial(_of_app, inquiry, app) for app in apps}


async def _of_app(inquiry: Inquiry, app: IncidentResource) -> list[Event]:
    page = await recent_deployments(inquiry.azure, app.id, _MOST)
    return [event for one in page.items if (event := _event(inquiry, app, one))]


def _event(inquiry: Inquiry, app: IncidentResource, made: AppDeployment) -> Event | None:
    moment = moment_of(made.ended or made.at)
    if moment is None or not inquiry.asked.has(moment):
        return None
    pipeline = pipeline_in(made.message)
    words = "" if pipeline else made.message
    about = ", ".join(filter(None, (made.image, words, made.commit[:10])))
    return Event(
        at=moment,
        source="app_deployments",
        kind=event_kinds.CODE,
        what=short(f"deployment {made.id[:40]}{' failed' if made.has_failed else ''}: {about}"),
        target=app.id.text,
        who=short(made.who),
        has_failed=made.has_failed,
        keys=frozenset(_keys(made, pipeline)),
        repository=repository_in(pipeline),
        see=short(pipeline.get("buildProjectUrl") or pipeline.get("repositoryUrl") or ""),
    )


def pipeline_in(message: str) -> Mapping[str, Any]:
    """Return the JSON data that a pipeline wrote in a deployment message. If a person wrote the message, return an
    empty object.
    """
    if not message.lstrip().startswith("{"):
        return {}
    try:
        return mapping(decoded(message))
    except (ValueError, RecursionError):
        return {}  # the message starts like JSON, but is not JSON


def repository_in(pipeline: Mapping[str, Any]) -> str:
    """Return the name of the repository that a pipeline built."""
    named = pipeline.get("repoName") or pipeline.get("repositoryName") or pipeline.get("repositoryUrl")
    return str(named or "").rstrip("/").removesuffix(".git").rpartition("/")[2]


def _keys(made: AppDeployment, pipeline: Mapping[str, Any]) -> Iterator[str]:
    """Yield the keys that link a deployment to its builds, releases and merged code."""
    if made.commit:
        yield commit_key(made.commit)
    if pipeline.get("buildId"):
        yield f"build:{pipeline['buildId']}"
    yield from number_keys(pipeline.get("buildNumber"))
    yield from tag_keys(made.image)


def tag_keys(image: str) -> Iterator[str]:
    """Yield the keys of the build that is named in the tag of an image."""
    yield from number_keys(image.rpartition("/")[2].partition(":")[2])
