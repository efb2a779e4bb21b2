"""No object shows the secrets that it holds, so no log and no error does."""

from __future__ import annotations

import pytest

from extensions.installing.package import PackagedServer, package_in
from extensions.sign_in.outgoing import IssuerReply
from extensions.sign_in.registering import RegisteredClient
from extensions.sign_in.tokens import Tokens
from extensions.upstream.process import Command
from extensions.upstream.question import ServerRequest

SECRET = "s3cret"  # noqa: S105 - of no use to anybody


@pytest.mark.parametrize(
    "holder",
    [
        Command(words=("run",), environment={"KEY": SECRET}),
        PackagedServer(package=package_in("npm:docs@1.0.0"), environment={"KEY": SECRET}),
        ServerRequest(method="tools/list", params={}, headers={"Authorization": SECRET}),
        RegisteredClient("client", SECRET),
        Tokens(SECRET, 3600, SECRET),
        IssuerReply(200, SECRET.encode()),
    ],
    ids=lambda holder: type(holder).__name__,
)
def test_a_secret_is_not_shown(holder: object) -> None:
    assert SECRET not in repr(holder) + str(holder)
