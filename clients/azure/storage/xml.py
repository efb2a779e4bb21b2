"""Parses XML of Azure Storage. Documents with a DTD, and documents that are too large, are rejected."""

from __future__ import annotations

from typing import Final, Never
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from refusal import Refusal

__all__ = ["Element", "parsed"]

# The maximum number of elements: more than twice the number in any page that this server requests. The number is
# limited because parsing blocks all other work of the process.
_MOST_PARTS: Final = 150_000


class _DeclaredError(ValueError):
    """The document contains a DTD, which Azure Storage never sends."""


class _Plain(TreeBuilder):
    def doctype(self, *_declared: str | None) -> Never:
        raise _DeclaredError


def parsed(content: bytes) -> Element:
    """The root element of a document. Raises Refusal if the document is not XML, contains a DTD or is too large."""
    if content.count(b"<") > _MOST_PARTS:
        raise Refusal("The response from Azure Storage is too large. Request less data.")
    parser = XMLParser(target=_Plain())  # noqa: S314 - documents with a DTD, which could define entities, are rejected
    try:
        parser.feed(content)
        found: Element = parser.close()
    except (ParseError, _DeclaredError, ValueError, LookupError) as error:
        raise Refusal("Azure Storage's answer is not XML. A proxy could be the cause.") from error
    return found
