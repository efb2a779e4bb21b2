"""Explains failures of Azure Translator so that a caller can act on them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from azure.core.exceptions import HttpResponseError

UNREACHED: Final = "Azure Translator could not be reached. Try again in a minute."
# By error code of the service, otherwise by HTTP status.
_WORDS: Final = {
    "400035": "Azure Translator does not know the source language. Leave source_lang out to have it detected",
    "400036": "Azure Translator does not know the target language. Pass another target_lang",
    "400050": "A part of the text is too long for Azure Translator. Translate it in smaller parts",
    "400077": "The text is too long for Azure Translator. Translate it in smaller parts",
    "403001": "The free quota of Azure Translator is used up. Ask an operator to choose a paid tier",
    "400": "Azure Translator rejected the request",
    "401": "Azure Translator rejected this server's sign-in."
    " Ask an operator to check its identity, TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION",
    "403": "Azure Translator denied access to this server. Ask an operator to give its identity the role Cognitive"
    " Services User, or to allow it in the Translator's network rules",
    "404": "No Translator found at TRANSLATOR_ENDPOINT. Ask an operator to check it",
}


def words_of(failure: HttpResponseError) -> str:
    status, code = failure.status_code or 0, _code_of(failure)
    if words := _WORDS.get(code) or _WORDS.get(str(status)):
        return f"{words}."
    if status == 429:
        return f"Azure Translator is rate limiting requests. Try again in {_wait(failure)}."
    return f"Azure Translator is not available ({status}). Try again in {_wait(failure)}."


def _code_of(failure: HttpResponseError) -> str:
    try:
        return str(json.loads(failure.response.text())["error"]["code"]) if failure.response else ""
    except (KeyError, TypeError, ValueError):
        return ""


def _wait(failure: HttpResponseError) -> str:
    response: Any = failure.response
    headers = response.headers if response is not None else {}
    wait = str(headers.get("Retry-After", ""))
    return f"{wait} seconds" if wait.isdecimal() else "a minute"
