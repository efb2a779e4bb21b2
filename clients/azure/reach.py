"""What may be reached of Azure: which subscriptions and resource groups. Settings say it."""

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
    """Subscriptions as a lock has them, by id or name.

    Raises:
        ValueError: One of them can be none.
    """
    found = frozenset(name.strip() for name in names)
    if not all(map(_is_subscription, found)):
        raise ValueError(
            f"a subscription is an id or a name of up to {_LONGEST_SUBSCRIPTION} characters; one with a comma or slash"
            " is named by its id"
        )
    return found


def group_entries(names: Iterable[str]) -> frozenset[str]:
    """Resource groups as a lock has them, each with or without its subscription.

    Raises:
        ValueError: One of them can be none.
    """
    found = frozenset(name.strip() for name in names)
    if not all(map(_is_group, found)):
        raise ValueError("a resource group is written as its name, or as `<subscription>/<group>`")
    return found


def _is_subscription(name: str) -> bool:
    return 0 < len(name) <= _LONGEST_SUBSCRIPTION and name.isprintable() and _BETWEEN not in name


def _is_group(entry: str) -> bool:
    before, between, group = entry.rpartition(_BETWEEN)
    return bool(_GROUP.fullmatch(group)) and (not between or _is_subscription(before.strip()))


@dataclass(frozen=True, slots=True)
class AzureReach:
    """What the settings let be reached. Without subscriptions, or without groups, all of them.

    A group without a subscription is meant in each of those that may be reached.
    """

    subscriptions: frozenset[str] = frozenset()
    groups: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, subscriptions: Iterable[str], groups: Iterable[str]) -> Self:
        """The reach of entries that were found good."""
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
        """The only subscriptions of which anything may be reached, as they are written; none where all may."""
        if self.subscriptions:
            return self.subscriptions
        qualified = frozenset(subscription for subscription, _ in self.groups)
        return frozenset() if "" in qualified else qualified

    @property
    def is_by_ids(self) -> bool:
        """Whether it can be told without looking which subscriptions are meant."""
        written = self.named | {subscription for subscription, _ in self.groups if subscription}
        return bool(self.named) and all(map(is_guid, written))

    @property
    def contradiction(self) -> str:
        """The subscription of a group that is not among those that may be reached, in the words of both."""
        strays = {subscription for subscription, _ in self.groups if subscription} - self.subscriptions
        return min(strays) if self.subscriptions and strays else ""

    def bounds(self, names: Mapping[str, str]) -> GroupBounds:
        """What it comes to where these subscriptions are, names by their ids.

        A name that several of them have means none of them: who may rename a subscription must not get in by that.
        """
        written = {one: _meant(one, names) for one in self.named | {one for one, _ in self.groups if one}}
        ids = {written[one] for one in self.named} - {""} if self.named else {folded(one) for one in names}
        return GroupBounds({one: self._groups_in(one, written) for one in ids})

    def _groups_in(self, subscription: str, written: Mapping[str, str]) -> frozenset[str] | None:
        if not self.groups:
            return None
        return frozenset(group for one, group in self.groups if not one or written[one] == subscription)


def _meant(written: str, names: Mapping[str, str]) -> str:
    if is_guid(written):
        return written
    found = [folded(one) for one, name in names.items() if folded(name) == written]
    return found[0] if len(found) == 1 else ""


@dataclass(frozen=True, slots=True)
class GroupBounds:
    """The groups that may be reached, by the ids of their subscriptions; None where all of one may be."""

    groups: Mapping[str, frozenset[str] | None]

    @property
    def subscriptions(self) -> list[str]:
        return sorted(one for one, groups in self.groups.items() if groups != frozenset())

    @property
    def knows_groups(self) -> bool:
        """Whether there is a subscription of which only some groups may be reached."""
        return any(groups is not None for groups in self.groups.values())

    def opens(self, subscription: str) -> bool:
        """Whether anything of it may be reached."""
        return bool(self.groups.get(folded(subscription), frozenset()) != frozenset())

    def opens_all_of(self, subscription: str) -> bool:
        return self.groups.get(folded(subscription), frozenset()) is None

    def admits(self, resource: ResourceId) -> bool:
        """Whether it belongs to what may be reached, wherever it was written."""
        groups = self.groups.get(folded(resource.subscription), frozenset())
        return groups is None or folded(resource.group) in groups
