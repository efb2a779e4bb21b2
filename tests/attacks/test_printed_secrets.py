"""An object that has a secret can be printed, for example into a log, without it."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, Final

import pytest

from clients.azure.apps.settings import Current
from clients.azure.storage.links import DelegationKey
from extensions.installing.package import PackagedServer, PackageLock
from extensions.sign_in.outgoing import IssuerReply
from extensions.sign_in.registering import RegisteredClient
from extensions.sign_in.sign_ins import _Own
from extensions.sign_in.tokens import Tokens
from extensions.sign_in.vault import _Known
from extensions.upstream.process import Command
from extensions.upstream.question import ServerRequest
from identity.bridge.authority import AuthorityTokens
from identity.bridge.browser_tokens import _BrowserToken
from identity.bridge.sign_in import Code, Journey
from identity.bridge.tokens import Renewal
from identity.caller import Caller
from identity.on_behalf_of import AppRegistration
from identity.upstream import CallerCredential, OwnCredential
from notifying.targets import NotificationTarget
from workspaces.remote_repository import RemoteRepository

SECRETS: Final[dict[type, set[str]]] = {
    AppRegistration: {"client_secret"},
    AuthorityTokens: {"access_token", "refresh_token", "id_token"},
    Caller: {"token", "claims"},
    CallerCredential: {"_upstream"},
    Code: {"code", "verifier"},
    Command: {"environment"},
    Current: {"values", "etag", "document"},
    DelegationKey: {"value"},
    IssuerReply: {"body"},
    OwnCredential: {"_token"},
    PackageLock: {"content"},
    PackagedServer: {"environment"},
    RegisteredClient: {"secret"},
    Renewal: {"token"},
    RemoteRepository: {"authorization"},
    ServerRequest: {"headers"},
    Journey: {"verifier"},
    NotificationTarget: {"url", "token", "key"},
    Tokens: {"access", "refresh"},
    _BrowserToken: {"token"},
    _Known: {"value"},
    _Own: {"token"},
}


@pytest.mark.parametrize("kind", SECRETS, ids=lambda kind: kind.__name__)
def test_what_is_secret_is_not_printed(kind: type) -> None:
    secret = SECRETS[kind]
    made: Any = object.__new__(kind)
    names = {field.name for field in fields(kind)}
    assert secret <= names
    for name in names:
        object.__setattr__(made, name, f"marked-{name}" if name in secret else f"plain-{name}")
    printed = f"{made!r}{made}"
    assert "marked" not in printed
    assert all(f"plain-{name}" in printed for name in names - secret)
