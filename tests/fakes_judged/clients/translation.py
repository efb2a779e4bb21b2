"""What Microsoft's client for Azure Translator makes of the invented one."""

from __future__ import annotations

from typing import Any

from azure.ai.translation.text import TextTranslationClient
from azure.core.exceptions import HttpResponseError

from tests.fakes_judged.clients.signed_in import URL, Credential

_PATIENCE: dict[str, Any] = {"retry_total": 0}


def _client() -> TextTranslationClient:
    return TextTranslationClient(
        endpoint=URL, credential=Credential(), resource_id="/subscriptions/x", region="westeurope", **_PATIENCE
    )


def languages() -> list[str]:
    return sorted(_client().get_supported_languages(scope="translation").translation or {})


def translated() -> dict[str, Any]:
    html = 'take <span class="notranslate" id="s0">{one}</span> &amp; more'
    (found,) = _client().translate(body=[html], to_language=["fr"], text_type="html")
    detected, (made,) = found.detected_language, found.translations
    return {
        "detected": [detected.language, detected.score] if detected else None,
        "text": made.text,
        "to": made.to,
    }


def refusals() -> list[Any]:
    return [_refusal(["words"], "xx"), _refusal(["x" * 50_001], "fr"), _refusal(["x"] * 1001, "fr")]


def _refusal(texts: list[str], target: str) -> Any:
    try:
        _client().translate(body=texts, to_language=[target])
    except HttpResponseError as failure:
        error = failure.error
        return [failure.status_code, int(str(error.code)) if error and error.code else None]
    return None
