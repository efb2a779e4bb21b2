"""Containers and blobs, with snapshots, soft deletion and links."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from hashlib import md5
from typing import Final
from urllib.parse import quote, unquote

from tests.fakes.azure.stored.asked import Asked, Reply, StorageError, element, written, xml
from tests.fakes.azure.stored.signatures import Signatures

_LARGEST_PAGE: Final = 5000
_NOT_IN_XML: Final = re.compile(r"[^\t\n\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_META: Final = "x-ms-meta-"


@dataclass(frozen=True, slots=True)
class Blob:
    content: bytes
    modified: datetime
    content_type: str = "application/octet-stream"
    encoding: str = ""
    kind: str = "BlockBlob"
    tier: str = ""
    lease: str = "available"
    # On its way out of the archive.
    archive_status: str = ""
    metadata: Mapping[str, str] = field(default_factory=dict)

    @property
    def etag(self) -> str:
        return f'"0x{abs(hash((self.content, self.modified))):X}"'

    @property
    def headers(self) -> dict[str, str]:
        return {
            "Content-Type": self.content_type,
            **({"Content-Encoding": self.encoding} if self.encoding else {}),
            "Last-Modified": written(self.modified),
            "ETag": self.etag,
            "Accept-Ranges": "bytes",
            "x-ms-blob-type": self.kind,
            "x-ms-creation-time": written(self.modified),
            "x-ms-access-tier": self.tier or "Hot",
            **({} if self.tier else {"x-ms-access-tier-inferred": "true"}),
            "x-ms-lease-state": self.lease,
            **({"x-ms-archive-status": self.archive_status} if self.archive_status else {}),
            "Content-MD5": b64encode(md5(self.content, usedforsecurity=False).digest()).decode(),
            **{f"{_META}{name}": value for name, value in self.metadata.items()},
        }

    @property
    def properties(self) -> str:
        parts = {
            "Creation-Time": written(self.modified),
            "Last-Modified": written(self.modified),
            "Etag": self.etag.strip('"'),
            "Content-Length": len(self.content),
            "Content-Type": self.content_type,
            "Content-Encoding": self.encoding,
            "BlobType": self.kind,
            "AccessTier": self.tier or "Hot",
            "AccessTierInferred": None if self.tier else "true",
            "LeaseState": self.lease,
        }
        return "".join(element(name, value) for name, value in parts.items())


@dataclass
class Container:
    modified: datetime
    blobs: dict[str, Blob] = field(default_factory=dict)
    snapshots: dict[tuple[str, str], Blob] = field(default_factory=dict)
    deleted: dict[str, Blob] = field(default_factory=dict)

    def shown(self, name: str, include: Iterable[str]) -> str:
        """The blob of a name, and what else is asked for under that name."""
        found = [_entry(name, blob, include) for blob in [self.blobs.get(name)] if blob]
        if "deleted" in include and name in self.deleted:
            found.insert(0, _entry(name, self.deleted[name], include, element("Deleted", "true")))
        if "snapshots" in include:
            olds = [(when, blob) for (of, when), blob in self.snapshots.items() if of == name]
            found[:0] = [_entry(name, blob, include, element("Snapshot", when)) for when, blob in olds]
        return "".join(found)

    def names(self, include: Iterable[str]) -> list[str]:
        also = self.deleted if "deleted" in include else {}
        return sorted({*self.blobs, *also}, key=lambda name: name.encode("utf-16-be"))


def _entry(name: str, blob: Blob, include: Iterable[str], more: str = "") -> str:
    own = "".join(element(key, value) for key, value in blob.metadata.items()) if "metadata" in include else ""
    metadata = f"<Metadata>{own}</Metadata>" if own else ""
    return f"<Blob>{_name(name)}{more}<Properties>{blob.properties}</Properties>{metadata}</Blob>"


def _name(name: str) -> str:
    """A name, encoded where XML has no form for a character of it."""
    if _NOT_IN_XML.search(name):
        return f'<Name Encoded="true">{quote(name)}</Name>'
    return element("Name", name)


class Blobs:
    def __init__(self, account: str) -> None:
        self.containers: dict[str, Container] = {}
        self.signatures = Signatures(account)

    def add(self, container: str, name: str, blob: Blob) -> None:
        self.containers.setdefault(container, Container(blob.modified)).blobs[name] = blob

    def reply(self, asked: Asked) -> Reply:
        container, _, blob = (unquote(part) for part in asked.path.partition("/"))
        if not container:
            return self._of_account(asked)
        if not blob and asked.query.get("restype") == "container":
            return self._of_container(asked, container)
        return self._of_blob(asked, self._container(container), blob)

    def _of_account(self, asked: Asked) -> Reply:
        if asked.query.get("comp") == "userdelegationkey":
            return xml(self.signatures.key(asked))
        names = [name for name in sorted(self.containers) if name.startswith(asked.query.get("prefix", ""))]
        page, following = _page(asked, names)
        entries = "".join(self._shown(name) for name in page)
        return xml(_enumerated(f"<Containers>{entries}</Containers>", following))

    def _shown(self, name: str) -> str:
        modified = element("Last-Modified", written(self.containers[name].modified))
        properties = f"<Properties>{modified}{element('LeaseState', 'available')}</Properties>"
        return f"<Container>{_name(name)}{properties}</Container>"

    def _of_container(self, asked: Asked, name: str) -> Reply:
        if asked.method == "PUT":
            if name in self.containers:
                raise StorageError(409, "ContainerAlreadyExists", "The specified container already exists.")
            self.containers[name] = Container(datetime.now(UTC))
            return Reply(201)
        return xml(_listed(asked, self._container(name)))

    def _container(self, name: str) -> Container:
        if name not in self.containers:
            raise StorageError(404, "ContainerNotFound", "The specified container does not exist.")
        return self.containers[name]

    def _of_blob(self, asked: Asked, container: Container, name: str) -> Reply:
        if asked.method == "PUT":
            return _put(asked, container, name)
        found = _found(asked, container, name)
        if asked.method == "DELETE":
            return _delete(asked, container, name)
        if asked.method == "HEAD":
            return Reply(200, b"", {**found.headers, "Content-Length": str(len(found.content))})
        if found.tier == "Archive":
            raise StorageError(409, "BlobArchived", "This operation is not permitted on an archived blob.")
        return _ranged(asked, found)


def _found(asked: Asked, container: Container, name: str) -> Blob:
    when = asked.query.get("snapshot")
    found = container.snapshots.get((name, when)) if when else container.blobs.get(name)
    if found is None:
        raise StorageError(404, "BlobNotFound", "The specified blob does not exist.")
    return found


def _delete(asked: Asked, container: Container, name: str) -> Reply:
    _check_conditions(asked, container.blobs[name])
    olds = [key for key in container.snapshots if key[0] == name]
    if olds and asked.headers.get("x-ms-delete-snapshots") != "include":
        raise StorageError(409, "SnapshotsPresent", "This operation is not permitted while the blob has snapshots.")
    for key in olds:
        del container.snapshots[key]
    container.deleted[name] = container.blobs.pop(name)
    return Reply(202)


def _check_conditions(asked: Asked, found: Blob | None) -> None:
    if found and found.lease == "leased":
        raise StorageError(412, "LeaseIdMissing", "There is currently a lease on the blob and no lease ID was given.")
    if asked.headers.get("If-None-Match") == "*" and found:
        raise StorageError(409, "BlobAlreadyExists", "The specified blob already exists.")
    wanted = asked.headers.get("If-Match")
    if wanted and (found is None or wanted not in {"*", found.etag}):
        raise StorageError(
            412, "ConditionNotMet", "The condition specified using HTTP conditional header(s) is not met."
        )


def _undelete(container: Container, name: str) -> Reply:
    if name in container.deleted and name not in container.blobs:
        container.blobs[name] = container.deleted.pop(name)
    return Reply(200)


def _move(asked: Asked, container: Container, name: str) -> Reply:
    found, tier = _found(asked, container, name), asked.headers.get("x-ms-access-tier", "")
    if tier not in {"Hot", "Cool", "Cold", "Archive"}:
        raise StorageError(
            400, "InvalidHeaderValue", "The value for one of the HTTP headers is not in the correct format."
        )
    if found.tier == "Archive" and tier != "Archive":
        status = f"rehydrate-pending-to-{tier.lower()}"
        container.blobs[name] = replace(found, archive_status=status)
        return Reply(202)
    container.blobs[name] = replace(found, tier=tier)
    return Reply(200)


def _put(asked: Asked, container: Container, name: str) -> Reply:
    headers = {key.lower(): value for key, value in asked.headers.items()}
    if asked.query.get("comp") == "undelete":
        return _undelete(container, name)
    if asked.query.get("comp") == "tier":
        return _move(asked, container, name)
    if asked.query.get("comp") == "snapshot":
        when = (datetime.now(UTC) + timedelta(microseconds=len(container.snapshots))).strftime("%Y-%m-%dT%H:%M:%S.%f0Z")
        container.snapshots[name, when] = _found(asked, container, name)
        return Reply(201, b"", {"x-ms-snapshot": when})
    if asked.query.get("comp") == "lease":
        container.blobs[name] = replace(_found(asked, container, name), lease="leased")
        return Reply(201, b"", {"x-ms-lease-id": "7ace0000-0000-4000-8000-00000000000b"})
    _check_conditions(asked, container.blobs.get(name))
    container.blobs[name] = Blob(
        asked.content,
        datetime.now(UTC),
        headers.get("x-ms-blob-content-type") or headers.get("content-type") or "application/octet-stream",
        headers.get("x-ms-blob-content-encoding", ""),
        headers["x-ms-blob-type"],
        headers.get("x-ms-access-tier", ""),
        metadata={key.removeprefix(_META): value for key, value in headers.items() if key.startswith(_META)},
    )
    return Reply(201, b"", {"ETag": container.blobs[name].etag})


def _ranged(asked: Asked, blob: Blob) -> Reply:
    text = asked.headers.get("x-ms-range") or asked.headers.get("Range")
    if not text:
        return Reply(200, blob.content, blob.headers)
    found = re.fullmatch(r"bytes=(\d+)-(\d*)", text)
    first, size = int(found[1]) if found else 0, len(blob.content)
    if not found or first >= size:
        raise StorageError(416, "InvalidRange", "The range specified is invalid for the current size of the resource.")
    last = min(int(found[2] or size), size - 1)
    return Reply(206, blob.content[first : last + 1], {**blob.headers, "Content-Range": f"bytes {first}-{last}/{size}"})


def _listed(asked: Asked, container: Container) -> str:
    include = asked.query.get("include", "").split(",")
    prefix, delimiter = asked.query.get("prefix", ""), asked.query.get("delimiter", "")
    wanted = [name for name in container.names(include) if name.startswith(prefix)]
    # A folder stands where its first blob would.
    rows = list(dict.fromkeys(_folder(name, prefix, delimiter) or name for name in wanted))
    page, following = _page(asked, rows)
    folders = {_folder(name, prefix, delimiter) for name in wanted}
    entries = "".join(
        f"<BlobPrefix>{_name(row)}</BlobPrefix>" if row in folders else container.shown(row, include) for row in page
    )
    return _enumerated(f"{element('Prefix', prefix)}<Blobs>{entries}</Blobs>", following)


def _folder(name: str, prefix: str, delimiter: str) -> str:
    rest = name[len(prefix) :]
    return f"{prefix}{rest.partition(delimiter)[0]}{delimiter}" if delimiter and delimiter in rest else ""


def _page(asked: Asked, names: list[str]) -> tuple[list[str], str | None]:
    """The names from a marker on, which is the name that comes next."""
    marker = asked.query.get("marker")
    start = names.index(marker) if marker in names else 0
    end = start + asked.number("maxresults", _LARGEST_PAGE)
    return names[start:end], names[end] if end < len(names) else None


def _enumerated(inner: str, following: str | None) -> str:
    return f"<EnumerationResults>{inner}{element('NextMarker', following or '')}</EnumerationResults>"
