"""Failures of Azure Translator in words that a caller can act on."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from azure.core.exceptions import HttpResponseError

UNREACHED: Final = "Azure Translator could not be reached. Try again in a minute."
# By the code of the service, else by the status of HTTP.
_WORDS: Final = {
    "400035": "Azure Translator does not know the source language. Leave source_lang out to have it detected",
    "400036": "Azure Translator does not know the target language. Pass another target_lang",
    "400050": "A part of the text is longer than Azure Translator takes. Translate it in smaller parts",
    "400077": "The text is longer than Azure Translator takes at once. Translate it in smaller parts",
    "403001": "What Azure Translator translates for free is used up. An operator has to choose a paid tier",
    "400": "Azure Translator does not take the request as it is",
    "401": "Azure Translator does not accept the sign-in of this server. An operator has to look at its identity, and"
    " at TRANSLATOR_RESOURCE_ID and TRANSLATOR_REGION",
    "403": "Azure Translator does not let this server in. An operator has to give its identity the role Cognitive"
    " Services User, or to open the Translator's network to it",
    "404": "There is no Translator at TRANSLATOR_ENDPOINT. An operator has to look at it",
}


def words_of(failure: HttpResponseError) -> str:
    status, code = failure.status_code or 0, _code_of(failure)
    if words := _WORDS.get(code) or _WORDS.get(str(status)):
        return f"{words}."
    if status == 429:
        return f"Azure Translator is asked too much. Try again in {_wait(failure)}."
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
