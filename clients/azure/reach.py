"""The subscriptions and resource groups that the settings allow."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final, Self

from clients.azure.ids import ResourceId, is_guid
from clients.folding import folded

_BETWEEN: Final = "/"
_LONGEST_SUBSCRIPTION: Final = 64
_GROUP: Final = re.compile(r"[\w.()-]{0,89}[\w()-]")


def subscription_entries(names: Iterable[str]) -> frozenset[str]:
    """Parse a list of subscription IDs and names.

    Raises:
        ValueError: An entry is invalid.
    """
    found = frozenset(name.strip() for name in names)
    if not all(map(_is_subscription, found)):
        raise ValueError(
            f"a subscription must be an id or a name of up to {_LONGEST_SUBSCRIPTION} characters; use the id if the"
            " name contains a comma or slash"
        )
    return found


def group_entries(names: Iterable[str]) -> frozenset[str]:
    """Parse a list of resource groups, each with or without its subscription.

    Raises:
        ValueError: An entry is invalid.
    """
    found = frozenset(name.strip() for name in names)
    if not all(map(_is_group, found)):
        raise ValueError("a resource group must be a name or `<subscription>/<group>`")
    return found


def _is_subscription(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_SUBSCRIPTION and name.isprintable() and _BETWEEN not in name


def _is_group(entry: str) -> bool:
    before, between, group = entry.rpartition(_BETWEEN)
    return bool(_GROUP.fullmatch(group)) and (not between or _is_subscription(before.strip()))


@dataclass(frozen=True, slots=True)
class AzureReach:
    """The subscriptions and groups that the settings allow. An empty list allows everything.

    A group without a subscription is allowed in each allowed subscription.
    """

    subscriptions: frozenset[str] = frozenset()
    groups: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, subscriptions: Iterable[str], groups: Iterable[str]) -> Self:
        """Build the allowed scope from valid entries."""
        parted = (entry.rpartition(_BETWEEN) for entry in groups)
        return cls(
            frozenset(map(folded, subscriptions)),
            frozenset((folded(before.strip()), folded(group)) for before, _, group in parted),
        )

    @property
    def is_everything(self) -> bool:
        return not (self.subscriptions or self.groups)

    @property
    def named(self) -> frozenset[str]:
        """The allowed subscriptions, as written in the settings.

        Empty if all subscriptions are allowed.
        """
        if self.subscriptions:
            return self.subscriptions
        qualified = frozenset(subscription for subscription, _ in self.groups)
        return frozenset() if "" in qualified else qualified

    @property
    def is_by_ids(self) -> bool:
        """Whether all subscriptions are given by ID, so that no name needs to be looked up."""
        written = self.named | {subscription for subscription, _ in self.groups if subscription}
        return bool(self.named) and all(map(is_guid, written))

    @property
    def contradiction(self) -> str:
        """The subscription of an allowed group, if this subscription is not allowed itself.

        Empty if the subscriptions of all allowed groups are allowed, or if no subscriptions are listed.
        """
        strays = {subscription for subscription, _ in self.groups if subscription} - self.subscriptions
        return min(strays) if self.subscriptions and strays else ""

    def bounds(self, names: Mapping[str, str]) -> GroupBounds:
        """Resolve the names of subscriptions to IDs.

        An ambiguous name matches no subscription, so that nobody can gain access by renaming a subscription.
        """
        written = {one: _resolved(one, names) for one in self.named | {one for one, _ in self.groups if one}}
        ids = {written[one] for one in self.named} - {""} if self.named else {folded(one) for one in names}
        return GroupBounds({one: self._groups_in(one, written) for one in ids})

    def _groups_in(self, subscription: str, written: Mapping[str, str]) -> frozenset[str] | None:
        if not self.groups:
            return None
        return frozenset(group for one, group in self.groups if not one or written[one] == subscription)


def _resolved(written: str, names: Mapping[str, str]) -> str:
    if is_guid(written):
        return written
    found = [folded(one) for one, name in names.items() if folded(name) == written]
    return found[0] if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class GroupBounds:
    """Maps each subscription's ID to its allowed groups, or to None if the whole subscription is allowed."""

    groups: Mapping[str, frozenset[str] | None]

    @property
    def subscriptions(self) -> list[str]:
        return sorted(one for one, groups in self.groups.items() if groups != frozenset())

    @property
    def knows_groups(self) -> bool:
        """Whether there is a subscription in which only some groups are allowed."""
        return any(groups is not None for groups in self.groups.values())

    def opens(self, subscription: str) -> bool:
        """Whether at least a part of the subscription is allowed."""
        return bool(self.groups.get(folded(subscription), frozenset()) != frozenset())

    def opens_all_of(self, subscription: str) -> bool:
        return self.groups.get(folded(subscription), frozenset()) is None

    def admits(self, resource: ResourceId) -> bool:
        """Whether the resource is in the allowed scope."""
        groups = self.groups.get(folded(resource.subscription), frozenset())
        return groups is None or folded(resource.group) in groups
