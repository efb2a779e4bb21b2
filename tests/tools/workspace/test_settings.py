"""Settings of workspaces that cannot hold are told to operators, without any token in them."""

from __future__ import annotations

import pytest

from refusal import Refusal
from settings import PlaceSettings, Settings, StorageSettings
from tools.workspace.provider import check, lacks
from tools.workspace.settings import WorkspacesSettings


@pytest.mark.parametrize(
    ("name", "value", "told"),
    [
        ("GIT_HOSTS", "https://github.com", "each entry is a host such as github.com"),
        ("GIT_TOKENS", "t0psecret", "each entry is host=token"),
        ("GIT_TOKENS", "github.com=t0p secret", "each entry is host=token"),
        ("GIT_WORKSPACE_DAYS", "0", "a whole number from 1 to 3650"),
        ("GIT_WORKSPACE_MB", "4097", "a whole number from 1 to 4096"),
    ],
)
def test_what_is_no_host_or_token_is_refused_and_not_repeated(name: str, value: str, told: str) -> None:
    with pytest.raises(Refusal, match=told) as refused:
        Settings.from_environment({name: value}, [WorkspacesSettings])
    assert "t0p" not in str(refused.value)


def test_a_token_for_another_host_keeps_the_server_from_starting() -> None:
    with pytest.raises(Refusal, match=r"a token for gitlab\.com, which is not in GIT_HOSTS") as refused:
        check(WorkspacesSettings(places=("github.com/acme",), tokens="gitlab.com=t0psecret"))
    assert "t0psecret" not in str(refused.value)


AZURE = PlaceSettings(site_name="app")
LAPTOP = PlaceSettings(environment="Development")


@pytest.mark.parametrize(
    ("own", "place", "account", "lacking"),
    [
        (WorkspacesSettings(), LAPTOP, "", "set GIT_HOSTS"),
        (WorkspacesSettings(places=("a.b",), folder="/x"), AZURE, "st", "is only for a laptop"),
        (WorkspacesSettings(places=("a.b",)), LAPTOP, "", "need a storage account"),
        (WorkspacesSettings(places=("a.b",)), AZURE, "st", ""),
        (WorkspacesSettings(places=("a.b",), folder="/x"), LAPTOP, "", ""),
    ],
)
def test_what_is_missing_is_told(own: WorkspacesSettings, place: PlaceSettings, account: str, lacking: str) -> None:
    told = lacks(own, Settings(place=place, storage=StorageSettings(account=account)))
    assert lacking in told
    assert bool(told) == bool(lacking)
