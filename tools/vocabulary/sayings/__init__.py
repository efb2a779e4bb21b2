"""How people ask for each tool, and for what none does.

Sentences are parted by commas, and written in plain small letters without accents; a number or an id is a 0.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tools.vocabulary.sayings import (
    access,
    accounts,
    any_resource,
    azure,
    builds,
    changing_azure,
    changing_running,
    code,
    delivery,
    documents,
    extensions,
    incidents,
    long_work,
    me,
    metrics,
    monitoring,
    people,
    planning,
    pull_requests,
    records,
    resources,
    running,
    shelves,
    spending,
    storage,
    summaries,
    testing,
    translation,
    vaults,
    work_items,
    workspaces,
)
from tools.vocabulary.sayings.nothing import NOTHING

SAYINGS: Final[Mapping[str, str]] = {
    **access.SAYINGS,
    **accounts.SAYINGS,
    **any_resource.SAYINGS,
    **azure.SAYINGS,
    **builds.SAYINGS,
    **changing_azure.SAYINGS,
    **changing_running.SAYINGS,
    **code.SAYINGS,
    **delivery.SAYINGS,
    **extensions.SAYINGS,
    **documents.SAYINGS,
    **incidents.SAYINGS,
    **long_work.SAYINGS,
    **me.SAYINGS,
    **metrics.SAYINGS,
    **workspaces.SAYINGS,
    **monitoring.SAYINGS,
    **people.SAYINGS,
    **planning.SAYINGS,
    **pull_requests.SAYINGS,
    **records.SAYINGS,
    **resources.SAYINGS,
    **running.SAYINGS,
    **shelves.SAYINGS,
    **spending.SAYINGS,
    **storage.SAYINGS,
    **summaries.SAYINGS,
    **testing.SAYINGS,
    **translation.SAYINGS,
    **vaults.SAYINGS,
    **work_items.SAYINGS,
}

__all__ = ["NOTHING", "SAYINGS"]
