"""URI templates of resources, such as `desk://drawer/{name}`, and how URIs match them."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Final
from urllib.parse import unquote

_VARIABLE: Final = re.compile(r"\{(\w+)\}")
# Matches the value of a variable, up to the next character that cannot be part of a value. Characters that cannot be
# part of a value must be percent-encoded.
_VALUE: Final = r"([^/?#&,]*)"
_DRIVE: Final = re.compile(r"[A-Za-z]:")


class TraversalError(ValueError):
    """The value of a variable in the URI would lead out of its path segment."""


@dataclass(frozen=True)
class UriTemplate:
    text: str

    def __post_init__(self) -> None:
        if set("{}") & set("".join(self._literals)):
            raise TypeError(f"{self.text} has a variable that is not of the form {{name}}")

    def matches(self, uri: str) -> Mapping[str, str] | None:
        """The values of the variables in a URI. None if the URI does not match the template.

        Raises:
            TraversalError: A variable's value, such as `../x`, would lead outside the variable's own path segment.
        """
        found = self._pattern.fullmatch(uri)
        if found is None:
            return None
        values = dict(zip(self._names, map(unquote, found.groups()), strict=True))
        if any(map(_leads_away, values.values())):
            raise TraversalError(self.text)
        return values

    @property
    def _names(self) -> list[str]:
        return _VARIABLE.findall(self.text)

    @property
    def _literals(self) -> list[str]:
        return _VARIABLE.split(self.text)[::2]

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(_VALUE.join(map(re.escape, self._literals)))


def _leads_away(value: str) -> bool:
    if "\0" in value or value.startswith(("/", "\\")) or _DRIVE.match(value):
        return True
    depth = 0
    for part in value.replace("\\", "/").split("/"):
        depth += -1 if part == ".." else bool(part and part != ".")
        if depth < 0:
            return True
    return False
