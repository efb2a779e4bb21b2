"""Shows the identity that this server uses to call Azure for the caller."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Self

from clients.azure.ids import is_guid
from identity.caller import Caller, CallerKind
from mcp_server.declarations.injection import Resolve
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context
from tools.azure.access import AZURE
from tools.azure.shared.answers import Json, answer

part = Part()

UNKNOWN_IDENTITY: Final = "Azure's token does not name a user or app."
_SHARED_IDENTITY: Final = "In Azure, this server uses its own identity for all callers."


@dataclass(frozen=True, slots=True)
class Identity:
    """The caller's identity in Azure. Unknown fields are empty."""

    id: str = ""
    sign_in: str = ""
    name: str = ""
    kind: str = ""
    tenant: str = ""
    # Whether the server calls Azure with the identity of the app or a developer, instead of the user's identity.
    is_shared: bool = False

    @classmethod
    def of(cls, caller: Caller, claims: Mapping[str, Any]) -> Self:
        """Return the identity in the caller's token for Azure.

        If the caller is a user, fields that are missing from the token come from the user's sign-in to this server.
        """
        is_user = caller.kind is CallerKind.USER
        object_id = str(claims.get("oid") or (caller.subject if is_user else ""))
        texts = {name: str(value) for name, value in claims.items() if isinstance(value, str)}
        is_app = texts.get("idtyp") == "app" or bool(texts and "scp" not in texts and "upn" not in texts)
        return cls(
            object_id if is_guid(object_id) else "",
            texts.get("upn") or texts.get("preferred_username") or texts.get("unique_name", ""),
            texts.get("name") or texts.get("app_displayname", ""),
            "app" if is_app else "user" if texts or is_user else "",
            texts.get("tid") or caller.tenant,
            not is_user,
        )


async def _identity_of(context: Context) -> Identity:
    caller = context.visit.caller
    return Identity.of(caller, await (await AZURE.of(context)).claims(caller))


Me = Annotated[Identity, Resolve(_identity_of)]


@part.tool(Access.READ)
async def show_user(me: Me) -> Json:
    """Show who you are in Azure: sign-in name, object id, tenant."""
    note = _SHARED_IDENTITY if me.is_shared else None
    fields = {"name": me.name, "sign_in": me.sign_in, "kind": me.kind, "id": me.id, "tenant": me.tenant}
    return answer(**fields, note=note if me.id else UNKNOWN_IDENTITY)
