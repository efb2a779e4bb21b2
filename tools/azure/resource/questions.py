"""Prepared Resource Graph queries for questions that engineers often ask and that models get wrong.

Each query reads only one table: a query that reads several tables cannot be limited to certain groups.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Final, Literal

from clients.azure.graph import text_of

About = Literal[
    "counts", "untagged", "public_addresses", "open_ports", "unused", "failed", "virtual_machines", "retiring"
]
Question = tuple[str, Sequence[str]]

# Traffic sources that mean everyone, quoted as text in KQL.
_ANYBODY: Final = "'*', 'any', 'internet', '0.0.0.0/0', '::/0'"
_UNUSED: Final = (
    "type =~ 'microsoft.compute/disks' and properties.diskState =~ 'Unattached'",
    (
        "type =~ 'microsoft.network/publicipaddresses' and isnull(properties.ipConfiguration)"
        " and isnull(properties.natGateway)"
    ),
    (
        "type =~ 'microsoft.network/networkinterfaces' and isnull(properties.virtualMachine)"
        " and isnull(properties.privateEndpoint) and isnull(properties.privateLinkService)"
    ),
    (
        "type =~ 'microsoft.network/networksecuritygroups' and isnull(properties.networkInterfaces)"
        " and isnull(properties.subnets)"
    ),
    "type =~ 'microsoft.web/serverfarms' and toint(properties.numberOfSites) == 0",
)


def question(about: About, tag: str | None) -> Question:
    """Return the table and the steps of the query that answers a question."""
    return _QUESTIONS[about](tag)


def _counts(_: str | None) -> Question:
    return "resources", ["summarize number = count() by type, location", "order by number desc, type asc"]


def _untagged(tag: str | None) -> Question:
    """Find resources without a tag.

    Azure ignores the case of tag names but KQL does not, so the query searches the tags as text.
    """
    test = "tostring(tags) in ('', '{}')"
    if tag:
        name = json.dumps(tag, ensure_ascii=False)
        has, has_nothing = text_of(f"{name}:"), text_of(f'{name}:""')
        test = f"tostring(tags) !contains {has} or tostring(tags) contains {has_nothing}"
    return "resources", [f"where {test}", "project id", "order by id asc"]


def _public_addresses(_: str | None) -> Question:
    return "resources", [
        "where type =~ 'microsoft.network/publicipaddresses'",
        (
            "project id, address = properties.ipAddress, host = properties.dnsSettings.fqdn, sku = sku.name,"
            " usedBy = coalesce(tostring(properties.ipConfiguration.id), tostring(properties.natGateway.id))"
        ),
        "order by id asc",
    ]


def _open_ports(_: str | None) -> Question:
    """Find ports that network security groups open to every source."""
    return "resources", [
        "where type =~ 'microsoft.network/networksecuritygroups'",
        "mv-expand rule = properties.securityRules",
        "extend allows = rule.properties",
        "where tostring(allows.access) =~ 'Allow' and tostring(allows.direction) =~ 'Inbound'",
        (
            f"where tostring(allows.sourceAddressPrefix) in~ ({_ANYBODY})"
            " or tostring(allows.sourceAddressPrefixes) contains '\"0.0.0.0/0\"'"
            " or tostring(allows.sourceAddressPrefixes) contains '\"::/0\"'"
        ),
        (
            "project id, rule = tostring(rule.name), priority = toint(allows.priority), protocol = allows.protocol,"
            " ports = coalesce(tostring(allows.destinationPortRange), tostring(allows.destinationPortRanges))"
        ),
        "order by id asc, priority asc",
    ]


def _unused(_: str | None) -> Question:
    test = " or ".join(f"({one})" for one in _UNUSED)
    return "resources", [
        f"where {test}",
        "project id, location, sku = sku.name, sizeGb = properties.diskSizeGB",
        "order by id asc",
    ]


def _failed(_: str | None) -> Question:
    return "resources", [
        "where tostring(properties.provisioningState) =~ 'Failed'",
        "project id, location",
        "order by id asc",
    ]


def _virtual_machines(_: str | None) -> Question:
    return "resources", [
        "where type =~ 'microsoft.compute/virtualmachines'",
        (
            "project id, location, size = properties.hardwareProfile.vmSize,"
            " state = properties.extended.instanceView.powerState.displayStatus,"
            " system = properties.storageProfile.osDisk.osType"
        ),
        "order by id asc",
    ]


def _retiring(_: str | None) -> Question:
    """Find retirements in Advisor.

    Rows without a retirement name are service upgrades, and are excluded. Older rows store the category under another
    name.
    """
    return "advisorresources", [
        "where type =~ 'microsoft.advisor/recommendations'",
        "extend told = properties.extendedProperties",
        (
            "where coalesce(tostring(told.recommendationSubCategory), tostring(told.recommendationControl))"
            " =~ 'ServiceUpgradeAndRetirement' and isnotempty(tostring(told.retirementFeatureName))"
        ),
        (
            "project id = tostring(properties.resourceMetadata.resourceId), retires = told.retirementFeatureName,"
            " due = tostring(told.retirementDate)"
        ),
        "order by due asc",
    ]


_QUESTIONS: Final[Mapping[About, Callable[[str | None], Question]]] = {
    "counts": _counts,
    "untagged": _untagged,
    "public_addresses": _public_addresses,
    "open_ports": _open_ports,
    "unused": _unused,
    "failed": _failed,
    "virtual_machines": _virtual_machines,
    "retiring": _retiring,
}
