"""Reads the deployments of an app: deployments of App Service and Functions, or revisions of Container Apps."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Self

from clients.azure.apps.sorts import CONTAINER_APP, SITE, SLOT
from clients.azure.client import Azure
from clients.azure.ids import ResourceId
from clients.azure.messages import ListPage, of_id
from clients.decoding import decoded

# App Service keeps at most this many deployments of an app, and most container apps have fewer revisions.
_MOST: Final = 200
_FAILED: Final = "failed"
_STATES: Final = ("pending", "building", "deploying", _FAILED, "succeeded", "conflict", "partially succeeded")
# The commit may be in one of these fields of a pipeline's JSON message.
_COMMITS: Final = ("sha", "commitId")
# The name of the person who deployed may be in one of these fields of a pipeline's JSON message.
_BY: Final = ("actor", "author", "requestedFor")
_SHORTEST_COMMIT: Final = 40
_HEXADECIMAL: Final = frozenset("0123456789abcdef")


@dataclass(frozen=True, slots=True)
class AppDeployment:
    """A deployment of an app, with the details that the app's service reports.

    For Container Apps, `state` is the provisioning state of a revision. For App Service, this module sets `state`.
    """

    id: str
    at: str
    state: str
    ended: str = ""
    who: str = ""
    commit: str = ""
    message: str = ""
    by_way_of: str = ""
    image: str = ""
    is_active: bool = False

    @property
    def has_failed(self) -> bool:
        return self.state.lower() == _FAILED

    @classmethod
    def of_site(cls, record: Mapping[str, Any]) -> Self:
        found = _properties(record)
        pipeline = _pipeline(str(found.get("message") or ""))
        name = str(found.get("id") or record.get("name") or "")
        return cls(
            id=name,
            at=str(found.get("received_time") or found.get("start_time") or ""),
            state=_state(found.get("status")),
            ended=str(found.get("end_time") or ""),
            who=_first(pipeline, _BY) or str(found.get("author") or found.get("author_email") or ""),
            commit=_first(pipeline, _COMMITS) or (name if _is_commit(name) else ""),
            message=str(found.get("message") or ""),
            by_way_of=str(found.get("deployer") or ""),
            is_active=found.get("active") is True,
        )

    @classmethod
    def of_revision(cls, record: Mapping[str, Any]) -> Self:
        found = _properties(record)
        template = found.get("template")
        containers = template.get("containers") if isinstance(template, Mapping) else None
        images = [str(one.get("image")) for one in containers or () if isinstance(one, Mapping) and one.get("image")]
        return cls(
            id=str(record.get("name") or ""),
            at=str(found.get("createdTime") or ""),
            state=str(found.get("provisioningState") or ""),
            message=str(found.get("provisioningError") or found.get("runningStateDetails") or ""),
            image=", ".join(images),
            is_active=found.get("active") is True,
        )


async def recent_deployments(azure: Azure, app: ResourceId, limit: int) -> ListPage:
    """Read the latest deployments of an app or slot, newest first.

    The list is empty for services such as AKS, which have no deployments.
    """
    if SITE.has(app) or SLOT.has(app):
        request = of_id("GET", app, "/deployments", version=SITE.version)
        return _newest(await azure.page(request, _MOST), AppDeployment.of_site, limit)
    if CONTAINER_APP.has(app):
        return _newest(await revisions(azure, app, _MOST), AppDeployment.of_revision, limit)
    return ListPage([])


async def revisions(azure: Azure, app: ResourceId, limit: int) -> ListPage:
    return await azure.page(of_id("GET", app, "/revisions", version=CONTAINER_APP.version), limit)


def _newest(page: ListPage, read: Callable[[Mapping[str, Any]], AppDeployment], limit: int) -> ListPage:
    found = sorted(map(read, page.items), key=lambda one: one.at, reverse=True)
    return ListPage(found[:limit], page.has_more or len(found) > limit, page.left_out)


def _properties(record: Mapping[str, Any]) -> Mapping[str, Any]:
    found = record.get("properties")
    return found if isinstance(found, Mapping) else {}


def _state(status: Any) -> str:
    return _STATES[status] if isinstance(status, int) and 0 <= status < len(_STATES) else str(status or "")


def _pipeline(message: str) -> Mapping[str, Any]:
    """The details that a pipeline wrote into the deployment message. Empty if the message is not JSON."""
    if not message.lstrip().startswith("{"):
        return {}
    try:
        found = decoded(message)
    except (ValueError, RecursionError):
        return {}  # a message that a person wrote, and that begins with a brace
    return found if isinstance(found, Mapping) else {}


def _first(record: Mapping[str, Any], names: tuple[str, ...]) -> str:
    return next((str(record[name]) for name in names if record.get(name)), "")


def _is_commit(text: str) -> bool:
    return len(text) == _SHORTEST_COMMIT and _HEXADECIMAL.issuperset(text)
