"""Where Azure DevOps is: the organizations of the settings, how each is signed in to, and what may be reached."""

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
_NOTHING: Final = "Nothing of Azure DevOps is within your reach here: an administrator can change that in the roles."


@dataclass(frozen=True, slots=True)
class OrganizationAccess:
    """One organization, the token for it alone, and what of it may be reached."""

    organization: Organization
    token: str = ""
    project: str = ""
    reach: DevOpsReach = EVERYTHING

    @property
    def default_project(self) -> str:
        """The project that is meant where none is named: that of the settings, or the only one within reach."""
        within = self.reach.project_entries
        last = {folded(entry.rpartition("/")[2]) for entry in within}
        if not within or folded(self.project) in last:
            return self.project
        return next(iter(within)).rpartition("/")[2] if len(within) == 1 else ""


def places_of(settings: AzureDevOpsSettings) -> Sequence[OrganizationAccess]:
    """The organizations in their order, the default first.

    Raises:
        Refusal: One of them is none, or cannot be told from another.
    """
    found = [_organization(address, settings) for address in names(settings.url)]
    tokens = settings.token.split(",") if settings.token else [""] * len(found)
    if len(tokens) != len(found):
        raise Refusal(
            f"ADO_ORG_URL names {len(found)} organizations, and ADO_PAT has {len(tokens)} tokens. It takes one for each"
            " in their order, separated by commas, with nothing where the user who signed in is represented."
        )
    if len({folded(one.base) for one in found}) < len(found):
        raise Refusal("ADO_ORG_URL names an organization twice.")
    return [
        OrganizationAccess(organization, token, settings.project if number == 0 else "")
        for number, (organization, token) in enumerate(zip(found, tokens, strict=True))
    ]


def reach_of(settings: AzureDevOpsSettings) -> DevOpsReach:
    return DevOpsReach.within(ReachLock(None, settings.allowed_projects or None, settings.allowed_repositories or None))


def place_for(name: str | None, places: Sequence[OrganizationAccess], reach: DevOpsReach) -> OrganizationAccess:
    """The organization that is meant, and what of it is within a reach.

    Raises:
        Refusal: There is none of that name within reach; the text names those that there are.
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
    told = ", ".join(_told(place, within) for place in within)
    raise Refusal(f"There is no such organization here. Those that there are: {told}; the first is the default.")


def _told(place: OrganizationAccess, among: Sequence[OrganizationAccess]) -> str:
    name, with_host = place.organization.names
    is_alone = sum(folded(name) == folded(other.organization.name) for other in among) == 1
    return name if is_alone else with_host


def check(settings: AzureDevOpsSettings) -> None:
    """Refuse settings that are valid one by one, and cannot be right together.

    Raises:
        Refusal: One of them has to be changed.
    """
    places = places_of(settings) if settings.url else ()
    if any(not (place.organization.is_cloud or place.token) for place in places):
        raise Refusal("The setting ADO_PAT is missing: Azure DevOps Server does not support sign-in with Entra ID.")
    if settings.authorities and places and all(place.organization.is_cloud for place in places):
        raise Refusal("ADO_CA_FILE is for an Azure DevOps Server, and ADO_ORG_URL names none. Remove it.")
    _refuse_lost_default(settings)


def _refuse_lost_default(settings: AzureDevOpsSettings) -> None:
    last = {folded(entry.rpartition("/")[2]) for entry in settings.allowed_projects}
    # A name and an id may well be of the same project.
    is_known = not any(map(_ID.fullmatch, [settings.project, *last]))
    if settings.project and last and is_known and folded(settings.project) not in last:
        raise Refusal("ADO_PROJECT names a project that ADO_ALLOWED_PROJECTS does not. Add it there, or name another.")


def _organization(address: str, settings: AzureDevOpsSettings) -> Organization:
    organization = Organization.at(address, in_the_open=True)
    try:
        checked_base_url(organization.base, in_the_open=settings.http_allowed)
    except Refusal:
        raise Refusal(
            "ADO_ORG_URL has an address that begins with http://, by which everybody on the way can read the token and"
            " what is answered. Use https://, or set ADO_ALLOW_HTTP to true if that is what you want."
        ) from None
    return organization
