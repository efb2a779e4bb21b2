"""Removes the credentials of a request from its response, because some proxies return parts of the request."""

from __future__ import annotations

import binascii
from base64 import b64decode
from collections.abc import Mapping
from typing import Final
from urllib.parse import quote

from azure.core.utils import CaseInsensitiveDict

_REDACTED: Final = "[redacted]"
# Credentials shorter than this are not removed. Azure DevOps tokens have at least 52 characters; much shorter
# credentials could match ordinary words.
_SHORTEST: Final = 20


def redacted(content: bytes, authorization: str) -> bytes:
    """Replace all encodings of a credential in the content. The credential comes from an Authorization header."""
    for form in _forms(authorization):
        content = content.replace(form.encode(), _REDACTED.encode())
    return content


def redacted_headers(headers: Mapping[str, str], authorization: str) -> Mapping[str, str]:
    """Remove the credential from the headers. Also remove characters that UTF-8 cannot encode."""
    forms = _forms(authorization)
    if all(value.isascii() for value in headers.values()) and not any(
        form in value for form in forms for value in headers.values()
    ):
        return headers
    return CaseInsensitiveDict({name: _header(value, forms) for name, value in headers.items()})


def _header(value: str, forms: list[str]) -> str:
    readable = value.encode("utf-8", errors="surrogateescape").decode("utf-8", errors="replace")
    for form in forms:
        readable = readable.replace(form, _REDACTED)
    return readable


def _forms(authorization: str) -> list[str]:
    secret = authorization.rpartition(" ")[2]
    bare = _decoded(secret).removeprefix(":") if authorization.startswith("Basic ") else ""
    plain = [text for text in (secret, bare) if len(text) >= _SHORTEST]
    in_json = [text.replace("/", "\\/").replace("+", sign) for text in plain for sign in ("+", "\\u002B", "\\u002b")]
    return list(dict.fromkeys([*plain, *in_json, *(quote(text, safe="") for text in plain)]))


def _decoded(secret: str) -> str:
    try:
        return b64decode(secret).decode()
    except (binascii.Error, ValueError):
        return ""
