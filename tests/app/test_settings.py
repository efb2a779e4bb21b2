from __future__ import annotations

import logging

import pytest

from app.access import gate_of
from app.doubts import doubts_about
from app.process import quiet_libraries
from refusal import Refusal
from settings import PlaceSettings, Settings
from tests.offline import app_of


def test_without_an_environment_every_setting_has_its_default() -> None:
    assert Settings.from_environment({}) == Settings()


def test_names_are_separated_by_commas() -> None:
    settings = Settings.from_environment({"MCP_TOOLSETS": " firewall , ,azure-updates,"})
    assert settings.server.toolsets == ("firewall", "azure-updates")


def test_claims_are_names_with_values() -> None:
    settings = Settings.from_environment({"AUTH_REQUIRED_CLAIMS": "acct=0, acct = 1,https://a.example/team=x=y z ,"})
    assert settings.sign_in.required_claims == (("acct", "0"), ("acct", "1"), ("https://a.example/team", "x=y z"))


def test_a_key_that_is_too_short_is_refused_without_being_shown() -> None:
    with pytest.raises(Refusal, match="MCP_REQUEST_STATE_KEY is not valid: each key needs at least 32") as refused:
        Settings.from_environment({"MCP_REQUEST_STATE_KEY": "short-secret"})
    assert "short-secret" not in str(refused.value)


def test_a_secret_is_not_shown_with_the_settings() -> None:
    assert "k" * 32 not in repr(Settings.from_environment({"MCP_REQUEST_STATE_KEY": "k" * 32}))


def test_on_azure_the_app_answers_for_its_own_name_and_not_for_loopback() -> None:
    environment = {"WEBSITE_HOSTNAME": "team.azurewebsites.net", "MCP_ALLOWED_HOSTS": "mcp.example.com"}
    gate = gate_of(Settings.from_environment(environment))
    assert gate.hosts == {"team.azurewebsites.net", "mcp.example.com"}
    assert gate.origins == {"https://team.azurewebsites.net"}


def test_on_a_laptop_the_app_answers_for_loopback() -> None:
    assert "localhost:*" in gate_of(Settings(place=PlaceSettings(environment="Development"))).hosts


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("UPDATES_API_URL", "http://example.com/feed", "UPDATES_API_URL is not valid: The address of a service must"),
        ("MCP_TOOLSETS", ",", "MCP_TOOLSETS is not valid: name at least one toolset."),
        ("MCP_ALLOWED_HOSTS", "https://mcp.example.com", "MCP_ALLOWED_HOSTS is not valid: each host must be a name"),
        ("MCP_SERVER_NAME", "two words", "MCP_SERVER_NAME is not valid: it can have up to 64 characters"),
        ("MCP_ALLOWED_HOSTS", "*", "MCP_ALLOWED_HOSTS is not valid"),
        (
            "MCP_ALLOWED_ORIGINS",
            "https://a.example.com/",
            "MCP_ALLOWED_ORIGINS is not valid: each origin must be a scheme",
        ),
        ("UPDATES_LARGEST_WITHDRAWAL", "101", "UPDATES_LARGEST_WITHDRAWAL is not valid: it must be from 0 to 100"),
        ("UPDATES_LARGEST_WITHDRAWAL", "many", "UPDATES_LARGEST_WITHDRAWAL is not valid"),
        ("MCP_CHANGE_MINUTES", "0", "MCP_CHANGE_MINUTES is not valid: it must be a whole number from 1 to 43200"),
        ("NOTIFY_BEFORE_MINUTES", "soon", "NOTIFY_BEFORE_MINUTES is not valid: it must be a whole number from 0 to"),
        ("AUTH_MODE", "sometimes", "AUTH_MODE is not valid: it must be one of none, oauth, platform, key"),
        ("AUTH_ISSUER", "http://login.example.com", "AUTH_ISSUER is not valid"),
        *(
            ("AUTH_REQUIRED_CLAIMS", text, "AUTH_REQUIRED_CLAIMS is not valid: a claim is a name, =, and a value")
            for text in ("acct", "acct=", "=0", "acct = ", "a b=0", "acct==0", "acct=0,team")
        ),
        ("AUTH_REQUIRED_CLAIMS", ",", "AUTH_REQUIRED_CLAIMS is not valid: name at least one claim"),
        ("AUTH_ALLOWED_TENANTS", "contoso", "AUTH_ALLOWED_TENANTS is not valid: a tenant must be specified by its ID"),
        (
            "RATE_LIMIT_PER_CALLER",
            "-1",
            "RATE_LIMIT_PER_CALLER is not valid: it must be a whole number; 0 means no limit",
        ),
        (
            "ADO_PAT",
            "@Microsoft.KeyVault(SecretUri=https://v.example.com/s)",
            "ADO_PAT refers to a vault that the app cannot read",
        ),
        ("UPDATES_SAMPLE", "perhaps", "UPDATES_SAMPLE is not valid: it must be true or false"),
    ],
)
def test_a_value_that_cannot_be_is_refused(name: str, value: str, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        app_of({name: value})
    assert told in str(refused.value)


def test_core_tools_on_a_laptop_are_not_azure() -> None:
    environment = {"WEBSITE_HOSTNAME": "localhost:7071", "AZURE_FUNCTIONS_ENVIRONMENT": "Development"}
    assert {"localhost:*", "127.0.0.1:*"} <= gate_of(Settings.from_environment(environment)).hosts


def test_without_a_name_the_app_answers_for_none() -> None:
    gate = gate_of(Settings())
    assert not gate.hosts | gate.origins


def test_a_toolset_that_is_not_there_is_refused_by_the_setting_that_names_it() -> None:
    with pytest.raises(Refusal, match="MCP_TOOLSETS is not valid: Unknown toolset 'firewal'"):
        app_of({"MCP_TOOLSETS": "firewal"})


def test_only_the_toolsets_of_the_setting_are_offered() -> None:
    catalog = app_of({"MCP_TOOLSETS": "firewall"}).catalog
    assert [toolset.name for toolset in catalog.toolsets] == ["firewall"]


def test_a_wrong_setting_is_told_by_its_own_name() -> None:
    with pytest.raises(Refusal, match="The setting MCP_READ_ONLY is not valid"):
        app_of({"MCP_READ_ONLY": "yes"})


def test_libraries_do_not_log_what_callers_send() -> None:
    quiet_libraries()
    assert not logging.getLogger("opentelemetry.baggage").isEnabledFor(logging.WARNING)
    assert not logging.getLogger("mcp.server.request_state").isEnabledFor(logging.WARNING)
    assert not logging.getLogger("python_multipart.multipart").isEnabledFor(logging.WARNING)


def test_a_setting_that_there_is_not_is_told_with_the_one_that_was_meant() -> None:
    laptop = {"AZURE_FUNCTIONS_ENVIRONMENT": "Development"}
    app = app_of({**laptop, "MCP_TOOLSET": "firewall", "AZURE_REGION": "westeurope"})
    (told,) = doubts_about(app.settings, app.all_providers)
    assert told.startswith("Unknown setting MCP_TOOLSET. Did you mean 'MCP_TOOLSETS'")


def test_a_token_without_an_address_is_told() -> None:
    app = app_of({"ADO_PAT": "invented", "AZURE_FUNCTIONS_ENVIRONMENT": "Development"})
    assert doubts_about(app.settings, app.all_providers) == [
        "ADO_PAT is set, but ADO_ORG_URL is not, so there are no Azure DevOps tools."
    ]
