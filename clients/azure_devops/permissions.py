"""What the caller may do in Azure DevOps, as its security service decides it: nothing of that is ever kept."""

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
_ODD: Final = "Azure DevOps answered something else than what you may do there."


@dataclass(frozen=True, slots=True)
class Right:
    """One permission on one thing: a bit of a security namespace, and the token of the thing in it."""

    namespace: str
    bit: int
    token: str


async def held(devops: AzureDevOps, rights: Sequence[Right]) -> list[bool]:
    """Which of some rights the caller has, in their order, by one request.

    Raises:
        Refusal: That cannot be found out.
    """
    if len(rights) > MOST_RIGHTS:
        raise Refusal(f"{len(rights)} permissions exceed the {MOST_RIGHTS} that can be checked together.")
    body = {
        "evaluations": [
            {"securityNamespaceId": right.namespace, "token": right.token, "permissions": right.bit} for right in rights
        ],
        # The service lets administrators do what no entry gives them, so they may not be refused it here.
        "alwaysAllowAdministrators": True,
    }
    answer = await devops.send(DevOpsRequest(_EVALUATIONS, body=body, is_read=True), _LARGEST)
    told: Any = answer.document.get("evaluations")
    if not isinstance(told, list) or len(told) != len(rights):
        raise Refusal(_ODD)
    return [_value(one) for one in told]


def _value(told: Any) -> bool:
    if not isinstance(told, dict) or not isinstance(value := told.get("value"), bool):
        raise Refusal(_ODD)
    return value
