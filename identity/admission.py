"""Admits authenticated callers by tenant, client, claims and scope."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Self

from identity.caller import Caller, CallerKind
from identity.denial import Denial


@dataclass(frozen=True, slots=True)
class Admission:
    """The conditions for admitting a caller.

    If no tenants are listed, callers from all tenants are admitted. If no clients are listed, all clients are admitted.
    `claims` lists the accepted values of each claim that a user's sign-in must have. `scope` is the full scope that
    clients must request.
    """

    audiences: frozenset[str]
    scope: str
    tenants: frozenset[str]
    clients: frozenset[str]
    claims: Mapping[str, frozenset[str]]

    @classmethod
    def of(
        cls,
        audiences: Iterable[str],
        scope: str,
        tenants: Iterable[str] = (),
        clients: Iterable[str] = (),
        claims: Iterable[tuple[str, str]] = (),
    ) -> Self:
        named = frozenset(audiences)
        return cls(named, full_scope(scope, named), _lower(tenants), _lower(clients), _accepted(claims))

    def admit(self, caller: Caller) -> Caller:
        """Admit the caller if its tenant, client, claims and scopes are allowed.

        Raises:
            Denial: The tenant, client, claims or scopes are not allowed.
        """
        self.check_sign_in(caller)
        if caller.kind is CallerKind.APP:
            _check_role(caller)
        else:
            self._check_scope(caller)
        return caller

    def check_sign_in(self, caller: Caller) -> None:
        """Check everything but the scopes, which users who signed in with a browser do not need."""
        if self.tenants and caller.tenant.lower() not in self.tenants:
            raise Denial("The sign-in is from a tenant that this server does not serve.")
        if self.clients and caller.client.lower() not in self.clients:
            message = "The sign-in comes from an application that this server does not serve. Use another client."
            raise Denial(message, "insufficient_scope")
        if caller.kind is CallerKind.USER:
            self._check_claims(caller)

    def _check_claims(self, caller: Caller) -> None:
        for name, accepted in self.claims.items():
            if caller.claims.get(name, frozenset()).isdisjoint(accepted):
                message = (
                    f"This server does not accept your sign-in, because the claim `{name}` is missing or has the wrong"
                    " value. Ask an operator."
                )
                raise Denial(message, "insufficient_scope")

    def _check_scope(self, caller: Caller) -> None:
        if not caller.scopes:
            raise Denial("The token is not an access token for this server, because it contains no scope or role.")
        # Tokens from Entra ID contain only the last part of the scope, because the audience claim already names the
        # application.
        if not caller.scopes & {self.scope, self.scope.rpartition("/")[2]}:
            message = "The token does not include the scope that this server requires."
            raise Denial(message, "insufficient_scope", scopes=(self.scope,))


def full_scope(scope: str, audiences: Iterable[str]) -> str:
    """The full scope that clients must request. In requests to Entra ID, a scope must contain the application ID."""
    application = next((audience for audience in sorted(audiences) if audience.startswith("api://")), "")
    return f"{application}/{scope}" if application and "/" not in scope else scope


def _lower(names: Iterable[str]) -> frozenset[str]:
    return frozenset(map(str.lower, names))


def _accepted(claims: Iterable[tuple[str, str]]) -> Mapping[str, frozenset[str]]:
    accepted: dict[str, set[str]] = {}
    for name, value in claims:
        accepted.setdefault(name, set()).add(value)
    return {name: frozenset(values) for name, values in accepted.items()}


def _check_role(caller: Caller) -> None:
    if not caller.roles:
        message = "The application has no role for this server. Ask an administrator to assign a role."
        raise Denial(message, "insufficient_scope")
