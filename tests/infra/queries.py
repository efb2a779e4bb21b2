"""Reads queries of Log Analytics as far as it takes to see that their names exist."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final, NamedTuple

# The columns of the workspace that Application Insights and Azure write, as far as anybody here asks for them.
_EVERYWHERE: Final = {"TimeGenerated", "TenantId", "Type", "_ResourceId"}
_OF_THE_APP: Final = _EVERYWHERE | {"AppRoleInstance", "AppRoleName", "ItemCount", "OperationId", "OperationName"}
COLUMNS: Final[Mapping[str, set[str]]] = {
    "AppDependencies": _OF_THE_APP
    | {"Data", "DependencyType", "DurationMs", "Name", "Properties", "ResultCode"}
    | {"Success", "Target"},
    "AppExceptions": _OF_THE_APP | {"ExceptionType", "OuterMessage", "Properties", "SeverityLevel"},
    "AppMetrics": _EVERYWHERE
    | {"AppRoleInstance", "AppRoleName", "ItemCount", "Max", "Min", "Name", "Properties", "Sum"},
    "AppRequests": _OF_THE_APP | {"DurationMs", "Name", "Properties", "ResultCode", "Success", "Url"},
    "AppTraces": _OF_THE_APP | {"Message", "Properties", "SeverityLevel"},
    "Usage": _EVERYWHERE | {"DataType", "IsBillable", "Quantity", "QuantityUnit", "Solution"},
}
_OPERATORS: Final = set("where extend summarize project order take by asc desc and or in true false".split())
_FUNCTIONS: Final = {
    *"ago bin coalesce dcount max min parse_json percentile startswith substring sum sumif".split(),
    *"toint tostring".split(),
}
_TOKEN: Final = re.compile(
    r"""(?P<text>"[^"]*")|(?P<time>\d+[smhd]\b)|(?P<number>\d+(\.\d+)?\b)|(?P<member>\w+\.\w+)|(?P<name>\w+)|(?P<sign>[=!<>]=|\S)"""
)


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
    def table(self) -> str:
        return self.words[0].text

    @property
    def members(self) -> set[tuple[str, str]]:
        """What is taken out of dynamic values: of `record`, and of `Properties`."""
        return {(of, name) for word in self.words if word.kind == "member" for of, name in [word.text.split(".")]}

    @property
    def metrics(self) -> set[str]:
        return {word.text.strip('"') for word in self.words if word.kind == "text" and "azure_team_mcp" in word.text}

    @property
    def texts(self) -> set[str]:
        return {word.text.strip('"') for word in self.words if word.kind == "text"} - self.metrics

    def problems(self) -> Iterator[str]:
        if self.table not in COLUMNS:
            yield f"there is no table {self.table}"
            return
        known = set(COLUMNS[self.table])
        words = self.words[1:]
        for word, after in zip(words, [*words[1:], Word("end", "")], strict=True):
            if word.kind == "name" and after.text == "=":
                known.add(word.text)
            elif word.kind == "name" and after.text == "(":
                if word.text not in _FUNCTIONS | _OPERATORS:
                    yield f"there is no function {word.text}"
            elif word.kind == "name" and word.text not in known | _OPERATORS | _FUNCTIONS:
                yield f"{self.table} has no column {word.text}"
            elif word.kind == "member" and (of := word.text.partition(".")[0]) not in known:
                yield f"{self.table} has no column {of}"
