from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure_devops.organization import Host, Organization
from refusal import Refusal


@pytest.mark.parametrize(
    "address",
    [
        "https://dev.azure.com/acme",
        "https://dev.azure.com/acme/",
        "https://DEV.azure.com/acme",
        "https://acme.visualstudio.com",
        "https://acme.visualstudio.com/DefaultCollection",
    ],
)
def test_an_organization_of_services_has_a_host_for_each_part(address: str) -> None:
    organization = Organization.at(address)
    assert organization.is_cloud
    assert organization.url() == "https://dev.azure.com/acme"
    assert organization.url(Host.RELEASES) == "https://vsrm.dev.azure.com/acme"
    assert organization.url(Host.USERS) == "https://vssps.dev.azure.com/acme"
    assert organization.link("_workitems", "edit", 7) == "https://dev.azure.com/acme/_workitems/edit/7"


@pytest.mark.parametrize(
    "address",
    [
        "https://tfs.example.com/tfs/DefaultCollection",
        "https://devops.example.com:8443/Main%20Collection",
        "http://127.0.0.1:8080/acme",
        "http://[::1]:8080/acme",
        "https://dev.azure.com.example.com/acme",
        "https://notvisualstudio.com/acme",
    ],
)
def test_a_collection_answers_for_every_part_itself(address: str) -> None:
    organization = Organization.at(address)
    assert not organization.is_cloud
    assert {organization.url(host) for host in Host} == {address}


@pytest.mark.parametrize(
    "address",
    [
        "",
        "acme",
        "dev.azure.com/acme",
        "http://dev.azure.com/acme",
        "http://tfs.example.com/tfs/DefaultCollection",
        "https://dev.azure.com",
        "https://dev.azure.com/acme/web",
        "https://dev.azure.com/acme/_apis/projects",
        "https://acme.visualstudio.com/web",
        "https://dev.azure.com/..",
        "https://.visualstudio.com",
        "https://tfs.example.com",
        "https://tfs.example.com/tfs/../x",
        "https://tfs.example.com/tfs/DefaultCollection/Web",
        "https://tfs.example.com/DefaultCollection/_git",
        "https://vsrm.dev.azure.com/acme",
        "https://feeds.dev.azure.com/acme/Web",
        "https://acme.vsrm.visualstudio.com",
        "https://tfs.example.com/tfs/%2e%2e",
        "https://me:secret@dev.azure.com/acme",
        "https://dev.azure.com/acme?token=secret",
    ],
)
def test_any_other_address_is_refused(address: str) -> None:
    with pytest.raises(Refusal, match="https://") as refused:
        Organization.at(address)
    assert "secret" not in str(refused.value)


@given(st.text(max_size=30))
def test_no_name_leaves_the_host_of_the_service(name: str) -> None:
    try:
        organization = Organization.at(f"https://dev.azure.com/{name}")
    except Refusal:
        return
    assert organization.url(Host.FEEDS).startswith("https://feeds.dev.azure.com/")
    assert organization.url().count("/") == 3


def test_a_collection_may_be_written_as_people_read_it() -> None:
    organization = Organization.at("https://tfs.example.com/tfs/Zoë's Collection")
    assert organization.url() == "https://tfs.example.com/tfs/Zo%C3%AB%27s%20Collection"
    assert organization.link("_git") == "https://tfs.example.com/tfs/Zo%C3%AB%27s%20Collection/_git"
