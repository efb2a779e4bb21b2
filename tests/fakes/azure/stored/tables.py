"""Tables of entities, asked for with the filters of OData."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import unquote

from tests.fakes.azure.stored.asked import Asked, Reply, StorageError
from tests.fakes.azure.stored.odata import matches

Entity = dict[str, Any]

_LARGEST_PAGE: Final = 1000
_NEXT: Final = "x-ms-continuation-Next"


class Tables:
    def __init__(self) -> None:
        self.tables: dict[str, dict[tuple[str, str], Entity]] = {}

    def add(self, table: str, entity: Entity) -> None:
        stamped = {"Timestamp": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%f0Z"), **entity}
        known = {name: value for name, value in stamped.items() if not name.endswith("@odata.type")}
        self.tables.setdefault(table, {})[entity["PartitionKey"], entity["RowKey"]] = known

    def reply(self, asked: Asked) -> Reply:
        path = unquote(asked.path)
        if path == "Tables":
            return self._of_account(asked)
        found = re.fullmatch(r"(\$?\w+)(\(\))?", path)
        if not found or found[1] not in self.tables:
            raise StorageError(404, "TableNotFound", "The table specified does not exist.")
        if asked.method == "POST":
            self.add(found[1], json.loads(asked.content))
            return Reply(201, asked.content, {"Content-Type": "application/json"})
        return self._query(asked, self.tables[found[1]])

    def _of_account(self, asked: Asked) -> Reply:
        if asked.method == "POST":
            self.tables.setdefault(json.loads(asked.content)["TableName"], {})
            return Reply(201, asked.content, {"Content-Type": "application/json"})
        names = [name for name in sorted(self.tables) if name >= asked.query.get("NextTableName", "")]
        end = asked.number("$top", _LARGEST_PAGE)
        more = {f"{_NEXT}TableName": names[end]} if end < len(names) else {}
        return _answer([{"TableName": name} for name in names[:end]], more)

    def _query(self, asked: Asked, table: dict[tuple[str, str], Entity]) -> Reply:
        start = asked.query.get("NextPartitionKey", ""), asked.query.get("NextRowKey", "")
        where = matches(asked.query.get("$filter", ""))
        keys = [key for key in sorted(table) if key >= start and where(table[key])]
        end = asked.number("$top", _LARGEST_PAGE)
        more = dict(zip((f"{_NEXT}PartitionKey", f"{_NEXT}RowKey"), keys[end], strict=True)) if end < len(keys) else {}
        wanted = [name for name in asked.query.get("$select", "").split(",") if name]
        return _answer([_selected(table[key], wanted) for key in keys[:end]], more)


def _selected(entity: Entity, wanted: list[str]) -> Entity:
    return {name: entity.get(name) for name in wanted} if wanted else entity


def _answer(rows: list[Entity], headers: dict[str, str]) -> Reply:
    kind = {"Content-Type": "application/json;odata=nometadata;streaming=true;charset=utf-8"}
    return Reply(200, json.dumps({"value": rows}).encode(), kind | headers)
