"""A server that means no good: it speaks as a git server does, and each of its answers can be another."""

from __future__ import annotations

import asyncio
import zlib
from collections.abc import AsyncIterator, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from hashlib import sha1
from typing import Final

from aiohttp import web

COMMIT: Final = 1
TREE: Final = 2
BLOB: Final = 3
NAMES: Final = {COMMIT: "commit", TREE: "tree", BLOB: "blob"}
_CAPABILITIES: Final = "multi_ack side-band-64k shallow ofs-delta symref=HEAD:refs/heads/main"
_BAND: Final = 60_000

Piece = tuple[int, bytes]


def line(content: bytes | str) -> bytes:
    """As git frames what it says."""
    said = content.encode() if isinstance(content, str) else content
    return f"{len(said) + 4:04x}".encode() + said


def name_of(kind: int, content: bytes) -> str:
    return sha1(f"{NAMES[kind]} {len(content)}\0".encode() + content, usedforsecurity=False).hexdigest()


def head(kind: int, size: int) -> bytes:
    """What stands before an object in a pack."""
    made = bytearray()
    byte, rest = (kind << 4) | (size & 15), size >> 4
    while rest:
        made.append(byte | 0x80)
        byte, rest = rest & 0x7F, rest >> 7
    return bytes([*made, byte])


def pack(pieces: Iterable[bytes], count: int | None = None) -> bytes:
    """A pack with a right sum, whatever is in it."""
    every = list(pieces)
    number = len(every) if count is None else count
    content = b"PACK" + (2).to_bytes(4) + number.to_bytes(4) + b"".join(every)
    return content + sha1(content, usedforsecurity=False).digest()


def packed(kind: int, content: bytes, size: int | None = None) -> bytes:
    return head(kind, len(content) if size is None else size) + zlib.compress(content)


def commit_of(tree: str, *parents: str, more: str = "") -> bytes:
    lines = [f"tree {tree}", *(f"parent {parent}" for parent in parents)]
    who = "Eve <eve@example.net> 1700000000 +0000"
    return "\n".join([*lines, f"author {who}", f"committer {who}", "", f"Begin{more}", ""]).encode()


def tree_of(*entries: tuple[str, bytes, str]) -> bytes:
    return b"".join(f"{mode} ".encode() + name + b"\0" + bytes.fromhex(its) for mode, name, its in entries)


@dataclass
class Hostile:
    """What it answers; `asked` has what it was asked for, and `headers` with which sign-in."""

    head: str = ""
    pack: bytes = b""
    refs: Sequence[tuple[str, str]] = ()
    shallow: Sequence[str] = ()
    status: int = 200
    media_type: str = "application/x-git-upload-pack-advertisement"
    more_headers: dict[str, str] = field(default_factory=dict)
    # In place of what it would have said, to each of the two requests.
    greeting: bytes | None = None
    reply: bytes | None = None
    endless: bytes = b""
    pause: float = 0
    url: str = ""
    asked: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    sent: int = 0

    def with_objects(self, *objects: Piece) -> Hostile:
        """It has these objects; the last of them is the commit that main is at."""
        self.pack = pack(packed(kind, content) for kind, content in objects)
        self.head = name_of(*objects[-1])
        return self

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[Hostile]:
        app = web.Application(client_max_size=2**24)
        app.router.add_route("*", "/{path:.*}", self._answer)
        runner = web.AppRunner(app, shutdown_timeout=0)
        await runner.setup()
        try:
            await web.TCPSite(runner, "127.0.0.1", 0).start()
            self.url = f"http://127.0.0.1:{runner.addresses[0][1]}"
            yield self
        finally:
            await runner.cleanup()

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        self.asked.append(f"{request.method} {request.path_qs}")
        self.headers.append({name.lower(): value for name, value in request.headers.items()})
        await request.read()
        if request.method == "GET":
            greeting = self._greeting() if self.greeting is None else self.greeting
            headers = {"Content-Type": self.media_type, **self.more_headers}
            return web.Response(status=self.status, headers=headers, body=greeting)
        response = web.StreamResponse(headers={"Content-Type": "application/x-git-upload-pack-result"})
        await response.prepare(request)
        await self._send(response, self._reply() if self.reply is None else self.reply)
        while self.endless:
            await self._send(response, self.endless)
            await asyncio.sleep(self.pause)
        return response

    async def _send(self, response: web.StreamResponse, content: bytes) -> None:
        await response.write(content)
        self.sent += len(content)

    def _greeting(self) -> bytes:
        refs = [("HEAD", self.head), ("refs/heads/main", self.head), *self.refs]
        (name, commit), *rest = refs
        first = line(f"{commit} {name}\0{_CAPABILITIES}\n")
        lines = b"".join(line(f"{commit} {name}\n") for name, commit in rest)
        return line("# service=git-upload-pack\n") + b"0000" + first + lines + b"0000"

    def _reply(self) -> bytes:
        shallow = b"".join(line(f"shallow {commit}") for commit in self.shallow)
        bands = (self.pack[at : at + _BAND] for at in range(0, len(self.pack), _BAND))
        return shallow + b"0000" + line("NAK\n") + b"".join(line(b"\1" + band) for band in bands) + b"0000"
