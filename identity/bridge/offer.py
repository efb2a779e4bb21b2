"""Checks the scopes, resources and other parameters that clients request from the bridge."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import FormData, QueryParams

from refusal import Refusal

BESIDE: Final = ("offline_access", "openid", "profile")


class NotOfferedError(Exception):
    """The bridge cannot grant the request. `error` is the OAuth error code."""

    def __init__(self, error: str, description: str) -> None:
        self.error = error
        self.description = description


@dataclass(frozen=True, slots=True)
class Site:
    """The server that users sign in to: the server's name, origin, and resource URLs."""

    name: str
    origin: str
    resources: Collection[str]


@dataclass(frozen=True, slots=True)
class BridgeOffer:
    """The scopes and resources that the bridge offers.

    The first scope is in every token; the other scopes are included only if requested.
    """

    site: Site
    scope: str

    @property
    def first(self) -> str:
        """The first scope.

        The bridge advertises only this scope, because some clients request all advertised scopes.
        """
        return self.scope.split()[0]

    @property
    def scopes(self) -> list[str]:
        return [*self.scope.split(), *BESIDE]

    def further(self, named: Collection[str]) -> str:
        """The scopes in `named` that the bridge offers, except the first scope.

        The sealed state contains only these scopes, because the first scope is in every token.
        """
        return self.ours({*named} - {self.first})

    def wanted(self, further: str) -> str:
        """The scopes to request from the authority: the first scope, and the other scopes that the client requested.

        Scopes that the client did not request are left out, because a scope that the user is not allowed to have
        would make the whole sign-in fail.
        """
        return self.ours([self.first, *further.split()])

    def ours(self, named: Collection[str]) -> str:
        return " ".join(scope for scope in dict.fromkeys(self.scope.split()) if scope in named)

    def check(self, scope: str | None, resources: Sequence[str]) -> None:
        """Check the scope and resources of a request.

        Raises:
            NotOfferedError: The bridge does not offer the scope, or the resource does not belong to this server.
        """
        if unknown := sorted({*(scope or "").split()} - {*self.scopes}):
            raise NotOfferedError(
                "invalid_scope", f"Unknown scope {unknown[0][:100]!r}. Allowed: {' '.join(self.scopes)}"
            )
        if not all(map(self.is_ours, resources)):
            raise NotOfferedError("invalid_target", f"Tokens are issued only for {' or '.join(self.site.resources)}.")

    def is_ours(self, resource: str) -> bool:
        plain = resource.isascii() and resource.isprintable() and not {*resource} & {*"?#\\%"} and "/." not in resource
        return plain and any(resource == own or resource.startswith(f"{own}/") for own in self.site.resources)


def given(parameters: QueryParams | FormData) -> dict[str, str]:
    """The parameters that have a value, except `resource`, which is the only parameter that may be repeated."""
    found: dict[str, str] = {}
    for name, value in parameters.multi_items():
        if name == "resource" or value == "":
            continue
        # Programs could disagree about the value of a repeated parameter.
        if name in found or not isinstance(value, str):
            raise Refusal(f"The parameter {name[:40]!r} must be given once, as text.")
        found[name] = value
    return found


def resources(parameters: QueryParams | FormData) -> list[str]:
    return [str(value) for value in parameters.getlist("resource") if value]
