"""Tells clients how to sign in.

Clients read the protected resource metadata (RFC 9728). A challenge in a response contains the URL of this metadata.
"""

from __future__ import annotations

from base64 import urlsafe_b64encode
from dataclasses import dataclass
from typing import Any, Final
from urllib.parse import quote

from identity.denial import Denial

WELL_KNOWN: Final = "/.well-known/oauth-protected-resource"

# Characters to replace, because RFC 6750, section 3, forbids them in the quoted strings of a challenge.
_SPELLINGS: Final = {'"': "'", "\\": "/"}


@dataclass(frozen=True, slots=True)
class ProtectedResources:
    """The resources of this server.

    The URLs of the resources start with an origin such as `https://app.example.com`. Paths are passed without
    percent-encoding.
    """

    origin: str
    authorization_servers: tuple[str, ...]
    scopes: tuple[str, ...]
    name: str
    documentation: str = ""

    def url(self, path: str) -> str:
        """The resource identifier for clients. For the root, the identifier has no path."""
        return self.origin + _encoded(path)

    def metadata_url(self, path: str) -> str:
        return self.origin + WELL_KNOWN + _encoded(path)

    def document(self, path: str) -> dict[str, Any]:
        known = {
            "resource": self.url(path),
            "authorization_servers": [*self.authorization_servers],
            "scopes_supported": [scope for scope in self.scopes if scope != "offline_access"],
            "bearer_methods_supported": ["header"],
            "resource_name": self.name,
        }
        return known | ({"resource_documentation": self.documentation} if self.documentation else {})


def challenge(denial: Denial, metadata_url: str, scope: str) -> str:
    """The value of `WWW-Authenticate`.

    The value tells clients to request the scopes in the denial or, if the denial contains no scopes, the given scope.
    """
    parameters = {
        "error": denial.error,
        "error_description": denial.description if denial.error else "",
        "resource_metadata": metadata_url,
        "scope": " ".join(denial.scopes) or scope,
        "claims": urlsafe_b64encode(denial.claims.encode()).decode(),
    }
    return "Bearer " + ", ".join(f'{name}="{_quotable(value)}"' for name, value in parameters.items() if value)


def _encoded(path: str) -> str:
    return quote(path.rstrip("/"), safe="/,")


def _quotable(value: str) -> str:
    return "".join(map(_spelled, value))


def _spelled(character: str) -> str:
    plain = _SPELLINGS.get(character, character)
    return plain if " " <= plain <= "~" else "?"
