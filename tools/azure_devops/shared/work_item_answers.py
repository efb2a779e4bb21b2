"""Formats work items for models: fields get short names, and relations are shown by their meaning."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from text.html_to_markdown import faithful_markdown
from tools.azure_devops.shared.answers import Extent, Json, plain, present, shape, whole
from tools.azure_devops.shared.work_item_texts import DESCRIPTION, REPRODUCTION, TEXTS, Stored

ATTACHMENT: Final = "AttachedFile"
LINKS: Final = {
    "parent": "System.LinkTypes.Hierarchy-Reverse",
    "child": "System.LinkTypes.Hierarchy-Forward",
    "related": "System.LinkTypes.Related",
    "predecessor": "System.LinkTypes.Dependency-Reverse",
    "successor": "System.LinkTypes.Dependency-Forward",
    "duplicate": "System.LinkTypes.Duplicate-Forward",
    "duplicate-of": "System.LinkTypes.Duplicate-Reverse",
    "tests": "Microsoft.VSTS.Common.TestedBy-Reverse",
    "tested-by": "Microsoft.VSTS.Common.TestedBy-Forward",
}
_MEANINGS: Final = {kind: meaning for meaning, kind in LINKS.items()}

# The fields in lists of work items. Answers about a single work item also contain the fields in `_SINGLE`.
LISTED: Final = {
    "System.WorkItemType": "type",
    "System.Title": "title",
    "System.State": "state",
    "System.AssignedTo": "assignedTo",
    "System.Tags": "tags",
    "Microsoft.VSTS.Common.Priority": "priority",
    "System.ChangedDate": "changed",
}
_SINGLE: Final = {
    "System.TeamProject": "project",
    "System.AreaPath": "areaPath",
    "System.IterationPath": "iterationPath",
    "System.Parent": "parent",
    "System.Reason": "reason",
    "System.CreatedBy": "createdBy",
    "System.CreatedDate": "created",
    DESCRIPTION: "description",
    REPRODUCTION: "reproSteps",
    "Microsoft.VSTS.TCM.SystemInfo": "systemInfo",
    "Microsoft.VSTS.Common.AcceptanceCriteria": "acceptanceCriteria",
    "Microsoft.VSTS.Scheduling.StoryPoints": "storyPoints",
    "Microsoft.VSTS.Scheduling.RemainingWork": "remainingWork",
}
_TOLD_OF_A_CHANGE: Final = {
    field: name
    for field, name in (LISTED | _SINGLE).items()
    if name not in {"changed", "created", "createdBy", "project"}
}
# The fields in an answer about a new work item. The caller has just sent all other fields.
_CREATED: Final = ("type", "title", "state", "assignedTo", "iterationPath", "parent")
_LONGEST_TOLD: Final = 120
_COMMENT: Final = shape("id", "version", by="createdBy", at="createdDate", edited="modifiedDate")
_REVISION: Final = shape("rev", by="revisedBy")
# Fields that change in every update of a work item, so they do not describe the update.
_BOOKKEEPING: Final = frozenset(
    f"System.{name}"
    for name in "Rev ChangedDate ChangedBy AuthorizedDate AuthorizedAs RevisedDate Watermark PersonId".split()
)
_ATTACHED: Final = shape(
    name="attributes.name",
    size="attributes.resourceSize",
    comment="attributes.comment",
    added="attributes.authorizedDate",
)
_ATTACHMENT_ID: Final = re.compile(r"/attachments/([0-9a-f-]{36})", re.IGNORECASE)
_TARGET: Final = re.compile(r"/workitems/(\d+)$", re.IGNORECASE)


def listed_item(item: Mapping[str, Any], detail: Extent = "summary", columns: Iterable[str] = ()) -> Json:
    """Format a work item as an entry in a list, with the columns that a query requests."""
    named = LISTED | {name: LISTED.get(name, name) for name in columns}
    return whole_item(item) if detail == "full" else {"id": item["id"], **_fields(item, named)}


def single_item(item: Mapping[str, Any], detail: Extent = "summary") -> Json:
    """Return a single work item with its texts and links."""
    if detail == "full":
        return whole_item(item)
    links = [shown_link(relation) for relation in item.get("relations") or () if relation["rel"] != ATTACHMENT]
    return present({"id": item["id"], "rev": item["rev"], **_fields(item, LISTED | _SINGLE), "links": links})


def created_item(item: Mapping[str, Any]) -> Json:
    """Return a new work item, without its texts."""
    fields = _fields(item, LISTED | _SINGLE)
    return {"id": item["id"], "rev": item["rev"], **{name: fields[name] for name in _CREATED if name in fields}}


def changed_fields(before: Mapping[str, Any], after: Mapping[str, Any], asked: Iterable[str]) -> Json:
    """Return the result of a change: the requested fields, and other fields that changed with them.

    Previous values are included only if nobody else changed the work item since it was read. Long texts are left out.
    """
    is_alone = after["rev"] == before["rev"] + 1
    named = _TOLD_OF_A_CHANGE | {name: _TOLD_OF_A_CHANGE.get(name, name) for name in asked}
    values = {name: (_value(before, name), _value(after, name)) for name in named}
    return {
        named[name]: _changed(name, old if is_alone else None, new) for name, (old, new) in values.items() if old != new
    }


def _value(item: Mapping[str, Any], field: str) -> Any:
    value = item["fields"].get(field)
    return None if value == "" else plain(value, field)


def _changed(field: str, old: Any, new: Any) -> Any:
    if field in TEXTS or any(len(str(value)) > _LONGEST_TOLD for value in (old, new)):
        return "changed"
    return {**({} if old is None else {"from": old}), "to": "" if new is None else new}


def whole_item(item: Mapping[str, Any]) -> Json:
    """Return a work item with all fields. Texts are unchanged, and people are shown by name."""
    fields = {name: value if isinstance(value, str) else plain(value, name) for name, value in item["fields"].items()}
    return {**dict(whole(item)), "fields": fields}


def shown_link(relation: Mapping[str, Any]) -> Json:
    """Return the meaning and the target of a relation. The target is the id of a work item or a URL."""
    attributes = relation.get("attributes") or {}
    target = target_of(relation)
    shown = {
        "type": _MEANINGS.get(relation["rel"]) or attributes.get("name") or relation["rel"],
        "id": target,
        "url": None if target else relation["url"],
        "comment": attributes.get("comment"),
    }
    return present(shown)


def target_of(relation: Mapping[str, Any]) -> int | None:
    found = _TARGET.search(relation["url"])
    return int(found[1]) if found else None


def written_comment(comment: Mapping[str, Any]) -> Json:
    """Return a comment without its text, which the caller has just sent."""
    return _COMMENT(comment)


def shown_comment(comment: Mapping[str, Any]) -> Json:
    is_html = str(comment.get("format") or "html").lower() == "html"
    text = str(comment.get("text") or "")
    return _COMMENT(comment) | {"text": faithful_markdown(text) if is_html else text}


def shown_attachment(relation: Mapping[str, Any]) -> Json:
    """Return an attached file, with the id for downloading it."""
    found = _ATTACHMENT_ID.search(relation["url"])
    return {"id": found[1] if found else relation["url"], **_ATTACHED(relation)}


def attachments_of(item: Mapping[str, Any]) -> list[Json]:
    return [shown_attachment(relation) for relation in item.get("relations") or () if relation["rel"] == ATTACHMENT]


def shown_revision(update: Mapping[str, Any]) -> Json:
    """Return one update of a work item: the changed fields with old and new values, and the added and removed links."""
    fields = update.get("fields") or {}
    changed = {name: values for name, values in fields.items() if name not in _BOOKKEEPING}
    links = {
        kind: [shown_link(relation) for relation in relations]
        for kind, relations in (update.get("relations") or {}).items()
    }
    at = fields.get("System.ChangedDate", {}).get("newValue")
    return present({**_REVISION(update), "at": at, "fields": plain(changed), "links": links})


def _fields(item: Mapping[str, Any], named: Mapping[str, str]) -> Json:
    stored = Stored.of(item)
    values = {field: stored.fields.get(field) for field in named}
    return {
        named[field]: stored.shown(field) if field in TEXTS else plain(value, field)
        for field, value in values.items()
        if value not in (None, "")
    }
