"""Parses URIs of files: `file:///` and a path, percent-encoded once. Each file has exactly one URI."""

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
# Device names of Windows, with any extension.
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?", re.IGNORECASE)

_MISTAKES: Final[Mapping[str, Callable[[str], object]]] = {
    "a segment is empty": lambda name: not name,
    "a segment starts with a dot": lambda name: name.startswith("."),
    "a segment ends with a dot or a space": lambda name: name[-1] in ". ",
    "a segment contains invisible characters": lambda name: not is_printable(name) or "\ufffd" in name,
    r'a segment contains one of \ : * ? " < > |': _FORBIDDEN.search,
    "a segment is percent-encoded twice": _ESCAPE.search,
    "a segment is not in Unicode normal form (NFC)": lambda name: normalize("NFC", name) != name,
    "a segment is a device name": _DEVICE.fullmatch,
}


def path_of(uri: str) -> str:
    """Return the path of the file at a URI."""
    if not uri.startswith(_BEGINS):
        raise AddressError(f"The URI of a file must start with {_BEGINS}, for example {_BEGINS}docs/README.md.")
    rest = uri.removeprefix(_BEGINS)
    if len(rest) > 3 * LONGEST_PATH:
        raise AddressError(f"A path can be up to {LONGEST_PATH} characters long.")
    if "?" in rest or "#" in rest or _BROKEN_ESCAPE.search(rest):
        raise AddressError("In a URI, encode ?, # and % as %3F, %23 and %25.")
    return checked_path(_decoded(rest))


def _decoded(encoded: str) -> str:
    try:
        return unquote(encoded, errors="strict")
    except UnicodeDecodeError:
        raise AddressError("The URI is not percent-encoded UTF-8.") from None


def uri_of(path: str) -> str:
    return _BEGINS + quote(path)


def checked_path(path: str) -> str:
    """Return the path if it is valid for a file.

    Raises:
        AddressError: The path is invalid.
    """
    if not path or len(path) > LONGEST_PATH:
        raise AddressError(f"A path must have 1 to {LONGEST_PATH} characters.")
    if problem := next(filter(None, map(_wrong_with, path.split("/"))), ""):
        raise AddressError(f"Not a valid file URI: {problem}.")
    return path


def is_fit(path: str) -> bool:
    return bool(path) and len(path) <= LONGEST_PATH and not any(map(_wrong_with, path.split("/")))


def _wrong_with(name: str) -> str:
    """Return what is wrong with a segment of a path, or an empty string if the segment is valid."""
    return next((words for words, is_wrong in _MISTAKES.items() if is_wrong(name)), "")
