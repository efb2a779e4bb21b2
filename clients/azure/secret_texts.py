"""Withholds secrets inside texts. Each secret is replaced, and the rest of the text stays unchanged.

In names, only known kinds of credentials are withheld, because names can be as random as keys. In all other texts,
random words are also withheld, and so are values whose name, option or URL parameter indicates a secret. Where secrets
are expected, shorter words also count as random.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final, NamedTuple

from clients.azure.credential_forms import WITHHELD, without_credentials
from clients.azure.randomness import encoded_text, is_public, is_random, may_be_random
from clients.azure.secret_lines import without_secret_lines
from clients.azure.secret_names import is_secret_in_query, is_secret_name, is_secret_option

__all__ = ["WITHHELD", "is_harmless", "name_without_secrets", "without_secrets", "without_values"]

# Words that are shorter than this may always be shown.
_SHORTEST: Final = 12
_LONGEST_NAME: Final = 100
_NAMING: Final = re.compile(
    r"key|pass|pwd|secret|token|sig|connectionstring|connstr|dsn|pat\b|identified", re.IGNORECASE
)


class _Naming(NamedTuple):
    """A syntax that puts names before values: patterns for names and for values, and a test for names of secrets."""

    name: re.Pattern[str]
    value: re.Pattern[str]
    is_secret: Callable[[str], bool]


# Names and values, as they occur in connection strings, command arguments and truncated JSON.
_ASSIGNED: Final = _Naming(
    re.compile(r"(?<![\w.-])(?P<name>[\w.-]++)(?:[ \t]{0,20}=[ \t]{0,20}|\\*[\"']\s?:\s?)", re.ASCII),
    re.compile(
        r"\\*\"(?:[^\"\\]|\\+[^\"\\])*|\\*'[^',)][^'\r\n]*"
        r"|(?:[^;&\r\n\"'<\\]|<(?!/)|&(?![\w.%$-]{1,60}=)|[\"'](?=[\w!@#$%^*-])|\\(?![nrt\"'\\]))+",
        re.ASCII,
    ),
    lambda name: is_secret_name(name[-_LONGEST_NAME:]) or name.lower() == "sig",
)
_IN_QUERY: Final = _Naming(
    re.compile(
        r"(?:[?&#;]|&amp;|%3[Ff]|%26)(?P<name>[\w.$-]{1,60}|(?:[\w.$-]|%[2-7][0-9A-Fa-f]){1,60})(?:=|%3[Dd])", re.ASCII
    ),
    re.compile(r"(?:(?!%26)[^&\s\"'<>#;,])+"),
    is_secret_in_query,
)
# The value after `code=`: a function key or a sign-in code. Numbers and plain words do not match, because they are
# codes of another kind, such as error codes.
_CODE: Final = _Naming(
    re.compile(r"(?:[?&#;]|&amp;|%3[Ff]|%26)(?P<name>code)(?:=|%3[Dd])", re.ASCII | re.IGNORECASE),
    re.compile(
        r"(?!(?:\d{1,6}|[A-Z]{1,8}-?\d{2,7}|[a-z]{2}-[A-Z]{2}|[A-Z]?[a-z]{1,30}(?:[A-Z_-][a-z]{1,30}){0,9})"
        r"(?:[&\s\"'<>#;,.)]|%26|$))(?:(?!%26)[^&\s\"'<>#;,])+"
    ),
    lambda _: True,
)
# Variables in Dockerfiles, web servers and shells. A space, not a sign such as `=`, separates the name of such a
# variable from its value.
_VARIABLES: Final = _Naming(
    re.compile(
        r"(?:(?<![^\n])[ \t]{0,20}(?:ENV|SetEnv|fastcgi_param)[ \t]{1,9}"
        r"|(?<![\w-])(?:setx?|setenv)[ \t]{1,9}(?:-\w{1,6}[ \t]{1,9}){0,3}(?=[A-Z][A-Z0-9_]{0,100}[ \t]))"
        r"(?P<name>[A-Za-z]\w{0,100})[ \t]{1,20}",
        re.ASCII,
    ),
    re.compile(r"\"[^\"\r\n]*\"?|'[^'\r\n]*'?|[^\s\"'=][^\r\n;]*"),
    is_secret_name,
)
_OPTION: Final = _Naming(
    re.compile(r"(?<![\w-])--?(?P<name>[A-Za-z][\w.-]{0,60})(?:[ \t]{1,20}|=|:)", re.ASCII),
    re.compile(r"\"[^\"\r\n]*\"?|'[^'\r\n]*'?|[^\s\"'-]\S*"),
    is_secret_option,
)
# The value after a colon may be a secret or a sentence. The words of a sentence have no digits or signs.
_HEADER: Final = _Naming(
    re.compile(r"(?<![\w-])(?P<name>[\w-]{1,60}+): ?", re.ASCII),
    re.compile(r"(?![A-Za-z]+[.!?:)]?(?:[\s\"',;<>]|$))[^\s\"',;<>]{4,500}"),
    is_secret_name,
)
_AUTHORIZATION: Final = re.compile(
    r"(\bauthorization\\{0,3}[\"']?[ \t]{0,9}[:=][ \t]{0,9}\\{0,3}[\"']?[a-z]{1,20}[ \t]{1,9})(?!\[withheld\])"
    r"[^\s\"'\\,;<>]+",
    re.ASCII | re.IGNORECASE,
)
_BEARER: Final = re.compile(r"(Bearer )(?=[^\s\d]{0,100}\d)\S+", re.IGNORECASE)
# Programs that accept a password in a one-letter option.
_PROGRAMS: Final = (
    ("sshpass", re.compile(r"(\bsshpass\s{1,9}-p\s{0,9})\S+")),
    ("login", re.compile(r"(\blogin\b[^\r\n|;]{0,200}?\s-p[ =]{0,9})\S+")),
    ("mysql", re.compile(r"(\bmysql(?:dump|admin)?\b[^\r\n|;]{0,200}?\s-p)\S+")),
    ("curl", re.compile(r"(\bcurl\b[^\r\n|;]{0,300}?\s(?:-u|--user)[ =]{0,9}[\"']?[^\s:\"']{1,100}:)[^\s\"']+")),
    ("redis-cli", re.compile(r"(\bredis-cli\b[^\r\n|;]{0,200}?\s-a\s{0,9})\S+")),
    ("sqlcmd", re.compile(r"(\bsqlcmd\b[^\r\n|;]{0,200}?\s-P\s{0,9})\S+")),
)
# File formats and statements that have their own keywords for secrets.
_STATEMENTS: Final = (
    ("login", re.compile(r"(\blogin\s{1,9}\S{1,100}\s{1,9}password\s{1,9})\S+")),
    ("requirepass", re.compile(r"(\brequirepass[ \t]{1,9})\S+")),
    ("masterauth", re.compile(r"(\bmasterauth[ \t]{1,9})\S+")),
    ("'", re.compile(r"(\b(?:identified[ \t]{1,9}by|password)[ \t]{1,9}')[^'\r\n]{1,250}(?=')", re.IGNORECASE)),
)
_XML_PAIR: Final = re.compile(r"(<add\s[^<>]{0,20}(?:key|name)=\"[^\"<>]{0,200}\"\s{1,20}value=\")[^\"<>]+(?=\")")
_XML_ELEMENT: Final = re.compile(r"(<([\w.:-]{1,60})(?:\s[^<>]{0,200})?>)[^<>]+(?=</\2>)", re.ASCII)
# The description of an app with several containers, encoded in base64. The description contains the values of
# variables.
_COMPOSED: Final = re.compile(r"((?:COMPOSE|KUBE)\|).+", re.DOTALL)
_CUT_VALUE: Final = re.compile(r"(\"(?:secure_?)?value\\*\"\s?:\s?\\*\")[^\"\\]+", re.IGNORECASE)
_TIME: Final = r"\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:\d\d)"
_HARMLESS: Final = re.compile(
    rf"|true|false|null|none|enabled|disabled|redacted|\*+|\[withheld\]|{_TIME}"
    r"|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
    r"|\[(?:parameters|variables)\('[\w.-]+'\)\]|\$\{[\w.]+\}|\$\([\w.]+\)"
    r"|@Microsoft\.KeyVault\((?:SecretUri=https://|VaultName=)[\w./;=-]+\)"
    r"|/subscriptions/[^?&=\s]*|https?://[^?&=@\s]*",
    re.IGNORECASE,
)
_VARIABLE: Final = re.compile(r"\$[A-Z][A-Z0-9_]{3,}|\$\{.*|\$\(.*|%\w+%|\{\{.*|<[\w -]+>|@Microsoft\.KeyVault\(.*")
# Matches words in either base64 alphabet that are at least as long as an encoded key of 24 bytes. Each resource ID is
# matched as a whole, in the group `id`.
_WORD: Final = re.compile(
    r"(?P<id>/subscriptions/[0-9A-Fa-f-]{36}(?![^/\s\"'])[^\s\"'<>?&;,=+|]*)|(?<![\w+/-])[\w+/-]{32,}={0,2}", re.ASCII
)
_SHORT_WORD: Final = re.compile(r"(?P<id>(?!))|(?<![\w+/~-])[\w+/~-]{20,}={0,2}", re.ASCII)
_PADDED: Final = re.compile(
    r"(?P<id>(?!))|(?<![\w+/-])(?:[A-Za-z0-9+/]{40,}={1,2}|(?=\w*[+/])[\w/]*\+[\w+/]{31,})", re.ASCII
)
_DIGEST: Final = re.compile(r"sha\d{3}:")
# Names that the Azure CLI generates for deployments. These names contain random letters.
_DEPLOYMENT: Final = re.compile(r"[a-z]+_deploy_[A-Za-z0-9]{32}")
_MOST_PARTS: Final = 64
_PASSWORD: Final = re.compile(r"(?=.*[a-z])(?=.*[A-Z])(?=.*\d)(?=.*[!#$%^&*@?])[^\s/]{8,128}", re.ASCII)
_MAIL: Final = re.compile(r"[\w.+#-]+@[\w-]+(?:\.[\w-]+)+", re.ASCII)


def without_secrets(text: str, *, strictly: bool = False) -> str:
    """Withhold the parts of a text that look like secrets. Set `strictly` for text where secrets are expected."""
    if strictly and _PASSWORD.fullmatch(text) and not _MAIL.fullmatch(text) and not is_harmless(text):
        return WITHHELD
    if len(text) < _SHORTEST:
        return _without_named(text)
    text = _without_named(without_credentials(text))
    if text.startswith("data:image/"):
        return text
    text = _WORD.sub(_judged, text)
    return _SHORT_WORD.sub(_judged_strictly, text) if strictly else text


def name_without_secrets(text: str) -> str:
    """Withhold the secrets in a name, ID, type or version. Only parts that are certainly secrets are withheld."""
    if len(text) < _SHORTEST or _DEPLOYMENT.fullmatch(text):
        return text
    return _PADDED.sub(_judged, _COMPOSED.sub(rf"\1{WITHHELD}", _without_named(without_credentials(text))))


def without_values(text: str) -> str:
    """Like `without_secrets`, but for truncated JSON, in which an entry named "value" may belong to a setting."""
    return _CUT_VALUE.sub(rf"\1{WITHHELD}", without_secrets(text))


def is_harmless(text: str) -> bool:
    """Whether a text cannot be a secret, even where secrets are expected: a word, time, ID, URL or reference."""
    if not _HARMLESS.fullmatch(text):
        return False
    return "://" not in text or "KeyVault(" in text or _is_plain_address(text)


def _is_plain_address(text: str) -> bool:
    """Whether a URL contains nothing that looks like a key. In URLs of vaults, path segments are allowed to look like
    keys, because versions of secrets look like keys.
    """
    path = text.partition("://")[2].partition("/")[2]
    is_of_vault = ".vault." in text or ".managedhsm." in text
    return without_credentials(text) == text and (is_of_vault or not any(map(may_be_random, path.split("/"))))


def _without_named(text: str) -> str:
    """Withhold the values after names, options, headers and URL parameters that indicate secrets."""
    if any(sign in text for sign in "?&%#;"):
        text = _without_values_of(_CODE, _without_values_of(_IN_QUERY, text))
    if "-" in text:
        text = _without_options(text)
    is_naming = bool(_NAMING.search(text))
    if is_naming:
        text = _without_assigned(text)
    text = _without_sign_in(text)
    is_of_lines = ":" in text and ("\n" in text or is_naming)
    return without_secret_lines(text, is_harmless) if is_of_lines else text


def _without_options(text: str) -> str:
    text = _without_values_of(_OPTION, text)
    for word, pattern in _PROGRAMS:
        if word in text:
            text = pattern.sub(rf"\1{WITHHELD}", text)
    return text


def _without_assigned(text: str) -> str:
    text = _without_spoken(text)
    if "=" in text or ":" in text:
        text = _without_values_of(_HEADER, _without_values_of(_ASSIGNED, text))
    return _without_elements(text) if "<" in text else text


def _without_spoken(text: str) -> str:
    """Withhold secrets that are separated only by spaces from the name before them."""
    for word, pattern in _STATEMENTS:
        if word in text:
            text = pattern.sub(rf"\1{WITHHELD}", text)
    return _without_values_of(_VARIABLES, text)


def _without_sign_in(text: str) -> str:
    """Withhold tokens in authorization headers. The text may also consist only of the value of such a header."""
    if alone := _BEARER.fullmatch(text):
        return f"{alone[1]}{WITHHELD}"
    return _AUTHORIZATION.sub(rf"\1{WITHHELD}", text) if "authorization" in text.lower() else text


def _without_elements(text: str) -> str:
    text = _XML_PAIR.sub(rf"\1{WITHHELD}", text)
    return _XML_ELEMENT.sub(lambda found: f"{found[1]}{WITHHELD}" if is_secret_name(found[2]) else found[0], text)


def _without_values_of(naming: _Naming, text: str) -> str:
    """Withhold the values after names of secrets. The search continues inside values that are not secret."""
    parts: list[str] = []
    kept = at = 0
    while named := naming.name.search(text, at):
        at = named.end()
        value = naming.value.match(text, at) if naming.is_secret(named["name"]) else None
        if value and not _is_shown(value[0]):
            begins = at + len(value[0]) - len(value[0].lstrip("\\\"'"))
            ends = value.end() - (value[0][-1] in "\"'" and len(value[0]) > 1)
            parts += [text[kept:begins], WITHHELD]
            kept = at = max(begins, ends)
    return "".join([*parts, text[kept:]])


def _is_shown(value: str) -> bool:
    bare = value.strip("\\\"' ")
    return is_harmless(bare) or bool(_VARIABLE.fullmatch(bare)) or bare.startswith(WITHHELD)


def _judged(found: re.Match[str]) -> str:
    word = found[0]
    if found["id"] or _DEPLOYMENT.fullmatch(word) or is_public(word):
        return word
    if "/" not in word:
        return WITHHELD if is_random(word) and not _only_encoded(word) else word
    # Check each segment of a path, because a segment may be a key, and a key with slashes may look like a path.
    parts = word.split("/", _MOST_PARTS)
    if not is_random(word) and not any(map(is_random, parts)):
        return word
    left = [part for part in parts if not (is_random(part) and _only_encoded(part))]
    is_key = not _only_encoded(word) and (is_random("/".join(left)) or any(map(is_random, left)))
    return WITHHELD if is_key else word


def _judged_strictly(found: re.Match[str]) -> str:
    word = found[0]
    is_digest = _DIGEST.fullmatch(found.string[max(0, found.start() - len("sha256:")) : found.start()])
    is_shown = is_public(word) or _DEPLOYMENT.fullmatch(word) or is_digest
    return word if is_shown or not any(map(may_be_random, [word, *word.split("/", _MOST_PARTS)])) else WITHHELD


def _only_encoded(word: str) -> bool:
    """Whether a base64 word decodes to a text that contains no secrets."""
    text = encoded_text(word)
    return text is not None and _without_named(without_credentials(text)) == text
