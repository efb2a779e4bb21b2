"""Who we are to Azure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Self

from clients.azure.ids import is_guid
from identity.caller import Caller, CallerKind
from mcp_server.declarations.injection import Resolve
from mcp_server.declarations.toolset import Access, Part
from mcp_server.visit import Context
from tools.azure.access import AZURE
from tools.azure.shared.answers import Json, answer

part = Part()


@dataclass(frozen=True, slots=True)
class Identity:
    """Whom Azure takes a caller for. What is not known is empty."""

    id: str = ""
    sign_in: str = ""
    name: str = ""
    kind: str = ""
    tenant: str = ""
    # Whether Azure is called with the app's own identity, or a developer's, and not on behalf of who signed in here.
    is_lent: bool = False

    @classmethod
    def of(cls, caller: Caller, claims: Mapping[str, Any]) -> Self:
        """Who is in the token with which Azure is called. Where it tells nothing, a user is who signed in here."""
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
    """Say who you are to Azure: sign-in name, object id, tenant."""
    lent = "This is the server's own sign-in to Azure, with which everybody here acts." if me.is_lent else None
    told = {"name": me.name, "sign_in": me.sign_in, "kind": me.kind, "id": me.id, "tenant": me.tenant}
    return answer(**told, note=lent if me.id else "Azure's token does not tell who it is for.")
