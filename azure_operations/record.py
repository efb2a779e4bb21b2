"""An Azure operation: a permission, and the path of its resource."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["read", "write", "delete", "action"]

KINDS: Final[tuple[Kind, ...]] = ("read", "write", "delete", "action")


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A resource type from the provider list. Root types have one segment, child types more."""

    name: str
    version: str = ""
    capabilities: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Operation:
    """A permission, such as `Microsoft.Web/sites/slots/read`, and Azure's description.

    `path` is the path template of its resource; if there is none, `pathless` says why.
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
        """The operation's type: the name without the verb, which takes two segments for actions."""
        words = self.name.split("/")
        ending = 2 if words[-1].lower() == "action" else 1
        return "/".join(words[: max(len(words) - ending, 1)])
