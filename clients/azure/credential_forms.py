"""Patterns of known credentials, which are recognized anywhere in a text."""

from __future__ import annotations

import re
from typing import Final, NamedTuple

WITHHELD: Final = "[withheld]"


class CredentialForm(NamedTuple):
    """A kind of credential: a word that is in every such credential, the pattern, and the replacement."""

    word: str
    pattern: re.Pattern[str]
    instead: str = WITHHELD


def _prefixed(word: str, rest: str) -> CredentialForm:
    return CredentialForm(word, re.compile(rf"(?<![A-Za-z0-9]){re.escape(word)}{rest}", re.ASCII))


def _within(word: str, pattern: str, flags: re.RegexFlag = re.NOFLAG) -> CredentialForm:
    """A pattern for text to withhold.

    The whole match is withheld, except for its first group and, if the pattern has one, its second group.
    """
    compiled = re.compile(pattern, re.ASCII | flags)
    return CredentialForm(word, compiled, rf"\1{WITHHELD}" + (r"\2" if compiled.groups > 1 else ""))


_PRIVATE_KEY: Final = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.*?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.DOTALL,
)
_TEXTS: Final = (
    CredentialForm("-----BEGIN", _PRIVATE_KEY),
    CredentialForm("PuTTY-User-Key-File", re.compile(r"PuTTY-User-Key-File.*", re.DOTALL)),
    CredentialForm("eyJ", re.compile(r"(?<![\w-])eyJ[\w-]{8,}\.[\w-]{8,}(?:\.[\w-]*){0,3}")),
    _within("%3", r"([Ss][Ii][Gg]%3[Dd])[^&\s\"'<>;,]+"),
    _within("code=", r"(?<!\w)(code=)[\w%/+=-]{20,}"),
    _within("earer ", r"([Bb]earer )[\w+/=.~-]{16,}"),
    _within("asic ", r"([Bb]asic )(?=[A-Za-z+/]*\d)[\w+/]{12,}={0,2}"),
)
# URLs with a username and a password. The password may contain an @. A port is not a password. Below: URLs with a token
# as the username.
_ADDRESSES: Final = (
    _within(
        "://",
        r"(://[^/\s:@\"'<>]{0,100}:)(?!\d{1,5}(?:[/?#,\s\"']|$))(?:[^\s\"'<>?#]{1,250}|[^\s\"'<>@]{1,250})(@)",
    ),
    _within("://", r"(://)[^/\s:@\"'<>\[]{20,250}(@)"),
    _within("webhook.office.com", r"(webhook\.office\.com/webhookb2/)[^\s\"'<>?]+"),
    _within("outlook.office.com/webhook", r"(outlook\.office\.com/webhook/)[^\s\"'<>?]+"),
    _within("hooks.slack.com", r"(hooks\.slack\.com/(?:services|workflows|triggers)/)[^\s\"'<>?]+"),
    _within("/api/webhooks/", r"(/api/webhooks/)[^\s\"'<>?]+"),
    _within("pagerduty.com", r"(pagerduty\.com/(?:integration|generic)/)[^\s\"'<>?]+"),
    _within("hooks.zapier.com", r"(hooks\.zapier\.com/hooks/catch/)[^\s\"'<>?]+"),
    _within("maker.ifttt.com", r"(/with/key/)[^\s\"'<>?/]+"),
    _within("alert.victorops.com", r"(alert\.victorops\.com/integrations/)[^\s\"'<>?]+"),
    _within("api.telegram.org/bot", r"(api\.telegram\.org/bot)[^\s\"'<>?/]+"),
)
_TOKENS: Final = (
    CredentialForm("Q~", re.compile(r"[\w~.-]{3}\dQ~[\w~.-]{31,34}")),
    *(_prefixed(f"gh{kind}_", r"\w{36,}") for kind in "pousr"),
    _prefixed("github_pat_", r"\w{22,}"),
    _prefixed("glpat-", r"[\w-]{16,}"),
    _prefixed("npm_", r"[A-Za-z0-9]{30,}"),
    _prefixed("pypi-", r"[\w-]{40,}"),
    *(_prefixed(f"xox{kind}-", r"[\w-]{10,}") for kind in "abeprs"),
    _prefixed("xapp-", r"[\w-]{10,}"),
    *(_prefixed(f"{kind}_{mode}_", r"\w{16,}") for kind in ("sk", "rk") for mode in ("live", "test")),
    _prefixed("whsec_", r"[\w+/=]{16,}"),
    _prefixed("SG.", r"[\w-]{16,}\.[\w-]{16,}"),
    _prefixed("AIza", r"[\w-]{35}"),
    _prefixed("ya29.", r"[\w-]{20,}"),
    *(_prefixed(kind, r"[A-Z0-9]{16}(?![A-Za-z0-9])") for kind in ("AKIA", "ASIA")),
    _prefixed("sk-", r"(?:proj-|ant-|svcacct-)?[\w-]{20,}"),
    _prefixed("hf_", r"[A-Za-z0-9]{30,}"),
    _prefixed("dapi", r"[0-9a-f]{32}(?:-\d)?"),
    *(_prefixed(kind, r"[\w-]{20,}") for kind in ("dckr_pat_", "dckr_oat_")),
    *(_prefixed(f"do{kind}_v1_", r"[0-9a-f]{64}") for kind in "por"),
    *(_prefixed(f"shp{kind}_", r"[0-9a-fA-F]{32}") for kind in ("at", "ca", "pa", "ss")),
    *(_prefixed(kind, r"\w{32,}") for kind in ("lin_api_", "glsa_", "nfp_", "sbp_", "pscale_pw_", "pscale_tkn_")),
    *(_prefixed(kind, r"[\w.-]{20,}") for kind in ("hvs.", "hvb.", "dp.pt.", "dp.st.", "ATATT3", "ATBB", "NRAK-")),
    *(_prefixed(kind, r"[\w-]{20,}") for kind in ("PMAK-", "sq0csp-", "sq0atp-", "pul-", "sntrys_", "rubygems_")),
    _prefixed("key-", r"[0-9a-f]{32}"),
    _prefixed("SK", r"[0-9a-f]{32}(?![0-9a-f])"),
    _prefixed("AGE-SECRET-KEY-1", r"[A-Z0-9]{20,}"),
    CredentialForm("-us", re.compile(r"(?<![0-9a-f])[0-9a-f]{32}-us\d{1,2}(?!\d)")),
    CredentialForm(":AA", re.compile(r"(?<!\d)\d{8,10}:AA[\w-]{33}")),
    CredentialForm("$", re.compile(r"\$(?:2[abxy]|apr1|1|5|6|y|argon2i?d?)\$[\w./$,=+-]{20,}")),
    # An older format of Azure DevOps personal access tokens: 32 bytes in base32.
    CredentialForm("", re.compile(r"(?<![\w-])(?=[a-z]*[2-7][a-z]*[2-7][a-z]*[2-7])[a-z2-7]{52}(?![\w-])")),
)
FORMS: Final = (*_TEXTS, *_ADDRESSES, *_TOKENS)


def without_credentials(text: str) -> str:
    """Withhold every credential of a known kind in the text."""
    for word, pattern, instead in FORMS:
        if word in text:
            text = pattern.sub(instead, text)
    return text
