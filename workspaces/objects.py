"""The git objects of a workspace: those in its packs, and new objects that are not stored yet."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from typing import Any, Final

from dulwich.errors import ApplyDeltaError, FileFormatException, ObjectFormatException
from dulwich.object_store import BucketBasedObjectStore
from dulwich.objects import Blob, Commit, ObjectID, RawObjectID, ShaFile, Tree, sha_to_hex
from dulwich.pack import Pack

from refusal import Refusal
from workspaces.packs import IndexedPack, packed_objects

_MOST_LOOKS: Final = 250_000
_LENGTH: Final = 40
_ZONE: Final = re.compile(rb"^((?:author|committer) .*> -?[0-9]+) .*$", re.MULTILINE)


class MissingObjectError(Refusal):
    """The clone omitted this object, for example because it is a large file."""

    def __init__(self, name: bytes) -> None:
        super().__init__("This file was omitted from the clone because it is large.")
        self.object_name = name


class Objects(BucketBasedObjectStore):
    def __init__(self, packs: Mapping[str, IndexedPack]) -> None:
        super().__init__()
        self._packs = packs
        self._fresh: dict[bytes, ShaFile] = {}
        self._looked = 0

    def _iter_pack_names(self) -> Iterator[str]:
        return iter(self._packs)

    def _get_pack(self, name: str) -> Pack:
        return self._packs[name].opened()

    def _remove_pack_by_name(self, name: str) -> None:
        raise NotImplementedError(name)  # this store does not repack packs

    def _iter_loose_objects(self) -> Iterator[ObjectID]:
        return iter([ObjectID(name) for name in self._fresh])

    # Return the object if it is new and therefore not in a pack, otherwise None. The return type of the overridden
    # method does not allow None.
    def _get_loose_object(self, sha: ObjectID) -> Any:
        return self._fresh.get(sha)

    def contains_loose(self, sha: ObjectID) -> bool:
        return sha in self._fresh

    def add_object(self, obj: ShaFile) -> None:
        if obj.id not in self:
            self._fresh[obj.id] = obj

    def add_objects(self, objects: Sequence[tuple[ShaFile, str | None]], progress: object = None) -> None:  # noqa: ARG002 - passed by name
        for found, _ in objects:
            self.add_object(found)

    def fresh(self) -> IndexedPack | None:
        """A pack of all new objects, or None if there are no new objects."""
        return packed_objects(self._fresh.values()) if self._fresh else None

    def all_of(self, packs: Iterable[IndexedPack]) -> Iterator[ShaFile]:
        """All objects in these packs. A merged pack is created from these objects."""
        for one in packs:
            with closing(one.opened()) as pack:
                yield from pack.iterobjects()

    def __getitem__(self, sha1: ObjectID | RawObjectID) -> ShaFile:
        """Read an object. The number of reads in a call is limited, because deeply nested folders take long to read."""
        self._looked += 1
        if self._looked > _MOST_LOOKS:
            raise Refusal("This call would take too long: pass a folder or file, or clone with a smaller depth.")
        try:
            return super().__getitem__(sha1)
        except ObjectFormatException:
            kind, content = self.get_raw(sha1)
            if kind != Commit.type_num:
                raise
            identity = sha1 if len(sha1) == _LENGTH else sha_to_hex(RawObjectID(sha1))
            return ShaFile.from_raw_string(kind, _with_zones(content), ObjectID(identity))

    def tree(self, name: bytes) -> Tree:
        found = self._read(name)
        if not isinstance(found, Tree):
            raise Refusal("The repository is damaged: a folder entry does not refer to a folder.")
        return found

    def blob(self, name: bytes) -> Blob:
        found = self._read(name)
        if not isinstance(found, Blob):
            raise Refusal("The repository is damaged: a file entry does not refer to a file.")
        return found

    def commit(self, name: bytes) -> Commit:
        found = self._read(name)
        if not isinstance(found, Commit):
            raise Refusal(f"{name.decode(errors='replace')[:40]} is not a commit.")
        return found

    def _read(self, name: bytes) -> ShaFile:
        try:
            return self[ObjectID(name)]
        except KeyError:
            raise MissingObjectError(name) from None
        except (FileFormatException, ApplyDeltaError, AssertionError, IndexError, ValueError) as error:
            raise Refusal(f"The repository is damaged: a part of it cannot be read ({type(error).__name__}).") from None


def _with_zones(commit: bytes) -> bytes:
    """Some programs write invalid time zones into commits. Replace such a time zone with UTC, as git does."""
    head, end, message = commit.partition(b"\n\n")
    return _ZONE.sub(rb"\1 +0000", head) + end + message
