"""What App Service authentication passes on."""

from __future__ import annotations

import json
from base64 import standard_b64encode
from typing import Any

from tests.fakes.issuer import CLIENT, SCOPE, TENANT, USER


def principal(*changed: tuple[str, Any], auth_typ: object = "aad", without: tuple[str, ...] = ()) -> dict[str, Any]:
    """What App Service passes of a user; `changed` claims are added after those named alike are taken out."""
    role = "http://schemas.microsoft.com/ws/2008/06/identity/claims/role"
    own = {
        "http://schemas.microsoft.com/identity/claims/tenantid": TENANT,
        "http://schemas.microsoft.com/identity/claims/objectidentifier": USER,
        "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/nameidentifier": "pairwise-subject-of-ada",
        "http://schemas.microsoft.com/identity/claims/scope": SCOPE,
        "azp": CLIENT,
        "iss": f"https://login.microsoftonline.com/{TENANT}/v2.0",
        "name": "Ada Example",
    }
    kept = [(name, value) for name, value in own.items() if name.rpartition("/")[2] not in without]
    claims = [{"typ": name, "val": value} for name, value in [*kept, *changed]]
    return {"auth_typ": auth_typ, "claims": claims, "name_typ": "name", "role_typ": role}


def principal_headers(document: object = None) -> dict[str, str]:
    text = json.dumps(principal() if document is None else document)
    return {"x-ms-client-principal": standard_b64encode(text.encode()).decode()}
