"""An approval rule, which selects calls by their tools, effects and places, and says who must approve these calls."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Final

from changes.approval_request import RequiredApprover
from changes.effects import Effect
from changes.preview import Place, Preview, names_of
from clients.folding import folded
from identity.access import Access
from identity.toolset_names import opened_as

# Kinds of places in rules and previews, in addition to `tag:<name>`.
NAMED_BY_PARAMETERS: Final = (
    "organization",
    "project",
    "repository",
    "branch",
    "environment",
    "subscription",
    "resource-group",
)
# `resource` is the URI of a resource. Places of this kind occur only in previews.
PLACES: Final = (*NAMED_BY_PARAMETERS, "name", "resource")
TAG: Final = "tag:"
# For each service, the kinds of places that exist only in this service. For example, an Azure DevOps project has no
# resource group.
_KINDS_OF_SERVICES: Final = (
    frozenset({"organization", "project", "repository", "branch", "environment"}),
    frozenset({"subscription", "resource-group", "name", TAG}),
    frozenset({"resource"}),
)
# Kinds of places that exist in all services.
ANYWHERE: Final = ("organization", "project")


@dataclass(frozen=True, slots=True)
class Rule:
    """An approval rule. `tools`, `access` and `effects` select calls; `places` are patterns for names of places."""

    asks: RequiredApprover
    tools: frozenset[tuple[str, str]] | None = None
    toolsets: frozenset[str] = frozenset()
    access: Access | None = None
    places: Mapping[str, Sequence[str]] = field(default_factory=dict)
    of: tuple[str, ...] = ()
    fresh: int = 0
    effects: frozenset[Effect] = frozenset()
    is_preset: bool = False
    # The channels for approvers of a matching change.
    notify: tuple[str, ...] = ()

    @property
    def fits_all(self) -> bool:
        return self.tools is None and not (self.toolsets or self.access or self.effects or self.places)

    def may_concern(self, toolset: str, tool: str, access: Access, effects: frozenset[Effect]) -> bool:
        """Whether the rule may apply to a call. The places that the call affects are checked later, by `fits`."""
        if self.effects and not self.effects & effects:
            return False
        of = opened_as(toolset)
        is_named = self.tools is None or of in self.toolsets or (of, tool) in self.tools
        return is_named and (self.access is None or access >= self.access)

    def fits(self, preview: Preview) -> bool:
        """Whether the rule applies to the places of this change.

        If a place is unknown, or only some of the places match, the rule applies only if it requires approval.
        """
        is_strict = self.asks is not RequiredApprover.NOBODY
        return all(
            _is_in(_place_in(preview.places, name), patterns, is_strict=is_strict)
            for name, patterns in self.places.items()
        )


def _place_in(places: Mapping[str, Place], name: str) -> Place:
    """The places of this kind that a change affects.

    The result is empty if the service has no places of this kind, and None if it is unknown which places are affected.
    """
    if name in places:
        return places[name]
    if name.startswith(TAG) and TAG in places:
        return places[TAG]
    found_kinds = {_kind(one) for one in places}
    services = [kinds for kinds in _KINDS_OF_SERVICES if kinds & found_kinds]
    is_elsewhere = services and not any(_kind(name) in kinds for kinds in services)
    return () if is_elsewhere else None


def _kind(name: str) -> str:
    return TAG if name.startswith(TAG) else name


def _is_in(place: Place, patterns: Sequence[str], *, is_strict: bool) -> bool:
    if place is None:
        return is_strict
    found = [any(_matches(name, patterns) for name in names) for names in names_of(place)]
    return any(found) if is_strict else bool(found) and all(found)


def _matches(name: str, patterns: Sequence[str]) -> bool:
    return any(fnmatchcase(folded(name), _plain(folded(pattern))) for pattern in patterns)


def _plain(pattern: str) -> str:
    """Escape all wildcards in the pattern except `*`."""
    return pattern.replace("[", "[[]").replace("?", "[?]")


def stray_place(names: Iterable[str]) -> str:
    """Return an error message if one of these kinds of places does not exist, otherwise an empty string."""
    stray = next((name for name in names if name not in PLACES and not name.startswith(TAG)), "")
    return f"unknown place {stray!r}. Use {', '.join(PLACES)}, or {TAG}<name>" if stray else ""
