"""Decides which paths can be changed, and by which method. All readable paths can be changed, unless other tools exist
for them.

A POST runs an action of the service. An action is refused if its name or Azure's description suggests that it returns
keys, or if Azure does not list it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from pydantic_core import to_json

from clients.azure.ids import ResourceId
from refusal import Refusal
from tools.azure.resource.reading.readable import Readable, readable

Method = Literal["PUT", "PATCH", "POST", "DELETE"]

_LARGEST_BODY: Final = 200_000
_SUBSCRIPTION_PARTS, _GROUP_PARTS = 2, 4
# Words in the names of actions that return or create secrets.
_GIVING: Final = re.compile(
    r"(?:list|get|begin|retrieve|fetch|download|export|generate|regenerate|renew|rotate|reveal|publish|issue|mint).*"
    r"|.*(?:key|secret|credential|password|passwd|token|connectionstring|sas|kubeconfig|certificate)s?.*",
    re.IGNORECASE,
)
# Words in the names of actions that act on the workload inside a resource.
_RUNNING: Final = re.compile(
    r"(?:run|execute|exec|invoke|attach|console|connect|ssh|query|eval|debug).*|.*(?:session|command|script)s?",
    re.IGNORECASE,
)
_TELLING_OF_SECRETS: Final = re.compile(
    r"\b(?:keys?|secrets?|credentials?|passwords?|tokens?|connection ?strings?|sensitive|sas)\b", re.IGNORECASE
)
_OTHERS: Final = {
    "microsoft.resources/deployments": "Use the deployment tools, which preview what a deployment would do.",
    "microsoft.resources/deploymentstacks": "Use the deployment stack tools to show or delete a stack.",
    "microsoft.keyvault/vaults/secrets": "Use the keyvault toolset, which sets secrets without showing their values.",
    "microsoft.authorization/locks": "Use create_resource_lock or delete_resource_lock.",
}


@dataclass(frozen=True, slots=True)
class Changeable:
    """A path to change: the path of the request, and the resource that the request changes.

    An action changes the resource that precedes the action in the path.
    """

    sent_to: ResourceId
    about: Readable
    action: str = ""

    @property
    def id(self) -> ResourceId:
        return self.about.id

    @property
    def operation(self) -> str:
        """The name of the action in Azure's list of operations."""
        return f"{self.sent_to.type}/action"


def changeable(method: Method, path: str) -> Changeable:
    """Parse the path of a change.

    Raises:
        Refusal: The path cannot be changed. The message says what to do.
    """
    place = readable(path)
    found = _action(place) if method == "POST" else Changeable(place.id, place)
    _refuse_types_of_other_tools(found)
    if method != "POST":
        _check_names_a_resource(method, found)
    return found


def check_body(method: Method, body: Any) -> None:
    """Check that a body fits the method.

    Raises:
        Refusal: The body does not fit the method, or is too large.
    """
    if method == "DELETE" and body:
        raise Refusal("DELETE takes no body. Omit it.")
    if method in {"PUT", "PATCH"} and not body:
        raise Refusal(f"{method} requires a body. See Azure's documentation for this type.")
    if (size := len(to_json(body))) > _LARGEST_BODY:
        raise Refusal(f"The body is too large: {size} bytes, at most {_LARGEST_BODY} are allowed.")


def refuse_giving(description: str) -> None:
    """Refuse an action that returns secrets.

    Raises:
        Refusal: Azure's description says that the action returns secrets.
    """
    if _TELLING_OF_SECRETS.search(description):
        raise _returns_secrets()


def _action(place: Readable) -> Changeable:
    """Return the action at the end of a path, and its target."""
    last = place.parts[-1] if place.parts else None
    if last is None or not last.types or len(last.types) == len(last.names):
        raise Refusal(
            "POST runs an action: its path must end with the action, such as .../sites/<name>/restart. Use PUT or"
            " PATCH to change the resource itself."
        )
    word = last.types[-1]
    _check_action(word)
    about = Readable(ResourceId(place.id.segments[:-1]), (*place.parts[:-1], replace(last, types=last.types[:-1])))
    return Changeable(place.id, about, word)


def _check_action(word: str) -> None:
    if _GIVING.fullmatch(word):
        raise _returns_secrets()
    if _RUNNING.fullmatch(word):
        raise Refusal(
            f"The action {word!r} affects the workload that runs in the resource. This tool does not support such"
            " actions."
        )


def _returns_secrets() -> Refusal:
    return Refusal("This action may return or create keys or secrets, so it is always refused.")


def _refuse_types_of_other_tools(found: Changeable) -> None:
    for part in found.about.parts:
        kind = part.type.lower()
        other = next((words for type_, words in _OTHERS.items() if f"{kind}/".startswith(f"{type_}/")), "")
        if other:
            raise Refusal(other)


def _check_names_a_resource(method: Method, found: Changeable) -> None:
    if found.id.is_list or found.about.is_registration or len(found.id.segments) <= _SUBSCRIPTION_PARTS:
        raise Refusal(
            f"{method} needs the path of one resource. Such a path ends with a name. This path belongs to a list or a"
            " subscription."
        )
    if not found.about.parts and len(found.id.segments) != _GROUP_PARTS:
        raise Refusal(f"{method} needs the path of one resource. Such a path ends with a name.")
    if method == "DELETE" and not found.about.parts:
        raise Refusal("Use delete_resource_group, which shows what is in the group.")
