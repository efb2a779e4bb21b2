"""Nothing that calls services tells a secret."""

from __future__ import annotations

import logging
import traceback

import pytest

from identity.caller import Caller
from identity.denial import Denial
from identity.upstream import Upstream
from refusal import Refusal
from tests.identity.place import ARM, BROKEN, KEY_CALLER, SECRET, VAULT, Place

pytestmark = pytest.mark.anyio


async def test_no_secret_is_ever_told(on_azure: Place, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    user, told = on_azure.user(), [""]
    for secret in ("", SECRET):
        on_azure.entra.client_secret = secret
        upstream = on_azure.upstream(on_azure=True, allowed=True)
        told += [
            repr(upstream),
            repr(upstream.credential(user)),
            repr(on_azure.registration()),
            repr(upstream.__dict__),
        ]
        await upstream.authorization(user, ARM)
        await upstream.authorization(KEY_CALLER, VAULT)
        for answer in BROKEN:
            on_azure.entra.answer = answer
            told += [await told_by(upstream, on_azure.user())]
        on_azure.entra.refuse(53003, error_description=f"{user.token} {SECRET}")
        told += [await told_by(upstream, on_azure.user())]
        on_azure.entra.answer = None
    on_azure.entra.header = "another"
    told += [await told_by(on_azure.upstream(on_azure=True, allowed=True), KEY_CALLER)]
    everything = "\n".join([*told, caplog.text])
    sent = [value for seen in on_azure.issuer.requests for value in (seen.form.get("assertion"), SECRET) if value]
    headers = [value for seen in on_azure.issuer.requests if (value := seen.headers.get("X-IDENTITY-HEADER"))]
    assert [secret for secret in [*sent, *headers, *on_azure.entra.given] if secret in everything] == []


async def told_by(upstream: Upstream, caller: Caller) -> str:
    try:
        return repr(await upstream.authorization(caller, ARM))
    except (Refusal, Denial) as failure:
        return "".join(traceback.format_exception(failure)) + repr(failure)
