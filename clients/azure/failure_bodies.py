"""Reads the error code and the message from the various formats of Azure's error responses."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from clients.azure.messages import AzureAnswer
from clients.azure.secret_texts import without_secrets

_DEEPEST: Final = 10
_LONGEST: Final = 20_000
_LONGEST_WORD: Final = 60
_LONGEST_PAGE: Final = 300
_SAYS_NOTHING: Final = frozenset({"InvalidQuery", "Unspecified"})
_XML: Final = re.compile(r"<(?P<name>Code|Message)>(?P<text>[^<]*)</", re.IGNORECASE)
# Request IDs and stack traces, which are removed because only the service's developers need them.
_FOR_OTHERS: Final = re.compile(
    r"\s{0,20}(?:RequestId:|ActivityId:|Tracking ?ID:|Diagnostic information:|Trace ID:|\n\s{1,40}at [\w.]+\().*",
    re.IGNORECASE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Failure:
    """The code and the message of an error."""

    code: str = ""
    message: str = ""
    # The position of the error in the query, if the error is about a query.
    place: str = ""
    # The error codes, from the outermost to the innermost.
    codes: tuple[str, ...] = ()
    # The policies that reject the request.
    policies: tuple[str, ...] = field(default=())

    @classmethod
    def in_document(cls, document: Any) -> Failure:
        """The innermost error in a JSON document."""
        return _innermost(document, cls(), _DEEPEST)

    @classmethod
    def of(cls, answer: AzureAnswer) -> Failure:
        """The error in a response."""
        named = answer.headers.get("x-ms-error-code", "")[:_LONGEST_WORD]
        try:
            found = cls.in_document(answer.document)
        except (ValueError, RecursionError):
            found = _in_text(answer.text)
        return found if found.code or not named else cls(named, found.message, codes=(named,))

    def is_called(self, *names: str) -> bool:
        return not set(self.codes).isdisjoint(names)

    @property
    def words(self) -> str:
        """The message for the caller."""
        return _FOR_OTHERS.sub("", self.message).strip()


def _in_text(text: str) -> Failure:
    """The error in an XML or text response. HTML pages are ignored."""
    found = {match["name"].lower(): match["text"] for match in reversed(list(_XML.finditer(text[:_LONGEST])))}
    if found:
        code = found.get("code", "")[:_LONGEST_WORD]
        return Failure(code, without_secrets(found.get("message", "")), codes=(code,))
    plain = text.strip()
    return Failure() if plain[:1] in {"<", "{", "["} else Failure(message=without_secrets(plain[:_LONGEST_PAGE]))


def _innermost(document: Any, outer: Failure, depth: int) -> Failure:
    if not isinstance(document, Mapping) or not depth:
        return outer
    error = document.get("error") or document.get("Error") or document.get("odata.error") or document
    if isinstance(error, str):
        return _of_sign_in(document, error)
    if not isinstance(error, Mapping):
        return outer
    here = _own(error, outer)
    for inner in _inner(error, here.message):
        found = _innermost(inner, here, depth - 1)
        if found != here:
            return found
    return here


def _own(error: Mapping[str, Any], outer: Failure) -> Failure:
    own = str(error.get("code") or error.get("Code") or "")[:_LONGEST_WORD]
    message = _text(error.get("message") or error.get("Message")) or outer.message
    codes = (*outer.codes, own) if own else outer.codes
    policies = tuple(dict.fromkeys((*outer.policies, *_policies(error.get("additionalInfo")))))
    return Failure(own or outer.code, message, _place_in_query(error) or outer.place, codes, policies)


def _text(message: Any) -> str:
    """The text of a message. Some services put the text and its language into an object."""
    text = message.get("value") if isinstance(message, Mapping) else message
    return text[:_LONGEST] if isinstance(text, str) else ""


def _inner(error: Mapping[str, Any], message: str) -> Iterator[Any]:
    entries = error.get("details") or error.get("Details")
    details = [entry for entry in entries if isinstance(entry, Mapping)] if isinstance(entries, list) else []
    if details:
        yield _most_telling(details)
    yield error.get("innererror") or error.get("innerError") or error.get("InnerError")
    yield _parsed(message)


def _most_telling(details: Sequence[Mapping[str, Any]]) -> Mapping[str, Any]:
    """The first error that states a reason instead of only reporting a failure."""
    return next((one for one in details if one.get("code") not in _SAYS_NOTHING), {})


def _of_sign_in(document: Mapping[str, Any], error: str) -> Failure:
    text = str(document.get("error_description") or document.get("message") or "")[:_LONGEST]
    return Failure(error[:_LONGEST_WORD], text, codes=(error[:_LONGEST_WORD],))


def _place_in_query(error: Mapping[str, Any]) -> str:
    line, column, token = (error.get(name) for name in ("line", "characterPositionInLine", "token"))
    if not isinstance(line, int) or not isinstance(column, int):
        return ""
    word = " ".join(str(token or "").split())[:_LONGEST_WORD].replace('"', "'")
    return f"The error is in line {line} after {column} characters" + (f', at "{word}".' if word else ".")


def _policies(entries: Any) -> Iterator[str]:
    for one in entries if isinstance(entries, list) else ():
        info = one.get("info") if isinstance(one, Mapping) and one.get("type") == "PolicyViolation" else None
        if isinstance(info, Mapping):
            names = ("policyAssignmentDisplayName", "policyDefinitionDisplayName", "policyAssignmentName")
            yield next((str(info[name]) for name in names if info.get(name)), "")


def _parsed(message: str) -> Any:
    """The JSON object that begins at the first brace of a message."""
    if "{" not in message:
        return None
    try:
        found, _ = json.JSONDecoder().raw_decode(message[message.index("{") :])
    except (ValueError, RecursionError):
        return None
    return found
