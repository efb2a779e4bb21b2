"""What clients may request: this server's scopes and resources, each parameter once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import FormData, QueryParams

from refusal import Refusal

BESIDE: Final = ("offline_access", "openid", "profile")


class NotOfferedError(Exception):
    """The request is not possible here; `error` is the OAuth error."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error = error
        self.description = description


@dataclass(frozen=True, slots=True)
class Site:
    """The server that people sign in to: its name, its origin, and its resources."""

    name: str
    origin: str
    resources: Collection[str]


@dataclass(frozen=True, slots=True)
class BridgeOffer:
    """`scope` has one or more scopes. The first is in every token, the others only if requested."""

    site: Site
    scope: str

    @property
    def first(self) -> str:
        """The only one that is advertised: some clients request everything that is."""
        return self.scope.split()[0]

    @property
    def scopes(self) -> list[str]:
        return [*self.scope.split(), *BESIDE]

    def further(self, named: Collection[str]) -> str:
        """The optional scopes: only these must be remembered, and most clients request none."""
        return self.ours({*named} - {self.first})

    def wanted(self, further: str) -> str:
        """The scopes to request from the authority. One that the user may not have would fail the whole sign-in."""
        return self.ours([self.first, *further.split()])

    def ours(self, named: Collection[str]) -> str:
        return " ".join(scope for scope in dict.fromkeys(self.scope.split()) if scope in named)

    def check(self, scope: str | None, resources: Sequence[str]) -> None:
        """Raises:
        NotOfferedError: It is not offered here, or belongs to another resource.
        """
        if unknown := sorted({*(scope or "").split()} - {*self.scopes}):
            raise NotOfferedError(
                "invalid_scope", f"Unknown scope {unknown[0][:100]!r}. Allowed: {' '.join(self.scopes)}"
            )
        if not all(map(self.is_ours, resources)):
            raise NotOfferedError("invalid_target", f"Tokens are issued only for {' or '.join(self.site.resources)}.")

    def is_ours(self, resource: str) -> bool:
        plain = resource.isascii() and resource.isprintable() and not {*resource} & {*"?#\\%"} and "/." not in resource
        return plain and any(
            resource == own or resource.startswith(f"{own.rstrip('/')}/") for own in self.site.resources
        )


def given(parameters: QueryParams | FormData) -> dict[str, str]:
    """The parameters with a value, except resources, which may repeat.

    Raises:
        Refusal: A parameter is repeated, and others might read the other value.
    """
    found: dict[str, str] = {}
    for name, value in parameters.multi_items():
        if name == "resource" or value == "":
            continue
        if name in found or not isinstance(value, str):
            raise Refusal(f"The parameter {name[:40]!r} must be given once, as text.")
        found[name] = value
    return found


def resources(parameters: QueryParams | FormData) -> list[str]:
    return [str(value) for value in parameters.getlist("resource") if value]
