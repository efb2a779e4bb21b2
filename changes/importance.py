"""Ranks the edits of a preview by importance: deletions first, then security, then all others."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Final


class Importance(StrEnum):
    """The levels of importance of an edit, from most to least important.

    Each member's value is a phrase for edits of this importance.
    """

    DELETION = "deletions"
    SECURITY = "security"
    LOSS = "data loss or interruption"
    TAG_OR_SIZE = "tags and sizes"
    OTHER = "other settings"
    # Default values that the service fills in, and unchanged values that the service reports as changed.
    DEFAULT = "defaults of the service"

    @property
    def rank(self) -> int:
        return _RANKS[self]


_RANKS: Final = {importance: rank for rank, importance in enumerate(Importance)}

_WORDS: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])")
# Lowercase singular words that show, in the path of an edit, what the edit is about.
_TAG: Final = frozenset({"tag", "sku"})
_SECURITY: Final = frozenset(
    "access acl admin allow anonymous auth authentication authorization bypass cert certificate cmk cors credential"
    " defender deny dns encryption endpoint exposed external firewall hostname http https identity immutability ingress"
    " ip ipsec jit key kms lock member nat network nsg oauth outbound owner password peering permission policy port"
    " prefix principal private privilege protection protocol public purge rbac redirect reviewer role route rule sas"
    " scope secret security sign ssh ssl subnet tenant tls token trust trusted virtual vnet vote waf whitelist".split()
)
_LOSS: Final = frozenset(
    "backup capacity checkpoint delete disk downtime expiration expiry failover instance lifecycle maintenance"
    " partition redundancy region replica replication restart restore retention runtime slot snapshot soft stop swap"
    " traffic ttl zone".split()
)
_SIZE: Final = frozenset("edition family performance size throughput tier".split())
# Matches the resource IDs of resource types whose settings all concern security.
_GUARDS: Final = re.compile(
    r"(?i)/(?:networksecuritygroups|securityrules|firewallpolicies|azurefirewalls|roleassignments|roledefinitions"
    r"|policyassignments|policyexemptions|locks|accesspolicies|federatedidentitycredentials|privateendpoints)/"
)


def importance_of(path: str, *, is_removed: bool) -> Importance:
    """Return the importance of an edit with this path: `resource: property`, `resource` or `property`."""
    if is_removed:
        return Importance.DELETION
    resource, _, setting = path.rpartition(": ")
    words = {_singular(word.lower()) for word in _WORDS.findall(setting)}
    if words & _TAG:
        return Importance.TAG_OR_SIZE
    if words & _SECURITY or _GUARDS.search(f"/{resource or setting}/"):
        return Importance.SECURITY
    if words & _LOSS:
        return Importance.LOSS
    return Importance.TAG_OR_SIZE if words & _SIZE else Importance.OTHER


def _singular(word: str) -> str:
    return word.removesuffix("s") if len(word) > 3 and not word.endswith("ss") else word
