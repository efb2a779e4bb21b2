"""Shows the values of an azd environment, except secrets."""

from __future__ import annotations

import re
from typing import Annotated, Final

from clients.answers import Json
from clients.azure.withholding import WITHHELD, withheld
from mcp_server.declarations.field import Field
from mcp_server.declarations.toolset import Access, Part
from tools.azure.access import Arm
from tools.azure.azd.dotenv import values_in
from tools.azure.azd.environments import AnyContainer, EnvironmentName
from tools.azure.azd.state import state_in
from tools.azure.shared.answers import answer
from tools.azure.shared.parameters import Subscription

part = Part()

_MOST: Final = 200
# Names that indicate a secret.
_SECRET_NAMES: Final = re.compile(
    r"(?:^|.*_)(?:SECRETS?|TOKENS?|KEYS?|PASSWORDS?|PASS|PWD|CREDENTIALS?|CONNECTION_?STRINGS?|CONN_?STR|SAS)\d?",
    re.IGNORECASE,
)
# Matches a reference to a value in a key vault. The reference itself is not secret.
_REFERENCE: Final = re.compile(r"akvs://[\w./-]+|@Microsoft\.KeyVault\([\w.:/;=-]+\)")


@part.tool(Access.READ, harmless=("environment", "account", "container", "subscription"))
async def show_azd_environment_values(
    azure: Arm,
    environment: EnvironmentName,
    account: Annotated[str, Field(min_length=3, max_length=2048, description="Storage account: name or id")],
    container: AnyContainer = None,
    subscription: Subscription = None,
) -> Json:
    """Show the values of an azd environment in remote state; secrets are withheld.

    For an environment that exists only on a laptop, run `azd env get-values` there.
    """
    state = await state_in(azure, account, subscription)
    kept, text = await state.text(environment, container)
    found = values_in(text)
    shown = dict(list(found.items())[:_MOST])
    more = f"{len(found) - _MOST} more." if len(found) > _MOST else None
    return answer(**kept.summary, more=more, values={name: _shown(name, value) for name, value in shown.items()})


def _shown(name: str, value: str) -> str:
    if _REFERENCE.fullmatch(value) or not value:
        return value
    if _SECRET_NAMES.fullmatch(name):
        return WITHHELD
    return str(withheld({name: value})[name])
