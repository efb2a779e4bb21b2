"""One request to Azure Storage, and what it is refused with."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import format_datetime
from typing import Final
from xml.sax.saxutils import escape

_BEGINNING: Final = '\ufeff<?xml version="1.0" encoding="utf-8"?>'


@dataclass(frozen=True, slots=True)
class Asked:
    """`path` is below the account, as it was sent: names in it are encoded."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    content: bytes
    address: str

    def number(self, name: str, otherwise: int) -> int:
        text = self.query.get(name, str(otherwise))
        if not text.isdecimal() or not int(text):
            raise StorageError(400, "OutOfRangeQueryParameterValue", "A query parameter is out of the permitted range.")
        return min(int(text), otherwise)


@dataclass(frozen=True, slots=True)
class Reply:
    status: int = 200
    content: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)


class StorageError(Exception):
    """A failure, whose code is in a header and, unless nothing but headers were asked for, in XML."""

    def __init__(self, status: int, code: str, message: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, message

    def reply(self, asked: Asked) -> Reply:
        told = f"{self.message}\nRequestId:7ace0000-0000-4000-8000-00000000000a\nTime:{datetime.now(UTC).isoformat()}"
        text = f"<Error><Code>{self.code}</Code><Message>{escape(told)}</Message></Error>"
        content = b"" if asked.method == "HEAD" else f"{_BEGINNING}{text}".encode()
        return Reply(self.status, content, {"x-ms-error-code": self.code, "Content-Type": "application/xml"})


def xml(text: str, **headers: str) -> Reply:
    return Reply(200, f"{_BEGINNING}{text}".encode(), {"Content-Type": "application/xml", **headers})


def element(name: str, value: object) -> str:
    """An element, or nothing where there is no value."""
    return "" if value is None else f"<{name}>{escape(str(value))}</{name}>"


def written(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)
