"""Converts the requested field values of a work item to operations."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import chain
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from tools.azure_devops.shared.answers import Json
from tools.azure_devops.shared.iterations import iteration_path
from tools.azure_devops.shared.work_item_changes import Operation, only_at, set_fields, texts_of
from tools.azure_devops.shared.work_item_tags import NO_TAGS, TagChange
from tools.azure_devops.shared.work_item_texts import TEXTS, Stored, text_operations

TAGS: Final = "System.Tags"
_REVISION: Final = "/rev"
NOTHING: Final = "Nothing to change: pass at least one field with a new value."


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldValues:
    """The requested values of a work item, by parameter name and by field name. None leaves a field unchanged."""

    named: Mapping[str, Any]
    others: Mapping[str, Any] | None
    description: str | None
    is_markdown: bool
    revision: int | None = None
    tags: TagChange = NO_TAGS

    @property
    def is_nothing(self) -> bool:
        return (
            self.description is None
            and not self.others
            and not self.tags
            and not any(value is not None for value in self.named.values())
        )

    @property
    def has_texts(self) -> bool:
        return self.description is not None or bool(TEXTS & set(self.others or ()))

    async def in_project(self, devops: AzureDevOps, project: str) -> FieldValues:
        """Return the values with the iteration resolved to its path in a project."""
        path = await iteration_path(devops, project, self.named.get("iterationPath"))
        return replace(self, named={**self.named, "iterationPath": path})

    def making(self, type: str, stored: Stored) -> list[Operation]:
        """Return the operations that set these values on a new work item of this type."""
        texts = texts_of(self.description, self.others, type)
        rest = {name: value for name, value in (self.others or {}).items() if name not in texts}
        long = (text_operations(stored, name, text, is_markdown=self.is_markdown) for name, text in texts.items())
        return [*set_fields(self.named, None), *chain.from_iterable(long), *set_fields({}, rest)]

    def changing(self, item: Json) -> list[Operation]:
        """Return the operations that give an existing work item these values."""
        kind, stored = item["fields"]["System.WorkItemType"], Stored.of(item)
        operations = [*self.making(kind, stored), *self._tagging(item)]
        has_texts = any(map(stored.text, texts_of(self.description, self.others, kind)))
        # Edits to texts are based on the version that was read. Without this check, these edits would overwrite
        # concurrent changes.
        revision = item["rev"] if has_texts and self.revision is None else self.revision
        return [*only_at(revision), *operations] if operations else []

    def lacking(self, item: Json) -> list[Operation]:
        """Return the operations for the revision that was read, or no operations if all values are already set. A
        repeated call can therefore continue where an earlier call stopped.
        """
        fields = item["fields"]
        setting = [one for one in self.changing(item) if one["path"] != _REVISION]
        missing = [one for one in setting if not _is_so(fields, one)]
        return [*only_at(self.revision or item["rev"]), *setting] if missing else []

    def _tagging(self, item: Json) -> list[Operation]:
        before = str(item["fields"].get(TAGS) or "")
        after = self.tags.applied_to(before) if self.tags else before
        return set_fields({}, {TAGS: after}) if after != before else []


def _is_so(fields: Mapping[str, Any], operation: Operation) -> bool:
    """Check whether a field already has the value. For people, the result is uncertain, because one person can have
    several names.
    """
    path = operation["path"].split("/")
    return path[1] == "fields" and path[2] in fields and fields[path[2]] == operation.get("value")


def fields_of(operations: Iterable[Operation]) -> list[str]:
    """Return the fields that the operations set."""
    paths = (operation["path"].split("/") for operation in operations)
    return [path[2] for path in paths if path[1] == "fields"]
