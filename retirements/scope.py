"""The scope of an assessment: subscriptions and resource groups."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from clients.azure.graph import text_of

_PARTS_OF_A_SUBSCRIPTION: Final = 2


@dataclass(frozen=True, slots=True)
class Scope:
    """The scope of an assessment. `groups` contains the IDs of resource groups, and `whole` contains the IDs of
    complete subscriptions.
    """

    subscriptions: tuple[str, ...]
    groups: tuple[str, ...] = ()
    whole: tuple[str, ...] = ()
    called: str = ""

    @classmethod
    def of_subscriptions(cls, ids: Iterable[str], called: str = "") -> Scope:
        whole = tuple(dict.fromkeys(ids))
        return cls(whole, (), whole, called)

    @classmethod
    def of_ids(cls, ids: Iterable[str]) -> Scope:
        """Create a scope from the ids of subscriptions and resource groups."""
        parts = [one.strip("/ ").split("/") for one in ids]
        whole = tuple(dict.fromkeys(part[1] for part in parts if len(part) == _PARTS_OF_A_SUBSCRIPTION))
        groups = tuple(f"/{'/'.join(part)}" for part in parts if len(part) > _PARTS_OF_A_SUBSCRIPTION)
        return cls(tuple(dict.fromkeys(part[1] for part in parts)), groups, whole)

    @property
    def steps(self) -> Sequence[str]:
        """The steps of a Resource Graph query that restrict the query to this scope."""
        names = sorted({one.rpartition("/")[2].lower() for one in self.groups})
        if not names:
            return []
        tests = [f"resourceGroup in~ ({', '.join(map(text_of, names))})"]
        if self.whole:
            tests.append(f"subscriptionId in~ ({', '.join(map(text_of, self.whole))})")
        return [f"where {' or '.join(tests)}"]

    def has(self, resource: str) -> bool:
        key = f"{resource.lower()}/"
        whole = (f"/subscriptions/{one}" for one in self.whole)
        return any(key.startswith(f"{one.lower()}/") for one in (*self.groups, *whole))
