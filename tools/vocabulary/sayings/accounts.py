"""How people ask which Azure they are in, and what they may do there."""

from __future__ import annotations

from typing import Final

SAYINGS: Final = {
    "list_azure_subscriptions": (
        "list subscriptions, which azure subscriptions do we have, what subscriptions can i see, show my "
        "subscriptions, subscription ids, id of the subscription, how many azure subscriptions are there, all "
        "our subscriptions, az account list, which subscription is production, what is the subscription id of "
        "the shop, subscription names, where do we pay for azure, quels abonnements azure avons nous, liste "
        "des abonnements, id de l abonnement, welche azure abonnements haben wir, which tenant does the "
        "subscription belong to, is the subscription disabled"
    ),
}
