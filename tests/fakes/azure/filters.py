"""What `$filter` of the lists of groups and resources may ask for."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Final

from tests.fakes.azure.estate import type_of
from tests.fakes.azure.routes import AzureError, Json

_Test = Callable[[Json], bool]
_EQUAL: Final = re.compile(r"(\w+)\s+(eq|ne)\s+'((?:[^']|'')*)'", re.IGNORECASE)
_SUBSTRING: Final = re.compile(r"substringof\('((?:[^']|'')*)',\s*(\w+)\)", re.IGNORECASE)
_BEGINNING: Final = re.compile(r"startswith\(tagName,\s*'((?:[^']|'')*)'\)", re.IGNORECASE)


def filtered(entries: list[Json], text: str) -> list[Json]:
    """The entries that a filter takes. One that goes by tags does not tell them."""
    if not text.strip():
        return entries
    tests = list(_tests(text))
    found = [entry for entry in entries if all(test(entry) for test in tests)]
    by_tags = "tagname" in text.lower()
    return [{name: value for name, value in entry.items() if name != "tags"} for entry in found] if by_tags else found


def _tests(text: str) -> Iterator[_Test]:
    parts = re.split(r"\s+and\s+(?=(?:[^']*'[^']*')*[^']*$)", text.strip(), flags=re.IGNORECASE)
    equal = [_EQUAL.fullmatch(part.strip(" ()")) for part in parts]
    said = {found[1].lower(): found[3].replace("''", "'") for found in equal if found}
    for part, found in zip(parts, equal, strict=True):
        if found and found[1].lower() == "tagname":
            yield _tagged(said["tagname"], said.get("tagvalue"))
        elif found and found[1].lower() == "tagvalue":
            continue
        else:
            yield _test(part.strip(), found, text)


def _test(part: str, equal: re.Match[str] | None, text: str) -> _Test:
    if equal:
        read, value, wanted = _reader(equal[1], text), equal[3].replace("''", "'").lower(), equal[2].lower() == "eq"
        return lambda entry: (read(entry) == value) == wanted
    if found := _SUBSTRING.fullmatch(part):
        piece, read = found[1].lower(), _reader(found[2], text)
        return lambda entry: piece in read(entry)
    if found := _BEGINNING.fullmatch(part):
        start = found[1].lower()
        return lambda entry: any(name.lower().startswith(start) for name in entry.get("tags") or {})
    raise _invalid(text)


def _tagged(name: str, value: str | None) -> _Test:
    def test(entry: Json) -> bool:
        tags = {key.lower(): text for key, text in (entry.get("tags") or {}).items()}
        return name.lower() in tags and value in {None, tags[name.lower()]}

    return test


def _reader(name: str, text: str) -> Callable[[Json], str]:
    readers: dict[str, Callable[[Json], str]] = {
        "resourcetype": lambda entry: type_of(str(entry["id"])).lower(),
        "name": lambda entry: str(entry["name"]).lower(),
        "location": lambda entry: str(entry.get("location", "")).lower(),
        "resourcegroup": lambda entry: str(entry["id"]).split("/")[4].lower(),
    }
    if name.lower() not in readers:
        raise _invalid(text)
    return readers[name.lower()]


def _invalid(text: str) -> AzureError:
    return AzureError(400, "InvalidFilterInQueryString", f"Invalid $filter '{text}' specified in the query string.")
