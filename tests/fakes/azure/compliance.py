"""Azure Policy: assignments, definitions and exemptions, and what complies, by what there is when it is asked."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any, Final
from urllib.parse import urlencode

from tests.fakes.azure.access import Access
from tests.fakes.azure.estate import Estate, Resource, is_within, subscription_of
from tests.fakes.azure.routes import Asked, AzureError, Json, Route, offset_of, skip_token
from tests.fakes.azure.rules import POLICIES, Policy, Rules

_STATES: Final = "{scope}/providers/Microsoft.PolicyInsights/policyStates/latest"
_AUTHORIZATION: Final = "{scope}/providers/Microsoft.Authorization"
_TEST: Final = re.compile(r"(\w+) eq ('[^']*'|true|false)", re.IGNORECASE)
_APPLIED: Final = re.compile(
    r"(?:filter\((?P<filter>.*)\)/)?groupby\(\((?P<by>[^)]*)\)(?:,\s*aggregate\(\$count as (?P<count>\w+)\))?\)"
)


@dataclass
class Compliance:
    """`page_size` states are in a page, whose next one is asked for by POST."""

    estate: Estate
    access: Access
    rules: Rules
    page_size: int = 1000

    @property
    def routes(self) -> list[Route]:
        kinds = ("policyDefinitions", "policySetDefinitions")
        return [
            Route(f"POST {_STATES}/queryResults", self._query, type="Microsoft.PolicyInsights/policyStates"),
            Route(f"POST {_STATES}/summarize", self._summarize, type="Microsoft.PolicyInsights/policyStates"),
            Route(f"GET {_AUTHORIZATION}/policyAssignments", self._list(self.rules.assignments, "policyAssignments")),
            Route(f"GET {_AUTHORIZATION}/policyAssignments/{{name}}", self._get(self.rules.assignments)),
            Route(f"GET {_AUTHORIZATION}/policyExemptions", self._list(self.rules.exemptions, "policyExemptions")),
            *(Route(f"GET {_AUTHORIZATION}/{kind}/{{name}}", self._get(self.rules.definitions)) for kind in kinds),
        ]

    def _list(self, store: dict[str, Json], kind: str) -> Callable[[Asked], Json]:
        def answer(asked: Asked) -> Json:
            scope = asked.places["scope"]
            self.access.demand(asked, f"Microsoft.Authorization/{kind}/read", scope)
            test = asked.query.get("$filter", "").lower()
            return {"value": [one for one in store.values() if _is_of(_scope(one), scope, test)]}

        return answer

    def _get(self, store: dict[str, Json]) -> Callable[[Asked], Json]:
        def answer(asked: Asked) -> Json:
            if asked.places["scope"]:
                self.access.demand(asked, "Microsoft.Authorization/policyDefinitions/read", asked.places["scope"])
            found = store.get(asked.path.lower())
            if found is None:
                name = asked.places["name"]
                raise AzureError(404, "PolicyDefinitionNotFound", f"The policy definition '{name}' could not be found.")
            return found

        return answer

    def _query(self, asked: Asked) -> Json:
        states = list(self._states(asked))
        if applied := asked.query.get("$apply"):
            states = _grouped(states, applied)
        else:
            states = [one for one in states if _passes(one, asked.query.get("$filter", ""))]
        start = offset_of(asked.query.get("$skiptoken"))
        end = start + min(self.page_size, asked.number("$top", self.page_size))
        context = f"{asked.origin}{asked.path.rpartition('/')[0]}/$metadata#latest"
        page: Json = {"@odata.context": context, "@odata.count": len(states[start:end]), "value": states[start:end]}
        if end < len(states) and "$top" not in asked.query:
            query = urlencode({**asked.query, "$skiptoken": skip_token(end)})
            page["@odata.nextLink"] = f"{asked.origin}{asked.path}?{query}"
        return page

    def _summarize(self, asked: Asked) -> Json:
        failing = [one for one in self._states(asked) if not one["isCompliant"]]
        results = {
            "nonCompliantResources": len({one["resourceId"] for one in failing}),
            "nonCompliantPolicies": len({one["policyDefinitionId"] for one in failing}),
        }
        context = f"{asked.origin}{asked.path.rpartition('/')[0]}/$metadata#summary"
        return {
            "@odata.context": context,
            "@odata.count": 1,
            "value": [{"@odata.id": None, "@odata.context": context, "results": results, "policyAssignments": []}],
        }

    def _states(self, asked: Asked) -> Iterator[Json]:
        scope = asked.places["scope"]
        self.access.demand(asked, "Microsoft.PolicyInsights/policyStates/queryResults/read", scope)
        expands = "policyevaluationdetails" in asked.query.get("$expand", "").lower()
        for resource in self.estate.resources_within(scope):
            for assignment in self.rules.assignments.values():
                if is_within(resource.id, _scope(assignment)):
                    yield from self._of(resource, assignment, expands=expands)

    def _of(self, resource: Resource, assignment: Json, *, expands: bool) -> Iterator[Json]:
        place = str(assignment["properties"]["policyDefinitionId"]).lower()
        definition = self.rules.definitions[place]
        members = definition["properties"].get("policyDefinitions")
        ids = [str(one["policyDefinitionId"]).lower() for one in members] if members else [place]
        for policy in POLICIES:
            if policy.id.lower() in ids and policy.type == resource.type:
                yield self._state(resource, assignment, policy, definition if members else None, expands=expands)

    def _state(
        self, resource: Resource, assignment: Json, policy: Policy, of_set: Json | None, *, expands: bool
    ) -> Json:
        value, parts = policy.found_in(resource), resource.id.split("/")
        exempt = any(self._exempts(one, resource, assignment, policy) for one in self.rules.exemptions.values())
        state = "Exempt" if exempt else "Compliant" if policy.complies(value) else "NonCompliant"
        details = {"evaluatedExpressions": [_evaluated(policy, value)]} if expands and state == "NonCompliant" else None
        return {
            "@odata.id": None,
            "timestamp": (datetime.now(UTC) - timedelta(hours=9)).isoformat().replace("+00:00", "Z"),
            "resourceId": resource.id.lower(),
            "policyAssignmentId": str(assignment["id"]).lower(),
            "policyDefinitionId": policy.id.lower(),
            "effectiveParameters": "",
            "isCompliant": state != "NonCompliant",
            "subscriptionId": subscription_of(resource.id),
            "resourceType": resource.type,
            "resourceLocation": resource.document.get("location", ""),
            "resourceGroup": parts[4],
            "policyAssignmentName": assignment["name"],
            "policyAssignmentScope": _scope(assignment),
            "policyDefinitionName": policy.name,
            "policyDefinitionAction": policy.effect.lower(),
            "policySetDefinitionId": str(of_set["id"]).lower() if of_set else "",
            "complianceState": state,
            "complianceReasonCode": "",
            **({"policyEvaluationDetails": details} if details else {}),
        }

    def _exempts(self, exemption: Json, resource: Resource, assignment: Json, policy: Policy) -> bool:
        about = exemption["properties"]
        ends = datetime.fromisoformat(str(about["expiresOn"]))
        return (
            is_within(resource.id, _scope(exemption))
            and str(about["policyAssignmentId"]).lower() == str(assignment["id"]).lower()
            and policy.name in about["policyDefinitionReferenceIds"]
            and ends > datetime.now(UTC)
        )


def _evaluated(policy: Policy, value: Any) -> Json:
    return {
        "result": "True",
        "expressionKind": "Field",
        "expression": f"{policy.type}/{policy.path.rpartition('.')[2]}",
        "path": policy.path,
        "expressionValue": str(value).lower() if isinstance(value, bool) else value,
        "targetValue": policy.wanted,
        "operator": "NotEquals" if policy.operator == "Equals" else policy.operator,
    }


def _scope(record: Json) -> str:
    return str(record["id"]).partition("/providers/Microsoft.Authorization/")[0]


def _is_of(own: str, scope: str, test: str) -> bool:
    """Whether it holds at a scope; without a filter, also for something in it."""
    if test not in {"", "atscope()", "atexactscope()"}:
        raise AzureError(400, "InvalidFilterInQueryString", f"Invalid $filter in query string: '{test}'.")
    if test == "atexactscope()":
        return own.lower() == scope.lower()
    return is_within(scope, own) or (not test and is_within(own, scope))


def _passes(state: Json, written: str) -> bool:
    tests = _TEST.findall(written)
    if re.sub(r"\s|and|[()]", "", _TEST.sub("", written)):
        raise AzureError(400, "InvalidFilterInQueryString", f"Invalid $filter in query string: '{written}'.")
    return all(str(state.get(name)).lower() == value.strip("'").lower() for name, value in tests)


def _grouped(states: Iterable[Json], written: str) -> list[Json]:
    found = _APPLIED.fullmatch(written)
    if not found:
        raise AzureError(400, "InvalidApplyInQueryString", f"Invalid $apply in query string: '{written}'.")
    names = [name.strip() for name in found["by"].split(",")]
    counts: dict[tuple[str, ...], int] = {}
    for state in states:
        if _passes(state, found["filter"] or ""):
            key = tuple(str(state.get(name)) for name in names)
            counts[key] = counts.get(key, 0) + 1
    count = {found["count"]: 0} if found["count"] else {}
    return [
        {"@odata.id": None, **dict(zip(names, key, strict=True)), **dict.fromkeys(count, number)}
        for key, number in counts.items()
    ]
