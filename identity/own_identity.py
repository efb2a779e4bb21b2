"""The app's own identity: its managed identity on Azure, the signed-in developer on a laptop."""

from __future__ import annotations

from dataclasses import dataclass

from azure.core.credentials import AccessToken
from azure.core.credentials_async import AsyncTokenCredential
from azure.core.exceptions import AzureError

from refusal import Refusal


@dataclass(frozen=True, slots=True)
class OwnIdentity:
    """The app's own identity.

    `client_id` selects one of several managed identities; `tenant` is the developer's tenant.
    """

    is_on_azure: bool
    client_id: str = ""
    tenant: str = ""

    async def token(self, scope: str, claims: str | None = None) -> AccessToken:
        """Request a new token. Tokens are not cached here.

        Raises:
            Refusal: The app does not have this identity, or the identity cannot get this token.
        """
        try:
            async with self._credential() as credential:
                return await credential.get_token(scope, claims=claims)
        except (AzureError, ValueError, KeyError):  # ValueError and KeyError: the response has no token
            raise Refusal(self._no_token(scope)) from None

    def _credential(self) -> AsyncTokenCredential:
        from azure.identity import aio  # noqa: PLC0415 - slow to import, and rarely needed

        if self.is_on_azure:
            managed: AsyncTokenCredential = aio.ManagedIdentityCredential(client_id=self.client_id, retry_total=1)
            return managed
        logins = aio.AzureCliCredential, aio.AzureDeveloperCliCredential
        chained: AsyncTokenCredential = aio.ChainedTokenCredential(*(login(tenant_id=self.tenant) for login in logins))
        return chained

    def _no_token(self, scope: str) -> str:
        if self.is_on_azure:
            return (
                f"The managed identity of this server cannot get a token for {scope} now. Try again in a minute. If"
                " the problem persists, ask an administrator to check that the identity exists and is assigned to the"
                " app."
            )
        return (
            f"No token for {scope}: nobody is signed in to Azure on the server's machine. Run `az login` (or `azd auth"
            " login`) on that machine and try again."
        )
