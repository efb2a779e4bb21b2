"""The settings of Azure DevOps, each as it is read."""

from __future__ import annotations

from dataclasses import dataclass

from clients.addresses import checked_base_url
from clients.azure_devops.reach import PARTS_OF_A_PROJECT, PARTS_OF_A_REPOSITORY, entries
from settings import NO, setting
from settings.forms import names, truth


def _addresses(text: str) -> str:
    return ",".join(checked_base_url(address, in_the_open=True) for address in _each(text))


def _tokens(text: str) -> str:
    """A place is left empty where the user who signed in is represented."""
    return ",".join(token.strip() for token in text.split(","))


def _each(text: str) -> tuple[str, ...]:
    if not all(part.strip() for part in text.split(",")):
        raise ValueError("an address is missing beside a comma")
    return names(text)


@dataclass(frozen=True, slots=True, kw_only=True)
class AzureDevOpsSettings:
    """Azure DevOps: where it is, how it is signed in to, and what of it may be reached."""

    url: str = setting(
        "ADO_ORG_URL",
        _addresses,
        "",
        "The Azure DevOps organization, `https://dev.azure.com/<name>`, or the collection of an Azure DevOps Server."
        " Several are separated by commas, the default first. Without it there are no Azure DevOps tools.",
    )
    project: str = setting(
        "ADO_PROJECT",
        str,
        "",
        "The project that Azure DevOps tools use if the call names none, in the first organization.",
    )
    token: str = setting(
        "ADO_PAT",
        _tokens,
        "",
        "A personal access token for Azure DevOps. Without it, the user who signed in is represented. For several"
        " organizations one for each, in their order, separated by commas, with nothing where the user is represented.",
        secret=True,
    )
    allowed_projects: frozenset[str] = setting(
        "ADO_ALLOWED_PROJECTS",
        lambda text: entries(text.split(","), PARTS_OF_A_PROJECT),
        frozenset(),
        "The only projects that may be reached, by name or id, separated by commas; `<organization>/<project>` where"
        " several organizations have one. Without it, all that the sign-in may see.",
    )
    allowed_repositories: frozenset[str] = setting(
        "ADO_ALLOWED_REPOSITORIES",
        lambda text: entries(text.split(","), PARTS_OF_A_REPOSITORY),
        frozenset(),
        "The only Git repositories that may be reached, by name or id, separated by commas; `<project>/<repository>`"
        " where several projects have one. Without it, all of the projects that may be reached.",
    )
    attachment_hosts: tuple[str, ...] = setting(
        "ADO_ATTACHMENT_HOSTS",
        lambda text: names(text.lower()),
        (),
        "Hosts from which files may be fetched to attach them to work items, separated by commas. None by default.",
    )
    http_allowed: bool = setting(
        "ADO_ALLOW_HTTP",
        truth,
        NO,
        "Whether an Azure DevOps Server may be reached by plain `http://`, which shows everybody on the way its token.",
    )
    authorities: str = setting(
        "ADO_CA_FILE",
        str,
        "",
        "A file with certificates of authorities, in the form PEM, or that text itself: an Azure DevOps Server whose"
        " certificate they issued is trusted. Other services are not affected.",
    )
