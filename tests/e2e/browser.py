"""A browser and who looks at it: signs a person in at a bridge, up to the address of the client that waits for it."""

from __future__ import annotations

from urllib.parse import urljoin, urlsplit

import httpx2

from tests.identity.bridge.bench import consent_on, next_address


async def sign_in(url: str, redirect: str) -> str:
    """Open what a client asks to be opened, agree to everything, and answer where the browser is sent in the end."""
    async with httpx2.AsyncClient(headers={"User-Agent": "a browser"}, trust_env=False) as http:
        page = await http.get(url)
        while True:
            onward = next_address(page)
            if onward is None:
                form = {"consent": consent_on(page), "decision": "approve"}
                page = await http.post(urljoin(url, "/authorize"), data=form, headers={"Origin": _origin(url)})
            elif onward.startswith(redirect):
                return onward
            else:
                page = await http.get(onward)


def _origin(url: str) -> str:
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}"
