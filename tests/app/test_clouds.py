"""An app in one cloud keeps what it has, signs people in and calls services there."""

from __future__ import annotations

import pytest

from app.storage import address_of
from clients.azure.cloud import CLOUDS, cloud_named
from refusal import Refusal
from tests.offline import app_of

ISSUERS = {
    "public": "https://login.microsoftonline.com/7e7a7700-0000-4000-8000-00000000aaaa/v2.0",
    "usgovernment": "https://login.microsoftonline.us/7e7a7700-0000-4000-8000-00000000aaaa/v2.0",
    "china": "https://login.partner.microsoftonline.cn/7e7a7700-0000-4000-8000-00000000aaaa/v2.0",
}


@pytest.mark.parametrize(
    ("cloud", "address"),
    [
        ("public", "https://st1.table.core.windows.net"),
        ("AzureUSGovernment", "https://st1.table.core.usgovcloudapi.net"),
        ("AzureChinaCloud", "https://st1.table.core.chinacloudapi.cn"),
    ],
)
def test_what_the_app_keeps_is_in_its_own_cloud(cloud: str, address: str) -> None:
    assert address_of("st1", "table", cloud_named(cloud)) == address


@pytest.mark.parametrize("cloud", CLOUDS)
@pytest.mark.parametrize("signed_in_at", ISSUERS)
def test_who_signs_in_to_one_cloud_calls_no_services_of_another(cloud: str, signed_in_at: str) -> None:
    settings = {
        "AZURE_FUNCTIONS_ENVIRONMENT": "Development",
        "AZURE_CLOUD": cloud,
        "AUTH_ISSUER": ISSUERS[signed_in_at],
    }
    if cloud == signed_in_at:
        app_of(settings)
        return
    with pytest.raises(Refusal, match=f"AUTH_ISSUER belongs to the cloud {signed_in_at}, but AZURE_CLOUD is {cloud}"):
        app_of(settings)


@pytest.mark.parametrize("issuer", ["https://login.example.com/v2.0", ""])
def test_an_issuer_that_is_none_of_azures_says_nothing_of_a_cloud(issuer: str) -> None:
    app_of({"AZURE_FUNCTIONS_ENVIRONMENT": "Development", "AZURE_CLOUD": "china", "AUTH_ISSUER": issuer})


def test_an_emulator_takes_any_sign_in() -> None:
    app_of(
        {
            "AZURE_FUNCTIONS_ENVIRONMENT": "Development",
            "AZURE_CLOUD": "http://127.0.0.1:9999",
            "AUTH_ISSUER": ISSUERS["china"],
        }
    )
