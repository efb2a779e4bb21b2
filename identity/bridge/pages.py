"""The pages of the sign-in bridge. The pages load no other files, run no scripts, and cannot be shown in a frame."""

from __future__ import annotations

from base64 import b64encode
from hashlib import sha256
from html import escape
from typing import Final
from urllib.parse import urlsplit

from starlette.responses import HTMLResponse, RedirectResponse

from identity.bridge.client import BridgeClient
from identity.bridge.redirects import is_loopback

STYLE: Final = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:34em;margin:3em auto;padding:0 1em;color:#222;background:#fff}"
    "h1{font-size:1.4em}strong{overflow-wrap:anywhere}.to{font-size:1.25em}code{overflow-wrap:anywhere;color:#555}"
    "button{font:inherit;padding:.5em 1.5em;margin:1em 1em 0 0;border:1px solid #555;border-radius:4px;background:#fff}"
    "button[value=approve]{background:#0b5cad;border-color:#0b5cad;color:#fff}"
    "@media(prefers-color-scheme:dark){body{background:#1b1b1b;color:#eee}code{color:#aaa}}"
)
_STYLE_HASH: Final = b64encode(sha256(STYLE.encode()).digest()).decode()
PRIVATE: Final = {"Cache-Control": "no-store", "Referrer-Policy": "no-referrer", "X-Content-Type-Options": "nosniff"}
HEADERS: Final = {
    **PRIVATE,
    "Content-Security-Policy": f"default-src 'none'; style-src 'sha256-{_STYLE_HASH}'; form-action 'self';"
    " base-uri 'none'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
}


def consent_page(server: str, client: BridgeClient, redirect: str, consent: str) -> HTMLResponse:
    """The page that asks the user to allow a client. The form returns the sealed `consent` with the user's answer."""
    name, to = escape(client.name), escape(server)
    return _page(
        f"Allow a program to use {to}?",
        f"<p>A program that calls itself <strong><bdi>{name}</bdi></strong> wants to use {to} on your behalf."
        f" {_vouched(client)}</p><p>After you sign in, your access goes to:<br><strong"
        f" class=to>{_receiver(redirect)}</strong></p><p>This program can then call the tools of {to} with your"
        " permissions, until you or your administrator revoke the access. Continue only if you have just started this"
        ' sign-in yourself.</p><form method="post" action="/authorize"><input type="hidden" name="consent"'
        f' value="{escape(consent)}"><button name="decision" value="approve">Allow</button><button'
        f' name="decision" value="deny">Deny</button></form><p><code>{escape(redirect)}</code></p>',
    )


def denied_page(redirect: str, url: str) -> HTMLResponse:
    """The page that is shown after the user denied access, with a link to the client. The client is untrusted."""
    return _page(
        "Access denied",
        f'<p>No access was given. You can close this page, or <a rel="noreferrer" href="{escape(url)}">return to'
        f" the program</a> that asked for access. This program is {_receiver(redirect)}.</p>"
        f"<p><code>{escape(redirect)}</code></p>",
    )


def onward_page(url: str) -> HTMLResponse:
    """A page that sends the browser to a URL.

    A redirect would not work, because the content security policy blocks redirects after a form was submitted.
    """
    target = escape(url)
    return _page(
        "One moment",
        f'<p><a href="{target}">Continue</a></p>',
        f'<meta http-equiv="refresh" content="0; url={target}">',
    )


def refused_page(reason: str) -> HTMLResponse:
    return _page("This sign-in cannot continue", f"<p>{escape(reason)}</p>", status=400)


def redirect(url: str) -> RedirectResponse:
    return RedirectResponse(url, 302, PRIVATE)


def _page(title: str, body: str, head: str = "", status: int = 200) -> HTMLResponse:
    return HTMLResponse(
        f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title}</title>{head}'
        f'<meta name="viewport" content="width=device-width"><style>{STYLE}</style></head>'
        f"<body><h1>{title}</h1>{body}</body></html>",
        status,
        HEADERS,
    )


def _vouched(client: BridgeClient) -> str:
    if client.publisher:
        return f"Published by <strong>{escape(client.publisher)}</strong>. The publisher chose the name."
    return "Nobody has verified the program's name."


def _receiver(redirect: str) -> str:
    parts = urlsplit(redirect)
    if is_loopback(redirect):
        return f"a program on this computer ({escape(str(parts.hostname))})"
    if parts.scheme == "https":
        return escape(str(parts.hostname))
    return f"the program that opens {escape(parts.scheme)}: links on this computer"
