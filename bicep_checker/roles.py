"""Checks role assignments: the IDs of built-in roles, the principals and the scopes."""

from __future__ import annotations

import re
from typing import Final

from bicep_checker.expressions import Text
from bicep_checker.facts import facts
from bicep_checker.findings import proposal
from bicep_checker.ids import of_kind
from bicep_checker.known import Id, Thing, said, ways
from bicep_checker.services import Problems
from bicep_checker.subject import Subject
from bicep_checker.walking import Found, at

_COSMOS_ROLE: Final = re.compile(r"sqlRoleDefinitions/?([0-9a-f-]*)", re.IGNORECASE)
_GUID: Final = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
_ACTION: Final = re.compile(r"ActionMatches\{'[\w.]+(/[\w*]+)+'\}")
_ATTRIBUTE: Final = re.compile(
    r"@(Resource|Request|Principal|Environment)\[[\w./:]+\] (For(Any|All)Of(Any|All)Values:)?(Not)?"
    r"(String(Not)?(Equals|StartsWith|Like)(IgnoreCase)?|Bool(Not)?Equals|Numeric\w+|DateTime\w+|Guid(Not)?Equals) "
)
_ASSIGNMENT: Final = "microsoft.authorization/roleassignments"
_OF_COSMOS: Final = "microsoft.documentdb/databaseaccounts/sqlroleassignments"
_IDENTITY: Final = "microsoft.managedidentity/userassignedidentities"


def check(thing: Thing) -> Problems:
    if thing.kind.lower() == _OF_COSMOS:
        for found in at(thing, "properties.roleDefinitionId"):
            role = _COSMOS_ROLE.search(str(found.value))
            if role is None or role[1] not in ("", *facts()["cosmos_roles"]):
                yield found.line, "role", "a role for data in Cosmos DB must be one of the account's sqlRoleDefinitions"
    if thing.kind.lower() == _ASSIGNMENT:
        yield from _name(thing)
        yield from _principal(thing)
        yield from _condition(thing)
        for found in at(thing, "properties.roleDefinitionId"):
            yield from _role(found, thing)


def _name(thing: Thing) -> Problems:
    """Report role assignments whose name is not a GUID, or does not depend on the principal and the role."""
    for name in ways(thing.name):
        if isinstance(name, str) and not _GUID.fullmatch(name):
            yield thing.line, "role", f"the name of a role assignment must be a GUID, not {name!r}"
    made_of = said(thing.name)
    for path in ("properties.principalId", "properties.roleDefinitionId"):
        for found in at(thing, path):
            value = found.value.names[-1] if isinstance(found.value, Id) and found.value.names else found.value
            if "guid(" in made_of and not any(said(way) in made_of for way in ways(value)):
                yield thing.line, "role", f"a role assignment's name must depend on its {path.partition('.')[2]}"


def _principal(thing: Thing) -> Problems:
    kinds = [found.value for found in at(thing, "properties.principalType")]
    wrong = next((kind for kind in kinds if isinstance(kind, str) and kind != "ServicePrincipal"), None)
    for found in at(thing, "properties.principalId"):
        if wrong and of_kind(found.value) == _IDENTITY:
            yield found.line, "role", f"a managed identity is a ServicePrincipal, not a {wrong}"


def _condition(thing: Thing) -> Problems:
    """Report conditions that have no version, no action, no attribute, or unbalanced parentheses."""
    versions = [found.value for found in at(thing, "properties.conditionVersion") if found.value is not None]
    for found in at(thing, "properties.condition"):
        text = str(found.value)
        if found.value is None:
            continue
        if not versions:
            yield found.line, "role", "a condition needs a conditionVersion"
        if text.count("(") != text.count(")"):
            yield found.line, "role", "the brackets of a condition do not match"
        if not _ACTION.search(text) or not _ATTRIBUTE.search(text):
            yield found.line, "role", "a condition must contain ActionMatches{'…'} and compare an attribute"


def _role(found: Found, thing: Thing) -> Problems:
    if not isinstance(found.value, Id):
        yield found.line, "role", "the id of a role must come from subscriptionResourceId() or tenantResourceId()"
        return
    if found.value.kind.lower() != "microsoft.authorization/roledefinitions":
        yield found.line, "role", f"a role is a Microsoft.Authorization/roleDefinitions, not a {found.value.kind}"
    ids = {guid: name for name, guid in facts()["roles"].items()}
    guid = found.value.names[-1] if found.value.names else None
    if isinstance(guid, str) and guid not in ids:
        yield found.line, "role", f"{guid!r} is not a known built-in role{proposal(guid, ids)}"
    elif isinstance(guid, str) and isinstance(thing.scope, Thing):
        yield from _misplaced(ids[guid], thing.scope.kind, found.line)


def _misplaced(role: str, kind: str, line: int) -> Problems:
    for begin, wanted in facts()["roles_for"].items():
        if role.startswith(begin) and not kind.lower().startswith(wanted.lower()):
            yield line, "role", f"the role {role} grants nothing on a {kind}"


def names(subject: Subject) -> None:
    """Report variables that contain the id of a role, but are not named after that role."""
    ids = {guid: name for name, guid in facts()["roles"].items()}
    for name, declared in subject.template.of_kind("variable").items():
        guid = declared.value.literal if isinstance(declared.value, Text) else None
        if guid in ids and _letters(ids[guid]) != _letters(name):
            subject.tell(declared.line, "role", f"{name} has the id of the role {ids[guid]}")


def _letters(name: str) -> str:
    return name.lower().removesuffix("role")
