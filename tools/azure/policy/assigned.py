"""Lists the policy assignments of a scope."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from clients.azure.messages import ListPage
from clients.azure.policies import assignments
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.policy.policy_scope import AnyResourceId, Records, Words, pages, places, records, said, title
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults
from tools.azure.shared.scopes import SomeSubscriptions, short_scope

part = Part()

_READ: Final = 1000
_LONGEST: Final = 200
_MOST_PARAMETERS: Final = 15
_ENFORCED: Final = "default"


@part.tool(Access.READ, harmless=("resource_group", "subscription"))
async def list_policy_assignments(
    azure: Arm,
    policy: Words = None,
    resource_id: AnyResourceId = None,
    resource_group: AnyResourceGroup = None,
    subscription: SomeSubscriptions = None,
    max_results: MaxResults = 50,
) -> Json:
    """List the policies assigned to a subscription, group or resource: names, effects, parameters, scope."""
    scopes = await places(azure, subscription, resource_group, resource_id)
    found, reading = await pages(scopes, lambda scope: assignments(azure, scope, _READ))
    distinct = {str(one.get("id")).lower(): one for one in found.items}
    named = await records(azure, (str(at(one, "properties.policyDefinitionId") or "") for one in distinct.values()))
    items = [_assignment(one, named) for one in distinct.values()]
    meant = [one for one in items if not policy or policy.strip().lower() in f"{one['name']} {one['policy']}".lower()]
    page = ListPage(meant[:max_results], found.has_more or len(meant) > max_results, found.left_out)
    return many(page, **said(reading))


def _assignment(record: Mapping[str, Any], named: Records) -> Json:
    place = str(at(record, "properties.policyDefinitionId") or "")
    definition = named.get(place.lower())
    is_set = "/policysetdefinitions/" in place.lower()
    mode = str(at(record, "properties.enforcementMode") or "")
    left_out = [short_scope(str(one)) for one in at(record, "properties.notScopes") or ()]
    return {
        "name": str(at(record, "properties.displayName") or record.get("name")),
        "policy": title(named, place),
        **present(
            {
                "policies": len(at(definition, "properties.policyDefinitions") or ()) if is_set else None,
                "effect": None if is_set else _effect(record, definition),
                "from": short_scope(str(at(record, "properties.scope") or "")),
                "not_for": left_out,
                "enforced": False if mode and mode.lower() != _ENFORCED else None,
                "parameters": dict(_parameters(record)),
                "description": str(at(record, "properties.description") or "")[:_LONGEST],
            }
        ),
    }


def _effect(record: Mapping[str, Any], definition: Mapping[str, Any] | None) -> str | None:
    """Return the policy's effect: what it does on a violation.

    The effect is either fixed in the policy definition or set by a parameter.
    """
    written = str(at(definition, "properties.policyRule.then.effect") or "")
    name = written.strip("[]").removeprefix("parameters('").removesuffix("')") if written.startswith("[") else ""
    if not name:
        return written or None
    given = at(record, f"properties.parameters.{name}.value")
    return str(given or at(definition, f"properties.parameters.{name}.defaultValue") or "") or None


def _parameters(record: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    given = at(record, "properties.parameters")
    for name, one in list(given.items() if isinstance(given, Mapping) else ())[:_MOST_PARAMETERS]:
        value = at(one, "value")
        text = json.dumps(value, ensure_ascii=False) if isinstance(value, list | dict) else str(value)
        yield str(name), value if isinstance(value, bool | int | float) else text[:_LONGEST]
