"""Lists policy violations and their reasons."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Annotated, Any, Final, Literal

from clients.azure.client import Azure
from clients.azure.messages import ListPage
from clients.azure.policies import counted, summary, violations
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from refusal import Refusal
from tools.azure.access import Arm
from tools.azure.policy.policy_scope import AnyResourceId, Records, Words, pages, places, records, said, title
from tools.azure.shared.answers import Json, at, many, present
from tools.azure.shared.compact import shortened
from tools.azure.shared.parameters import AnyResourceGroup, MaxResults
from tools.azure.shared.scopes import SomeSubscriptions

part = Part()

_READ: Final = 1000
_MOST_REASONS: Final = 8
_LONGEST_VALUE: Final = 300
_BY: Final = {
    "policy": "policyAssignmentId, policyDefinitionId, policyDefinitionAction",
    "group": "subscriptionId, resourceGroup",
}
_WHY: Final = "Pass resource_id to see why a resource does not comply."
_WHEN: Final = "Azure evaluates policies about once a day, and also a few minutes after each change."

By = Literal["resource", "policy", "group"]


@part.tool(Access.READ, harmless=("by", "resource_group", "subscription"))
async def list_policy_violations(
    azure: Arm,
    by: Annotated[By, Field(description="policy or group: returns counts")] = "resource",
    policy: Words = None,
    resource_id: AnyResourceId = None,
    resource_group: AnyResourceGroup = None,
    subscription: SomeSubscriptions = None,
    max_results: MaxResults = 30,
) -> Json:
    """List violations of Azure Policy: which resource, which policy, and (with resource_id) why."""
    scopes = await places(azure, subscription, resource_group, resource_id)
    # Names are compared only after the rows are read, so a call with a name reads all rows, up to a limit.
    most = _READ if policy else max_results
    if by == "resource":
        found, reading = await pages(scopes, lambda scope: violations(azure, scope, most))
    else:
        found, reading = await pages(scopes, lambda scope: counted(azure, scope, _READ, _BY[by]))
    named = await records(azure, _ids(found))
    if policy and not named and found.items:
        raise Refusal("Policy names could not be read, so `policy` cannot be used as a filter. Omit `policy`.")
    items = [one for one in _entries(found, named, by) if _matches(one, policy)]
    short = shortened(items[:max_results], "resource")
    whole = ListPage(short["items"], found.has_more or len(items) > max_results, found.left_out)
    overall = {} if resource_id or policy else await _overall(azure, scopes)
    hint = _WHY if by == "resource" and not resource_id and items else ""
    begins = short.get("idsBeginWith")
    return many(whole, **overall, **said(reading), idsBeginWith=begins, note=f"{hint} {_WHEN}".strip())


def _ids(found: ListPage) -> Iterator[str]:
    for one in found.items:
        yield from (str(one[name]) for name in ("policyDefinitionId", "policyAssignmentId") if one.get(name))


def _matches(shown: Json, policy: str | None) -> bool:
    names = f"{shown.get('policy', '')} {shown.get('assignment', '')}".lower()
    return not policy or policy.strip().lower() in names


def _entries(found: ListPage, named: Records, by: By) -> Iterator[Json]:
    if by == "resource":
        yield from (_violation(one, named) for one in found.items)
        return
    for one in sorted(found.items, key=lambda record: -int(record.get("found") or 0)):
        yield _count(one, named, by)


def _count(record: Mapping[str, Any], named: Records, by: By) -> Json:
    number = int(record.get("found") or 0)
    if by == "group":
        return {"group": str(record.get("resourceGroup") or "(none)"), "violations": number}
    return {**_policy(record, named), "violations": number}


def _policy(record: Mapping[str, Any], named: Records) -> Json:
    return present(
        {
            "policy": title(named, str(record.get("policyDefinitionId") or "")),
            "effect": record.get("policyDefinitionAction"),
            "assignment": title(named, str(record.get("policyAssignmentId") or "")),
        }
    )


def _violation(record: Mapping[str, Any], named: Records) -> Json:
    definition = named.get(str(record.get("policyDefinitionId") or "").lower())
    return present(
        {
            "resource": record.get("resourceId"),
            **_policy(record, named),
            "evaluated": str(record.get("timestamp") or "")[:10],
            "reason": record.get("complianceReasonCode"),
            "why": list(_reasons(record)),
            "demands": str(at(definition, "properties.description") or "")[:_LONGEST_VALUE] if _has(record) else None,
        }
    )


def _has(record: Mapping[str, Any]) -> bool:
    return isinstance(record.get("policyEvaluationDetails"), Mapping)


def _reasons(record: Mapping[str, Any]) -> Iterator[str]:
    """Yield each comparison that the policy makes: the actual value, the expected value, and whether they match."""
    found = at(record, "policyEvaluationDetails.evaluatedExpressions")
    for one in [one for one in found or () if isinstance(one, Mapping)][:_MOST_REASONS]:
        about = one.get("path") or one.get("expression")
        words = (
            f"{about} is {_value(one.get('expressionValue'))}: {one.get('operator')} {_value(one.get('targetValue'))}"
        )
        yield words if str(one.get("result")).lower() != "false" else f"{words} (not met)"
    missing = at(record, "policyEvaluationDetails.ifNotExistsDetails")
    if isinstance(missing, Mapping):
        total = missing.get("totalResources")
        yield f"Required related resources found: {total or 'none'}{', none compliant' if total else ''}."


def _value(value: Any) -> str:
    return str(value if value not in (None, "") else "empty")[:_LONGEST_VALUE]


async def _overall(azure: Azure, scopes: Mapping[str, Any]) -> Json:
    """Return the total numbers of resources and policies with violations."""

    async def read(scope: Any) -> ListPage:
        return ListPage([await summary(azure, scope)])

    found, _ = await pages(scopes, read)
    names = {"noncompliant_resources": "nonCompliantResources", "noncompliant_policies": "nonCompliantPolicies"}
    return {name: sum(int(one.get(own) or 0) for one in found.items) for name, own in names.items()}
