"""Sends text to a model in Azure OpenAI, and returns the model's answer. Raises an error if there is none."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Final

from azure.core.exceptions import AzureError

from clients.addresses import checked_base_url
from clients.decoding import decoded
from clients.messages import Answer, Request
from clients.pool import Pool
from refusal import Refusal

ROLE: Final = "Cognitive Services OpenAI User"
LONGEST_QUESTION: Final = 100_000
LARGEST_ANSWER: Final = 1024 * 1024
SECONDS: Final = 40.0

_ASK: Final = "POST /openai/v1/chat/completions"
_FILTERED: Final = "content_filter"
_TOO_LONG: Final = "context_length_exceeded"
_CUT_OFF: Final = "length"

# Returns the value of the Authorization header.
Authorization = Callable[[], Awaitable[str]]


class NoAnswerError(Refusal):
    """The model did not answer. The error message says why."""


class AzureOpenAI:
    """Sends requests to a deployment of a model, with the app's own identity. Texts and answers are not stored."""

    def __init__(
        self, pool: Pool, endpoint: str, deployment: str, authorization: Authorization, *, seconds: float = SECONDS
    ) -> None:
        self._pool, self._endpoint, self._deployment = pool, checked_base_url(endpoint), deployment
        self._authorization, self._seconds = authorization, seconds

    async def answer(self, system: str, text: str, most_tokens: int) -> str:
        """The complete answer from the model.

        Raises:
            NoAnswerError: The model did not answer, or its answer is incomplete.
        """
        if len(system) + len(text) > LONGEST_QUESTION:
            raise NoAnswerError(f"The text exceeds the limit of {LONGEST_QUESTION} characters for the model.")
        found = await self._request(system, text, most_tokens)
        if found.status >= 300:
            raise self._refused(found)
        return _text_of(_document(found))

    async def _request(self, system: str, text: str, most_tokens: int) -> Answer:
        messages = [{"role": "system", "content": system}, {"role": "user", "content": text}]
        body = {"model": self._deployment, "messages": messages, "max_completion_tokens": most_tokens}
        headers = {"Authorization": await self._authorization()}
        request = Request(_ASK, body=body, seconds=self._seconds)
        try:
            return await self._pool.answered(self._endpoint, request, {}, headers, LARGEST_ANSWER)
        except AzureError as error:
            raise NoAnswerError("Cannot reach Azure OpenAI, or its response was incomplete or too late.") from error

    def _refused(self, found: Answer) -> NoAnswerError:
        code = _code_of(found)
        if code == _FILTERED:
            return NoAnswerError("Azure OpenAI's content filter rejected the text.")
        if code == _TOO_LONG:
            return NoAnswerError("The text is longer than the Azure OpenAI model accepts.")
        words = {
            401: f"Azure OpenAI rejected the sign-in: this server's identity requires the role {ROLE} on the account.",
            403: f"Azure OpenAI denied access: this server's identity requires the role {ROLE} and network access.",
            404: f"Azure OpenAI deployment {self._deployment!r} not found. Check AZURE_OPENAI_DEPLOYMENT.",
            429: "Azure OpenAI is throttling requests.",
        }
        return NoAnswerError(words.get(found.status, f"Azure OpenAI failed (status {found.status})."))


def _text_of(document: Any) -> str:
    try:
        (choice,) = document["choices"]
        reason, text = choice["finish_reason"], choice["message"]["content"]
    except (KeyError, TypeError, ValueError):
        raise _unreadable() from None
    if reason == _FILTERED:
        raise NoAnswerError("Azure OpenAI's content filter rejected the model's answer.")
    if reason == _CUT_OFF:
        raise NoAnswerError("The response from the Azure OpenAI model exceeds the token limit.")
    if not isinstance(text, str) or not text.strip():
        raise _unreadable()
    return text


def _unreadable() -> NoAnswerError:
    return NoAnswerError("The response from Azure OpenAI is not a model's answer.")


def _code_of(found: Answer) -> str:
    document = _document(found)
    error = document.get("error") if isinstance(document, dict) else None
    return str(error.get("code")) if isinstance(error, dict) else ""


def _document(found: Answer) -> Any:
    """Parse the JSON of a response. Return None if the response is not JSON."""
    try:
        return decoded(found.text)
    except (ValueError, RecursionError):
        return None
