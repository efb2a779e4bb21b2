"""With the settings that a deployment gives, the app starts in each mode, and they agree with what was registered."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Final

import pytest

from app.access import gate_of
from bicep_checker.values import TENANT
from identity.claims import OF_AGENTS
from settings.own import PlaceSettings
from tests.infra.chosen import ENTRA, PLATFORM, REFERENCE, Chosen
from tests.infra.deployed import INFRA
from tests.infra.deployment import APPLICATION, IDENTITY, PRINCIPAL
from tests.warm import read_by_python
from tests.warm.app import WARM

OWN: Final = {
    "AUTH_MODE": "oauth",
    "AUTH_ISSUER": f"https://login.microsoftonline.com/{TENANT}/v2.0",
    "AUTH_AUDIENCE": APPLICATION,
    "AUTH_SCOPE": f"api://{APPLICATION}/access",
    "AUTH_BRIDGE_CLIENT_ID": APPLICATION,
    "SECRETS_IN_VAULT": "AUTH_BRIDGE_CLIENT_SECRET",
}
MODES: Final[dict[str, dict[str, str]]] = {
    "none": {},
    "oauth": ENTRA,
    "platform": PLATFORM,
    "key": {"AUTH_MODE": "key"},
    "oauth, own registration": OWN,
    "oauth, brought registration": {**ENTRA, "OWN_ENTRA_CLIENT_ID": APPLICATION},
}
DOMAINS: Final = {"its own name": {}, "a domain": {"CUSTOM_DOMAIN": "mcp.example.com"}}
PLACES: Final[dict[str, dict[str, str]]] = {
    "no Azure DevOps": {},
    "Azure DevOps in the cloud": {"ADO_ORG_URL": "https://dev.azure.com/contoso", "UPSTREAM_OWN_IDENTITY": "true"},
    "Azure DevOps on premises": {
        "ADO_ORG_URL": "https://devops.example.com/DefaultCollection",
        "SECRETS_IN_VAULT": "ADO_PAT",
        "VNET_ENABLED": "true",
    },
}
COMBINED: Final = {", ".join(names): names for names in product(MODES, DOMAINS, PLACES)}
_KINDS: Final = ("User", "ServicePrincipal")
# Prints each function with the right that it takes; nothing is sent anywhere.
_START: Final = """
import json, os, sys
sys.path.insert(0, os.getcwd())
import function_app
triggers = {one.get_function_name(): one.get_trigger().get_dict_repr() for one in function_app.app.get_functions()}
print(json.dumps({name: str(trigger.get("authLevel")) for name, trigger in triggers.items()}), flush=True)
os._exit(0)
"""


def _chosen(*parts: Mapping[str, str]) -> Chosen:
    """Options together; each may put secrets into the vault."""
    secrets = ",".join(part["SECRETS_IN_VAULT"] for part in parts if "SECRETS_IN_VAULT" in part)
    together = {name: value for part in parts for name, value in part.items()}
    return Chosen({**together, "SECRETS_IN_VAULT": secrets})


@pytest.fixture(params=list(COMBINED.values()), ids=list(COMBINED))
def combined(request: pytest.FixtureRequest) -> Chosen:
    mode, domain, place = request.param
    return _chosen(MODES[mode], DOMAINS[domain], PLACES[place])


def test_no_combination_of_options_is_refused_by_the_app(combined: Chosen) -> None:
    app, settings = combined.app, combined.settings
    assert app.upstream
    assert settings.place.is_on_azure
    assert all(REFERENCE.fullmatch(value) is None for value in combined.given.values())
    if combined.sign_in.bridge_client_id:
        app.bridge(f"https://{settings.place.site_name}")


def test_every_secret_is_the_one_that_the_hook_stores(combined: Chosen) -> None:
    outputs = combined.deployment["outputs"]
    properties = combined.module("app").resource("appSettings", "properties")
    referring = {name: REFERENCE.fullmatch(str(value)) for name, value in properties.items()}
    stored = {name: name.lower().replace("_", "-") for name in outputs["SETTINGS_IN_VAULT"].split(",")}
    assert {name: found[1] for name, found in referring.items() if found} == stored


def test_the_app_answers_for_the_address_that_clients_are_told(combined: Chosen) -> None:
    hosts = gate_of(combined.settings).hosts
    domain = combined.options.get("CUSTOM_DOMAIN")
    assert hosts == {combined.settings.place.site_name, *([domain] if domain else [])}
    if domain:
        assert combined.deployment["outputs"]["MCP_URL"] == f"https://{domain}/mcp"


def test_one_identity_reaches_everything(combined: Chosen) -> None:
    settings = combined.settings
    assert {settings.upstream.identity_client_id, settings.storage.client_id} == {IDENTITY}
    assert settings.monitor.authentication == f"ClientId={IDENTITY};Authorization=AAD"
    for name in ("rolesOnStorage", "rolesOnVault", "rolesOnTelemetry"):
        assert combined.module(name).parameters["identityPrincipalId"] == PRINCIPAL


def test_who_deploys_gets_roles_as_a_person_and_none_as_a_pipeline() -> None:
    person, pipeline = ({"AZURE_PRINCIPAL_ID": PRINCIPAL, "AZURE_PRINCIPAL_TYPE": kind} for kind in _KINDS)
    assert _assigned(person) - _assigned({}) == {("User", "onStorage"), ("User", "onVault")}
    assert _assigned(pipeline) == _assigned({}) == {("ServicePrincipal", "onStorage"), ("ServicePrincipal", "onVault")}


def _assigned(options: Mapping[str, str]) -> set[tuple[str, str]]:
    lists = {"rolesOnStorage": "onStorage", "rolesOnVault": "onVault"}
    chosen = _chosen(options)
    return {
        (entry["to"]["type"], name) for module, name in lists.items() for entry in chosen.module(module).variable(name)
    }


@pytest.mark.parametrize("options", [ENTRA, PLATFORM], ids=["oauth", "platform"])
@pytest.mark.parametrize("domain", DOMAINS.values(), ids=DOMAINS.keys())
def test_what_is_registered_is_what_the_app_asks_for(options: Mapping[str, str], domain: Mapping[str, str]) -> None:
    chosen = _chosen(options, domain)
    sign_in, entra = chosen.sign_in, chosen.module("entra")
    (uri,) = entra.resource("registration", "identifierUris")
    (scope,) = entra.resource("registration", "api")["oauth2PermissionScopes"]
    assert sign_in.audience == (APPLICATION, uri)
    assert sign_in.scope == f"{uri}/{scope['value']}"
    assert sign_in.allowed_tenants == (TENANT,)
    assert chosen.settings.upstream.client_id == APPLICATION
    # App Service signs browsers in at a path of its own, and without a secret takes what Entra gives at once.
    is_platform = sign_in.mode == "platform"
    path = "/.auth/login/aad/callback" if is_platform else "/callback"
    web = entra.resource("registration", "web")
    assert set(web["redirectUris"]) == {f"https://{host}{path}" for host in gate_of(chosen.settings).hosts}
    assert web["implicitGrantSettings"] == {"enableIdTokenIssuance": is_platform}


def test_tokens_are_asked_to_say_whether_an_agent_acts() -> None:
    asked = _chosen(ENTRA).module("entra").resource("registration", "optionalClaims")["accessToken"]
    names = {claim["name"] for claim in asked}
    assert names >= {"idtyp", "auth_time", "acct", *(name for name in OF_AGENTS if name.startswith("xms_"))}


@pytest.mark.parametrize("options", [ENTRA, PLATFORM], ids=["oauth", "platform"])
def test_the_identity_of_the_app_vouches_for_its_registration(options: Mapping[str, str]) -> None:
    chosen = _chosen(options)
    entra = chosen.module("entra")
    assert entra.resource("assertion", "issuer") == chosen.sign_in.issuer
    assert entra.resource("assertion", "subject") == PRINCIPAL
    assert not chosen.sign_in.bridge_client_secret + chosen.settings.upstream.client_secret


def test_with_oauth_the_bridge_is_on_and_app_service_authentication_is_said_to_be_off() -> None:
    chosen = _chosen(ENTRA)
    assert chosen.sign_in.bridge_client_id == APPLICATION
    assert chosen.authentication["platform"] == {"enabled": False}
    assert chosen.authentication["globalValidation"]["requireAuthentication"] is False
    assert "WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES" not in chosen.given


def test_app_service_authentication_checks_what_the_app_expects() -> None:
    chosen = _chosen(PLATFORM, {"PRE_AUTHORIZED_CLIENTS": f"{PRINCIPAL}, {TENANT},"})
    sign_in, provider = chosen.sign_in, chosen.authentication["identityProviders"]["azureActiveDirectory"]
    assert sign_in.platform_signs_in
    assert sign_in.bridge_client_id == ""
    assert provider["registration"] == {"clientId": APPLICATION, "openIdIssuer": sign_in.issuer}
    assert tuple(provider["validation"]["allowedAudiences"]) == sign_in.audience
    assert chosen.given["WEBSITE_AUTH_PRM_DEFAULT_WITH_SCOPES"] == sign_in.scope
    allowed = provider["validation"]["defaultAuthorizationPolicy"]["allowedApplications"]
    known = chosen.module("entra").resource("registration", "api")["preAuthorizedApplications"]
    assert set(allowed) == {APPLICATION, *(client["appId"] for client in known)}
    assert {PRINCIPAL, TENANT} <= set(allowed)


@pytest.mark.parametrize("options", [{"UPDATE_STRATEGY": "RollingUpdate"}, {"UPDATE_STRATEGY": "Recreate"}, {}])
def test_instances_are_replaced_as_somebody_chose_and_else_in_the_way_that_is_no_preview(
    options: Mapping[str, str],
) -> None:
    scaling = _chosen(options).module("app").resource("site", "properties")["functionAppConfig"]
    assert scaling["siteUpdateStrategy"] == {"type": options.get("UPDATE_STRATEGY", "Recreate")}


@pytest.mark.parametrize("mode", MODES)
def test_the_app_starts_in_each_mode_with_the_functions_of_it(mode: str, tmp_path: Path) -> None:
    chosen = _chosen(MODES[mode])
    own = {name: os.environ[name] for name in ("PATH", "HOME") if name in os.environ}
    (tmp_path / "start.py").write_text(_START, encoding="utf-8")
    variables = {**read_by_python(os.environ), **own, **chosen.given}
    started = WARM.run([sys.executable, tmp_path / "start.py"], cwd=INFRA.parent, env=variables)
    assert started.returncode == 0, started.stderr
    functions = json.loads(started.stdout.splitlines()[-1])
    signs_in = chosen.sign_in.mode == "oauth"
    assert ("resource_metadata" in functions, "sign_in_callback" in functions) == (signs_in, signs_in)
    assert functions["mcp"] == ("FUNCTION" if mode == "key" else "ANONYMOUS")
    assert functions["health"] == "ANONYMOUS"


def test_app_service_takes_forms_from_the_hosts_of_the_app() -> None:
    """It rejects a POST with its cookie whose origin it does not know, and so every decision at the pages."""
    chosen = _chosen({**MODES["platform"], "CUSTOM_DOMAIN": "mcp.example.com"})
    login = chosen.module("authentication").resource("authentication", "properties")["login"]
    default, own = login["allowedExternalRedirectUrls"]
    assert (default.endswith(".azurewebsites.net"), own) == (True, "https://mcp.example.com")


def test_the_app_sends_its_logs_by_the_name_that_alerts_filter_by() -> None:
    place = PlaceSettings(site_name="func-unique.azurewebsites.net")
    assert place.app_name == "func-unique"
