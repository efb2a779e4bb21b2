"""An Azure operation: the name of a permission, and the path of the resource that the operation concerns."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["read", "write", "delete", "action"]

KINDS: Final[tuple[Kind, ...]] = ("read", "write", "delete", "action")


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A resource type in Azure's provider list. The name of a root type has one part; the name of a child type has
    more.
    """

    name: str
    version: str = ""
    capabilities: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Operation:
    """An Azure operation: a permission, such as `Microsoft.Web/sites/slots/read`, with Azure's description.

    `path` is the path template of the resource. If there is no path, `pathless` contains the reason.
    """

    name: str
    title: str = ""
    description: str = ""
    resource: str = ""
    is_data: bool = False
    path: str = ""
    pathless: str = ""
    version: str = ""

    @property
    def kind(self) -> Kind:
        last = self.name.rpartition("/")[2].lower()
        return next((kind for kind in KINDS if kind == last), "action")

    @property
    def type(self) -> str:
        """The resource type: the operation's name without the verb. The verb is the last part of the name or, if the
        operation is an action, the last two parts.
        """
        words = self.name.split("/")
        ending = 2 if words[-1].lower() == "action" else 1
        return "/".join(words[: max(len(words) - ending, 1)])
