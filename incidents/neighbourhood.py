"""Explores the neighbourhood of the subject: the resources that it uses, the resources that use it, its group and its
subscription.

Each resource has a link, which says how closely the resource is related to the subject.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final

from clients.answers import Json
from clients.azure.client import Azure
from clients.azure.graph import ready_made, rows_of, text_of
from clients.azure.ids import ResourceId
from clients.folding import folded
from clients.side_by_side import side_by_side
from incidents import without_graph
from incidents.events import Certainty, Relation, SubjectLink
from incidents.patience import Patience
from incidents.resources import IncidentResource, among, places_above, resources_where
from incidents.subject import AZD_ENVIRONMENT, Subject, is_app

_MOST: Final = 200
_MOST_PRINCIPALS: Final = 10
_MOST_DEPENDENCIES: Final = 12
_MOST_MEMBERS: Final = 12
_MOST_OWN_REFERENCES: Final = 60
_SEGMENTS_OF_A_RESOURCE: Final = 8
_SHORTEST_NAME: Final = 4

ITSELF: Final = SubjectLink(Certainty.CERTAIN, 1.0, Relation.ITSELF, "the subject itself")
_SYMPTOMATIC: Final = SubjectLink(Certainty.CERTAIN, 1.0, Relation.ITSELF, "shows the symptom")
_PART_OF_IT: Final = SubjectLink(Certainty.CERTAIN, 0.95, Relation.GROUP, "in the group")
_BESIDE: Final = SubjectLink(Certainty.CERTAIN, 0.75, Relation.GROUP, "in the group")
_SLOT: Final = SubjectLink(Certainty.POSSIBLE, 0.4, Relation.SLOT, "a slot of the app, not the app itself")
_NAMESAKE: Final = SubjectLink(Certainty.LIKELY, 0.7, Relation.NAME, "is named after a related resource")
_ITS_HOST: Final = SubjectLink(Certainty.LIKELY, 0.9, Relation.NAME, "contains its host name")
_WHOLE: Final = SubjectLink(Certainty.LIKELY, 0.9, Relation.PARENT, "its parent resource")
_USES: Final = SubjectLink(Certainty.LIKELY, 0.85, Relation.USED, "used in its settings")
_MAY_USE: Final = SubjectLink(Certainty.LIKELY, 0.85, Relation.USED, "its identity has a role there")
_USED_BY: Final = SubjectLink(Certainty.LIKELY, 0.75, Relation.USER, "has settings that refer to it")
_BEHIND: Final = SubjectLink(Certainty.LIKELY, 0.65, Relation.USED, "belongs to a resource that it uses")
_SHARING: Final = SubjectLink(Certainty.POSSIBLE, 0.45, Relation.PEER, "uses the same resources")
_SAME_ENVIRONMENT: Final = SubjectLink(Certainty.POSSIBLE, 0.65, Relation.GROUP, "in the same azd environment")
_NEEDED: Final = SubjectLink(Certainty.POSSIBLE, 0.65, Relation.GROUP, "in its group, of a type that applications use")
_NEAR: Final = SubjectLink(Certainty.POSSIBLE, 0.4, Relation.GROUP, "in its group")
_GROUP: Final = SubjectLink(Certainty.LIKELY, 0.7, Relation.GROUP, "its resource group")
_SUBSCRIPTION: Final = SubjectLink(Certainty.POSSIBLE, 0.4, Relation.SUBSCRIPTION, "its subscription")
_ELSEWHERE: Final = SubjectLink(Certainty.POSSIBLE, 0.25, Relation.SUBSCRIPTION, "in its subscription")
# Types of resources that an application usually uses if they are in its resource group.
_USUAL: Final = re.compile(
    r"microsoft\.(?:sql|dbfor\w+|storage|keyvault|cache|documentdb|servicebus|eventhub|network|managedidentity|cdn"
    r"|appconfiguration|containerregistry|apimanagement|search|cognitiveservices|signalrservice|web/serverfarms"
    r"|app/managedenvironments|authorization)(?:/|$)"
)
_REGISTRY: Final = re.compile(r"^([a-z0-9]+)\.azurecr\.", re.IGNORECASE)


@dataclass(slots=True)
class Neighbourhood:
    """The subject with all related resources. Answers contain `unread`, which describes the failed queries."""

    subject: Subject
    links: dict[str, SubjectLink] = field(default_factory=dict)
    resources: dict[str, IncidentResource] = field(default_factory=dict)
    principals: frozenset[str] = frozenset()
    unread: list[Json] = field(default_factory=list)

    def add(self, resource: IncidentResource, link: SubjectLink) -> None:
        """Add a resource. If a resource has several links to the subject, the closest link counts."""
        self.resources.setdefault(resource.id.key, resource)
        self.add_place(resource.id.text, link)

    def add_place(self, place: str, link: SubjectLink) -> None:
        known = self.links.get(folded(place))
        if known is None or known.closeness < link.closeness:
            self.links[folded(place)] = link

    def link(self, target: str) -> SubjectLink | None:
        """Return the link between the target and the subject, or None if they are unrelated. The target is a resource,
        a resource group or a subscription.
        """
        if self._is_of_slot(folded(target)):
            return _SLOT
        for place in places_above(target):
            if place in self.links and not (
                self.links[place] is _SUBSCRIPTION and "/resourcegroups/" in folded(target)
            ):
                return self.links[place]
        return self._from_above(folded(target).rstrip("/"))

    def _is_of_slot(self, target: str) -> bool:
        """Check whether the target is a deployment slot of the subject, or belongs to one."""
        owner, slot, _ = target.partition("/slots/")
        return bool(slot) and self.subject.is_one and any(own.id.key == owner for own in self.subject.resources)

    def swapped(self, target: str) -> SubjectLink | None:
        """Return the link between a slot swap and the subject.

        Azure logs a swap only for the slot, but the swap changes the app, too.
        """
        return self.link(folded(target).partition("/slots/")[0])

    def _from_above(self, target: str) -> SubjectLink | None:
        if any(own.id.key.startswith(f"{target}/") for own in self.subject.resources) and "/providers/" in target:
            return _WHOLE
        if "/providers/" in target and (named := self._by_name(target)):
            return named
        subscription = target.split("/")[2] if target.startswith("/subscriptions/") else ""
        return _ELSEWHERE if subscription in map(folded, self.subscriptions) else None

    def _by_name(self, target: str) -> SubjectLink | None:
        """Link a resource if it is a DNS record of the subject's host name, or has the name of a related resource."""
        names = target.rpartition("/providers/")[2].split("/")[2::2]
        hosts = {host.lower() for one in self.subject.resources for host in one.hosts}
        if len(names) > 1 and f"{names[-1]}.{names[0]}" in hosts:
            return _ITS_HOST
        return _NAMESAKE if self._near_names & {names[-1]} and len(names[-1]) >= _SHORTEST_NAME else None

    @property
    def _near_names(self) -> frozenset[str]:
        near = (key for key in self.resources if self.links[key].closeness >= _NEEDED.closeness)
        return frozenset(key.rpartition("/")[2] for key in near)

    @property
    def subscriptions(self) -> list[str]:
        """Return the subscriptions of the subject and of the resources that are likely related to it."""
        sure = [one.id for key, one in self.resources.items() if self.links[key].certainty > Certainty.POSSIBLE]
        found = [*self.subject.subscriptions, *(one.subscription for one in sure if one.subscription)]
        return list({folded(one): one for one in reversed(found)}.values())[::-1]

    def show_symptom(self, targets: Iterable[str]) -> None:
        """If the subject is a group, mark its resources with the symptom, because changes to these resources matter
        more.
        """
        shown = [one for one in targets if self.link(one) is _PART_OF_IT and "/providers/" in one]
        if not shown:
            return
        self.links = {place: _BESIDE if link is _PART_OF_IT else link for place, link in self.links.items()}
        for target in shown:
            self.add_place(target, _SYMPTOMATIC)

    def closest(self, targets: Iterable[str]) -> SubjectLink | None:
        links = [link for target in targets if (link := self.link(target))]
        return max(links, key=lambda link: link.closeness, default=None)

    @property
    def groups(self) -> list[str]:
        """Return the resource groups of all related resources, starting with the group of the subject."""
        own = [one.group for one in self.subject.resources] + [folded(group) for group in self.subject.groups]
        ranked = sorted(self.resources.values(), key=lambda one: -self.links[one.id.key].closeness)
        near = [one.group for one in ranked if self.links[one.id.key].certainty > Certainty.POSSIBLE]
        return list(dict.fromkeys([*own, *near]))

    def of_type(self, *types: str) -> list[IncidentResource]:
        """Return the related resources of these types, closest first."""
        found = [one for one in self.resources.values() if one.is_of in types]
        return sorted(found, key=lambda one: -self.links[one.id.key].closeness)


async def around(azure: Azure, subject: Subject, patience: Patience) -> Neighbourhood:
    """Explore in steps: the resource group, the related resources, and the neighbours of the related resources."""
    found = Neighbourhood(subject, principals=_principals(subject.resources))
    _know_places(found)
    look = _Looking(azure, found)
    for steps in (look.members, look.first, look.second):
        reading = await side_by_side(dict(steps()), _done, seconds=patience.share, seconds_each=patience.left)
        found.unread += [
            {"source": name, "why": reading.reason(name) if name in reading.failed else patience.why}
            for name in reading.names
            if name not in reading.read
        ]
    return found


async def _done(step: Any) -> None:
    await step()


def _principals(resources: Iterable[IncidentResource]) -> frozenset[str]:
    return frozenset(principal for one in resources for principal in one.principals)


def _know_places(found: Neighbourhood) -> None:
    subject = found.subject
    for one in subject.resources:
        found.add(one, ITSELF)
        found.add_place(one.group, _GROUP)
    for group in subject.groups:
        found.add_place(group, _PART_OF_IT if not subject.resources else _GROUP)
    for subscription in subject.subscriptions:
        found.add_place(f"/subscriptions/{subscription}", _SUBSCRIPTION)


@dataclass(frozen=True, slots=True)
class _Looking:
    azure: Azure
    found: Neighbourhood

    def members(self) -> Mapping[str, Any]:
        """The first step for a resource group: list its resources, which are the starting points of the later steps."""
        if not self.found.subject.is_by_graph:
            return {"resources in its group": self._listed}
        return {} if self.found.subject.is_one else {"resources in its group": self._in_groups}

    def first(self) -> Mapping[str, Any]:
        subject = self.found.subject
        if not subject.is_by_graph:
            return {}
        steps = {"resources in its group": self._in_groups} if subject.is_one else {}
        if subject.resources:
            steps |= {"resources that it uses": self._used, "resources that use it": self._using}
        if self.found.principals:
            steps |= {"roles of its identity": self._roles}
        return steps

    def second(self) -> Mapping[str, Any]:
        has_more = self.found.subject.is_by_graph and self._dependencies()
        return {"resources behind those that it uses": self._behind} if has_more else {}

    async def _listed(self) -> None:
        """Read related resources from Resource Manager alone, without Resource Graph. These are the resources to
        which the subject's settings refer, and the resources in the subject's group.
        """
        subject = self.found.subject
        for reference in (reference for one in subject.resources for reference in one.references):
            self._add_reference(reference, _USES)
        for one in await without_graph.in_group(self.azure, ResourceId.of(self.found.groups[0])):
            self.found.add(one, self._link_in_group(subject, one))
        self._know_members()

    async def _in_groups(self) -> None:
        subject = self.found.subject
        tests = [self._in_group(group) for group in self.found.groups[:3]]
        for one in await self._where(" or ".join(tests)):
            self.found.add(one, self._link_in_group(subject, one))
        self._know_members()

    def _know_members(self) -> None:
        """If the subject is a group, replace it with its resources, applications first."""
        subject = self.found.subject
        if subject.is_one or subject.resources:
            return
        members = sorted(self.found.resources.values(), key=lambda one: not is_app(one))
        self.found.subject = replace(subject, resources=tuple(members[:_MOST_MEMBERS]))
        self.found.principals = _principals(members)

    def _in_group(self, group: str) -> str:
        place = ResourceId.of(group)
        return f"(subscriptionId =~ {text_of(place.subscription)} and resourceGroup =~ {text_of(place.group)})"

    def _link_in_group(self, subject: Subject, one: IncidentResource) -> SubjectLink:
        if subject.groups:
            return _PART_OF_IT
        own = subject.resources[0].tags.get(AZD_ENVIRONMENT)
        if own and one.tags.get(AZD_ENVIRONMENT) == own:
            return _SAME_ENVIRONMENT
        return _NEEDED if _USUAL.match(one.is_of) else _NEAR

    async def _used(self) -> None:
        own = self.found.subject.resources
        references = list(dict.fromkeys(reference for one in own for reference in one.references))
        for reference in references:
            self._add_reference(reference, _USES)
        tests = [among("id", references[:_MOST_OWN_REFERENCES])] if references else []
        if registries := _registries(own):
            names = among("name", registries)
            tests.append(f"(type =~ 'microsoft.containerregistry/registries' and {names})")
        if tests:
            for one in await self._where(" or ".join(tests)):
                self.found.add(one, _USES)

    def _add_reference(self, reference: str, link: SubjectLink) -> None:
        """Add a referenced resource and its parent, for example a subnet and its network."""
        self.found.add_place(reference, link)
        parts = reference.split("/")
        self.found.add_place("/".join(parts[: _SEGMENTS_OF_A_RESOURCE + 1]), link)

    async def _using(self) -> None:
        own = {one.id.key: one for one in self.found.subject.resources}
        names = [name for one in own.values() for name in (one.id.text, *one.hosts)]
        for one in await self._where(" or ".join(f"tostring(properties) contains {text_of(name)}" for name in names)):
            if one.id.key not in own:
                self.found.add(one, _USED_BY)

    async def _roles(self) -> None:
        principals = among("tostring(properties.principalId)", sorted(self.found.principals)[:_MOST_PRINCIPALS])
        steps = (f"where {principals}", "project id, scope = tostring(properties.scope)", "order by id asc")
        question = ready_made(await self._everywhere(), "authorizationresources", *steps)
        for row in (await rows_of(self.azure.send, question, _MOST)).items:
            scope = str(row.get("scope") or "")
            if "/providers/" in scope:
                self.found.add_place(scope, _MAY_USE)

    def _dependencies(self) -> Sequence[str]:
        """Return the IDs of the resources that the subject itself uses. Other resources in its group are left out."""
        links = self.found.links.items()
        used = [place for place, link in links if link in {_USES, _MAY_USE} and "/providers/" in place]
        return used[:_MOST_DEPENDENCIES]

    async def _behind(self) -> None:
        """Add the resources, including other apps, that refer to a resource that the subject uses. Also add the
        resources to which the subject's networks refer.
        """
        used = self._dependencies()
        named = " or ".join(f"tostring(properties) contains {text_of(place)}" for place in used)
        for one in await self._where(f"{among('id', used)} or {named}"):
            if one.id.key in used:
                self._know_used(one)
            elif is_app(one):
                self.found.add(one, _SHARING)
            else:
                self.found.add(one, _BEHIND)
                self._add_reference(one.id.text, _BEHIND)

    def _know_used(self, one: IncidentResource) -> None:
        self.found.add(one, self.found.links[one.id.key])
        if _is_of_network(one):
            for reference in one.references:
                self._add_reference(reference, _BEHIND)

    async def _where(self, test: str) -> list[IncidentResource]:
        return await resources_where(self.azure, await self._everywhere(), test, _MOST)

    async def _everywhere(self) -> list[str]:
        """Return all subscriptions, because a resource that the subject uses, such as a container registry, can be in
        any subscription.
        """
        return [one.id for one in await self.azure.subscriptions()]


def _is_of_network(resource: IncidentResource) -> bool:
    return resource.is_of.startswith("microsoft.network/")


def known_apps(found: Neighbourhood, types: Sequence[str], most: int) -> list[IncidentResource]:
    """Return the subject's applications: the resource itself, or the applications in the group or environment."""
    own = [one for one in found.subject.resources if one.is_of in types]
    if found.subject.groups and not own:
        own = found.of_type(*types)
    return own[:most]


def _registries(resources: Sequence[IncidentResource]) -> list[str]:
    """The names of the registries that contain the container images of these resources."""
    images = (image for one in resources for image in one.images)
    return [found[1] for image in images if (found := _REGISTRY.match(image))]
