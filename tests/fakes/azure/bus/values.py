"""Values of AMQP 1.0 as they are on the wire: as many of its types as Service Bus and its clients use."""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final
from uuid import UUID


class Symbol(str):
    __slots__ = ()


class UInt(int):
    __slots__ = ()


class UByte(int):
    __slots__ = ()


class UShort(int):
    __slots__ = ()


class Int(int):
    __slots__ = ()


@dataclass(frozen=True)
class Described:
    code: int
    value: Any


def written(value: Any) -> bytes:
    """A value as it is sent; a number is a long unless it says otherwise."""
    for kind, write in _WRITERS:
        if isinstance(value, kind):
            return write(value)
    raise TypeError(f"Nothing in AMQP stands for {type(value)}.")


def _variable(code: int, content: bytes) -> bytes:
    return bytes([code]) + struct.pack(">I", len(content)) + content


def _compound(code: int, items: Sequence[Any]) -> bytes:
    content = b"".join(map(written, items))
    return bytes([code]) + struct.pack(">II", len(content) + 4, len(items)) + content


def _symbols(names: tuple[Symbol, ...]) -> bytes:
    content = b"".join(struct.pack(">I", len(name)) + name.encode() for name in names)
    return b"\xf0" + struct.pack(">II", len(content) + 5, len(names)) + b"\xb3" + content


_WRITERS: Final[tuple[tuple[Any, Callable[[Any], bytes]], ...]] = (
    (type(None), lambda _: b"\x40"),
    (bool, lambda value: b"\x41" if value else b"\x42"),
    (UByte, lambda value: b"\x50" + bytes([value])),
    (UShort, lambda value: b"\x60" + struct.pack(">H", value)),
    (Int, lambda value: b"\x71" + struct.pack(">i", value)),
    (UInt, lambda value: b"\x70" + struct.pack(">I", value)),
    (int, lambda value: b"\x81" + struct.pack(">q", value)),
    (Symbol, lambda value: _variable(0xB3, value.encode())),
    (str, lambda value: _variable(0xB1, value.encode())),
    (bytes, lambda value: _variable(0xB0, value)),
    (datetime, lambda value: b"\x83" + struct.pack(">q", int(value.timestamp() * 1000))),
    (Described, lambda value: b"\x00\x53" + bytes([value.code]) + written(value.value)),
    (tuple, _symbols),
    (list, lambda value: _compound(0xD0, value)),
    (UUID, lambda value: b"\x98" + value.bytes),
    (Mapping, lambda value: _compound(0xD1, [one for pair in value.items() for one in pair])),
)


def read(content: bytes, start: int = 0) -> tuple[Any, int]:
    """The value that begins there, and where it ends."""
    code, start = content[start], start + 1
    if code == 0:
        kind, start = read(content, start)
        value, start = read(content, start)
        return Described(int(kind), value), start
    if code in _FIXED:
        size, make = _FIXED[code]
        return make(content[start : start + size]), start + size
    width = 1 if code >> 4 in {0xA, 0xC, 0xE} else 4
    size = int.from_bytes(content[start : start + width])
    start += width
    return _READERS[code](content[start : start + size], width), start + size


def _number(form: str) -> Callable[[bytes], Any]:
    return lambda raw: struct.unpack(f">{form}", raw)[0]


_FIXED: Final[Mapping[int, tuple[int, Callable[[bytes], Any]]]] = {
    0x40: (0, lambda _: None),
    0x41: (0, lambda _: True),
    0x42: (0, lambda _: False),
    0x43: (0, lambda _: 0),
    0x44: (0, lambda _: 0),
    0x45: (0, lambda _: []),
    0x50: (1, _number("B")),
    0x51: (1, _number("b")),
    0x52: (1, _number("B")),
    0x53: (1, _number("B")),
    0x54: (1, _number("b")),
    0x55: (1, _number("b")),
    0x56: (1, lambda raw: raw == b"\x01"),
    0x60: (2, _number("H")),
    0x61: (2, _number("h")),
    0x70: (4, _number("I")),
    0x71: (4, _number("i")),
    0x80: (8, _number("Q")),
    0x81: (8, _number("q")),
    0x83: (8, lambda raw: datetime.fromtimestamp(struct.unpack(">q", raw)[0] / 1000, UTC)),
    0x98: (16, lambda raw: UUID(bytes=raw)),
}


def _items(raw: bytes, width: int) -> list[Any]:
    found, place = [], width
    for _ in range(int.from_bytes(raw[:width])):
        value, place = read(raw, place)
        found.append(value)
    return found


def _pairs(raw: bytes, width: int) -> dict[Any, Any]:
    found = _items(raw, width)
    return dict(zip(found[::2], found[1::2], strict=True))


_READERS: Final[Mapping[int, Callable[[bytes, int], Any]]] = {
    **dict.fromkeys((0xA0, 0xB0), lambda raw, _: raw),
    **dict.fromkeys((0xA1, 0xB1), lambda raw, _: raw.decode()),
    **dict.fromkeys((0xA3, 0xB3), lambda raw, _: Symbol(raw.decode())),
    **dict.fromkeys((0xC0, 0xD0), _items),
    **dict.fromkeys((0xC1, 0xD1), _pairs),
    **dict.fromkeys((0xE0, 0xF0), lambda raw, _: raw),
}
