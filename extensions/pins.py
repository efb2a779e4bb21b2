"""What of an extension's tools was seen by somebody who let them in, kept so that a later change is noticed.

What is seen first is pinned: whoever wrote the entry lets in what its server offers then. A tool whose words or schema
differ later is offered in neither form. Not in the new one, which nobody has looked at; and not in the old one, because
its server does by now what the new one says. A tool that was never seen before is not offered either.
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
# Beside them: at which servers somebody began to look, whatever came of it.
_LOOKED: Final = "looked"
# Before the keys of what is installed: no name begins with it.
_INSTALLED: Final = "!"

Said = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Pins:
    """The tools of one extension as they were let in, by their own names. `version` is that of the row."""

    tools: Mapping[str, Said] = field(default_factory=dict)
    version: str | None = None

    def compared(self, seen: Sequence[Said]) -> PinChanges:
        """What is left of them beside what the server offers now."""
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
    """What is pinned, and what was installed by a tool, each by the name of its extension."""

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
        Refusal: What the extension `name` says of the tool is not what was let in.
        """
        if tool in self.changed:
            raise Refusal(
                f"The server of the extension {name!r} has changed what it says of {tool!r}. It is not called before"
                " somebody who looks after this server has looked at the change."
            )
        if tool in self.gone:
            raise Refusal(f"The server of the extension {name!r} does not offer {tool!r} any more.")


@dataclass(frozen=True, slots=True)
class PinCheck:
    """What a server offers now, beside what of it is pinned."""

    entry: Entry
    seen: Mapping[str, Said]
    pinned: Mapping[str, Said]
    compared: PinChanges

    @property
    def digest(self) -> str:
        """One value that differs whenever anything differs that the server says."""
        return hashlib.sha256(_content([self.seen[name] for name in sorted(self.seen)])).hexdigest()


class PinStore:
    """A row for each extension, and a file that never changes with what is pinned. One that was installed has another
    row, which is written together with its pins: there is none of which nothing is pinned.
    """

    def __init__(self, storage: Storage) -> None:
        self._storage = storage
        self._known: dict[str, Pins] = {}

    async def all(self) -> KeptPins:
        """Everything that is kept. Only what differs from the last time is read."""
        rows = await self._storage.scan(_PARTITION, "")
        pins = [row for row in rows if not row.key.startswith(_INSTALLED)]
        self._known = {row.key: await self._of(row) for row in pins}
        installed = {row.key.removeprefix(_INSTALLED): row.content for row in rows if row.key.startswith(_INSTALLED)}
        return KeptPins(self._known, installed)

    def version(self, name: str) -> str | None:
        """Of what is pinned, when it was last read."""
        return self._known[name].version if name in self._known else None

    async def pin(
        self, name: str, seen: Sequence[Said], version: str | None = None, installed: bytes | None = None
    ) -> None:
        """Pin what is seen, and what is installed with it; the row is to be of this version, or not there.

        What another instance pinned stays.

        Raises:
            ConflictError: Others did in between.
        """
        content = _content(seen)
        file = f"{_PARTITION}/{name}/{hashlib.sha256(content).hexdigest()}.json"
        await self._storage.prepare()
        with suppress(ConflictError):  # it is there, and the same
            await self._storage.create_file(file, content)
        beside = [] if installed is None else [Row(f"{_INSTALLED}{name}", installed)]
        await self._storage.put_rows(_PARTITION, Row(name, file.encode(), version), beside)

    async def looked_at(self) -> Collection[str]:
        """The extensions at which any instance began to look while nothing of them was pinned."""
        return {row.key for row in await self._storage.scan(_LOOKED, "")}

    async def note_look(self, name: str) -> None:
        await self._storage.prepare()
        with suppress(ConflictError):  # another instance looks, too
            await self._storage.put_row(_LOOKED, Row(name, b""))

    async def forget(self, name: str) -> None:
        """Have it installed no more. Pins that are left by whoever is killed in between let nothing in."""
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
