"""Bodies that no client would send: broken, deep, of a wrong encoding, or of a wrong form."""

from __future__ import annotations

from typing import Final

DEEP: Final = b"[" * 100_000
CORPUS: Final[list[bytes]] = [
    b"",
    b" ",
    b"null",
    b"[]",
    b"{}",
    b"0",
    b'"text"',
    b"{",
    b'{"jsonrpc":"2.0"',
    DEEP,
    b'{"a":' * 50_000,
    b"\xff\xfe\x00",
    b"\xef\xbb\xbf{}",
    '{"jsonrpc":"2.0","id":1,"method":"tools/list"}'.encode("utf-16"),
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","id":2}',
    b'{"jsonrpc":"2.0","id":null,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":true,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1.5,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":{},"method":"tools/list"}',
    b'{"jsonrpc":"1.0","id":1,"method":"tools/list"}',
    b'{"id":1,"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"method":null}',
    b'{"jsonrpc":"2.0","id":1,"method":["tools/list"]}',
    b'{"jsonrpc":"2.0","id":1,"method":{"a":1},"params":{}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":[]}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":"x"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":[]}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"azure","arguments":[]}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"azure","arguments":{"learn":1e999}}}',
    b'{"jsonrpc":"2.0","id":' + b"9" * 5000 + b',"method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_notes","arguments":{"words":NaN}}}',
    b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"find_notes","arguments":{"words":"\\ud800"}}}',
    b'{"jsonrpc":"2.0","id":"\\ud800","method":"tools/list"}',
    b'{"jsonrpc":"2.0","id":1,"result":{}}',
    b'{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":"x"}}',
    b'[{"jsonrpc":"2.0","id":1,"method":"tools/list"}]',
    b'{"jsonrpc":"2.0","method":"tools/list"}',
    b'{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}',
]
