"""A sieve of a small scope: one of two projects, and perhaps only one of its repositories."""

from __future__ import annotations

from typing import Final

from clients.azure_devops.confinement.addresses import OrganizationAddresses
from clients.azure_devops.confinement.bounds import Named, NameIndex, OrganizationBounds, Repository
from clients.azure_devops.confinement.sieve import DevOpsSieve
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import DevOpsReach, ReachLock

WEB, VAULT = Named("1", "Web"), Named("2", "Vault")
DOOR, SAFE = Repository("d", "door", WEB), Repository("s", "safe", VAULT)
AT: Final = "https://dev.azure.com/acme"
BUILD: Final = "vstfs:///Build/Build/"


def sieve(*, of_one_repository: bool = False) -> DevOpsSieve:
    """Only Web is in scope, with work item 1 and build 7; work item 2 is of another project."""
    repositories = frozenset({"Web/door"}) if of_one_repository else None
    lock = ReachLock(projects=frozenset({"Web"}), repositories=repositories)
    bounds = OrganizationBounds(["acme"], DevOpsReach.within(lock), NameIndex([WEB, VAULT]))
    allowed = NameIndex([DOOR]) if of_one_repository else None
    addresses = OrganizationAddresses(Organization.at(AT))
    return DevOpsSieve(bounds, addresses, {1: True, 2: False}, allowed, frozenset({7}))
