"""Clouds: one name for all of their hosts, and no token for anybody else's."""

from __future__ import annotations

import pytest

from clients.azure.cloud import CLOUDS, cloud_named
from clients.azure.ids import ResourceId
from refusal import Refusal

OWNER = ResourceId.of("/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/shop")


@pytest.mark.parametrize(
    ("name", "host"),
    [
        ("public", "management.azure.com"),
        ("AzureCloud", "management.azure.com"),
        ("usgovernment", "management.usgovcloudapi.net"),
        ("AzureUSGovernment", "management.usgovcloudapi.net"),
        ("China", "management.chinacloudapi.cn"),
        ("AzureChinaCloud", "management.chinacloudapi.cn"),
        ("http://127.0.0.1:4000", "127.0.0.1:4000"),
    ],
)
def test_one_name_tells_where_a_cloud_is(name: str, host: str) -> None:
    manager = cloud_named(name).manager
    assert manager.base_url.partition("://")[2] == host


def test_the_tokens_of_each_cloud_are_for_itself() -> None:
    scopes = [cloud.manager.scope.removesuffix("/.default") for cloud in CLOUDS.values()]
    assert scopes == [
        "https://management.azure.com",
        "https://management.core.usgovcloudapi.net",
        "https://management.chinacloudapi.cn",
    ]


@pytest.mark.parametrize("name", ["", "germany", "https://management.azure.com.evil.example", "http://10.0.0.1"])
def test_there_are_no_other_clouds(name: str) -> None:
    with pytest.raises(Refusal):
        cloud_named(name)


def test_the_data_of_a_vault_and_of_storage_is_in_the_same_cloud() -> None:
    china = CLOUDS["china"]
    assert china.vault("https://till.vault.azure.cn/", OWNER).scope == "https://vault.azure.cn/.default"
    stored = china.stored("https://till.z12.blob.core.chinacloudapi.cn/", OWNER)
    assert stored.base_url == "https://till.z12.blob.core.chinacloudapi.cn"


STRAY = [
    "https://evil\\.vault.azure.net",
    "https://evil.example\\.vault.azure.net/",
    "https://evil.example/.vault.azure.net",
    "https://evil.example#.vault.azure.net",
    "https://evil.example?.vault.azure.net",
    "https://evil.example;.vault.azure.net",
    "https://evil.example%2f.vault.azure.net",
    "https://evil.example%00.vault.azure.net",
    "https://a@till.vault.azure.net",
    "https://:@till.vault.azure.net",
    "https://till.vault.azure.net@evil.example",
    "https://till.vault.azure.net:8443",
    "https://till.vault.azure.net:443:443",
    "https://till.vault.azure.net/keys",
    "https://till.vault.azure.net/?x",
    "https://till\t.vault.azure.net",
    "https://till\n.vault.azure.net",
    " https://till.vault.azure.net",
    "https://till..vault.azure.net",
    "https://.vault.azure.net",
    "https://vault.azure.net",
    "https://[::1].vault.azure.net",
    "https://till.vault.azure.net.",
    "https://t\u0131ll.vault.azure.net",
    "https://till\uff0evault.azure.net",
    "http://till.vault.azure.net",
    "//till.vault.azure.net",
    "till.vault.azure.net",
]


@pytest.mark.parametrize("address", STRAY, ids=ascii)
def test_no_other_host_passes_for_a_vault(address: str) -> None:
    public = CLOUDS["public"]
    assert not public.is_vault(address)
    with pytest.raises(Refusal):
        public.vault(address, OWNER)
    assert public.is_vault("https://Till-1.vault.azure.net:443/")


def test_messages_are_where_a_namespace_says_in_the_same_cloud() -> None:
    bus = CLOUDS["usgovernment"].bus("https://till.servicebus.usgovcloudapi.net:443/", OWNER)
    assert bus.base_url == "https://till.servicebus.usgovcloudapi.net:443"
    assert bus.scope == "https://servicebus.azure.net/.default"
    for stray in ("https://till.servicebus.windows.net/", "https://till.servicebus.usgovcloudapi.net:8443/"):
        with pytest.raises(Refusal, match="not in this cloud"):
            CLOUDS["usgovernment"].bus(stray, OWNER)


@pytest.mark.parametrize(
    "address",
    [
        "https://till.vault.azure.net.evil.example/",
        "https://vault.azure.net/",
        "http://till.vault.azure.net/",
        "https://till.vault.azure.net:8443/",
        "https://till.vault.azure.net/elsewhere",
        "https://me@till.vault.azure.net/",
        "https://till.vault.azure.cn/",
        "https://127.0.0.1/",
        "",
    ],
)
def test_no_resource_leads_a_token_elsewhere(address: str) -> None:
    with pytest.raises(Refusal, match="not in this cloud"):
        CLOUDS["public"].vault(address, OWNER)


def test_an_emulator_has_its_data_on_this_machine() -> None:
    emulator = cloud_named("http://127.0.0.1:4000")
    assert emulator.vault("http://127.0.0.1:4000/vault/till/", OWNER).base_url == "http://127.0.0.1:4000/vault/till"
    with pytest.raises(Refusal):
        emulator.vault("https://till.vault.azure.net/", OWNER)


@pytest.mark.parametrize(
    ("name", "logs", "apps"),
    [
        ("public", "https://api.loganalytics.io", "https://api.applicationinsights.io"),
        ("usgovernment", "https://api.loganalytics.us", "https://api.applicationinsights.us"),
        ("china", "https://api.loganalytics.azure.cn", "https://api.applicationinsights.azure.cn"),
    ],
)
def test_logs_are_at_one_address_of_each_cloud_and_go_by_their_owner(name: str, logs: str, apps: str) -> None:
    cloud, app = CLOUDS[name], "5e0a7a51-0000-4000-8000-000000000002"
    found, classic = cloud.logs_of(OWNER), cloud.app_of(app, OWNER)
    assert (found.base_url, found.scope, found.owner) == (logs, f"{logs}/.default", OWNER)
    assert (classic.base_url, classic.scope, classic.owner) == (apps, f"{apps}/.default", OWNER)
    assert "/".join(found.place) == f"v1{OWNER.text}"
    assert classic.place == ("v1", "apps", app)


@pytest.mark.parametrize("app", ["", "x", "../workspaces", "5e0a7a51-0000-4000-8000-000000000002/../x"])
def test_no_component_leads_to_other_data_by_its_id(app: str) -> None:
    with pytest.raises(Refusal, match="has no app ID"):
        CLOUDS["public"].app_of(app, OWNER)
