"""How the clients are signed in and where they go, which their process is told when it starts."""

from __future__ import annotations

import os
import time
from typing import Any, Final

from azure.core.credentials import AccessToken, AccessTokenInfo

URL: Final = os.environ["INVENTED_AZURE"]
# With what clients of Resource Manager are told to leave the public cloud.
ELSEWHERE: Final = {"base_url": URL, "credential_scopes": [f"{URL}/.default"]}


class Credential:
    """Gives the token that this process was started with."""

    def get_token(self, *_scopes: str, **_options: Any) -> AccessToken:
        return AccessToken(os.environ["INVENTED_TOKEN"], int(time.time()) + 3600)

    def get_token_info(self, *_scopes: str, **_options: Any) -> AccessTokenInfo:
        return AccessTokenInfo(os.environ["INVENTED_TOKEN"], int(time.time()) + 3600)
