"""One operation that Azure knows: a permission, and where what it is about is read."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal

Kind = Literal["read", "write", "delete", "action"]

KINDS: Final[tuple[Kind, ...]] = ("read", "write", "delete", "action")


@dataclass(frozen=True, slots=True)
class ResourceType:
    """A type of resources, as the provider list tells it. A root of the namespace has one word, its children more."""

    name: str
    version: str = ""
    capabilities: frozenset[str] = field(default_factory=frozenset)


@dataclass(frozen=True, slots=True)
class Operation:
    """A permission, such as `Microsoft.Web/sites/slots/read`, and what Azure says of it.

    `path` is a template of where its resource is read; where none can be told, `pathless` says why.
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
        """The type that it is about: without what is done, which of an action are two words."""
        words = self.name.split("/")
        ending = 2 if words[-1].lower() == "action" else 1
        return "/".join(words[: max(len(words) - ending, 1)])
