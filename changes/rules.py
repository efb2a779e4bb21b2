"""Who must agree to a change: rules of the roles file, and what a careful administrator would say where none fits."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatchcase
from typing import Final

from changes.change import Asks
from changes.plan import Plan
from changes.preview import Place, Preview, names_of
from clients.folding import folded
from identity.access import Access
from identity.toolset_names import is_or_holds, opened_as

# Where a change may happen, as rules and previews name it; beside these, `tag:<name>`.
_NAMED_BY_PARAMETERS: Final = (
    "organization",
    "project",
    "repository",
    "branch",
    "environment",
    "subscription",
    "resource-group",
)
# The last is the address of what is on a shelf, which only a preview tells.
PLACES: Final = (*_NAMED_BY_PARAMETERS, "resource")
TAG: Final = "tag:"
# Where anything could be.
_ANYWHERE: Final = ("organization", "project")
_INCOMPLETE: Final = "What it would do could not be found out completely."


@dataclass(frozen=True, slots=True)
class Need:
    """Who has to agree, of which roles, and why; `fresh` is how many minutes ago they may have signed in at most."""

    asks: Asks
    of: tuple[str, ...] = ()
    because: str = ""
    fresh: int = 0


NOT_NEEDED: Final = Need(Asks.NOBODY)


@dataclass(frozen=True, slots=True)
class Rule:
    """`tools` and `access` say of which calls it is, each by toolset and name; `places` where, by patterns."""

    asks: Asks
    tools: frozenset[tuple[str, str]] | None = None
    toolsets: frozenset[str] = frozenset()
    access: Access | None = None
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)
    of: tuple[str, ...] = ()
    fresh: int = 0

    def may_concern(self, toolset: str, tool: str, access: Access) -> bool:
        """Whether it is about such a call, wherever that happens."""
        of = opened_as(toolset)
        is_named = self.tools is None or of in self.toolsets or (of, tool) in self.tools
        return is_named and (self.access is None or access >= self.access)

    def fits(self, preview: Preview) -> bool:
        """Whether it is about the places of this change.

        What could not be found out counts for a rule that asks somebody, and against one that asks nobody; so does
        what happens in several places of which some are meant.
        """
        is_strict = self.asks is not Asks.NOBODY
        known = {name: preview.places.get(name) for name in self.places if _is_told(name, preview.places)}
        return known.keys() == self.places.keys() and all(
            _is_in(known[name], patterns, is_strict=is_strict) for name, patterns in self.places.items()
        )


def _is_told(name: str, places: Mapping[str, Place]) -> bool:
    return name in places or (name.startswith(TAG) and TAG in places)


def _is_in(place: Place, patterns: Sequence[str], *, is_strict: bool) -> bool:
    if place is None:
        return is_strict
    found = [any(_is_meant(name, patterns) for name in names) for names in names_of(place)]
    return any(found) if is_strict else bool(found) and all(found)


def _is_meant(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(folded(name), _plain(folded(pattern))) for pattern in patterns)


def _plain(pattern: str) -> str:
    """The pattern, in which nothing but `*` stands for something else."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


@dataclass(frozen=True, slots=True)
class Rules:
    """The first rule that fits decides; without one, the defaults do.

    `waived` are toolsets whose tools an operator lets destroy without asking: no default is about them.
    """

    rules: Sequence[Rule] = ()
    waived: Collection[str] = ()

    def may_concern(self, toolset: str, tool: str, access: Access) -> bool:
        """Whether anybody might have to agree to such a call: if nobody, it needs no preview."""
        if any(rule.may_concern(toolset, tool, access) for rule in self.rules if rule.asks is not Asks.NOBODY):
            return True
        return access is Access.DESTROY and not self._waives(toolset)

    def ask_alike(self, one: tuple[str, str], other: tuple[str, str], access: Access) -> bool:
        """Whether the same is asked of a call of both tools, each by toolset and name, wherever it happens."""
        concerning = ([rule.may_concern(*tool, access) for rule in self.rules] for tool in (one, other))
        return next(concerning) == next(concerning) and self._waives(one[0]) is self._waives(other[0])

    def _waives(self, toolset: str) -> bool:
        return any(is_or_holds(name, toolset) for name in self.waived)

    def need(self, plan: Plan, access: Access) -> Need:
        for rule in self.rules:
            if rule.may_concern(plan.toolset, plan.tool, access) and rule.fits(plan.preview):
                return Need(rule.asks, rule.of, _told(rule, plan.preview), rule.fresh)
        return self._default(plan, access)

    def _default(self, plan: Plan, access: Access) -> Need:
        if access is not Access.DESTROY or self._waives(plan.toolset):
            return NOT_NEEDED
        return Need(Asks.ANOTHER, (), plan.preview.grave) if plan.preview.grave else Need(Asks.CALLER)


def _told(rule: Rule, preview: Preview) -> str:
    where = ", ".join(_text(name, preview.places.get(name)) for name in rule.places)
    return f"A rule asks for it{f' ({where})' if where else ''}." if rule.asks is Asks.ANOTHER else ""


def _text(name: str, place: Place) -> str:
    return f"{name}: {', '.join(' or '.join(names) for names in names_of(place)) or 'not known'}"


def incomplete(need: Need, preview: Preview) -> Need:
    """What is needed where nobody can tell what is agreed to: another person, who looks at it in the service."""
    if need.asks is not Asks.CALLER or preview.is_complete:
        return need
    return replace(need, asks=Asks.ANOTHER, because=_INCOMPLETE)


def unknown_places(parameters: Iterable[str]) -> dict[str, Place]:
    """Where a call might be that nobody has looked into, as far as one with these parameters can say where."""
    named = " ".join(parameters).lower().replace("_", "-")
    found = [*_ANYWHERE, *(place for place in _NAMED_BY_PARAMETERS if place in named)]
    # What is in a subscription may have any tag, for which `tag:` stands.
    return dict.fromkeys([*found, TAG] if "subscription" in found else found)


def stray_place(names: Iterable[str]) -> str:
    """What is wrong with the first name that is no place, if one is none."""
    stray = next((name for name in names if name not in PLACES and not name.startswith(TAG)), "")
    return f"there is no place {stray!r}. Places are {', '.join(PLACES)}, and {TAG}<name>" if stray else ""
