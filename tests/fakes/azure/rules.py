"""The policies of the invented bakery: what each demands, where it was assigned, and what is exempt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Final

from tests.fakes.azure.estate import Resource
from tests.fakes.azure.people import invented_id
from tests.fakes.azure.routes import Json
from tests.fakes.azure.world import OVEN, PRODUCTION, SHOP

_AUTHORIZATION: Final = "/providers/Microsoft.Authorization"
_SUBSCRIPTION: Final = f"/subscriptions/{PRODUCTION}"


@dataclass(frozen=True, slots=True)
class Policy:
    """A definition: of which type, and what one of its properties has to be."""

    title: str
    description: str
    type: str
    path: str
    operator: str
    wanted: str
    complies: Callable[[Any], bool]
    effect: str = "Audit"

    @property
    def name(self) -> str:
        return invented_id("policy", self.title)

    @property
    def id(self) -> str:
        return f"{_AUTHORIZATION}/policyDefinitions/{self.name}"

    def found_in(self, resource: Resource) -> Any:
        found: Any = resource.document
        for part in self.path.split("."):
            found = found.get(part) if isinstance(found, dict) else None
        return found

    @property
    def document(self) -> Json:
        return {
            "id": self.id,
            "name": self.name,
            "type": "Microsoft.Authorization/policyDefinitions",
            "properties": {
                "displayName": self.title,
                "policyType": "BuiltIn",
                "mode": "Indexed",
                "description": self.description,
                "metadata": {"category": self.type.split("/")[0].removeprefix("Microsoft.")},
                "parameters": {
                    "effect": {
                        "type": "String",
                        "allowedValues": ["Audit", "Deny", "Disabled"],
                        "defaultValue": self.effect,
                    }
                },
                "policyRule": {
                    "if": {"allOf": [{"field": "type", "equals": self.type}]},
                    "then": {"effect": "[parameters('effect')]"},
                },
            },
        }


HTTPS_ONLY: Final = Policy(
    "App Service apps should only be accessible over HTTPS",
    "Use of HTTPS keeps what is sent from being read or changed on its way.",
    "Microsoft.Web/sites",
    "properties.httpsOnly",
    "Equals",
    "true",
    lambda value: value is True,
)
STORAGE_TLS: Final = Policy(
    "Storage accounts should have the specified minimum TLS version",
    "A minimum TLS version keeps old and weak clients out.",
    "Microsoft.Storage/storageAccounts",
    "properties.minimumTlsVersion",
    "NotEquals",
    "TLS1_2",
    lambda value: value == "TLS1_2",
)
COST_CENTER: Final = Policy(
    "Require a tag on virtual machines",
    "Each machine says who pays for it.",
    "Microsoft.Compute/virtualMachines",
    "tags.costCenter",
    "Exists",
    "true",
    lambda value: value is not None,
    effect="Deny",
)
POLICIES: Final = (HTTPS_ONLY, STORAGE_TLS, COST_CENTER)
_SET: Final = f"{_SUBSCRIPTION}{_AUTHORIZATION}/policySetDefinitions/bakery-baseline"


@dataclass
class Rules:
    """What is assigned and exempt, by ids in lower case: both may be changed at any time."""

    assignments: dict[str, Json] = field(default_factory=dict)
    exemptions: dict[str, Json] = field(default_factory=dict)
    definitions: dict[str, Json] = field(default_factory=dict)

    @classmethod
    def of(cls, now: datetime) -> Rules:
        rules = cls()
        for policy in POLICIES:
            rules.definitions[policy.id.lower()] = policy.document
        rules.definitions[_SET.lower()] = _baseline()
        for one in (
            _assignment(_SUBSCRIPTION, "baseline", "Bakery baseline", _SET),
            _assignment(OVEN, "cost-center", "Machines name their cost center", COST_CENTER.id, {"effect": "Deny"}),
        ):
            rules.assignments[str(one["id"]).lower()] = one
        account = f"{SHOP}/providers/Microsoft.Storage/storageAccounts/bakeryreceipts"
        assigned = f"{_SUBSCRIPTION}{_AUTHORIZATION}/policyAssignments/baseline"
        for one in (
            _exemption(account, "old-tills", "The tills speak TLS 1.0 until they are replaced.", assigned, now, 60),
            _exemption(OVEN, "moving", "While the ovens moved.", assigned, now, -20),
        ):
            rules.exemptions[str(one["id"]).lower()] = one
        return rules


def _baseline() -> Json:
    references = [
        {"policyDefinitionId": policy.id, "policyDefinitionReferenceId": policy.name, "parameters": {}}
        for policy in (HTTPS_ONLY, STORAGE_TLS)
    ]
    return {
        "id": _SET,
        "name": "bakery-baseline",
        "type": "Microsoft.Authorization/policySetDefinitions",
        "properties": {
            "displayName": "Bakery baseline",
            "policyType": "Custom",
            "description": "What holds for everything in production.",
            "parameters": {},
            "policyDefinitions": references,
        },
    }


def _assignment(scope: str, name: str, title: str, definition: str, given: dict[str, str] | None = None) -> Json:
    return {
        "id": f"{scope}{_AUTHORIZATION}/policyAssignments/{name}",
        "name": name,
        "type": "Microsoft.Authorization/policyAssignments",
        "properties": {
            "displayName": title,
            "policyDefinitionId": definition,
            "scope": scope,
            "notScopes": [],
            "enforcementMode": "Default",
            "parameters": {key: {"value": value} for key, value in (given or {}).items()},
        },
    }


def _exemption(scope: str, name: str, why: str, assignment: str, now: datetime, days: int) -> Json:
    return {
        "id": f"{scope}{_AUTHORIZATION}/policyExemptions/{name}",
        "name": name,
        "type": "Microsoft.Authorization/policyExemptions",
        "properties": {
            "displayName": name,
            "description": why,
            "policyAssignmentId": assignment,
            "policyDefinitionReferenceIds": [STORAGE_TLS.name],
            "exemptionCategory": "Waiver",
            "expiresOn": (now + timedelta(days=days)).isoformat().replace("+00:00", "Z"),
        },
    }
