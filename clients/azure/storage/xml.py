"""Parses Azure Storage XML: without entities or document type declarations, and up to a size."""

from __future__ import annotations

from typing import Final, Never
from xml.etree.ElementTree import Element, ParseError, TreeBuilder, XMLParser

from refusal import Refusal

__all__ = ["Element", "parsed"]

# Our list pages have less than half as many. The parser blocks everything else in this process.
_MOST_PARTS: Final = 150_000


class _DeclaredError(ValueError):
    """The document has a DTD, which Azure Storage never sends."""


class _Plain(TreeBuilder):
    def doctype(self, *_declared: str | None) -> Never:
        raise _DeclaredError


def parsed(content: bytes) -> Element:
    """The root element of a document.

    Raises:
        Refusal: It is not XML, declares entities, or has too many parts.
    """
    if content.count(b"<") > _MOST_PARTS:
        raise Refusal("The response of Azure Storage is too large. Request less data.")
    parser = XMLParser(target=_Plain())  # noqa: S314 - without a DTD there are no entities
    try:
        parser.feed(content)
        found: Element = parser.close()
    except (ParseError, _DeclaredError, ValueError, LookupError) as error:
        raise Refusal("Azure Storage's answer is not XML. A proxy could be the cause.") from error
    return found
