"""The azd commands that need a project or browser on a laptop."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tools.azure.azd.command_lines import AzdCommand, Option, any_text, matching, one_of

_ENVIRONMENT_FORM: Final = matching(r"[A-Za-z0-9().-]{1,64}", "shop-dev (letters, digits, hyphens, dots, parentheses)")
_GUID: Final = matching(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}", "a GUID")
_TEMPLATE: Final = matching(
    r"(?:https://[\w.-]+/)?[\w.-]+(?:/[\w.-]+)?(?:\.git)?|\.{1,2}/[\w./ -]+", "owner/repository, or a repository URL"
)
_KEY: Final = matching(r"[A-Za-z_][A-Za-z0-9_]*", "API_HOST (letters, digits, underscores)")

_ENVIRONMENT: Final = Option("--environment", _ENVIRONMENT_FORM)
_LOCATION: Final = Option("--location", matching(r"[a-z0-9]{3,40}", "westeurope"))
_SUBSCRIPTION: Final = Option("--subscription", _GUID)
_WHERE: Final = {"environment": _ENVIRONMENT, "location": _LOCATION, "subscription": _SUBSCRIPTION}
_NAMED: Final = {"environment": Option("", _ENVIRONMENT_FORM, is_required=True)}

_SIGNED_IN: Final = "azd, signed in with `azd auth login`"
_PROJECT: Final = f"{_SIGNED_IN}; a folder with azure.yaml"
_PROVISIONED: Final = f"{_PROJECT}; existing resources, created with `azd provision`"
_DEPLOYED: Final = "show_azd_environment: resources, deployments, endpoints"
_NOTHING_CHANGES: Final = "Only shows information."
_NO_CHECK: Final = "its output"

AZD: Final[Mapping[str, AzdCommand]] = {
    "init": AzdCommand(
        "azd init",
        "Creates a project from a template or from the code in the folder. Creates nothing in Azure.",
        "azd and git; an empty folder, or one with your code",
        "azure.yaml and infra/ in the folder",
        {
            "template": Option("--template", _TEMPLATE),
            "branch": Option("--branch", matching(r"[\w./-]{1,200}", "main")),
            **_WHERE,
            "from_code": Option("--from-code", is_switch=True),
            "minimal": Option("--minimal", is_switch=True),
        },
    ),
    "provision": AzdCommand(
        "azd provision",
        "Creates or changes the Azure resources in the Bicep or Terraform files of the project. These resources may"
        " cost money.",
        f"{_PROJECT}; permission to create resources (usually Contributor) and to assign roles if the files assign any",
        _DEPLOYED,
        {
            **_WHERE,
            "preview": Option("--preview", is_switch=True),
            "skip_state": Option("--no-state", is_switch=True),
        },
    ),
    "up": AzdCommand(
        "azd up",
        "Packages the code, creates or changes the resources, and deploys the code to the resources. These resources"
        " may cost money.",
        f"{_PROJECT}; permission to create resources",
        _DEPLOYED,
        _WHERE,
    ),
    "deploy": AzdCommand(
        "azd deploy",
        "Deploys the code of one or all services to existing resources. Replaces the running version.",
        _PROVISIONED,
        _DEPLOYED,
        {
            "service": Option("", matching(r"[A-Za-z0-9_.-]{1,100}", "web: the name of a service in azure.yaml")),
            "environment": _ENVIRONMENT,
            "all": Option("--all", is_switch=True),
            "from_package": Option("--from-package", any_text),
        },
    ),
    "down": AzdCommand(
        "azd down",
        "Deletes all resources of the environment, and their data. Asks for confirmation.",
        f"{_PROJECT}; permission to delete resources",
        "show_azd_environment no longer finds the environment",
        {"environment": _ENVIRONMENT, "purge": Option("--purge", is_switch=True)},
    ),
    "env new": AzdCommand(
        "azd env new",
        "Creates an environment in the project and makes it the default. Creates nothing in Azure.",
        "azd; a folder with azure.yaml",
        "`azd env list`; for environments in remote state, list_azd_environments",
        {**_NAMED, "location": _LOCATION, "subscription": _SUBSCRIPTION},
        renamed={"name": "environment"},
    ),
    "env select": AzdCommand(
        "azd env select",
        "Makes another environment the default of the project.",
        "azd; a folder with azure.yaml; an existing environment",
        "`azd env list`",
        _NAMED,
    ),
    "env set": AzdCommand(
        "azd env set",
        "Sets a value of an environment. The next provision or deploy uses the value.",
        "azd; a folder with azure.yaml; an existing environment",
        "`azd env get-values`; for environments in remote state, show_azd_environment_values",
        {"key": Option("", _KEY, is_required=True), "value": Option("", is_required=True), "environment": _ENVIRONMENT},
    ),
    "env list": AzdCommand("azd env list", _NOTHING_CHANGES, "azd; a folder with azure.yaml", _NO_CHECK, {}),
    "env get-values": AzdCommand(
        "azd env get-values",
        f"{_NOTHING_CHANGES} Values may be secrets.",
        "azd; a folder with azure.yaml",
        _NO_CHECK,
        {"environment": _ENVIRONMENT},
    ),
    "env refresh": AzdCommand(
        "azd env refresh",
        "Copies the outputs of the last provision to the values of an environment.",
        _PROVISIONED,
        "`azd env get-values`",
        {"environment": _ENVIRONMENT},
    ),
    "show": AzdCommand("azd show", _NOTHING_CHANGES, _PROJECT, _NO_CHECK, {"environment": _ENVIRONMENT}),
    "config show": AzdCommand("azd config show", _NOTHING_CHANGES, "azd", _NO_CHECK, {}),
    "template list": AzdCommand(
        "azd template list",
        _NOTHING_CHANGES,
        "azd",
        _NO_CHECK,
        {"filter": Option("--filter", matching(r"[\w,#.-]{1,200}", "python,functions"))},
    ),
    "auth login": AzdCommand(
        "azd auth login",
        "Signs in to Azure in a browser, for azd on this machine.",
        "azd and a browser; without a browser, `use_device_code`",
        "`azd auth status`",
        {
            "tenant_id": Option("--tenant-id", matching(r"[A-Za-z0-9.-]{3,100}", "contoso.com, or a GUID")),
            "use_device_code": Option("--use-device-code", is_switch=True),
        },
    ),
    "auth status": AzdCommand("azd auth status", _NOTHING_CHANGES, "azd", _NO_CHECK, {}),
    "pipeline config": AzdCommand(
        "azd pipeline config",
        "Creates a service principal with roles on the subscription, lets the repository's pipelines sign in as this"
        " principal, and sets the repository's variables.",
        f"{_PROJECT} and a git remote; permission to create app registrations and assign roles",
        "list_role_assignments shows the new principal; then run the pipeline",
        {
            "provider": Option("--provider", one_of("github", "azdo")),
            "auth_type": Option("--auth-type", one_of("federated", "client-credentials")),
            "principal_id": Option("--principal-id", _GUID),
            "principal_name": Option("--principal-name", matching(r"[\w .()-]{1,120}", "shop-deployer")),
            "principal_role": Option("--principal-role", matching(r"[\w .()/-]{1,200}", "Contributor")),
            "remote_name": Option("--remote-name", matching(r"[\w./-]{1,100}", "origin")),
            "application_service_management_reference": Option("--applicationServiceManagementReference", _GUID),
            "environment": _ENVIRONMENT,
        },
    ),
    "pipeline run": AzdCommand(
        "gh workflow run azure-dev.yml",
        "Deploys the branch with the GitHub workflow that `azd pipeline config` created.",
        "the GitHub CLI, signed in with `gh auth login`; the repository's folder that contains azure.yaml",
        "`gh run list --workflow azure-dev.yml`, `gh run watch`; then show_azd_environment. For Azure"
        " DevOps, use run_azd_pipeline",
        {
            "branch": Option("--ref", matching(r"[\w./-]{1,200}", "main")),
            "repository": Option("--repo", matching(r"[\w.-]+/[\w.-]+", "owner/repository")),
        },
    ),
}
# The azd commands, by the names that azd's public extension uses for them.
AS_PUBLISHED: Final = {
    "create-environment": "env new",
    "select-environment": "env select",
    "set-environment-value": "env set",
    "list-environments": "env list",
    "get-environment-values": "env get-values",
    "global-config": "config show",
    "auth-check-status": "auth status",
}
