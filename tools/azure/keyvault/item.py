"""A secret, key or certificate of a vault. Each item is read before it is changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, Final, Literal

from changes.preview import Fact, Preview
from clients.azure.client import Azure
from clients.azure.failures import AzureRefusal
from clients.azure.ids import ResourceId
from clients.azure.messages import AzureRequest
from clients.azure.vaults import VAULT, Kind, VaultContents, VaultEntry
from mcp_server.declarations.field import Field
from refusal import Refusal
from tools.azure.keyvault.vault_parameters import contents_of
from tools.azure.shared.answers import Json
from tools.azure.shared.applying import AppliedChange, Judge, OutcomeCheck, SeenOutcome, change, read
from tools.azure.shared.inspecting import NOT_YET, Inspected
from tools.azure.shared.mentions import named_by
from tools.azure.shared.resource_change import Answers, ResourceChange

Word = Literal["secret", "key", "certificate"]
ItemKind = Annotated[Word, Field(description="What it is")]

Does = Literal["set", "create", "update", "delete", "recover", "purge"]
_ACTIONS: Final[dict[Does, str]] = {
    "set": "setSecret/action",
    "create": "create/action",
    "update": "update/action",
    "delete": "delete",
    "recover": "recover/action",
    "purge": "purge/action",
}
_MOST_VERSIONS: Final = 1000
_PLURAL: Final[dict[Word, Kind]] = {"secret": "secrets", "key": "keys", "certificate": "certificates"}
_LISTS: Final[dict[Word, str]] = {
    "secret": "list_secrets",
    "key": "list_keyvault_keys",
    "certificate": "list_keyvault_certificates",
}


@dataclass(frozen=True, slots=True)
class VaultItem:
    """An item of a vault, identified by its kind and name."""

    contents: VaultContents
    kind: Word
    name: str

    @classmethod
    async def of(cls, azure: Azure, vault: str, kind: Word, name: str, subscription: str | None) -> VaultItem:
        return cls(await contents_of(azure, vault, subscription), kind, name)

    @property
    def kinds(self) -> Kind:
        return _PLURAL[self.kind]

    @property
    def title(self) -> str:
        return f"T{self.called[1:]}"

    @property
    def called(self) -> str:
        return f"the {self.kind} {self.name} of the vault {self.contents.vault.name}"

    @property
    def named(self) -> dict[str, str]:
        """The arguments that identify the item in calls to tools that accept all kinds of items."""
        return {"vault": self.contents.vault.id.text, "kind": self.kind, "name": self.name}

    @property
    def listing(self) -> str:
        """The tool call that lists the versions of the item."""
        return f"{_LISTS[self.kind]}(vault={self.contents.vault.id.text!r}, name={self.name!r})"

    @property
    def listing_of_deleted(self) -> str:
        return f"{_LISTS[self.kind]}(vault={self.contents.vault.id.text!r}, deleted=True)"

    def request(self, line: str, **options: Any) -> AzureRequest:
        """Build a request about the item. `{name}` in `line` is replaced by the item's name."""
        values = {"name": self.name, **options.pop("values", {})}
        return self.contents.request(line, values, **options)

    @property
    def reading_versions(self) -> AzureRequest:
        return self.request(f"GET /{self.kinds}/{{name}}/versions", query={"maxresults": 25})

    @property
    def reading_deleted(self) -> AzureRequest:
        return self.request(f"GET /deleted{self.kinds}/{{name}}")

    async def versions(self) -> list[VaultEntry]:
        """Return all versions, newest first, without values. The list is empty if the item does not exist."""
        try:
            page = await self.contents.listed(self.kinds, _MOST_VERSIONS, self.name)
        except AzureRefusal as refusal:
            if refusal.status != 404:
                raise
            return []
        return sorted(page.items, key=lambda entry: entry.at("created") or "", reverse=True)

    async def present(self) -> list[VaultEntry]:
        """Return the versions of the item.

        Raises:
            Refusal: The item does not exist.
        """
        if found := await self.versions():
            return found
        raise Refusal(
            f"{self.kind.capitalize()} {self.name!r} not found in the vault. Use {_LISTS[self.kind]} to list the"
            f" {self.kinds}."
        )

    async def deleted(self) -> Json | None:
        """Return the record of the deleted item if it can still be recovered."""
        try:
            return dict(await self.contents.read(self.reading_deleted))
        except AzureRefusal as refusal:
            if refusal.status != 404:
                raise
            return None

    async def is_deleted(self) -> bool:
        """Check whether the item is deleted.

        If the caller cannot read deleted items, return False: the vault itself rejects a change that conflicts with a
        deleted item.
        """
        try:
            return bool(await self.deleted())
        except AzureRefusal as refusal:
            if refusal.status != 403:
                raise
            return False

    async def change(
        self,
        azure: Azure,
        does: Does,
        request: AzureRequest,
        judge: Judge,
        versions: Sequence[VaultEntry],
        shown: Preview,
        answers: Answers,
        *,
        looking: AzureRequest | None = None,
        **more: Any,
    ) -> ResourceChange:
        """Build a change to the item.

        To check the result, the server sends the request `looking` or, if `looking` is None, reads the item's versions.
        """
        looked = looking or self.reading_versions
        vault = self.contents.vault
        return ResourceChange(
            azure,
            request,
            on=vault.id,
            before=await read(azure, looked),
            looking=looked,
            judge=judge,
            call=self.listing_of_deleted if looking else self.listing,
            shows=lambda known: self._shown(azure, known, versions, shown),
            answers=answers,
            is_of_data=True,
            action=f"{VAULT.type}/{self.kinds}/{_ACTIONS[does]}" if vault.goes_by_roles else "",
            permitted_at=ResourceId((*vault.id.segments, self.kinds, self.name)),
            sends=more.pop("sends", None) or partial(self.sent, azure, request),
            **more,
        )

    async def sent(self, azure: Azure, request: AzureRequest, look: OutcomeCheck) -> AppliedChange:
        try:
            return await change(azure, request, look)
        except AzureRefusal as refusal:
            raise self.contents.with_advice(refusal) from None

    async def gone(self) -> Json:
        """Return the record of the deleted item.

        Raises:
            Refusal: The item is not deleted.
        """
        if found := await self.deleted():
            return found
        raise Refusal(
            f"Deleted {self.kind} {self.name!r} not found in the vault. Use {_LISTS[self.kind]} with `deleted` to list"
            f" deleted {self.kinds}. Recently deleted items may take a few seconds to appear."
        )

    async def _shown(self, azure: Azure, known: Inspected, versions: Sequence[VaultEntry], shown: Preview) -> Preview:
        """Complete the preview: add the vault, facts about the newest version, and the resources that use the item."""
        vault = self.contents.vault
        users, unknown = await named_by(azure, vault.id, self._addresses)
        facts: dict[str, Fact] = {
            "vault": vault.id.text,
            **known_of(versions),
            **shown.facts,
            "used by": users,
        }
        known_facts = {name: value for name, value in facts.items() if value not in (None, [], "")}
        return replace(shown, facts=known_facts, missing=[*known.missing, *unknown])

    @property
    def _addresses(self) -> list[str]:
        """Return the URLs that app settings use to refer to the item.

        For a certificate, include the URLs of its key and secret.
        """
        address = str(self.contents.vault.properties.get("vaultUri") or "").rstrip("/")
        kinds: list[str] = ["secrets", "certificates", "keys"] if self.kind == "certificate" else [self.kinds]
        return [f"{address}/{kind}/{self.name}" for kind in kinds]


def known_of(versions: Sequence[VaultEntry]) -> dict[str, Fact]:
    """Return facts about the newest version, and the number of versions."""
    if not versions:
        return dict(NOT_YET)
    newest = versions[0]
    tags = newest.record.get("tags")
    return {
        "versions": len(versions),
        "newest version": newest.version,
        "enabled": newest.is_enabled,
        "expires": newest.at("exp"),
        "content type": newest.record.get("contentType"),
        "tags": sorted(f"{name}={value}" for name, value in tags.items()) if isinstance(tags, dict) else None,
        "created": newest.at("created"),
        "subject": newest.record.get("subject"),
    }


def refuse_managed(entry: VaultEntry) -> None:
    """Refuse to change the key or secret of a certificate.

    Raises:
        Refusal: The item belongs to a certificate.
    """
    if entry.record.get("managed"):
        raise Refusal(
            "This item belongs to the certificate of the same name. Change the certificate instead: pass"
            " kind='certificate'."
        )


def absent(found: Json | None) -> SeenOutcome:
    """Check that the item no longer exists: the list of its versions must be empty."""
    return SeenOutcome.NOT_DONE if found and found.get("value") else SeenOutcome.DONE


def newer_than(versions: Sequence[VaultEntry]) -> Judge:
    """Return a check that looks for a new version in the list of an item's versions."""
    before = {entry.version for entry in versions}

    def judge(found: Json | None) -> SeenOutcome:
        rows = (found or {}).get("value") or []
        kinds: tuple[Kind, ...] = ("secrets", "keys", "certificates")
        there = {VaultEntry(kind, row).version for row in rows for kind in kinds} - {""}
        if there - before:
            return SeenOutcome.DONE
        # Vaults return versions in any order, and `found` is only one page of them.
        return SeenOutcome.UNCLEAR if (found or {}).get("nextLink") else SeenOutcome.NOT_DONE

    return judge
