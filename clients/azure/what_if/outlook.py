"""Summarizes the result of a what-if. Differences in order and other noise in the result do not affect the summary.

The summary contains every difference. If the service could not determine something, the summary says so.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from clients.azure.ids import ResourceId
from clients.azure.what_if.differences import differences
from clients.azure.what_if.values import A_VALUE, ANOTHER_VALUE, TOO_DEEP, Plain, plain_of
from clients.folding import folded
from refusal import Refusal

_MOST_NAMED: Final = 20
_HARMLESS: Final = frozenset({"nochange", "ignore"})
_KNOWN: Final = frozenset({"create", "delete", "modify", "deploy", "unsupported"}) | _HARMLESS
_SETTINGS: Final = re.compile(r"(?i)/config/(?:appsettings|connectionstrings)$")
# Deployment scripts, whose effect cannot be predicted.
_SCRIPTS: Final = "microsoft.resources/deploymentscripts/"


@dataclass(frozen=True, slots=True)
class ResourceDifference:
    """A resource or property before and after a deployment.

    None means that the resource or property does not exist.
    """

    path: str
    before: Plain
    after: Plain


@dataclass(frozen=True, slots=True)
class AffectedResource:
    """A resource that a deployment would write or delete, with its content before and after the deployment, if known.

    The ID is in Azure's spelling.
    """

    id: str
    kind: str
    before: Any
    after: Any
    # Whether the service cannot tell whether the deployment changes the resource.
    is_possible: bool = False

    @property
    def resource(self) -> ResourceId | None:
        """The parsed ID, or None if the resource is outside Azure or its ID will be known only after the deployment."""
        try:
            return ResourceId.of(self.id) if "[" not in self.id else None
        except Refusal:
            return None

    @property
    def is_deleted(self) -> bool:
        return self.kind == "delete"

    @property
    def contents(self) -> Sequence[Mapping[str, Any]]:
        return [one for one in (self.before, self.after) if isinstance(one, Mapping)]


@dataclass(frozen=True, slots=True)
class WhatIfOutlook:
    """The result of a what-if: the changes, the effects that are unknown, and the affected resources."""

    differences: Sequence[ResourceDifference]
    counts: Mapping[str, int]
    missing: Sequence[str] = ()
    notes: Sequence[str] = ()
    affected: Sequence[AffectedResource] = ()
    # Whether the service skipped a part of the deployment, which may affect resources that are not in `affected`.
    is_partial: bool = False

    @property
    def touched(self) -> list[str]:
        return [one.id for one in self.affected]

    @property
    def written(self) -> list[Any]:
        """The content of the affected resources after the deployment."""
        return [one.after for one in self.affected]

    @property
    def deletes(self) -> int:
        return self.counts.get("delete", 0)


def outlook_of(document: Mapping[str, Any], scope: str) -> WhatIfOutlook:
    """Summarize the result of a what-if for a deployment to this scope."""
    found = document.get("properties")
    properties: Mapping[str, Any] = found if isinstance(found, Mapping) else {}
    changes = [Told(one, scope) for one in _objects(properties.get("changes"))]
    possible = [Told(one, scope, is_possible=True) for one in _objects(properties.get("potentialChanges"))]
    real = [one for one in (*changes, *possible) if one.kind not in _HARMLESS]
    lines = sorted((line for one in real for line in one.differences), key=_in_order)
    counts = Counter(one.kind for one in real if one.kind != "modify" or any(one.differences))
    skipped = list(_skipped(properties.get("diagnostics")))
    doubts = {*(doubt for one in real for doubt in one.doubts), *skipped}
    return WhatIfOutlook(
        lines,
        dict(sorted(counts.items())),
        _first(sorted(doubts)),
        _notes(changes, properties.get("diagnostics")),
        [AffectedResource(one.id, one.kind, one.entry.get("before"), one.after, one.is_possible) for one in real],
        bool(skipped),
    )


@dataclass(frozen=True)
class Told:
    """A resource in the result of a what-if."""

    entry: Mapping[str, Any]
    scope: str
    is_possible: bool = False

    @property
    def id(self) -> str:
        return str(self.entry.get("resourceId") or "")

    @property
    def kind(self) -> str:
        return folded(str(self.entry.get("changeType") or "unsupported"))

    @property
    def after(self) -> Any:
        return self.entry.get("after")

    @property
    def name(self) -> str:
        """The label of the resource: the resource ID without the scope.

        Resources outside Azure have identifiers instead of an ID.
        """
        if not self.id:
            return f"{self.entry.get('extension') or '?'} {plain_of(self.entry.get('identifiers'))}"
        own, scope = folded(self.id), f"{folded(self.scope)}/"
        within = own.removeprefix(scope) if own.startswith(scope) else own
        return within.removeprefix("providers/")

    @property
    def differences(self) -> list[ResourceDifference]:
        named = f"{self.name} (perhaps)" if self.is_possible else self.name
        if self.kind == "modify":
            return [ResourceDifference(f"{named}: {path}", before, after) for path, before, after in self._inner]
        before = plain_of(self.entry.get("before")) or "there" if self.kind == "delete" else None
        after = plain_of(self.after) or "there" if self.kind != "delete" else None
        return [ResourceDifference(named, before, after)]

    @property
    def _inner(self) -> Iterable[tuple[str, Plain, Plain]]:
        found = differences(self.entry.get("delta"), self.entry.get("before"), self.after)
        if not _SETTINGS.search(self.id):
            return found
        # All properties of this resource are settings, so their values may be secret and are not shown.
        return [(path, None if was is None else A_VALUE, _other(was, will)) for path, was, will in found]

    @property
    def doubts(self) -> Iterator[str]:
        """Yield what the what-if cannot predict about this resource."""
        if self.is_possible:
            yield f"whether {self.name} would change"
        if self.kind not in _KNOWN or self.kind in {"deploy", "unsupported"}:
            yield f"what happens to {self.name}"
        if not self.id or "[" in self.id:
            yield f"which resource {self.name} is"
        if any(TOO_DEEP in str(value) for line in self.differences for value in (line.before, line.after)):
            yield f"content of {self.name} that is nested too deeply"
        if _SCRIPTS in folded(self.id):
            yield f"what the script {self.name} does"


def _skipped(diagnostics: Any) -> Iterator[str]:
    for one in _objects(diagnostics):
        if folded(str(one.get("level"))) != "info":
            yield f"all of {one.get('target') or 'the deployment'} ({one.get('code')})"


def _other(was: Plain, will: Plain) -> Plain:
    return None if will is None else A_VALUE if was is None else ANOTHER_VALUE


def _notes(changes: Sequence[Told], diagnostics: Any) -> list[str]:
    same = sum(one.kind == "nochange" for one in changes)
    said = [str(one.get("message")) for one in _objects(diagnostics)][:_MOST_NAMED]
    return [*([f"{same} resources are unchanged"] if same else []), *said]


def _objects(found: Any) -> list[Mapping[str, Any]]:
    return [one for one in found if isinstance(one, Mapping)] if isinstance(found, list) else []


def _first(doubts: list[str]) -> list[str]:
    more = len(doubts) - _MOST_NAMED
    return [*doubts[:_MOST_NAMED], *([f"{more} more"] if more > 0 else [])]


def _in_order(line: ResourceDifference) -> tuple[str, str, str]:
    return line.path, repr(line.before), repr(line.after)
