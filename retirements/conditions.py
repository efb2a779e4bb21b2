"""Conditions under which a retirement affects a resource. The result is yes, no or unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final

from clients.azure.graph import text_of

_ANY: Final = "*"
_EACH: Final = "[]"
_TOO_SHORT: Final = frozenset({"name", "enabled", "sku", "version", "publisher"})
# Resource Graph's table of resources does not contain paths with this prefix: App Service settings are in another
# table.
SITE_CONFIG: Final = "properties.siteConfig."


class Truth(Enum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True)
class Verdict:
    """The result of a condition, and the value that led to this result."""

    truth: Truth
    why: str = ""


@dataclass(frozen=True, slots=True)
class ResourceCondition:
    """The path of a value in a resource, and the values that meet the condition.

    If `is_absent_no` is true, a missing value means that the condition is not met, because Azure omits values that are
    false.
    """

    path: str
    wanted: tuple[str, ...]
    is_negated: bool = False
    is_absent_no: bool = False

    @property
    def column(self) -> str:
        """The path up to the first list, which is the only part that a Resource Graph query can use."""
        return self.path.partition(_EACH)[0]

    def finding(self, resource: Mapping[str, Any], *, is_whole: bool = True) -> Verdict:
        """Check the condition. If `is_whole` is true, all settings were read, so a missing value is really absent."""
        found = [one for one in _values(resource, self.path.replace(_EACH, "").split(".")) if one != ""]
        if not found and not self.is_negated:
            return Verdict(Truth.NO if self.is_absent_no and is_whole else Truth.UNKNOWN)
        match = next((one for one in found if self._fits(one)), None)
        if self.is_negated:
            return Verdict(Truth.NO if match is not None else Truth.YES)
        return Verdict(Truth.NO) if match is None else Verdict(Truth.YES, f"{_last(self.path)} is {match}")

    def in_query(self) -> str:
        """Return the condition for a Resource Graph query, or an empty string if a query cannot express it."""
        if _EACH in self.path or self.is_negated or self.path.startswith(SITE_CONFIG):
            return ""
        value = f"tostring({self.path})"
        tests = [test for one in self.wanted if (test := _in_query(value, one))]
        if not self.is_absent_no:
            tests.append(f"isempty({value})")
        return f"({' or '.join(tests)})"

    def _fits(self, value: str) -> bool:
        return any(_matches(one, value) for one in self.wanted)


def finding_of(tests: Sequence[ResourceCondition], resource: Mapping[str, Any], *, is_whole: bool = True) -> Verdict:
    """Check whether a resource meets all conditions."""
    found = [test.finding(resource, is_whole=is_whole) for test in tests]
    if any(one.truth is Truth.NO for one in found):
        return Verdict(Truth.NO)
    if any(one.truth is Truth.UNKNOWN for one in found):
        missing = ", ".join(
            _last(test.path) for test, one in zip(tests, found, strict=True) if one.truth is not Truth.YES
        )
        return Verdict(Truth.UNKNOWN, f"Resource Graph does not show {missing}")
    return Verdict(Truth.YES, ", ".join(one.why for one in found if one.why))


def _matches(pattern: str, value: str) -> bool:
    if pattern == _ANY:
        return True
    if pattern.startswith("~"):
        return re.search(pattern[1:], value, re.IGNORECASE) is not None
    return pattern.lower() == value.lower()


def _in_query(value: str, pattern: str) -> str:
    if pattern == _ANY:
        return f"isnotempty({value})"
    if pattern.startswith("~"):
        return f"{value} matches regex {text_of(f'(?i){pattern[1:]}')}"
    return f"{value} =~ {text_of(pattern)}"


def _last(path: str) -> str:
    """Return the last name of a path, or the last two if one is too general. This keeps answers short."""
    *before, last = path.removeprefix("properties.").replace(_EACH, "").split(".")
    return f"{before[-1]}.{last}" if before and last in _TOO_SHORT else last


def _values(value: Any, path: Sequence[str]) -> Iterator[str]:
    """Yield the values at a path, even in lists. The case of names is ignored, because it differs between services."""
    if isinstance(value, list | tuple):
        for one in value:
            yield from _values(one, path)
    elif not path:
        yield from () if value is None else (_text(value),)
    elif isinstance(value, Mapping):
        first = path[0].lower()
        for name, inner in value.items():
            if str(name).lower() == first:
                yield from _values(inner, path[1:])


def _text(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
