"""What bytes say, wherever they are cut, and what no XML of ours may hold."""

from __future__ import annotations

import codecs
from base64 import b64encode
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from clients.azure.storage.decoding import LONGEST_MARK, message_text, text_of
from clients.azure.storage.xml import parsed
from refusal import Refusal

TEXTS: Final = st.text(st.characters(codec="utf-8", exclude_characters="\0\ufeff"), max_size=60)
MARKED: Final = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
}


def pieces(content: bytes, content_type: str, size: int) -> list[str]:
    """The text piece by piece, as a caller reads it who goes on where the last answer says."""
    found, start = [], 0
    while start < len(content):
        piece = content[start : start + size]
        is_end = start + size >= len(content)
        text = text_of(piece, content_type, content[:LONGEST_MARK], is_end=is_end, is_start=not start)
        assert text is not None
        found.append(text.text)
        start += text.used
    return found


@given(text=TEXTS, size=st.integers(16, 40))
def test_pieces_of_a_text_make_the_whole(text: str, size: int) -> None:
    assert "".join(pieces(text.encode(), "text/plain; charset=utf-8", size)) == text


@given(text=TEXTS, size=st.integers(16, 40), charset=st.sampled_from(sorted(MARKED)))
def test_pieces_of_a_marked_text_make_the_whole_without_its_mark(text: str, size: int, charset: str) -> None:
    content = MARKED[charset] + text.encode(charset)
    assert "".join(pieces(content, "application/octet-stream", size)) == text


@given(text=TEXTS, start=st.integers(0, 100))
def test_a_piece_from_anywhere_begins_with_a_whole_character(text: str, start: int) -> None:
    content = text.encode()
    piece = content[start:]
    found = text_of(piece, "text/plain; charset=utf-8", b"", is_end=True, is_start=not start)
    assert found is not None
    assert text.endswith(found.text)
    assert content[start + found.skipped :].decode() == found.text


@given(content=st.binary(max_size=200), content_type=st.text(max_size=30))
def test_no_bytes_and_no_type_are_an_accident(content: bytes, content_type: str) -> None:
    found = text_of(content, content_type, content[:LONGEST_MARK], is_end=True, is_start=True)
    assert found is None or found.used == len(content)


@pytest.mark.parametrize("charset", ["hex", "zip", "idna", "punycode", "utf-7", "rot13", "unicode_escape", "nothing"])
def test_what_is_no_charset_of_texts_is_not_decoded_with(charset: str) -> None:
    found = text_of(b"+AGE- 61 \\u0061", f"text/plain; charset={charset}", b"", is_end=True, is_start=True)
    assert found is not None
    assert (found.text, found.charset) == ("+AGE- 61 \\u0061", "utf-8")


@pytest.mark.parametrize(
    ("sent", "text", "was_base64"),
    [
        (b64encode(b'{"order": 7}').decode(), '{"order": 7}', True),
        ("aGVsbG8gd29ybGQ=", "hello world", True),
        ("plain", "plain", False),
        ("abcdefgh", "abcdefgh", False),
        (b64encode(bytes(range(30))).decode(), b64encode(bytes(range(30))).decode(), False),
        ('{"a": 1}', '{"a": 1}', False),
        ("", "", False),
    ],
)
def test_a_message_in_base64_is_read_where_it_holds_a_text(sent: str, text: str, was_base64: bool) -> None:
    assert message_text(sent) == (text, was_base64)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
def test_no_document_declares_what_it_is_made_of(encoding: str) -> None:
    bomb = f'<?xml version="1.0" encoding="{encoding}"?><!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'
    with pytest.raises(Refusal, match="answer is not XML"):
        parsed(bomb.encode(encoding))


@given(
    content=st.binary(max_size=200) | st.text(max_size=100).map(lambda text: f"<a>{text}</a>".encode(errors="ignore"))
)
def test_whatever_comes_is_xml_or_refused(content: bytes) -> None:
    try:
        parsed(content)
    except Refusal:
        return
