"""Rules and disks are deleted in words that say what they do."""

from __future__ import annotations

from typing import Any

import pytest

import tools.azure.contents  # noqa: F401 - parts of Azure import each other, from there on
from clients.azure.ids import ResourceId
from tools.azure.resource_any.differences import merged
from tools.azure.shared.contents_in_words import deleted_in_words

GROUP = "/subscriptions/11111111-1111-1111-1111-111111111111/resourceGroups/shop/providers"
RULE = ResourceId.of(f"{GROUP}/Microsoft.Network/networkSecurityGroups/nsg-mgmt-prod/securityRules/AllowSshAny")
DISK = ResourceId.of(f"{GROUP}/Microsoft.Compute/disks/data-01")
SSH: dict[str, Any] = {"access": "Allow", "direction": "Inbound", "destinationPortRange": "22"}


@pytest.mark.parametrize(
    ("properties", "words"),
    [
        ({**SSH, "sourceAddressPrefix": "*"}, "allows port 22 from anywhere"),
        ({**SSH, "sourceAddressPrefix": "Internet", "access": "Deny"}, "denies port 22 from anywhere"),
        (
            {
                **SSH,
                "destinationPortRange": None,
                "destinationPortRanges": ["80", "443"],
                "sourceAddressPrefix": "::/0",
            },
            "allows ports 80, 443 from anywhere",
        ),
        (
            {**SSH, "direction": "Outbound", "destinationAddressPrefixes": ["10.0.0.0/8"]},
            "allows port 22 to 10.0.0.0/8",
        ),
        ({"access": "Allow", "destinationPortRange": "*", "sourceAddressPrefix": "10.1.0.4"}, "allows all ports from"),
    ],
)
def test_a_security_rule_says_what_it_allows(properties: dict[str, Any], words: str) -> None:
    told = deleted_in_words(RULE, {"properties": properties})
    assert told.startswith("security rule AllowSshAny of nsg-mgmt-prod (")
    assert words in told


def test_a_disk_says_how_large_it_is() -> None:
    assert deleted_in_words(DISK, {"properties": {"diskSizeGB": 512}}) == "disk data-01 (512 GB)"


def test_environment_variables_are_told_by_name_without_their_values() -> None:
    before = {"env": [{"name": "PAYMENT_HSM_URL", "value": "https://hsm"}, {"name": "LEVEL", "value": "info"}]}
    (removed, *_) = merged(before, {"env": [{"name": "LEVEL", "value": "info"}, {"name": "NEW", "value": "x"}]})
    assert (removed.path, removed.before, removed.after) == ("env PAYMENT_HSM_URL", "a value", None)
