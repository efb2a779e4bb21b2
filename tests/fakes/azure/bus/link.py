"""One connection of AMQP over a web socket, as Service Bus holds it: sign-in by token, and requests to nodes."""

from __future__ import annotations

import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from aiohttp import WSMsgType, web

from tests.fakes.azure.bus.values import Described, Int, Symbol, UByte, UInt, UShort, read, written

_SASL: Final = b"AMQP\x03\x01\x00\x00"
_OPEN, _BEGIN, _ATTACH, _FLOW, _TRANSFER, _DISPOSITION, _DETACH, _END, _CLOSE = range(0x10, 0x19)
_PROPERTIES, _APPLICATION, _VALUE = 0x73, 0x74, 0x77
_SASL_INIT: Final = 0x41
_ACCEPTED: Final = 0x24
_ERROR: Final = 0x1D
_INITIAL: Final = 8

Json = dict[str, Any]


@dataclass(frozen=True)
class Ask:
    """A request to a node, such as `$cbs` or `orders/$management`."""

    node: str
    properties: Json
    value: Any


@dataclass(frozen=True)
class Told:
    status: int
    description: str = ""
    condition: str = ""
    value: Any = None


class RefusedError(Exception):
    """A link that is not let be: with the condition of AMQP, and why."""

    def __init__(self, condition: str, why: str) -> None:
        super().__init__(why)
        self.condition, self.why = condition, why


@dataclass
class Link:
    """`answer` answers requests; `attach` lets a link to a node be, or refuses it."""

    socket: web.WebSocketResponse
    answer: Callable[[Ask], Told]
    attach: Callable[[str], None]
    content: bytes = b""
    # By handle: where the other side sends to, and where it reads from.
    sends_to: dict[int, str] = field(default_factory=dict)
    reads_from: dict[str, int] = field(default_factory=dict)
    # How much the other side let be delivered, to nodes that are no requests.
    credit: dict[str, int] = field(default_factory=dict)
    settled: list[Any] = field(default_factory=list)
    delivered: int = 0
    parts: bytes = b""

    async def hold(self) -> None:
        """Until the other side goes."""
        async for message in self.socket:
            if message.type is WSMsgType.BINARY:
                self.content += message.data
                await self._read()

    async def _read(self) -> None:
        while len(self.content) >= _INITIAL:
            if self.content.startswith(b"AMQP"):
                await self._greet(self._taken(_INITIAL))
                continue
            size = int.from_bytes(self.content[:4])
            if len(self.content) < size:
                return
            frame = self._taken(size)
            body = frame[frame[4] * 4 :]
            if body:
                await self._meant(body, int.from_bytes(frame[6:8]))

    def _taken(self, size: int) -> bytes:
        taken, self.content = self.content[:size], self.content[size:]
        return taken

    async def _greet(self, header: bytes) -> None:
        await self.socket.send_bytes(header)
        if header == _SASL:
            await self._send(Described(0x40, [(Symbol("ANONYMOUS"), Symbol("MSSBCBS"))]), is_sasl=True)

    async def _send(self, value: Described, more: bytes = b"", *, is_sasl: bool = False) -> None:
        body = written(value) + more
        await self.socket.send_bytes(struct.pack(">IBBH", len(body) + 8, 2, int(is_sasl), 0) + body)

    async def _meant(self, body: bytes, channel: int) -> None:
        meant, end = read(body)
        fields = [*meant.value, *[None] * 16]
        if meant.code == _TRANSFER:
            await self._transferred(fields, body[end:])
        elif meant.code == _ATTACH:
            await self._attached(fields)
        elif meant.code == _FLOW:
            self._credited(fields)
        elif meant.code == _DISPOSITION:
            self.settled.append(fields[4])
        elif meant.code in _PLAIN_REPLIES:
            await self._send(_PLAIN_REPLIES[meant.code](fields, channel), is_sasl=meant.code == _SASL_INIT)

    async def _attached(self, fields: list[Any]) -> None:
        name, handle, is_reader = fields[0], fields[1], fields[2]
        source, target = (one.value[0] if isinstance(one, Described) and one.value else None for one in fields[5:7])
        node = str(source if is_reader else target).partition("://")[2].partition("/")[2] or str(source or target)
        answer = [name, UInt(handle), not is_reader, UByte(0), UByte(0), fields[5], fields[6]]
        try:
            self.attach(node)
        except RefusedError as refused:
            await self._send(Described(_ATTACH, [*answer[:5], None, None, None, None, UInt(0)]))
            error = Described(_ERROR, [Symbol(refused.condition), refused.why])
            await self._send(Described(_DETACH, [UInt(handle), True, error]))
            return
        described = [_rewritten(one) for one in fields[5:7]]
        # The side that sends says where its count begins.
        await self._send(Described(_ATTACH, [*answer[:5], *described, None, None, UInt(0) if is_reader else None]))
        if is_reader:
            self.reads_from[node] = handle
        else:
            self.sends_to[handle] = node
            window = [UInt(0), UInt(5000), UInt(0), UInt(5000)]
            await self._send(Described(_FLOW, [*window, UInt(handle), UInt(0), UInt(100)]))

    def _credited(self, fields: list[Any]) -> None:
        node = next((node for node, handle in self.reads_from.items() if handle == fields[4]), "$")
        if not node.endswith(("$", "$cbs", "$management")):
            self.credit[node] = max(self.credit.get(node, 0), fields[6] or 0)

    async def _transferred(self, fields: list[Any], payload: bytes) -> None:
        self.parts += payload
        if fields[5]:  # there is more of it
            return
        whole, self.parts = self.parts, b""
        await self._send(
            Described(_DISPOSITION, [True, UInt(fields[1]), UInt(fields[1]), True, Described(_ACCEPTED, [])])
        )
        sections = dict(_sections(whole))
        node = self.sends_to[fields[0]]
        told = self.answer(Ask(node, sections.get(_APPLICATION, {}), sections.get(_VALUE)))
        await self._reply(node, sections[_PROPERTIES][0], told)

    async def _reply(self, node: str, message_id: Any, told: Told) -> None:
        names = ("status-code", "status-description") if node == "$cbs" else ("statusCode", "statusDescription")
        said: Json = {names[0]: Int(told.status), names[1]: told.description}
        if told.condition:
            said["errorCondition"] = Symbol(told.condition)
        content = (
            written(Described(_PROPERTIES, [None, None, None, None, None, message_id]))
            + written(Described(_APPLICATION, said))
            + written(Described(_VALUE, told.value))
        )
        self.delivered += 1
        number = UInt(self.delivered - 1)
        about = [UInt(self.reads_from[node]), number, str(number).encode(), UInt(0), True]
        await self._send(Described(_TRANSFER, about), content)


# What is answered in the same way whatever was said before.
_PLAIN_REPLIES: Final[dict[int, Callable[[list[Any], int], Described]]] = {
    _SASL_INIT: lambda _fields, _channel: Described(0x44, [UByte(0)]),
    _OPEN: lambda _fields, _channel: Described(_OPEN, ["bus", None, UInt(65536), None, UInt(60000)]),
    _BEGIN: lambda _fields, channel: Described(_BEGIN, [UShort(channel), UInt(0), UInt(5000), UInt(5000)]),
    _DETACH: lambda fields, _channel: Described(_DETACH, [UInt(fields[0]), True]),
    _END: lambda _fields, _channel: Described(_END, []),
    _CLOSE: lambda _fields, _channel: Described(_CLOSE, []),
}


def _rewritten(value: Any) -> Any:
    """Where a link goes, as it came."""
    return Described(value.code, value.value[:1]) if isinstance(value, Described) else None


def _sections(content: bytes) -> list[tuple[int, Any]]:
    found, place = [], 0
    while place < len(content):
        section, place = read(content, place)
        found.append((section.code, section.value))
    return found
