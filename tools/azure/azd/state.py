"""Reads azd's remote state in Blob storage. Each project has a container with a folder for each environment."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from clients.answers import Json, present
from clients.azure.client import Azure
from clients.azure.storage import blob_content, blobs
from clients.azure.storage.accounts import account_called
from clients.azure.storage.blobs import BlobAddress, BlobFilter
from clients.azure.storage.data import Data
from refusal import Refusal
from tools.azure.storage.storage_parameters import moment

_VALUES: Final = "/.env"
_MOST_CONTAINERS: Final = 20
_MOST_BLOBS: Final = 1000


@dataclass(frozen=True, slots=True)
class KeptEnvironment:
    """An azd environment in remote state: where its values are stored, and when they changed."""

    environment: str
    account: str
    container: str
    changed: str

    @property
    def summary(self) -> Json:
        kept = f"{self.account}/{self.container}"
        return present({"environment": self.environment, "kept_in": kept, "changed": self.changed})


@dataclass(frozen=True, slots=True)
class AzdState:
    data: Data

    async def environments(self, container: str | None) -> list[KeptEnvironment]:
        """Return the environments in the given container, or in the account's containers, up to a limit."""
        names = [container] if container else await self._containers()
        return [one for name in names for one in await self._of_container(name)]

    async def text(self, environment: str, container: str | None) -> tuple[KeptEnvironment, str]:
        """Return an environment and the text of its .env file.

        Raises:
            Refusal: The environment was not found, or was found in several containers.
        """
        known = await self.environments(container)
        found = [one for one in known if one.environment == environment]
        if len(found) != 1:
            raise Refusal(_which([one.summary["kept_in"] for one in found], sorted({one.environment for one in known})))
        place = BlobAddress(found[0].container, f"{environment}{_VALUES}")
        read = await blob_content.read(self.data, place, 0, blob_content.LONGEST)
        return found[0], read.text or ""

    async def _containers(self) -> Sequence[str]:
        found = await blobs.containers(self.data, None, _MOST_CONTAINERS, None)
        names = [entry.findtext("Name") or "" for entry in found.entries if entry.findtext("Deleted") != "true"]
        return [name for name in names if name and not name.startswith("$")]

    async def _of_container(self, container: str) -> list[KeptEnvironment]:
        found = await blobs.blobs(self.data, BlobFilter(container, is_deep=True), _MOST_BLOBS, None)
        entries = [(entry.findtext("Name") or "", entry) for entry in found.entries]
        return [
            KeptEnvironment(
                name.removesuffix(_VALUES).rpartition("/")[2],
                self.data.account.name,
                container,
                moment(entry.findtext("Properties/Last-Modified")) or "",
            )
            for name, entry in entries
            if name.endswith(_VALUES) and name.count("/") == 1
        ]


async def state_in(azure: Azure, account: str, subscription: str | None) -> AzdState:
    return AzdState(Data(azure, await account_called(azure, account, subscription, anew=False), "blob"))


def _which(places: Sequence[str], names: Sequence[str]) -> str:
    if places:
        return f"Several containers have this environment: {', '.join(places)}. Pass `container`."
    available = f"Available: {', '.join(names[:30])}." if names else "The account has no azd remote state."
    return f"The environment is not in the remote state. {available}"
