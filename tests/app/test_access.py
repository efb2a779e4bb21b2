"""What the settings make of who is let in, and which of them cannot be right."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from app.access import door_of
from app.doubts import CALLED_A_LAPTOP
from app.pages import AppPages
from app.process import start
from firewall.yaml_text import MAX_BYTES
from identity.caller import ANONYMOUS, Caller, CallerKind
from identity.denial import Denial
from mcp_server.http import rest
from mcp_server.http.gate import LARGEST_BODY, LARGEST_BODY_OF_STRANGERS
from mcp_server.http.messages import HttpRequest
from refusal import Refusal
from settings import Settings, SignInSettings
from tests.identity.principals import principal_headers
from tests.mcp_server.caller import post
from tests.offline import app_of, offline
from tools import TOOLSETS

pytestmark = pytest.mark.anyio

TENANT = "7e7a7700-0000-4000-8000-00000000aaaa"
ISSUER = f"https://login.microsoftonline.com/{TENANT}/v2.0"
SIGN_IN = SignInSettings(mode="oauth", issuer=ISSUER, audience=("app",), scope="api://app/access")
BRIDGE = replace(SIGN_IN, bridge_client_id="app")


@pytest.mark.parametrize(
    "environment",
    [
        {},
        {"WEBSITE_HOSTNAME": "team.azurewebsites.net"},
        {"WEBSITE_HOSTNAME": "localhost:80"},
        {"AZURE_FUNCTIONS_ENVIRONMENT": "Production"},
        {"AZURE_FUNCTIONS_ENVIRONMENT": "Staging"},
    ],
)
def test_wherever_strangers_may_come_only_what_is_public_is_open(environment: dict[str, str]) -> None:
    grants = door_of(Settings.from_environment(environment), TOOLSETS).grants_of(ANONYMOUS)
    assert {toolset.name for toolset in TOOLSETS if grants.level(toolset.name)} == {"azure-updates", "firewall"}


@pytest.mark.parametrize("mark", ["WEBSITE_INSTANCE_ID", "WEBSITE_SKU", "WEBSITE_POD_NAME", "LEGION_SERVICE_HOST"])
async def test_where_azure_runs_the_app_no_setting_makes_a_laptop_of_it(
    tmp_path: Path, mark: str, caplog: pytest.LogCaptureFixture
) -> None:
    app = start(app_of(offline(tmp_path) | {mark: "x", "WEBSITE_HOSTNAME": "team.example.com"}))
    assert not app.door.grants_of(ANONYMOUS).are_unlimited
    assert app.gate.hosts == {"team.example.com"}
    health = await AppPages(app).health(HttpRequest("GET", "/health", {"host": "team.example.com"}, b""))
    await app.close()
    assert CALLED_A_LAPTOP in json.loads(health.body)["warnings"]
    assert CALLED_A_LAPTOP in caplog.text


@pytest.mark.parametrize(
    ("environment", "largest"),
    [
        ({"AUTH_MODE": "none"}, LARGEST_BODY_OF_STRANGERS),
        ({"AUTH_MODE": "key"}, LARGEST_BODY),
        ({"AUTH_MODE": "none", "AZURE_FUNCTIONS_ENVIRONMENT": "Development"}, LARGEST_BODY),
    ],
)
async def test_where_nobody_signs_in_a_body_is_no_larger_than_what_is_public_takes(
    environment: dict[str, str], largest: int
) -> None:
    app = app_of({"MCP_ALLOWED_HOSTS": "localhost:*", **environment})
    for answer in (app.endpoint.handle, partial(rest.execute, app.endpoint)):
        assert (await answer(post(b" " * (largest + 1)))).status == 413
        assert (await answer(post(b" " * largest))).status in {400, 401}
    await app.close()


def test_a_rules_file_of_the_greatest_size_fits_however_it_is_written() -> None:
    assert MAX_BYTES * len(r"\u0000") + 64 * 1024 < LARGEST_BODY_OF_STRANGERS


def test_on_a_laptop_everything_is_open() -> None:
    laptop = Settings.from_environment({"AZURE_FUNCTIONS_ENVIRONMENT": "Development"})
    assert door_of(laptop, TOOLSETS).grants_of(ANONYMOUS).are_unlimited


WRONG: list[tuple[SignInSettings, str]] = [
    (replace(SIGN_IN, issuer=""), "AUTH_MODE is oauth, so AUTH_ISSUER must be set"),
    (
        replace(SIGN_IN, issuer="", audience=(), scope=""),
        "so AUTH_ISSUER and AUTH_AUDIENCE and AUTH_SCOPE must be set",
    ),
    (replace(SIGN_IN, issuer="https://login.microsoftonline.com/common/v2.0"), "all tenants"),
    (
        replace(SIGN_IN, mode="platform", issuer="https://login.microsoftonline.com/common/v2.0"),
        "AUTH_ALLOWED_TENANTS must be set",
    ),
    (
        replace(BRIDGE, issuer="https://team.b2clogin.com/tfp/one/policy/v2.0"),
        "The sign-in bridge works with Entra",
    ),
    (BRIDGE, "requires the setting MCP_REQUEST_STATE_KEY"),
    (
        replace(BRIDGE, allowed_clients=("another",)),
        "AUTH_ALLOWED_CLIENTS does not contain the client ID in AUTH_BRIDGE_CLIENT_ID",
    ),
    (replace(SIGN_IN, roles_file="none.yaml"), "AUTH_ROLES_FILE is 'none.yaml', but that file cannot be read"),
    (
        SignInSettings(mode="key", key_role="Nobody"),
        "AUTH_KEY_ROLE is 'Nobody', but roles.yaml has no role with this name",
    ),
]


@pytest.mark.parametrize(("settings", "told"), WRONG)
def test_settings_that_cannot_be_right_are_refused_at_the_start(settings: SignInSettings, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        door_of(Settings(sign_in=settings), TOOLSETS)
    assert told in str(refused.value)


def test_the_roles_file_may_name_single_tools_and_none_that_there_is_not(tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    settings = Settings(sign_in=SignInSettings(mode="key", key_role="A", roles_file=str(roles)))
    roles.write_text("roles: {A: {devops-git: destroy, devops-git/delete_branch: none}}")
    grants = door_of(settings, TOOLSETS).grants_of(Caller(CallerKind.KEY, roles=frozenset({"A"})))
    git = next(toolset for toolset in TOOLSETS if toolset.name == "devops-git")
    closed = [tool.name for tool in git.tools if not grants.allow("devops-git", tool.name, tool.access)]
    assert closed == ["delete_branch"]
    roles.write_text("roles: {A: {devops-git/delete_brunch: none}}")
    with pytest.raises(Refusal, match="line 1: the toolset 'devops-git' has no tool 'delete_brunch'"):
        door_of(settings, TOOLSETS)


async def test_app_service_lets_in_nobody_of_another_tenant_than_the_issuers() -> None:
    own = replace(SIGN_IN, mode="platform", platform_signs_in=True)
    headers = principal_headers()
    with pytest.raises(Denial, match="scope"):
        await door_of(Settings(sign_in=own), TOOLSETS).enter(headers)  # this tenant is served, and lacks but the scope
    other = replace(own, issuer=ISSUER.replace("aaaa/", "bbbb/"))
    with pytest.raises(Denial, match="a tenant that this server does not serve"):
        await door_of(Settings(sign_in=other), TOOLSETS).enter(headers)


def started(**environment: str) -> set[str]:
    catalog = app_of({"AZURE_FUNCTIONS_ENVIRONMENT": "Development", **environment}).catalog
    return {tool.name for toolset in catalog.toolsets for tool in toolset.tools}


def test_settings_narrow_what_anybody_has() -> None:
    assert "refresh_azure_updates" not in started(MCP_READ_ONLY="true")
    denied = "check_azure_updates_health,get_azure_updates_feeds,watches,firewall,me,tasks,translation"
    assert started(MCP_DENIED=denied, MCP_READ_ONLY="true") == {"retirement_report", "search_azure_updates"}


@pytest.mark.parametrize(
    ("environment", "told"),
    [
        ({"MCP_DENIED": "all"}, "MCP_DENIED is not valid: with this value, no toolset is available"),
        ({"MCP_DENIED": "azure"}, "You cannot remove 'azure' alone, because it gives access to all other tools"),
        (
            {"MCP_DENIED": "azure_change"},
            "You cannot remove 'azure_change' alone, because it gives access to all tools that change",
        ),
        ({"MCP_DENIED": "nope"}, "MCP_DENIED is not valid: Unknown toolset 'nope'"),
        ({"MCP_CONSENT_WAIVED": "nope"}, "MCP_CONSENT_WAIVED is not valid: Unknown toolset 'nope'"),
        (
            {"MCP_TOOLSETS": "devops"},
            "MCP_TOOLSETS is not valid: Toolset 'devops' is not available: Azure DevOps is not",
        ),
    ],
)
def test_a_setting_that_names_nothing_is_refused_by_its_name(environment: dict[str, str], told: str) -> None:
    with pytest.raises(Refusal) as refused:
        started(**environment)
    assert told in str(refused.value)


def test_a_model_confirms_by_itself_only_where_an_operator_lets_it() -> None:
    laptop = {"AZURE_FUNCTIONS_ENVIRONMENT": "Development", "ADO_ORG_URL": "https://dev.azure.com/acme"}
    by_key, confirming = {"AUTH_MODE": "key", "AUTH_KEY_ROLE": "Admin"}, {"MCP_CONFIRM_BY_ARGUMENT": "true"}
    for environment, takes in (({}, False), (confirming, False), (by_key, False), (by_key | confirming, True)):
        app = app_of({**laptop, **environment})
        destroying = [tool for toolset in app.catalog.toolsets for tool in toolset.tools if tool.may_destroy]
        assert {tool.takes_confirm for tool in destroying} == {takes}
        assert app.approvals.by_argument is takes


def test_a_setting_may_name_what_comes_later_if_the_roles_file_lists_it(tmp_path: Path) -> None:
    roles = tmp_path / "roles.yaml"
    roles.write_text("external: [weather]\nroles: {A: {weather: read}}")
    signed_in = {"AUTH_MODE": "key", "AUTH_KEY_ROLE": "A", "AUTH_ROLES_FILE": str(roles)}
    plain = started(**signed_in)
    for setting in ("MCP_DENIED", "MCP_CONSENT_WAIVED", "MCP_TOOLSETS"):
        names = "firewall,weather,weather_forecast" if setting == "MCP_DENIED" else "firewall,weather"
        assert started(**signed_in, **{setting: names}) <= plain
        with pytest.raises(Refusal, match="Unknown toolset 'wether'"):
            started(**signed_in, **{setting: "wether"})


def test_azure_devops_is_there_where_it_is_configured() -> None:
    assert "list_projects" not in started()
    assert "list_projects" in started(ADO_ORG_URL="https://dev.azure.com/acme")
