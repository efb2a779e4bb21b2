"""Pins the approved tools of an extension: stores their definitions to detect later changes.

Adding an extension approves the tools that its server offers at that time, so these tools are pinned without a review.
If the texts or the schema of a tool change later, the tool is blocked until somebody
reviews the change. Until then, the old definition is not offered either, because the server already behaves as the new
definition describes. Tools that the server adds later are blocked until they are reviewed, too.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from pydantic_core import to_json

from clients.storage import ConflictError, Row, Storage
from extensions.entry import Entry
from extensions.sanitizing import digest, pinned
from refusal import Refusal

_PARTITION: Final = "pins"
# The table partition with the extensions that an instance has started to inspect, whether or not the inspection
# succeeded.
_LOOKED: Final = "looked"
# The prefix for row keys of installed extensions. No extension name starts with this character.
_INSTALLED: Final = "!"

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pins:
    """The approved tools of an extension, by their names on the extension's server. `version` is the version of the
    stored row.
    """

    tools: Mapping[str, Said] = field(default_factory=dict)
    version: str | None = None

    def compared(self, seen: Sequence[Said]) -> PinChanges:
        """Compare the pins with the tools that the server offers now."""
        now = {said["name"]: said for said in seen}
        same = {name for name, said in self.tools.items() if name in now and digest(now[name]) == digest(said)}
        changed = [name for name in self.tools if name in now and name not in same]
        return PinChanges(
            offered=tuple(said for name, said in self.tools.items() if name in same),
            changed=tuple(changed),
            new=tuple(name for name in now if name not in self.tools),
            gone=tuple(name for name in self.tools if name not in now),
        )


@dataclass(frozen=True, slots=True)
class KeptPins:
    """All pins, and all extensions that a tool installed. The keys of both mappings are extension names."""

    pins: Mapping[str, Pins] = field(default_factory=dict)
    installed: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PinChanges:
    offered: tuple[Said, ...]
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def hold_back(self, name: str, tool: str) -> None:
        """Raise a refusal if a tool is blocked.

        Raises:
            Refusal: The extension's tool differs from the approved tool.
        """
        if tool in self.changed:
            raise Refusal(
                f"The server of the extension {name!r} has changed the definition of {tool!r}, so the tool is"
                " blocked. Ask an operator to review the change with update_extension."
            )
        if tool in self.gone:
            raise Refusal(f"The server of the extension {name!r} no longer offers {tool!r}.")


@dataclass(frozen=True, slots=True)
class PinCheck:
    """The tools that a server offers now, compared with its pins."""

    entry: Entry
    seen: Mapping[str, Said]
    pinned: Mapping[str, Said]
    compared: PinChanges

    @property
    def digest(self) -> str:
        """A digest of all current tool definitions."""
        return hashlib.sha256(_content([self.seen[name] for name in sorted(self.seen)])).hexdigest()


class PinStore:
    """Stores the pins of each extension in an immutable file. A row for each extension refers to the extension's
    current file.

    An installed extension has a second row. The second row is written together with the pins, so an installed extension
    always has pins.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._known: dict[str, Pins] = {}

    async def all(self) -> KeptPins:
        """Read all pins and installed extensions. A file of pins is read only if the row that refers to the file has
        changed.
        """
        rows = await self._storage.scan(_PARTITION, "")
        pins = [row for row in rows if not row.key.startswith(_INSTALLED)]
        self._known = {row.key: await self._of(row) for row in pins}
        installed = {row.key.removeprefix(_INSTALLED): row.content for row in rows if row.key.startswith(_INSTALLED)}
        return KeptPins(self._known, installed)

    def version(self, name: str) -> str | None:
        """Return the version that an extension's pins had when they were last read."""
        return self._known[name].version if name in self._known else None

    async def pin(
        self, name: str, seen: Sequence[Said], version: str | None = None, installed: bytes | None = None
    ) -> None:
        """Pin these tools, and store `installed` if given. Raises ConflictError if another instance pins first."""
        content = _content(seen)
        file = f"{_PARTITION}/{name}/{hashlib.sha256(content).hexdigest()}.json"
        await self._storage.prepare()
        with suppress(ConflictError):  # the same file already exists
            await self._storage.create_file(file, content)
        beside = [] if installed is None else [Row(f"{_INSTALLED}{name}", installed)]
        await self._storage.put_rows(_PARTITION, Row(name, file.encode(), version), beside)

    async def looked_at(self) -> Collection[str]:
        """Return the names of the extensions that at least one instance has started to inspect."""
        return {row.key for row in await self._storage.scan(_LOOKED, "")}

    async def note_look(self, name: str) -> None:
        await self._storage.prepare()
        with suppress(ConflictError):  # another instance is inspecting the extension, too
            await self._storage.put_row(_LOOKED, Row(name, b""))

    async def forget(self, name: str) -> None:
        """Uninstall an extension. If the process is killed before the end, the remaining pins have no effect."""
        await self._storage.remove_row(_PARTITION, f"{_INSTALLED}{name}")
        await self._storage.remove_row(_PARTITION, name)

    async def close(self) -> None:
        await self._storage.close()

    async def _of(self, row: Row) -> Pins:
        known = self._known.get(row.key)
        if known and known.version == row.version:
            return known
        file = await self._storage.read_file(row.content.decode())
        said = json.loads(file.content) if file else []
        return Pins({one["name"]: one for one in said}, row.version)


def _content(seen: Sequence[Said]) -> bytes:
    return to_json([pinned(said) for said in seen])
