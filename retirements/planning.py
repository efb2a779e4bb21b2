"""Plans how to change the work items that track retirements. The same findings always give the same plan.

A work item covers one retirement and one owner. If a listed resource is no longer found, its line is removed only for a
known reason: the resource was deleted, is no longer affected, or has another owner.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any, Final

from retirements.item_text import MOST_LISTED, ItemMark, ItemText, edited, mark_in, marker_of, resources_in, text_of
from retirements.retiring import Affected, RetirementHere

# The fields of a work item to read, in the order of `KnownItem`.
FIELDS: Final = ("System.Title", "System.Description", "System.WorkItemType", "System.State")
_MOST_NAMED: Final = 20
_WITHDRAWN: Final = "Microsoft withdrew the announcement. Check whether any work remains."


class Fate(StrEnum):
    """The reason why a resource in a work item was not found again."""

    GONE = "no longer exists"
    FIXED = "is no longer affected"
    MOVED = "belongs to another owner"
    UNSEEN = "could not be checked"


class ItemAction(StrEnum):
    CREATE = "create"
    UPDATE = "update"
    CLOSE = "close"
    REOPEN = "reopen"


@dataclass(frozen=True, slots=True)
class KnownItem:
    """An existing work item."""

    id: int
    rev: int
    title: str
    description: str
    type: str
    state: str
    is_open: bool
    mark: ItemMark

    @property
    def resources(self) -> dict[str, str]:
        return resources_in(self.description)

    @classmethod
    def of(cls, item: Mapping[str, Any], *, is_open: bool) -> KnownItem | None:
        """Parse a work item. Return None if the work item has no mark: this server did not create such a work item."""
        fields = item["fields"]
        title, description, kind, state = (str(fields.get(name) or "") for name in FIELDS)
        mark = mark_in(description)
        return cls(int(item["id"]), int(item["rev"]), title, description, kind, state, is_open, mark) if mark else None


@dataclass(frozen=True, slots=True)
class PlannedItem:
    """A work item to create or change.

    `news` lists the reasons for the change, which become a comment on the work item.
    """

    action: ItemAction
    marker: str
    title: str
    description: str
    known: KnownItem | None = None
    news: tuple[str, ...] = ()

    @property
    def comment(self) -> str:
        return " ".join(self.news)

    @property
    def number(self) -> int:
        """The number of resources that the work item lists."""
        return len(resources_in(self.description))


@dataclass(frozen=True, slots=True)
class Wanted:
    """A retirement that affects resources of one owner."""

    retirement: RetirementHere
    owner: str
    affected: tuple[Affected, ...]

    @property
    def markers(self) -> frozenset[str]:
        return frozenset(marker_of(key, self.owner) for key in self.retirement.keys)


def wanted_of(retiring: Iterable[RetirementHere]) -> list[Wanted]:
    """Split retirements by owner."""
    found: list[Wanted] = []
    for one in retiring:
        owners = {each.owner.casefold(): each.owner for each in one.affected.values()}
        for key, owner in sorted(owners.items()):
            theirs = tuple(each for each in one.affected.values() if each.owner.casefold() == key)
            found.append(Wanted(one, owner, theirs))
    return found


def missing_from(wanted: Sequence[Wanted], known: Sequence[KnownItem]) -> set[str]:
    """Return the resources that are listed in open work items but were not found for any owner.

    The caller must find out why each of these resources is missing.
    """
    found = _found(wanted)
    return {key for item in known if item.is_open for key in item.resources if (item.mark.key, key) not in found}


@dataclass(frozen=True, slots=True)
class RetirementPlan:
    """The findings and the existing work items. `fates` contains the reasons why resources in work items were not
    found.

    `looked_at` contains the keys of assessed retirements. `withdrawn` contains the keys of withdrawn announcements.
    """

    wanted: Sequence[Wanted]
    known: Sequence[KnownItem]
    looked_at: frozenset[str]
    fates: Mapping[str, Fate]
    withdrawn: frozenset[str] = frozenset()

    @property
    def items(self) -> list[PlannedItem]:
        """All planned changes. Changes that create work items come first."""
        # If several work items have the same mark, use the oldest open work item.
        by_marker = {one.mark.marker: one for one in sorted(self.known, key=lambda one: (one.is_open, -one.id))}
        plan: list[PlannedItem] = []
        for one in self.wanted:
            item = next((by_marker.pop(marker) for marker in sorted(one.markers) if marker in by_marker), None)
            plan += [_new(one)] if item is None else self._updates_of(one, item)
        for item in by_marker.values():
            if item.is_open and item.mark.key in self.looked_at | self.withdrawn:
                plan += self._update_without_resources(item)
        return sorted(plan, key=lambda one: (list(ItemAction).index(one.action), one.title))

    def _updates_of(self, one: Wanted, item: KnownItem) -> Iterator[PlannedItem]:
        """Yield the update of an existing work item. A work item that a person closed stays unchanged."""
        if item.is_open:
            yield from self._update(one, item)
        elif not item.resources:
            text = _text(one, item, {})
            news = ("Resources are affected again.",)
            yield PlannedItem(ItemAction.REOPEN, item.mark.marker, item.title, text.html, item, news)

    def _update(self, one: Wanted, item: KnownItem) -> Iterator[PlannedItem]:
        now = {each.key for each in one.affected}
        kept, gone = self._missing_lines(item, now)
        text = _text(one, item, kept)
        more = _more(item, now - item.resources.keys(), text)
        news = (*_slip(item.mark, text.mark), *_edit(item.mark, text.mark), *gone, *more)
        if news:
            yield PlannedItem(ItemAction.UPDATE, item.mark.marker, _retitled(item, text), text.html, item, news)

    def _update_without_resources(self, item: KnownItem) -> Iterator[PlannedItem]:
        """Yield the change to a work item if none of its resources was found again."""
        kept, news = self._missing_lines(item, set())
        is_withdrawn = item.mark.key in self.withdrawn
        if is_withdrawn and not item.mark.is_withdrawn:
            news = (_WITHDRAWN, *news)
        mark = replace(item.mark, number=len(kept), is_withdrawn=is_withdrawn)
        description = edited(item.description, mark, kept)
        if item.resources and not kept:
            news, action = (*news, "No affected resources are left."), ItemAction.CLOSE
        else:
            action = ItemAction.UPDATE
        if news:
            yield PlannedItem(action, item.mark.marker, item.title, description, item, news)

    def _missing_lines(self, item: KnownItem, now: set[str]) -> tuple[dict[str, str], tuple[str, ...]]:
        """Decide what happens to the lines of resources that were not found again. Return the lines that stay in the
        work item, and comments that say why the other lines are removed.
        """
        kept: dict[str, str] = {}
        by_fate: dict[Fate, list[str]] = {}
        for key, line in item.resources.items():
            fate = self._fate(item.mark.key, key)
            if key not in now and fate is Fate.UNSEEN:
                kept[key] = line
            elif key not in now:
                by_fate.setdefault(fate, []).append(line.split(" ", 1)[0])
        return kept, tuple(f"{_named(ids)} {fate.value}." for fate, ids in sorted(by_fate.items()))

    def _fate(self, retirement: str, resource: str) -> Fate:
        if (retirement, resource) in _found(self.wanted):
            return Fate.MOVED
        fate = self.fates.get(resource, Fate.UNSEEN)
        # If the announcement was withdrawn, the retirement is no longer assessed, so it is unknown whether a resource
        # is still affected.
        return Fate.UNSEEN if fate is Fate.FIXED and retirement in self.withdrawn else fate


def _found(wanted: Sequence[Wanted]) -> set[tuple[str, str]]:
    """For each resource that a retirement affects, return the key of the retirement and the key of the resource."""
    return {(key, each.key) for one in wanted for key in one.retirement.keys for each in one.affected}


def _new(one: Wanted) -> PlannedItem:
    text = text_of(one.retirement, one.owner, one.affected, {})
    return PlannedItem(ItemAction.CREATE, text.mark.marker, text.title, text.html)


def _text(one: Wanted, item: KnownItem, kept: Mapping[str, str]) -> ItemText:
    """Return the new text for a work item. The text keeps the mark that the work item already has."""
    text = text_of(one.retirement, one.owner, one.affected, kept)
    return replace(text, mark=replace(text.mark, marker=item.mark.marker, key=item.mark.key))


def _named(ids: Sequence[str]) -> str:
    names = ", ".join(one.rpartition("/")[2] for one in sorted(ids)[:_MOST_NAMED])
    return names if len(ids) <= _MOST_NAMED else f"{names} and {len(ids) - _MOST_NAMED} more:"


def _slip(before: ItemMark, after: ItemMark) -> Iterator[str]:
    if before.due != after.due:
        yield f"The date moved from {before.due or 'unknown'} to {after.due or 'unknown'}."


def _edit(before: ItemMark, after: ItemMark) -> Iterator[str]:
    if before.is_withdrawn:
        yield "Microsoft announced the retirement again."
    if before.text != after.text:
        yield "Microsoft edited the announcement."


def _more(item: KnownItem, keys: set[str], text: ItemText) -> Iterator[str]:
    """Yield a comment on newly affected resources. If the work item's list is truncated, the comment only says how many
    resources are affected.
    """
    if len(item.resources) >= MOST_LISTED:
        if item.mark.number != text.mark.number:
            yield f"{text.mark.number} resources are affected now, previously {item.mark.number}."
    elif keys:
        ids = [text.resources[key].split(" ", 1)[0] for key in keys]
        yield f"Also affected: {_named(ids)}."


def _retitled(item: KnownItem, text: ItemText) -> str:
    """Return the title with the new due date. Other edits of the title are kept."""
    before, after = item.mark.due, text.mark.due
    if before == after:
        return item.title
    return item.title.replace(before, after, 1) if before and after and before in item.title else text.title
