"""Microsoft's own client for Azure Translator takes the invented one for it."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from tests.fakes.https import certify
from tests.fakes.translation.translator import LANGUAGES, SIGNED_IN, translating
from tests.fakes_judged.judged import Clients, Judged

pytestmark = pytest.mark.anyio


async def test_languages_translations_and_refusals_are_understood(clients: Clients, tmp_path: Path) -> None:
    certified = certify(tmp_path / "certificate.pem", "localhost")
    token = SIGNED_IN.removeprefix("Bearer ")
    async with translating(certified.context) as translator:
        judged = Judged(cast("Any", None), translator.url, certified, clients)
        assert await judged.by("translation.languages", INVENTED_TOKEN=token) == sorted(LANGUAGES)
        text = 'TAKE <span class="notranslate" id="s0">{one}</span> &amp; MORE'
        assert await judged.by("translation.translated", INVENTED_TOKEN=token) == {
            "detected": ["en", 0.97],
            "text": text,
            "to": "fr",
        }
        assert await judged.by("translation.refusals", INVENTED_TOKEN=token) == [
            [400, 400036],
            [400, 400077],
            [400, 400072],
        ]
    sent = translator.headers[-1]
    assert (sent["Ocp-Apim-ResourceId"], sent["Ocp-Apim-Subscription-Region"]) == ("/subscriptions/x", "westeurope")
