"""Reads queries of Log Analytics as far as it takes to see what they ask for; the parser of `kql` judges the rest."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"""(?P<member>\w+(\.\w+|\["\w+"\]))|(?P<name>\[?"[^"]*"\](?=\s*=))|(?P<text>"[^"]*")|(?P<other>\w+|\S)"""
)
_MEMBER: Final = re.compile(r"\w+")


class Word(NamedTuple):
    kind: str
    text: str


@dataclass(frozen=True, slots=True)
class Query:
    text: str

    @property
    def words(self) -> list[Word]:
        code = re.sub(r"(?m)^//.*$", "", self.text)
        return [Word(str(found.lastgroup), found[0]) for found in _TOKEN.finditer(code)]

    @property
    def members(self) -> set[tuple[str, str]]:
        """What is taken out of dynamic values: of `record`, and of `Properties`."""
        return {(of, name) for word in self.words if word.kind == "member" for of, name in [_MEMBER.findall(word.text)]}

    @property
    def metrics(self) -> set[str]:
        return {word.text.strip('"') for word in self.words if word.kind == "text" and "azure_team_mcp" in word.text}

    @property
    def texts(self) -> set[str]:
        return {word.text.strip('"') for word in self.words if word.kind == "text"} - self.metrics
