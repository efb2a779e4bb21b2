"""What commands of az have in common: the forms of names, and what they need."""

from __future__ import annotations

from typing import Final

from tools.azure.azd.command_lines import Form, Option, matching

NAME: Final = matching(r"[A-Za-z0-9][A-Za-z0-9_.()-]{0,259}", "a name: letters, digits, hyphens, dots")
LOCATION: Final = matching(r"[a-z0-9]{3,40}", "westeurope")
SUBSCRIPTION: Final = matching(r"[\w.() -]{1,100}", "an id or a name of a subscription")
ACCOUNT: Final = matching(r"[a-z0-9]{3,24}", "shopdata: 3 to 24 small letters and digits")
CONTAINER: Final = matching(r"\$root|\$web|[a-z0-9](?:-?[a-z0-9]){2,62}", "my-files: small letters, digits, hyphens")
_GROUP: Final = matching(r"[\w.()-]{0,89}[\w()-]", "shop-prod: the name of a resource group")

AZ: Final = "az, and a sign-in: `az login`"
IN_GROUP: Final = f"{AZ}; Contributor on the group"
GONE: Final = "What is in it is lost."


def must(flag: str, form: Form) -> Option:
    return Option(flag, form, is_required=True)


RESOURCE_GROUP: Final = must("--resource-group", _GROUP)
