"""Which paths may be changed, and by which method: what is read by its path, but for what has a tool of its own.

A POST does whatever the service has behind a word. Those that answer with keys are refused always, by the word, by what
Azure says of the operation, and because it is not known.
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
# Words of actions that give what is never given, or make it.
_GIVING: Final = re.compile(
    r"(?:list|get|begin|retrieve|fetch|download|export|generate|regenerate|renew|rotate|reveal|publish|issue|mint).*"
    r"|.*(?:key|secret|credential|password|passwd|token|connectionstring|sas|kubeconfig|certificate)s?.*",
    re.IGNORECASE,
)
# Words of actions that do something within what runs there.
_RUNNING: Final = re.compile(
    r"(?:run|execute|exec|invoke|attach|console|connect|ssh|query|eval|debug).*|.*(?:session|command|script)s?",
    re.IGNORECASE,
)
_TELLING_OF_SECRETS: Final = re.compile(
    r"\b(?:keys?|secrets?|credentials?|passwords?|tokens?|connection ?strings?|sensitive|sas)\b", re.IGNORECASE
)
_OTHERS: Final = {
    "microsoft.resources/deployments": "A deployment has tools of its own, which show what it would do.",
    "microsoft.resources/deploymentstacks": "A deployment stack has tools of its own, which show and delete it.",
    "microsoft.keyvault/vaults/secrets": "The toolset keyvault sets secrets, whose values nobody is shown.",
    "microsoft.authorization/locks": "create_resource_lock and delete_resource_lock do that.",
}


@dataclass(frozen=True, slots=True)
class Changeable:
    """What is changed: where the change is sent, and what it is about, which of an action is what stands before it."""

    sent_to: ResourceId
    about: Readable
    action: str = ""

    @property
    def id(self) -> ResourceId:
        return self.about.id

    @property
    def operation(self) -> str:
        """The action as Azure lists it among its operations."""
        return f"{self.sent_to.type}/action"


def changeable(method: Method, path: str) -> Changeable:
    """Read a path that is to be changed.

    Raises:
        Refusal: It is not one that may be; the text says what to do.
    """
    place = readable(path)
    found = _action(place) if method == "POST" else Changeable(place.id, place)
    _refuse_others(method, found)
    return found


def check_body(method: Method, body: Any) -> None:
    """Refuse a body that does not go with the method, or is too large.

    Raises:
        Refusal: It is.
    """
    if method == "DELETE" and body:
        raise Refusal("DELETE takes no body: leave it out.")
    if method in {"PUT", "PATCH"} and not body:
        raise Refusal(f"{method} takes a body: what is to be, as Azure's documentation of the type has it.")
    if (size := len(to_json(body))) > _LARGEST_BODY:
        raise Refusal(f"The body has {size} bytes, and there may be {_LARGEST_BODY}.")


def refuse_giving(description: str) -> None:
    """Refuse an action of which Azure says that it is about secrets.

    Raises:
        Refusal: It is.
    """
    if _TELLING_OF_SECRETS.search(description):
        raise _gives()


def _action(place: Readable) -> Changeable:
    """The action that a path ends with, of what stands before it."""
    last = place.parts[-1] if place.parts else None
    if last is None or not last.types or len(last.types) == len(last.names):
        raise Refusal(
            "POST is for an action: its path ends with the word for it, such as .../sites/<name>/restart. PUT and PATCH"
            " change the resource itself."
        )
    word = last.types[-1]
    if _GIVING.fullmatch(word):
        raise _gives()
    if _RUNNING.fullmatch(word):
        raise Refusal(f"{word!r} does something within what runs there, which is not done here.")
    about = Readable(ResourceId(place.id.segments[:-1]), (*place.parts[:-1], replace(last, types=last.types[:-1])))
    return Changeable(place.id, about, word)


def _gives() -> Refusal:
    return Refusal("This gives keys or secrets, or makes new ones, or could: it is refused, whoever asks.")


def _refuse_others(method: Method, found: Changeable) -> None:
    for part in found.about.parts:
        kind = part.type.lower()
        other = next((words for type_, words in _OTHERS.items() if f"{kind}/".startswith(f"{type_}/")), "")
        if other:
            raise Refusal(other)
    if method == "POST":
        return
    if found.id.is_list or found.about.is_registration or len(found.id.segments) <= _SUBSCRIPTION_PARTS:
        raise Refusal(f"{method} is for one resource: its path ends with a name. This is a list, or a subscription.")
    if not found.about.parts and len(found.id.segments) != _GROUP_PARTS:
        raise Refusal(f"{method} is for one resource: its path ends with a name.")
    if method == "DELETE" and not found.about.parts:
        raise Refusal("delete_resource_group deletes a group, and shows what is in it.")
