"""Pins: an extension's tools as somebody approved them, stored to detect later changes.

What is seen first is pinned: whoever wrote the entry approves what its server offers at that time. A tool whose texts
or schema change later is blocked until somebody reviews it. Its old form is not offered either, because the server
already behaves like the new one. New tools are blocked, too.
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
# In addition: the servers that an instance started to inspect, whatever the result.
_LOOKED: Final = "looked"
# Prefix for keys of installed extensions: no name starts with it.
_INSTALLED: Final = "!"

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pins:
    """The approved tools of one extension, by their own names. `version` is the version of the row."""

    tools: Mapping[str, Said] = field(default_factory=dict)
    version: str | None = None

    def compared(self, seen: Sequence[Said]) -> PinChanges:
        """The comparison with what the server offers now."""
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
    """Pins, and extensions installed by a tool, by extension name."""

    pins: Mapping[str, Pins] = field(default_factory=dict)
    installed: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PinChanges:
    offered: tuple[Said, ...]
    changed: tuple[str, ...] = ()
    new: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    def hold_back(self, name: str, tool: str) -> None:
        """Raises:
        Refusal: The tool of the extension `name` differs from the approved one.
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
    """What a server offers now, compared with its pins."""

    entry: Entry
    seen: Mapping[str, Said]
    pinned: Mapping[str, Said]
    compared: PinChanges

    @property
    def digest(self) -> str:
        """A digest of everything that the server says."""
        return hashlib.sha256(_content([self.seen[name] for name in sorted(self.seen)])).hexdigest()


class PinStore:
    """A row per extension, and an immutable file with its pins.

    An installed extension has another row, written together with its pins, so none is without pins.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._known: dict[str, Pins] = {}

    async def all(self) -> KeptPins:
        """Everything stored. Reads only what has changed since the last time."""
        rows = await self._storage.scan(_PARTITION, "")
        pins = [row for row in rows if not row.key.startswith(_INSTALLED)]
        self._known = {row.key: await self._of(row) for row in pins}
        installed = {row.key.removeprefix(_INSTALLED): row.content for row in rows if row.key.startswith(_INSTALLED)}
        return KeptPins(self._known, installed)

    def version(self, name: str) -> str | None:
        """The pins as last read."""
        return self._known[name].version if name in self._known else None

    async def pin(
        self, name: str, seen: Sequence[Said], version: str | None = None, installed: bytes | None = None
    ) -> None:
        """Pin what was seen, and store what is installed, if the row has this version or does not exist. Never
        overwrites what another instance pinned.

        Raises:
            ConflictError: Another instance was faster.
        """
        content = _content(seen)
        file = f"{_PARTITION}/{name}/{hashlib.sha256(content).hexdigest()}.json"
        await self._storage.prepare()
        with suppress(ConflictError):  # it exists and is identical
            await self._storage.create_file(file, content)
        beside = [] if installed is None else [Row(f"{_INSTALLED}{name}", installed)]
        await self._storage.put_rows(_PARTITION, Row(name, file.encode(), version), beside)

    async def looked_at(self) -> Collection[str]:
        """The extensions that any instance started to inspect before they had pins."""
        return {row.key for row in await self._storage.scan(_LOOKED, "")}

    async def note_look(self, name: str) -> None:
        await self._storage.prepare()
        with suppress(ConflictError):  # another instance is inspecting it, too
            await self._storage.put_row(_LOOKED, Row(name, b""))

    async def forget(self, name: str) -> None:
        """Uninstall it. Pins left behind by a killed process have no effect."""
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
