"""Finds the subject of an incident: a resource, a resource group or an azd environment, by any of its names."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

from clients.answers import at
from clients.azure.change_reading import changes_of
from clients.azure.client import Azure, Subscription
from clients.azure.graph import text_of
from clients.azure.ids import ResourceId
from clients.azure.resource_scopes import names_of
from clients.folding import folded
from incidents import without_graph
from incidents.patience import Patience
from incidents.resources import IncidentResource, resources_where
from refusal import Refusal

AZD_ENVIRONMENT: Final = "azd-env-name"
_AZD_SERVICE: Final = "azd-service-name"
_GROUPS: Final = "type =~ 'microsoft.resources/subscriptions/resourcegroups'"
_NO_GRAPH: Final = "Resource Graph did not answer"
_MOST: Final = 50
_NAMED: Final = 10
_SHORTEST_PART: Final = 3
_SEGMENTS_OF_A_GROUP: Final = 4
# The resource types that are preferred if several resources have the same name.
_APPS: Final = re.compile(
    r"^microsoft\.(?:web/sites|web/staticsites|app/containerapps|app/jobs|containerservice/managedclusters"
    r"|compute/virtualmachines|compute/virtualmachinescalesets|logic/workflows|apimanagement/service|appplatform/.*"
    r"|containerinstance/containergroups)(?:/slots)?$"
)
_SIDE: Final = re.compile(
    r"^microsoft\.(?:insights|alertsmanagement|portal|operationalinsights|network/privateendpoints)"
)


class UnclearRefusal(Refusal):
    """Azure responded, but the name is ambiguous, or no resource with this name can be the subject."""


@dataclass(frozen=True, slots=True)
class Subject:
    """The subject of an incident, and a description of how it was found. For an environment or group,
    `groups` is set.
    """

    name: str
    found_by: str
    resources: tuple[IncidentResource, ...] = ()
    groups: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    is_by_graph: bool = True

    @property
    def is_one(self) -> bool:
        return not self.groups

    @property
    def subscriptions(self) -> list[str]:
        ids = [one.id for one in self.resources] + [ResourceId.of(group) for group in self.groups]
        return list(dict.fromkeys(one.subscription for one in ids))


async def found(azure: Azure, text: str, subscription: str | None, patience: Patience) -> Subject:
    """Find the subject by its name or id, in Resource Graph or, if that fails, in Resource Manager.

    Raises:
        Refusal: The caller can see nothing with this name, or the name is ambiguous. If the name is ambiguous, the
        message lists the candidates.
    """
    if not text.isprintable():
        raise Refusal("A name or id cannot contain line breaks or other invisible characters.")
    place = ResourceId.of(text) if text.startswith("/") else None
    asked = [] if place else await azure.asked_subscriptions(subscription)
    try:
        async with asyncio.timeout(patience.share):
            subject = await (_of_id(azure, place) if place else _by_graph(azure, [one.id for one in asked], text))
    except UnclearRefusal:
        raise
    except (Refusal, TimeoutError):
        subject = await (_of_read_id(azure, place, patience) if place else _by_lists(azure, asked, text))
    if subject is None:
        raise Refusal(
            f"No resource or azd environment that you can see in {names_of(asked)} has this name or host name."
            " To find resources by a part of the name, call list_resources. An id must start with /subscriptions/."
        )
    return subject


async def _by_graph(azure: Azure, where: Sequence[str], text: str) -> Subject | None:
    for way in (_named, _of_host, _like, _deleted):
        if subject := await way(azure, where, text):
            return subject
    return None


async def _deleted(azure: Azure, where: Sequence[str], text: str) -> Subject | None:
    """Find a deleted resource with this name."""
    tests = ["tostring(properties.changeType) =~ 'Delete'", f"what endswith {text_of(f'/{text}')}"]
    rows = [row for found in await changes_of(azure, where, tests, 1) for row in found.items]
    if not rows:
        return None
    place = ResourceId.of(str(at(rows[0], "properties.targetResourceId") or rows[0].get("what")))
    return Subject(place.text, "its name; it was deleted", (IncidentResource.unread(place),))


async def _by_lists(azure: Azure, asked: list[Subscription], text: str) -> Subject | None:
    """Find a resource by name in lists of Resource Manager. Default host names start with the resource name."""
    named = await without_graph.named(azure, asked, text)
    host = _host(text)
    if not named and host:
        named = await without_graph.named(azure, asked, host.partition(".")[0])
    groups = [one for one in named if one.is_group]
    if named and len(groups) == len(named):
        return replace(_group(groups), is_by_graph=False)
    if not named:
        return None
    subject = _foremost([one for one in named if not one.is_group], f"its name; {_NO_GRAPH}")
    own = await without_graph.read(azure, subject.resources[0].id)
    return replace(subject, resources=(own,), is_by_graph=False)


async def _of_read_id(azure: Azure, place: ResourceId, patience: Patience) -> Subject:
    if len(place.segments) == _SEGMENTS_OF_A_GROUP:
        return Subject(place.text, f"its id; {_NO_GRAPH}", groups=(place.text,), is_by_graph=False)
    try:
        async with asyncio.timeout(patience.share):
            own = await without_graph.read(azure, place)
    except TimeoutError:
        own = IncidentResource.unread(place)
    return Subject(place.text, f"its id; {_NO_GRAPH}", (own,), is_by_graph=False)


def _refuse_others(place: ResourceId) -> None:
    if place.is_list or len(place.segments) < _SEGMENTS_OF_A_GROUP:
        raise UnclearRefusal(
            "This is the id of a list or of a whole subscription. Pass a resource or a resource group."
        )


async def _of_id(azure: Azure, place: ResourceId) -> Subject:
    _refuse_others(place)
    if len(place.segments) == _SEGMENTS_OF_A_GROUP:
        return Subject(place.text, "its id", groups=(place.text,))
    known = await resources_where(azure, [place.subscription], f"id =~ {text_of(place.text)}", 1)
    if known:
        return Subject(place.text, "its id", (known[0],))
    return Subject(place.text, "its id; Azure no longer lists it", (await without_graph.read(azure, place),))


async def _named(azure: Azure, where: Sequence[str], text: str) -> Subject | None:
    name = text_of(text)
    tagged = " or ".join(f"tostring(tags['{tag}']) =~ {name}" for tag in (AZD_ENVIRONMENT, _AZD_SERVICE))
    resources = await resources_where(azure, where, f"name =~ {name} or {tagged}", _MOST)
    own = [one for one in resources if folded(_name(one)) == folded(text)]
    if own:
        return _foremost(own, "its name")
    test = f"{_GROUPS} and (name =~ {name} or tostring(tags['{AZD_ENVIRONMENT}']) =~ {name})"
    groups = await resources_where(azure, where, test, _MOST, table="resourcecontainers")
    named = [one for one in groups if folded(one.id.name) == folded(text)]
    if named:
        return _group(named)
    services = [one for one in resources if folded(str(one.tags.get(_AZD_SERVICE))) == folded(text)]
    return _environment(text, resources, groups) or (_foremost(services, "its azd service name") if services else None)


def _group(named: Sequence[IncidentResource]) -> Subject:
    if len(named) > 1:
        raise _several(named)
    return Subject(named[0].id.text, "the resource group of this name", groups=(named[0].id.text,))


def _environment(
    text: str, resources: Sequence[IncidentResource], groups: Sequence[IncidentResource]
) -> Subject | None:
    """Find an azd environment. azd tags the resources of an environment with its name."""
    own = [one for one in resources if folded(str(one.tags.get(AZD_ENVIRONMENT))) == folded(text)]
    places = {one.group: one.group for one in own} | {folded(one.id.text): one.id.text for one in groups}
    if not places:
        return None
    return Subject(text, "the azd environment of this name", tuple(own), tuple(places.values()))


async def _of_host(azure: Azure, where: Sequence[str], text: str) -> Subject | None:
    host = _host(text)
    if not host:
        return None
    named = await resources_where(azure, where, f"tostring(properties) contains {text_of(host)}", _MOST)
    whole = re.compile(rf"(?<![\w.-]){re.escape(host)}(?![\w.-])", re.IGNORECASE)
    exact = [one for one in named if whole.search(str(dict(one.properties)))]
    return _foremost(exact, "its host name") if exact else None


def _host(text: str) -> str:
    try:
        host = (urlsplit(text if "//" in text else f"//{text}").hostname or "").rstrip(".")
    except ValueError:
        return ""  # the text is not a valid URL
    return host if "." in host else ""


async def _like(azure: Azure, where: Sequence[str], text: str) -> Subject | None:
    """Find the resource whose name contains this text. Raise a refusal if several resources are equally likely."""
    if len(text) < _SHORTEST_PART:
        return None
    alike = await resources_where(azure, where, f"name contains {text_of(text)}", _MOST)
    return _foremost(alike, "a part of its name") if alike else None


def _foremost(candidates: Sequence[IncidentResource], found_by: str) -> Subject:
    """Return the most likely of several candidates.

    Raises:
        Refusal: Two candidates are equally likely.
    """
    ranked = sorted(candidates, key=_rank)
    best = [one for one in ranked if _rank(one) == _rank(ranked[0])]
    if len(best) > 1:
        raise _several(best)
    others = tuple(one.id.text for one in ranked[1 : _NAMED + 1])
    return Subject(best[0].id.text, found_by, (best[0],), others=others)


def is_app(resource: IncidentResource) -> bool:
    """Check whether users would call a resource of this type an application."""
    return bool(_APPS.search(resource.is_of))


def _rank(resource: IncidentResource) -> int:
    if is_app(resource):
        return 1 if resource.is_of.endswith("/slots") else 0
    return 3 if _SIDE.search(resource.is_of) else 2


def _several(candidates: Sequence[IncidentResource]) -> Refusal:
    ids = ", ".join(one.id.text for one in candidates[:_NAMED])
    more = f" and {len(candidates) - _NAMED} more" if len(candidates) > _NAMED else ""
    return UnclearRefusal(f"This name is ambiguous. Pass one of these ids: {ids}{more}. Ask the user if unclear.")


def _name(resource: IncidentResource) -> str:
    """Return the name of a resource in the format of Resource Graph, for example `shop-web/staging` for a slot."""
    return "/".join(resource.id.segments[7::2])
