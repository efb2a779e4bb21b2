"""The reference names of work item fields. The service also accepts display names, and ignores case."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

from clients.folding import folded
from refusal import Refusal
from tools.azure_devops.shared.work_item_texts import DESCRIPTION, REPRODUCTION, TEXTS
from tools.azure_devops.shared.work_item_types import STATE

PROJECT: Final = "System.TeamProject"
PARENT: Final = "System.Parent"
TYPE: Final = "System.WorkItemType"
AREA_ID: Final = "System.AreaId"
ITERATION_ID: Final = "System.IterationId"
_DISPLAYED: Final = {
    "Team Project": PROJECT,
    "Parent": PARENT,
    "Work Item Type": TYPE,
    "State": STATE,
    "Area Path": "System.AreaPath",
    "Area ID": AREA_ID,
    "Iteration Path": "System.IterationPath",
    "Iteration ID": ITERATION_ID,
    "Title": "System.Title",
    "Assigned To": "System.AssignedTo",
    "Tags": "System.Tags",
    "Description": DESCRIPTION,
    "Repro Steps": REPRODUCTION,
    "Priority": "Microsoft.VSTS.Common.Priority",
}
# Display names can be in any language, so a name that is not a reference name could mean any field.
_REFERENCE: Final = re.compile(r"[\w-]+(?:\.[\w-]+)+")


def _key(name: str) -> str:
    return folded("".join(name.split()))


_KNOWN: Final = {_key(name): name for name in {*_DISPLAYED.values(), *TEXTS}} | {
    _key(shown): name for shown, name in _DISPLAYED.items()
}


def by_reference_name(fields: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return the values of fields by reference name. Unknown names are returned unchanged."""
    return {_KNOWN.get(_key(name), name): value for name, value in (fields or {}).items()}


def refuse_repeated(fields: Mapping[str, Any] | None) -> None:
    """Refuse two names of the same field, because one of the values would be lost."""
    counts = Counter(_KNOWN.get(_key(name), name) for name in fields or ())
    if repeated := [name for name, count in counts.items() if count > 1]:
        raise Refusal(f"The field {repeated[0]} has several values. Pass one value for each field.")


def refuse_parent(fields: Mapping[str, Any]) -> None:
    """Refuse to set the parent as a field, because a link to another work item needs approval of its own."""
    if PARENT in fields:
        raise Refusal(f"To set the parent, pass `parentId` or use link_work_items instead of the field {PARENT}.")


def is_reference_name(name: str) -> bool:
    return _REFERENCE.fullmatch(name) is not None
