"""Lists secrets, keys and certificates, without the values of secrets."""

from __future__ import annotations

from typing import Final

from clients.azure.client import Azure
from clients.azure.vaults import Kind, VaultEntry
from clients.messages import ListPage
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.keyvault.vault_parameters import AnyItemName, Deleted, ItemName, VaultName, Version, contents_of, shown
from tools.azure.shared.answers import Json, answer, at, many
from tools.azure.shared.parameters import MaxResults, Subscription

part = Part()

_HARMLESS: Final = ("vault", "name", "subscription", "deleted")


@part.tool(Access.READ, harmless=_HARMLESS)
async def list_secrets(
    azure: Arm,
    vault: VaultName,
    name: AnyItemName = None,
    subscription: Subscription = None,
    deleted: Deleted = False,
    max_results: MaxResults = 100,
) -> Json:
    """List the secrets of a key vault without their values: expiry, content type, tags, whether disabled."""
    return await _listed(azure, "secrets", vault, name, subscription, max_results, deleted=deleted)


@part.tool(Access.READ, harmless=_HARMLESS)
async def list_keyvault_keys(
    azure: Arm,
    vault: VaultName,
    name: AnyItemName = None,
    subscription: Subscription = None,
    deleted: Deleted = False,
    max_results: MaxResults = 100,
) -> Json:
    """List the keys of a key vault: expiry, whether enabled, tags."""
    return await _listed(azure, "keys", vault, name, subscription, max_results, deleted=deleted)


@part.tool(Access.READ, harmless=_HARMLESS)
async def list_keyvault_certificates(
    azure: Arm,
    vault: VaultName,
    name: AnyItemName = None,
    subscription: Subscription = None,
    deleted: Deleted = False,
    max_results: MaxResults = 100,
) -> Json:
    """List the certificates of a key vault: expiry, subject, thumbprint."""
    return await _listed(azure, "certificates", vault, name, subscription, max_results, deleted=deleted)


@part.tool(Access.READ, harmless=("vault", "name", "version", "subscription"))
async def show_keyvault_certificate(
    azure: Arm, vault: VaultName, name: ItemName, version: Version = None, subscription: Subscription = None
) -> Json:
    """Show a certificate of a key vault: issuer, names, expiry, renewal."""
    contents = await contents_of(azure, vault, subscription)
    record = await contents.one("certificates", name, version)
    policy = record.get("policy") or {}
    return answer(
        **{"subject": at(policy, "x509_props.subject"), **shown(VaultEntry("certificates", record))},
        issuer=at(policy, "issuer.name"),
        certificate_type=at(policy, "issuer.cty"),
        dns_names=at(policy, "x509_props.sans.dns_names"),
        months=at(policy, "x509_props.validity_months"),
        key=at(policy, "key_props.kty"),
        key_size=at(policy, "key_props.key_size"),
        exportable=at(policy, "key_props.exportable"),
        renewal=policy.get("lifetime_actions"),
    )


async def _listed(
    azure: Azure, kind: Kind, vault: str, name: str | None, subscription: str | None, limit: int, *, deleted: bool
) -> Json:
    contents = await contents_of(azure, vault, subscription)
    page = await contents.listed(kind, limit, name, deleted=deleted)
    return many(ListPage([shown(entry) for entry in page.items], page.has_more))
