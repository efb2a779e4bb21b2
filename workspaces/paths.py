"""Paths in a repository that somebody may write: none that another machine could take for something else."""

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
# Names of devices on Windows, whatever they end in.
_DEVICE: Final = re.compile(r"(?:con|prn|aux|nul|(?:com|lpt)[\d¹²³]|conin\$|conout\$) *(?:\..*)?", re.IGNORECASE)
_CHECKS: Final = (validate_path_element_default, validate_path_element_ntfs, validate_path_element_hfs)


def checked_path(path: str) -> tuple[bytes, ...]:
    """The names in a path that is to be written.

    Raises:
        Refusal: No file may be there.
    """
    names = named(path)
    for name in path.strip("/").split("/"):
        if problem := _wrong_with(name):
            raise Refusal(f"No file can be at {path[:200]!r}: {problem}.")
    return names


def named(path: str) -> tuple[bytes, ...]:
    """The names in a path to something that is there already, which may have been written elsewhere.

    Raises:
        Refusal: It is no path.
    """
    names = path.strip("/").split("/")
    if not path.strip("/") or len(path) > _LONGEST or len(names) > DEEPEST:
        raise Refusal(
            f"A path must have 1 to {_LONGEST} characters and at most {DEEPEST} parts, for example src/app.py."
        )
    try:
        return tuple(name.encode() for name in names)
    except UnicodeEncodeError:
        raise Refusal("A path is text that can be written in UTF-8.") from None


_MISTAKES: Final[Mapping[str, Callable[[str], object]]] = {
    "a name in it is empty or leaves the workspace": lambda name: name in {"", ".", ".."},
    f"a name in it is longer than {_LONGEST_NAME} bytes": lambda name: len(name.encode()) > _LONGEST_NAME,
    "a name in it has invisible characters": lambda name: has_invisible(name) or "\ufffd" in name,
    r'a name in it has one of \ : * ? " < > |': _FORBIDDEN.search,
    "a name in it is a device name": _DEVICE.fullmatch,
    "a name in it ends with a dot or a space": lambda name: name[-1] in ". ",
    "a name in it is not in the normal form of Unicode (NFC)": lambda name: normalize("NFC", name) != name,
    "git keeps its own things under a name in it": lambda name: not all(check(name.encode()) for check in _CHECKS),
}


def _wrong_with(name: str) -> str:
    """What is wrong with one name in a path, in words; nothing if it may stand there."""
    return next((words for words, is_wrong in _MISTAKES.items() if is_wrong(name)), "")
