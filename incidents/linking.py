"""Links Azure DevOps events to an application by URL, deployment or name."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final

from clients.folding import folded
from incidents.events import Certainty, Event, Relation, SubjectLink
from incidents.likeness import AKIN, SAME, is_elsewhere, is_named_in, likeness
from incidents.resources import IncidentResource
from incidents.subject import Subject, is_app

_ADDRESS: Final = re.compile(r"/_git/([^/?#\s]+)|(?:github\.com|gitlab\.com|bitbucket\.org)/[^/\s]+/([^/?#\s]+)")
_TELLING_TAGS: Final = re.compile(r"repo|git|source|service|app|component|workload|project", re.IGNORECASE)
_ENVIRONMENT_TAGS: Final = ("environment", "env", "stage")
_OTHER_PLACE: Final = 0.35


@dataclass(slots=True)
class Linked:
    """Links Azure DevOps events to the subject.

    `known` maps each repository to the reason why it belongs to the subject. `names` contains the names of the subject.
    """

    names: tuple[str, ...]
    own: tuple[str, ...]
    places: tuple[str, ...]
    known: dict[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, subject: Subject) -> Linked:
        linked = cls(tuple(dict.fromkeys(_names(subject))), tuple(_own_names(subject)), tuple(_places(subject)))
        for resource in subject.resources:
            for name, value in resource.tags.items():
                linked._learn_tag(str(name), str(value))
        return linked

    def _learn_tag(self, name: str, value: str) -> None:
        for found in _ADDRESS.finditer(value):
            self.learn((found[1] or found[2]).removesuffix(".git"), f"the tag {name} contains the repository's URL")
        if "repo" in name.lower() and "://" not in value:
            self.learn(value.rpartition("/")[2], f"the tag {name} contains the repository's name")

    def learn(self, repository: str, why: str) -> None:
        if repository:
            self.known.setdefault(folded(repository), why)

    def link(self, event: Event) -> SubjectLink | None:
        """Return the link from an Azure DevOps event to the application, with the link's certainty. Return None if the
        event is unrelated to the application.
        """
        found = self._link(event)
        if found and is_elsewhere(self.places, f"{event.words} {' '.join(event.names)}"):
            return replace(
                found, closeness=found.closeness * _OTHER_PLACE, why=f"{found.why}, but for another environment"
            )
        return found

    def is_for_others(self, events: Iterable[Event]) -> bool:
        """Check whether a group of events contains releases, all of which were deployed to other environments. A group
        with Azure events does not count.
        """
        found = list(events)
        brought = [event for event in found if event.source == "azure_devops_releases"]
        is_of_azure = any(event.target for event in found)
        return bool(brought) and not is_of_azure and all(is_elsewhere(self.places, one.words) for one in brought)

    def _link(self, event: Event) -> SubjectLink | None:
        repository = folded(event.repository)
        if repository in self.known:
            return SubjectLink(Certainty.CERTAIN, 0.9, Relation.CODE, f"its repository: {self.known[repository]}")
        if any(is_named_in(name, event.words) for name in self.own):
            return SubjectLink(Certainty.LIKELY, SAME, Relation.CODE, "its name is in the variables or description")
        alike = max((likeness(own, other) for own in self.names for other in event.names if other), default=0.0)
        return _by_name(alike, is_other=bool(self.known and event.repository)) if alike else None


def _by_name(alike: float, *, is_other: bool) -> SubjectLink:
    # If the application's repository is known, another repository with a similar name is less likely to belong to the
    # application.
    certainty = Certainty.POSSIBLE if is_other or alike <= AKIN else Certainty.LIKELY
    return SubjectLink(certainty, alike * (0.6 if is_other else 1.0), Relation.CODE, "by its name")


def _own_names(subject: Subject) -> Iterator[str]:
    yield from (one.id.name for one in subject.resources if subject.is_one or is_app(one))
    if not subject.is_one:
        yield subject.name.rpartition("/")[2]


def _names(subject: Subject) -> Iterator[str]:
    """Yield the names under which the application may be known in Azure DevOps."""
    yield from _own_names(subject)
    for resource in subject.resources:
        yield from _tagged(resource)
        yield from (image.rpartition("/")[2].partition(":")[0] for image in resource.images)


def _tagged(resource: IncidentResource) -> Iterator[str]:
    for name, value in resource.tags.items():
        if _TELLING_TAGS.search(str(name)) and "://" not in str(value):
            yield str(value)


def _places(subject: Subject) -> Iterator[str]:
    """Yield tags and resource names that may contain the application's environment name."""
    for resource in subject.resources:
        yield from (str(resource.tags[name]) for name in _ENVIRONMENT_TAGS if name in resource.tags)
        yield resource.id.group
        yield resource.id.name
    yield from subject.groups
