from __future__ import annotations

import pytest

import composition
from refusal import Refusal
from settings import Settings


def test_without_an_environment_every_setting_has_its_default() -> None:
    assert Settings.from_environment({}) == Settings()


def test_names_are_separated_by_commas() -> None:
    settings = Settings.from_environment({"MCP_TOOLSETS": " firewall , ,azure-updates,"})
    assert settings.toolsets == ("firewall", "azure-updates")


def test_a_key_that_is_too_short_is_refused_without_being_shown() -> None:
    with pytest.raises(Refusal, match="MCP_REQUEST_STATE_KEY is not valid: each key needs at least 32") as refused:
        Settings.from_environment({"MCP_REQUEST_STATE_KEY": "short-secret"})
    assert "short-secret" not in str(refused.value)


def test_a_secret_is_not_shown_with_the_settings() -> None:
    assert "k" * 32 not in repr(Settings.from_environment({"MCP_REQUEST_STATE_KEY": "k" * 32}))


def test_on_azure_the_app_answers_for_its_own_name_and_not_for_loopback() -> None:
    environment = {"WEBSITE_HOSTNAME": "team.azurewebsites.net", "MCP_ALLOWED_HOSTS": "mcp.example.com"}
    gate = composition.gate(Settings.from_environment(environment))
    assert gate.hosts == {"team.azurewebsites.net", "mcp.example.com"}
    assert gate.origins == {"https://team.azurewebsites.net"}


def test_on_a_laptop_the_app_answers_for_loopback() -> None:
    assert "localhost:*" in composition.gate(Settings()).hosts


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("UPDATES_API_URL", "http://example.com/feed", "UPDATES_API_URL is not valid: The address of a service must"),
        ("UPDATES_LARGEST_WITHDRAWAL", "101", "UPDATES_LARGEST_WITHDRAWAL is not valid: it must be from 0 to 100"),
        ("UPDATES_LARGEST_WITHDRAWAL", "many", "UPDATES_LARGEST_WITHDRAWAL is not valid"),
        ("UPDATES_SAMPLE", "perhaps", "UPDATES_SAMPLE is not valid: it must be true or false"),
    ],
)
def test_a_value_that_cannot_be_is_refused(name: str, value: str, told: str) -> None:
    with pytest.raises(Refusal) as refused:
        Settings.from_environment({name: value})
    assert told in str(refused.value)
