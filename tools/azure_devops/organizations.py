"""The configured Azure DevOps organizations, each with its sign-in and its allowed scope."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clients.addresses import checked_base_url
from clients.azure_devops.organization import Organization
from clients.azure_devops.reach import EVERYTHING, DevOpsReach, ReachLock, folded
from refusal import Refusal
from settings.forms import names
from tools.azure_devops.settings import AzureDevOpsSettings

_ID: Final = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
_NOTHING: Final = "Your roles give no access to Azure DevOps. Ask an administrator to change your roles."


@dataclass(frozen=True, slots=True)
class OrganizationAccess:
    """An organization, with its token and the scope that the server may access in this organization."""

    organization: Organization
    token: str = ""
    project: str = ""
    reach: DevOpsReach = EVERYTHING

    @property
    def default_project(self) -> str:
        """The default project: the one in the settings or, if none is set, the only project in the allowed scope."""
        within = self.reach.project_entries
        last = {folded(entry.rpartition("/")[2]) for entry in within}
        if not within or folded(self.project) in last:
            return self.project
        return next(iter(within)).rpartition("/")[2] if len(within) == 1 else ""


def places_of(settings: AzureDevOpsSettings) -> Sequence[OrganizationAccess]:
    """Return the configured organizations in order, starting with the default."""
    found = [_organization(address, settings) for address in names(settings.url)]
    tokens = _tokens(settings.token, len(found))
    if len({folded(one.base) for one in found}) < len(found):
        raise Refusal("ADO_ORG_URL lists an organization twice.")
    return [
        OrganizationAccess(organization, token, settings.project if number == 0 else "")
        for number, (organization, token) in enumerate(zip(found, tokens, strict=True))
    ]


def _tokens(setting: str, count: int) -> Sequence[str]:
    """Return a token for each organization. An empty token stands for the sign-in of the user."""
    tokens = setting.split(",") if setting else [""] * count
    if len(tokens) != count:
        raise Refusal(
            f"ADO_PAT must have one token for each organization in ADO_ORG_URL ({count}), but has {len(tokens)}. List"
            " the tokens in the same order, separated by commas. Leave a token empty to use the user's sign-in."
        )
    return tokens


def reach_of(settings: AzureDevOpsSettings) -> DevOpsReach:
    return DevOpsReach.within(ReachLock(None, settings.allowed_projects or None, settings.allowed_repositories or None))


def place_for(name: str | None, places: Sequence[OrganizationAccess], reach: DevOpsReach) -> OrganizationAccess:
    """Return the organization with this name. By default, return the first organization in the scope. The returned
    access is limited to the scope.

    Raises:
        Refusal: The organization is not in the scope. The message lists the available organizations.
    """
    within = [
        OrganizationAccess(place.organization, place.token, place.project, inner)
        for place in places
        if (inner := reach.of_organization(place.organization.names)).alternatives
    ]
    if not within:
        raise Refusal(_NOTHING)
    if name is None:
        return within[0]
    found = [place for place in within if folded(name) in map(folded, place.organization.names)]
    if len(found) == 1:
        return found[0]
    names = ", ".join(_shortest_name(place, within) for place in within)
    raise Refusal(f"Organization not found. Available: {names}; the first is the default.")


def _shortest_name(place: OrganizationAccess, among: Sequence[OrganizationAccess]) -> str:
    name, with_host = place.organization.names
    is_alone = sum(folded(name) == folded(other.organization.name) for other in among) == 1
    return name if is_alone else with_host


def check(settings: AzureDevOpsSettings) -> None:
    """Reject settings that are valid individually but not together.

    Raises:
        Refusal: A setting is missing or conflicts with another setting.
    """
    places = places_of(settings) if settings.url else ()
    if any(not (place.organization.is_cloud or place.token) for place in places):
        raise Refusal("The setting ADO_PAT is missing: Azure DevOps Server does not support sign-in with Entra ID.")
    if settings.authorities and places and all(place.organization.is_cloud for place in places):
        raise Refusal("ADO_CA_FILE requires an Azure DevOps Server, but ADO_ORG_URL contains none. Remove ADO_CA_FILE.")
    _refuse_lost_default(settings)


def _refuse_lost_default(settings: AzureDevOpsSettings) -> None:
    last = {folded(entry.rpartition("/")[2]) for entry in settings.allowed_projects}
    # A name and an id may identify the same project, so only two ids or two names can be compared.
    is_known = not any(map(_ID.fullmatch, [settings.project, *last]))
    if settings.project and last and is_known and folded(settings.project) not in last:
        raise Refusal(
            "The project in ADO_PROJECT is not in ADO_ALLOWED_PROJECTS. Add the project to that list, or set another"
            " project."
        )


def _organization(address: str, settings: AzureDevOpsSettings) -> Organization:
    organization = Organization.at(address, in_the_open=True)
    try:
        checked_base_url(organization.base, in_the_open=settings.http_allowed)
    except Refusal:
        raise Refusal(
            "ADO_ORG_URL has an http:// address, so anyone on the network path can read the token and the answers. Use"
            " https://, or set ADO_ALLOW_HTTP to true to allow http://."
        ) from None
    return organization
