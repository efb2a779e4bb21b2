"""Finds values that Azure accepts at first, but that have an unintended effect or make a deployment fail later."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from itertools import pairwise
from typing import Final

from bicep_checker.known import Asked, Id, Mixed, Thing, Value
from bicep_checker.services import Problems
from bicep_checker.walking import at, values

_CONTACTS: Final = ("contactEmails", "contactGroups", "contactRoles")
_COSMOS_SCOPE: Final = re.compile(r"(/dbs/[^/]+(/colls/[^/]+)?)?")
# The endpoints of a storage account, all of which end with a slash.
_ENDPOINTS: Final = re.compile(r"primaryEndpoints\.\w+$")


def check(thing: Thing) -> Problems:
    yield from _slashes(thing)
    match thing.kind.lower():
        case "microsoft.consumption/budgets":
            yield from _contacts(thing)
            yield from _start(thing)
        case "microsoft.documentdb/databaseaccounts/sqlroleassignments":
            yield from _scope(thing)


def _contacts(thing: Thing) -> Problems:
    for found in at(thing, "properties.notifications.*"):
        if isinstance(found.value, dict) and not any(_may_name_somebody(found.value.get(name)) for name in _CONTACTS):
            yield found.line, "service", f"a notification of a budget needs one of {', '.join(_CONTACTS)}"


def _may_name_somebody(contacts: Value) -> bool:
    return contacts not in (None, [], "")


def _start(thing: Thing) -> Problems:
    this_month = f"{datetime.now(UTC):%Y-%m}"
    for found in at(thing, "properties.timePeriod.startDate"):
        if isinstance(found.value, str) and found.value[:7] < this_month:
            yield found.line, "service", f"a new budget cannot start in the past: startDate is {found.value!r}"


def _scope(thing: Thing) -> Problems:
    """Report scopes for Cosmos DB that have the wrong format. The scope of a database starts with the account's ID, but
    is not a resource ID.
    """
    for found in at(thing, "properties.scope"):
        parts = found.value.parts if isinstance(found.value, Mixed) else (found.value,)
        below = "".join(part if isinstance(part, str) else "x" for part in parts[1:])
        if isinstance(parts[0], Id | Asked) and not _COSMOS_SCOPE.fullmatch(below):
            yield found.line, "id", f"a scope must be <account>/dbs/<database>/colls/<container>, not {found.value}"


def _slashes(thing: Thing) -> Problems:
    for path, found in values(thing):
        parts = found.value.parts if isinstance(found.value, Mixed) else ()
        for one, following in pairwise(parts):
            ends = isinstance(one, Asked) and _ENDPOINTS.search(one.name)
            if ends and isinstance(following, str) and following.startswith("/"):
                yield found.line, "service", f"{path} has a double slash, because {one.name} ends with a slash"
