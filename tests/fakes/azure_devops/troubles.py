"""What can go wrong between Azure DevOps and whoever asks it, in the forms that were seen."""

from __future__ import annotations

import json
from base64 import b64decode
from collections.abc import Callable
from typing import Final
from urllib.parse import quote

from aiohttp import web
from multidict import CIMultiDict

from tests.fakes.azure_devops.routes import TroubleError

Trouble = Callable[[web.BaseRequest], web.StreamResponse]

_PAGE: Final = "<!DOCTYPE html><html><head><title>Azure DevOps Services | Sign In</title></head><body></body></html>"


def failing(status: int, key: str, message: str, **headers: str) -> Trouble:
    document = TroubleError(status, key, message).document
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return lambda _: web.json_response(document, status=status, headers=named)


def sign_in_page(status: int = 203) -> Trouble:
    return lambda _: web.Response(text=_PAGE, status=status, content_type="text/html")


def redirect(_: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=302, headers={"Location": "https://spsprodweu1.vssps.example.com/_signin"})


def moved(_: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=301, headers={"Location": "https://dev.azure.com/acme-new/_apis/projects"})


def windows_401(_: web.BaseRequest) -> web.StreamResponse:
    headers = CIMultiDict([("WWW-Authenticate", "Negotiate"), ("WWW-Authenticate", "NTLM")])
    return web.Response(status=401, headers=headers)


def echo(request: web.BaseRequest) -> web.StreamResponse:
    """Gives back what the request was signed with, in a header and in several forms of the text."""
    sent = request.headers["Authorization"]
    secret = sent.partition(" ")[2]
    said = [sent, quote(secret, safe=""), b64decode(secret).decode()]
    text = json.dumps({"message": said, "escaped": secret}).replace("/", "\\/")
    headers = {"Content-Type": "application/json", "ETag": f'"{sent}"', "X-Odd": "caf\udce9"}
    return web.Response(body=text.encode(), headers=headers)


def empty_401(_: web.BaseRequest) -> web.StreamResponse:
    return web.Response(status=401, headers={"WWW-Authenticate": 'Basic realm="https://tfs.example.com/"'})


def listed_401(_: web.BaseRequest) -> web.StreamResponse:
    return web.json_response({"count": 0, "value": []}, status=401)


def claims_401(_: web.BaseRequest) -> web.StreamResponse:
    challenge = 'Bearer error="insufficient_claims", claims="eyJhIjoxfQ=="'
    return web.Response(status=401, headers={"WWW-Authenticate": challenge})


def stopped(_: web.BaseRequest) -> web.StreamResponse:
    body = '\ufeff{"message": "TF24668: The following team project collection is stopped: acme.", "typeKey": "Stopped"}'
    return web.Response(body=body.encode(), status=503, content_type="application/json")


def unavailable_page(_: web.BaseRequest) -> web.StreamResponse:
    return web.Response(
        text="<!DOCTYPE html><html><title>Unavailable</title></html>", status=503, content_type="text/html"
    )


def garbled(_: web.BaseRequest) -> web.StreamResponse:
    return web.Response(body=b"not compressed", headers={"Content-Encoding": "gzip", "Content-Type": "text/plain"})


def cut_connection(request: web.BaseRequest) -> web.StreamResponse:
    if request.transport:
        request.transport.abort()
    return web.Response()


throttled: Final = failing(429, "RequestBlockedException", "TF400733: The request has been canceled.", Retry_After="7")
unauthorized: Final = failing(401, "UnauthorizedRequestException", "TF400813: The user 'x' is not authorized.")
forbidden: Final = failing(403, "AccessDeniedException", "TF401027: You need the permission to do that.")
