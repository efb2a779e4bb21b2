"""What sign-ins say of who acts, rightly and wrongly."""

from __future__ import annotations

import pytest

from identity.caller import Acting
from identity.claims import OF_AGENTS
from tests.identity.agents import (
    AGENT,
    APPLICATION,
    BLUEPRINT,
    BY_ITS_ACCOUNT,
    FOR_A_PERSON,
    FOR_ITSELF,
    OTHER_AGENT,
    PERSON,
    Claims,
    in_version_one,
    with_claims,
)

# What a sign-in says, and who acts by it.
GOOD: dict[str, tuple[Claims, Acting]] = {
    "a person": (PERSON, Acting.PERSON),
    "a person of whom nothing else is said": (with_claims(PERSON, idtyp=None), Acting.PERSON),
    "a person with facets that say nothing of agents": (
        with_claims(PERSON, xms_act_fct="9 3", xms_sub_fct="3 110 131 1"),
        Acting.PERSON,
    ),
    "a guest": (with_claims(PERSON, idp="https://sts.windows.net/other/", acct=1), Acting.PERSON),
    "a guest through an agent": (with_claims(FOR_A_PERSON, idp="live.com", acct=1), Acting.FOR_A_PERSON),
    "an agent for a person": (FOR_A_PERSON, Acting.FOR_A_PERSON),
    "an agent for a person, its facet alone": (with_claims(FOR_A_PERSON, xms_act_fct="11"), Acting.FOR_A_PERSON),
    "an agent for a person, its facet last": (with_claims(FOR_A_PERSON, xms_act_fct="3 9 11"), Acting.FOR_A_PERSON),
    "an account of an agent for a person": (
        with_claims(FOR_A_PERSON, xms_act_fct="13", xms_par_app_azp=None),
        Acting.FOR_A_PERSON,
    ),
    "an agent for a person, the subject left out": (with_claims(FOR_A_PERSON, xms_sub_fct=None), Acting.FOR_A_PERSON),
    "an agent for a person, only its blueprint told": (
        with_claims(FOR_A_PERSON, xms_act_fct=None, xms_sub_fct=None),
        Acting.FOR_A_PERSON,
    ),
    "an agent for a person, its blueprint left out": (
        with_claims(FOR_A_PERSON, xms_par_app_azp=None),
        Acting.FOR_A_PERSON,
    ),
    "somebody who acts for a person, as other issuers say it": (
        with_claims(PERSON, azp=AGENT, act={"sub": "night-agent"}),
        Acting.FOR_A_PERSON,
    ),
    "an agent for itself": (FOR_ITSELF, Acting.AGENT),
    "an agent for itself, its kind left out": (with_claims(FOR_ITSELF, idtyp=None), Acting.AGENT),
    "an agent for itself, the subject left out": (with_claims(FOR_ITSELF, xms_sub_fct=None), Acting.AGENT),
    "an agent for itself, who acts left out": (with_claims(FOR_ITSELF, xms_act_fct=None), Acting.AGENT),
    "an agent by its account": (BY_ITS_ACCOUNT, Acting.AGENT),
    "an agent by its account, its kind left out": (with_claims(BY_ITS_ACCOUNT, idtyp=None), Acting.AGENT),
    "an agent by its account, who acts left out": (with_claims(BY_ITS_ACCOUNT, xms_act_fct=None), Acting.AGENT),
    "an application": (APPLICATION, Acting.APPLICATION),
}
CONTRADICTION = "contradicts itself"
NOT_NUMBERS = "not a list of numbers"
NO_TEXT = "is not a string"
WHICH = "does not say which agent"
BAD: dict[str, tuple[Claims, str]] = {
    **{
        f"{name} {value!r:.30}": (with_claims(FOR_A_PERSON, **{name: value}), reason)
        for name in OF_AGENTS[:2]
        for value, reason in (
            ("", NO_TEXT),
            (11, NO_TEXT),
            (["11"], NO_TEXT),
            ({"11": 1}, NO_TEXT),
            (True, NO_TEXT),
            ("11,9", NOT_NUMBERS),
            ("11  9", NOT_NUMBERS),
            (" 11", NOT_NUMBERS),
            ("11 ", NOT_NUMBERS),
            ("11\t9", NO_TEXT),
            ("1\u0661", NOT_NUMBERS),
            ("\uff11\uff11", NOT_NUMBERS),
            ("+11", NOT_NUMBERS),
            ("-11", NOT_NUMBERS),
            ("0x0b", NOT_NUMBERS),
            ("eleven", NOT_NUMBERS),
            ("11.0", NOT_NUMBERS),
            (" ".join(["11"] * 65), NOT_NUMBERS),
            ("1" * 10_000, NOT_NUMBERS),
        )
    },
    "a subject that is an agent, of a user": (with_claims(FOR_A_PERSON, xms_sub_fct="11"), CONTRADICTION),
    "a subject that is an account, of an application": (with_claims(FOR_ITSELF, xms_sub_fct="13"), CONTRADICTION),
    "a subject that is an agent and an account": (with_claims(FOR_ITSELF, xms_sub_fct="11 13"), CONTRADICTION),
    "an agent without a name": (with_claims(FOR_A_PERSON, azp=None), WHICH),
    "an account without a name": (with_claims(BY_ITS_ACCOUNT, azp=None), WHICH),
    "two who act": (with_claims(FOR_A_PERSON, appid=OTHER_AGENT), WHICH),
    "a blueprint as who acts": (with_claims(FOR_A_PERSON, azp=BLUEPRINT), WHICH),
    "a blueprint in capitals as who acts": (with_claims(FOR_A_PERSON, azp=BLUEPRINT.upper()), WHICH),
    "a blueprint told in capitals as who acts": (
        with_claims(FOR_A_PERSON, xms_par_app_azp=BLUEPRINT.upper(), azp=BLUEPRINT),
        WHICH,
    ),
    "a blueprint of another type": (with_claims(FOR_A_PERSON, xms_par_app_azp=[BLUEPRINT]), NO_TEXT),
    **{
        f"almost {name}": (with_claims(PERSON, **{name: "11"}), f"differs from `{name.lower()}` only in case")
        for name in ("XMS_ACT_FCT", "xms_Act_fct", "Xms_Sub_Fct", "xms_par_app_AZP")
    },
}
both_versions = pytest.mark.parametrize("write", [dict, in_version_one], ids=["v2", "v1"])
