"""Checks paths in a repository, and rejects paths that operating systems interpret in different ways."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final
from unicodedata import normalize

from dulwich.index import (
    validate_path_element_default,
    validate_path_element_hfs,
    validate_path_element_ntfs,
)

from invisible import has_invisible
from refusal import Refusal
from workspaces.limits import DEEPEST

_LONGEST: Final = 1000
_LONGEST_NAME: Final = 255
_FORBIDDEN: Final = re.compile(r'[\\:*?"<>|]')
# Windows device names, with any file extension.
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³]|conin\$|conout\$) *(?:\..*)?", re.IGNORECASE)
_CHECKS: Final = (validate_path_element_default, validate_path_element_ntfs, validate_path_element_hfs)


def checked_path(path: str) -> tuple[bytes, ...]:
    """Check a path that a call writes to, and split it into names.

    Raises:
        Refusal: The path is not allowed.
    """
    names = named(path)
    for name in path.strip("/").split("/"):
        if problem := _wrong_with(name):
            raise Refusal(f"Path {path[:200]!r} is not allowed: {problem}.")
    return names


def named(path: str) -> tuple[bytes, ...]:
    """Split the path of an existing file into names. All valid names are allowed, because other programs also create
    files.
    """
    names = path.strip("/").split("/")
    if not path.strip("/") or len(path) > _LONGEST or len(names) > DEEPEST:
        raise Refusal(
            f"A path must have 1 to {_LONGEST} characters and at most {DEEPEST} parts, for example src/app.py."
        )
    try:
        return tuple(name.encode() for name in names)
    except UnicodeEncodeError:
        raise Refusal("A path must be valid UTF-8 text.") from None


_MISTAKES: Final[Mapping[str, Callable[[str], object]]] = {
    'a name in it is empty, "." or ".."': lambda name: name in {"", ".", ".."},
    f"a name in it is longer than {_LONGEST_NAME} bytes": lambda name: len(name.encode()) > _LONGEST_NAME,
    "a name in it has invisible characters": lambda name: has_invisible(name) or "\ufffd" in name,
    r'a name in it contains one of \ : * ? " < > |': _FORBIDDEN.search,
    "a name in it is a device name": _DEVICE.fullmatch,
    "a name in it ends with a dot or a space": lambda name: name[-1] in ". ",
    "a name in it is not NFC-normalized Unicode": lambda name: normalize("NFC", name) != name,
    "a name in it is reserved by git": lambda name: not all(check(name.encode()) for check in _CHECKS),
}


def _wrong_with(name: str) -> str:
    """Return the reason why a name in a path is not allowed, or an empty string if the name is allowed."""
    return next((words for words, is_wrong in _MISTAKES.items() if is_wrong(name)), "")
