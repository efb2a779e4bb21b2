"""Settings that lock Azure to some subscriptions and groups are read strictly, and contradictions end the start."""

from __future__ import annotations

import pytest

from refusal import Refusal
from settings import Settings
from tests.tools.azure.golden import SUBSCRIPTION
from tools.azure.provider import provider
from tools.azure.settings import AzureSettings, reach_of

OTHER = "22222222-2222-2222-2222-222222222222"


def read(**given: str) -> AzureSettings:
    own = Settings.from_environment(given, [AzureSettings]).of(AzureSettings)
    provider.check(own)
    return own


@pytest.mark.parametrize("subscriptions", ["Shop", f" {SUBSCRIPTION} , The Mill", "Läden & Co"])
@pytest.mark.parametrize("groups", ["web", "web,Shop_(1).a", "Läden"])
def test_subscriptions_and_groups_are_named_as_azure_names_them(subscriptions: str, groups: str) -> None:
    assert not reach_of(
        read(AZURE_ALLOWED_SUBSCRIPTIONS=subscriptions, AZURE_ALLOWED_RESOURCE_GROUPS=groups)
    ).is_everything


def test_without_a_lock_everything_may_be_reached() -> None:
    assert reach_of(read(AZURE_SUBSCRIPTION_ID="Shop")).is_everything


@pytest.mark.parametrize("text", [",", "Shop,", "Shop,,Lab", "/subscriptions/x", "a/b", "x" * 65, "a\u200bb"])
def test_a_subscription_that_can_be_none_is_refused(text: str) -> None:
    with pytest.raises(
        Refusal, match="AZURE_ALLOWED_SUBSCRIPTIONS is not valid: a subscription must be an id or a name"
    ):
        read(AZURE_ALLOWED_SUBSCRIPTIONS=text)


@pytest.mark.parametrize(
    "text",
    [",", "web,", "/web", "Shop/", "a/b/web", "web.", "we b", "web*", f"/subscriptions/{OTHER}/resourceGroups/a"],
)
def test_a_group_that_can_be_none_is_refused(text: str) -> None:
    with pytest.raises(Refusal, match="AZURE_ALLOWED_RESOURCE_GROUPS is not valid: a resource group must be"):
        read(AZURE_ALLOWED_RESOURCE_GROUPS=text)


@pytest.mark.parametrize(("subscriptions", "groups"), [("Shop", "Lab/web"), (SUBSCRIPTION, "Shop/web")])
def test_a_group_of_a_subscription_that_may_not_be_reached_is_refused(subscriptions: str, groups: str) -> None:
    with pytest.raises(Refusal, match="to AZURE_ALLOWED_SUBSCRIPTIONS, exactly as written here"):
        read(AZURE_ALLOWED_SUBSCRIPTIONS=subscriptions, AZURE_ALLOWED_RESOURCE_GROUPS=groups)


@pytest.mark.parametrize(
    "locks", [{"AZURE_ALLOWED_SUBSCRIPTIONS": "Lab"}, {"AZURE_ALLOWED_RESOURCE_GROUPS": "Lab/web"}]
)
def test_a_default_that_may_not_be_reached_is_pointed_out(locks: dict[str, str]) -> None:
    assert "there is no default" in provider.doubts(read(AZURE_SUBSCRIPTION_ID="Shop", **locks))
    for default in ("LAB", SUBSCRIPTION):
        assert not provider.doubts(read(AZURE_SUBSCRIPTION_ID=default, **locks))
    assert not provider.doubts(read(AZURE_SUBSCRIPTION_ID="Shop", AZURE_ALLOWED_RESOURCE_GROUPS="Lab/web,web"))
