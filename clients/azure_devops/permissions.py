"""Checks the caller's permissions with the security service of Azure DevOps. Results are not cached."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from clients.azure_devops.client import AzureDevOps
from clients.azure_devops.messages import DevOpsRequest
from refusal import Refusal

MOST_RIGHTS: Final = 100
_EVALUATIONS: Final = "POST /_apis/security/permissionevaluationbatch"
_LARGEST: Final = 256 * 1024
_ODD: Final = "Azure DevOps sent an unexpected response to a permission check. Try again."


@dataclass(frozen=True, slots=True)
class Right:
    """A permission on a resource: a bit in a security namespace, and the token of the resource in this namespace."""

    namespace: str
    bit: int
    token: str


async def check_rights(devops: AzureDevOps, rights: Sequence[Right]) -> list[bool]:
    """Send one request to check which of these permissions the caller has.

    The results are in the order of the permissions.

    Raises:
        Refusal: The permissions cannot be checked.
    """
    if len(rights) > MOST_RIGHTS:
        raise Refusal(f"At most {MOST_RIGHTS} permissions can be checked together, not {len(rights)}.")
    body = {
        "evaluations": [
            {"securityNamespaceId": right.namespace, "token": right.token, "permissions": right.bit} for right in rights
        ],
        # Administrators can perform some actions without an explicit permission.
        "alwaysAllowAdministrators": True,
    }
    answer = await devops.send(DevOpsRequest(_EVALUATIONS, body=body, is_read=True), _LARGEST)
    evaluations: Any = answer.document.get("evaluations")
    if not isinstance(evaluations, list) or len(evaluations) != len(rights):
        raise Refusal(_ODD)
    return [_value(evaluation) for evaluation in evaluations]


def _value(evaluation: Any) -> bool:
    if not isinstance(evaluation, dict) or not isinstance(value := evaluation.get("value"), bool):
        raise Refusal(_ODD)
    return value
