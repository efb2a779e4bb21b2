"""Withholds secrets in lines of YAML. The name before a value and the names in earlier lines determine whether the
value is a secret.

Text is often truncated, and parsing untrusted YAML can take unlimited time, so this module reads the text line by line.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Final

from clients.azure.credential_forms import WITHHELD
from clients.azure.secret_names import holds_settings, is_secret_name, may_be_secret, plain

_LINE: Final = re.compile(
    r"(?P<before>[ \t]{0,200}(?:-[ \t]{1,20}){0,9})(?P<quote>[\"']?)(?P<name>[\w$./-]{1,100})(?P=quote)"
    r"(?P<colon>[ \t]{0,20}:)(?P<space>[ \t]+|$)(?P<value>.*)",
    re.ASCII,
)
_ENTRY: Final = re.compile(r"(?P<before>[ \t]{0,200}-[ \t]{1,20})(?P<value>.*)")
_FLOW: Final = re.compile(r"(?<=[{,])(\s{0,20})([\w.-]{1,100})(\s{0,5}:\s{1,20})(\"[^\"]*\"|'[^']*'|[^\s,}\"'][^,}]*)")
_ASSIGNED: Final = re.compile(r"([\w.-]{1,100}=)(.+)", re.ASCII)
_BLOCK: Final = re.compile(r"[|>][+-]?\d?[+-]?\s*(?:#.*)?")
_NAMES: Final = frozenset({"name", "key"})
_VALUES: Final = frozenset({"value", "securevalue"})
_SECRETS: Final = frozenset({"secrets", "keys", "tokens", "credentials"})
_SETTINGS: Final = frozenset({"environment"})


@dataclass
class _Below:
    """A YAML block: lines that are indented deeper than `indent`.

    `withholds` says whether the values in the block are withheld.
    """

    indent: int
    withholds: bool
    is_text: bool = False


@dataclass
class _Reading:
    is_harmless: Callable[[str], bool]
    below: list[_Below] = field(default_factory=list)
    is_secret_kind: bool = False
    # The indentation of the last `name:` line. The matching `value:` line has the same indentation.
    named_at: int | None = None

    def line(self, line: str) -> str:
        content = line.lstrip(" \t-")
        indent = len(line) - len(content)
        if not content.strip():
            return line
        while self.below and indent <= self.below[-1].indent:
            self.below.pop()
        within = self.below[-1] if self.below else None
        if within and within.is_text:
            return f"{line[:indent]}{WITHHELD}" if within.withholds else line
        found = _LINE.fullmatch(line)
        return self._named(found, indent, within) if found else self._unnamed(line, within)

    def _named(self, found: re.Match[str], indent: int, within: _Below | None) -> str:
        name, value = found["name"], found["value"]
        is_secret = self._is_secret(found, indent) or bool(within and within.withholds)
        if plain(name) in _NAMES and value:
            self.named_at = indent
            is_secret = is_secret_name(name)
        if not value.strip() or _BLOCK.fullmatch(value):
            self.below.append(_Below(indent, is_secret or self._withholds_below(name), is_text=bool(value.strip())))
            return found[0]
        if not is_secret or self.is_harmless(value.strip().strip("\"'")):
            return found[0]
        return f"{found[0][: found.start('value')]}{WITHHELD}"

    def _is_secret(self, found: re.Match[str], indent: int) -> bool:
        name = found["name"]
        is_of_pair = plain(name) in _VALUES and (self.named_at == indent or "-" in found["before"])
        return is_of_pair or is_secret_name(name) or plain(name) == "token"

    def _withholds_below(self, name: str) -> bool:
        lowered = plain(name)
        is_data = self.is_secret_kind and lowered == "data"
        is_of_secrets = is_secret_name(name) or may_be_secret(name) or lowered in _SECRETS
        return is_data or is_of_secrets or holds_settings(name) or lowered in _SETTINGS

    def _unnamed(self, line: str, within: _Below | None) -> str:
        entry = _ENTRY.fullmatch(line)
        if not entry or not within or not within.withholds or self.is_harmless(entry["value"]):
            return line
        assigned = _ASSIGNED.fullmatch(entry["value"])
        return f"{entry['before']}{assigned[1] if assigned else ''}{WITHHELD}"


def without_secret_lines(text: str, is_harmless: Callable[[str], bool]) -> str:
    """Withhold the values of secrets in YAML lines of the text."""
    if "{" in text:
        text = _FLOW.sub(lambda found: _flow(found, is_harmless), text)
    reading = _Reading(is_harmless, is_secret_kind=bool(re.search(r"kind:[ \t]{0,9}[\"']?Secret\b", text)))
    return "".join(f"{reading.line(line)}{end}" for line, end in _lines(text))


def _lines(text: str) -> Iterator[tuple[str, str]]:
    for line in text.splitlines(keepends=True):
        content = line.rstrip("\r\n")
        yield content, line[len(content) :]


def _flow(found: re.Match[str], is_harmless: Callable[[str], bool]) -> str:
    space, name, colon, value = found.groups()
    is_shown = not is_secret_name(name) or is_harmless(value.strip("\"' "))
    return found[0] if is_shown else f"{space}{name}{colon}{WITHHELD}"
