"""What may be asked for here: the access that this server gives, to itself, and each thing once."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from starlette.datastructures import FormData, QueryParams

from refusal import Refusal

BESIDE: Final = ("offline_access", "openid", "profile")


class NotOfferedError(Exception):
    """What is asked for is not given here; `error` is how OAuth names that."""

    def __init__(self, error: str, description: str) -> None:
        super().__init__(description)
        self.error = error
        self.description = description


@dataclass(frozen=True, slots=True)
class Site:
    """The server for which people sign in: what it is called, where it answers, and its resources below that."""

    name: str
    origin: str
    resources: Collection[str]


@dataclass(frozen=True, slots=True)
class BridgeOffer:
    """`scope` names one or more. The first is in every token, the others in those of clients that ask for them."""

    site: Site
    scope: str

    @property
    def first(self) -> str:
        """The only one that clients are told of in advance: some of them ask for all that they are told of."""
        return self.scope.split()[0]

    @property
    def scopes(self) -> list[str]:
        return [*self.scope.split(), *BESIDE]

    def further(self, named: Collection[str]) -> str:
        """What of those is given on request: it alone has to be remembered, and most clients name none of it."""
        return self.ours({*named} - {self.first})

    def wanted(self, further: str) -> str:
        """What the authority is asked for. One scope that a user may not have would cost the user the whole sign-in."""
        return self.ours([self.first, *further.split()])

    def ours(self, named: Collection[str]) -> str:
        return " ".join(scope for scope in dict.fromkeys(self.scope.split()) if scope in named)

    def check(self, scope: str | None, resources: Sequence[str]) -> None:
        """Raises:
        NotOfferedError: It is not given here, or is somebody else's.
        """
        if unknown := sorted({*(scope or "").split()} - {*self.scopes}):
            raise NotOfferedError(
                "invalid_scope", f"Unknown scope {unknown[0][:100]!r}. Allowed: {' '.join(self.scopes)}"
            )
        if not all(map(self.is_ours, resources)):
            raise NotOfferedError("invalid_target", f"Tokens are given for {' or '.join(self.site.resources)} only.")

    def is_ours(self, resource: str) -> bool:
        plain = resource.isascii() and resource.isprintable() and not {*resource} & {*"?#\\%"} and "/." not in resource
        return plain and any(
            resource == own or resource.startswith(f"{own.rstrip('/')}/") for own in self.site.resources
        )


def given(parameters: QueryParams | FormData) -> dict[str, str]:
    """What has a value, without the resources, of which there may be several.

    Raises:
        Refusal: Something is given twice, of which others might read the other one.
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
