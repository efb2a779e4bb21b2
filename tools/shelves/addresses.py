"""Addresses of files: `file:///` and a path, percent-encoded once. One file has one address."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final
from unicodedata import normalize
from urllib.parse import quote, unquote

from invisible import is_printable
from mcp_server.declarations.shelf import AddressError

SCHEME: Final = "file"
LONGEST_PATH: Final = 500
_BEGINS: Final = f"{SCHEME}:///"
_BROKEN_ESCAPE: Final = re.compile("%(?![0-9A-Fa-f]{2})")
_ESCAPE: Final = re.compile("%[0-9A-Fa-f]{2}")
_FORBIDDEN: Final = re.compile(r'[\\:*?"<>|]')
# Names of devices, whatever they end in, on a laptop with Windows.
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)

_MISTAKES: Final[Mapping[str, Callable[[str], object]]] = {
    "a name in it is empty": lambda name: not name,
    "a name in it begins with a dot": lambda name: name.startswith("."),
    "a name in it ends with a dot or a space": lambda name: name[-1] in ". ",
    "a name in it has invisible characters": lambda name: not is_printable(name) or "\ufffd" in name,
    r'a name in it has one of \ : * ? " < > |': _FORBIDDEN.search,
    "a name in it is percent-encoded twice": _ESCAPE.search,
    "a name in it is not in the normal form of Unicode (NFC)": lambda name: normalize("NFC", name) != name,
    "a name in it is that of a device": _DEVICE.fullmatch,
}


def path_of(uri: str) -> str:
    """The path of the file at an address.

    Raises:
        AddressError: It is not the address of a file.
    """
    if not uri.startswith(_BEGINS):
        raise AddressError(f"The address of a file begins with {_BEGINS}, as {_BEGINS}docs/README.md does.")
    rest = uri.removeprefix(_BEGINS)
    if len(rest) > 3 * LONGEST_PATH:
        raise AddressError(f"A path has up to {LONGEST_PATH} characters.")
    if "?" in rest or "#" in rest or _BROKEN_ESCAPE.search(rest):
        raise AddressError("In an address, write %3F, %23 and %25 for ?, # and %.")
    try:
        path = unquote(rest, errors="strict")
    except UnicodeDecodeError:
        raise AddressError("The address is not percent-encoded UTF-8.") from None
    return checked_path(path)


def uri_of(path: str) -> str:
    return _BEGINS + quote(path)


def checked_path(path: str) -> str:
    """The path, if a file may have it.

    Raises:
        AddressError: None may.
    """
    if not path or len(path) > LONGEST_PATH:
        raise AddressError(f"A path has 1 to {LONGEST_PATH} characters.")
    if problem := next(filter(None, map(_wrong_with, path.split("/"))), ""):
        raise AddressError(f"That is not the address of a file: {problem}.")
    return path


def is_fit(path: str) -> bool:
    return bool(path) and len(path) <= LONGEST_PATH and not any(map(_wrong_with, path.split("/")))


def _wrong_with(name: str) -> str:
    """What is wrong with one name in a path, in words; nothing if it may stand there."""
    return next((words for words, is_wrong in _MISTAKES.items() if is_wrong(name)), "")
