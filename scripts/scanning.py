"""Finds secrets in the git history by their format, except known fake secrets."""

from __future__ import annotations

import hashlib
import re
import subprocess
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

INVENTED: Final = "scripts/invented_secrets.txt"
_DIFFERENCES: Final = ("-p", "--text", "--no-color", "--no-ext-diff", "--no-renames", "--unified=0")
_COMMIT: Final = "commit "
_FILE: Final = "+++ "


@dataclass(frozen=True, slots=True)
class SecretForm:
    """The format of a kind of secret. The search skips lines without the marker. The case of the marker does not
    matter.

    The pattern matches only the secret itself, not a prefix such as `key=`.
    """

    name: str
    mark: str
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class Finding:
    """The commit and the place in a file where a secret was added. Contains only a fingerprint of the secret."""

    commit: str
    place: str
    form: str
    fingerprint: str

    def __str__(self) -> str:
        return f"{self.commit[:12]} {self.place}: {self.form} (fingerprint {self.fingerprint})"


def _form(name: str, mark: str, pattern: str) -> SecretForm:
    return SecretForm(name, mark, re.compile(pattern, re.ASCII))


FORMS: Final = (
    _form(
        "a private key", "private key", r"-----BEGIN (?:[A-Z0-9]+ )*PRIVATE KEY-----(?:\s*$|(?:\\[rn]|\s)*[\w+/=]{16,})"
    ),
    _form("a storage or Cosmos DB key", "==", r"(?<!sha512-)(?<![\w+/])[A-Za-z0-9+/]{86}=="),
    _form("a key in a connection string", "key=", r"(?i)(?<=key=)[\w+/]{20,}={0,2}"),
    _form("a password in a connection string", ";", r"(?i)(?:(?<=password=)|(?<=pwd=))[^;\s'\"{}<>$\[]{6,}(?=;)"),
    _form("a password in a URL", "://", r"(?<=://)[^/\s:@'\"{}<>$]{1,100}:[^/\s@'\"{}<>$]{6,}@[\w.-]+"),
    _form("a shared access signature", "sig=", r"(?i)(?<=sig=)[\w%+/-]{30,}"),
    _form("a signed token", "eyj", r"eyJ[\w-]{10,}\.eyJ[\w-]{10,}\.[\w-]{10,}"),
    _form("a bearer token", "bearer ", r"(?i)(?<=bearer )(?=[\w.~+/-]*\d)[\w.~+/-]{30,}=*"),
    _form("an Entra client secret", "q~", r"[\w~.-]{3}\dQ~[\w~.-]{31,34}"),
    _form("an Azure DevOps personal access token", "azdo", r"(?<!\w)[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}(?!\w)"),
    _form("an Azure DevOps personal access token", "", r"(?<![\w+/=-])(?=[a-z]*[2-7])[a-z2-7]{52}(?![\w+/=-])"),
    _form("an Azure Functions key", "azfu", r"[\w-]{44}AzFu[\w-]{4,}={0,2}"),
    _form("an Azure service key", "jqqj99", r"[\w+/-]{52}JQQJ99[\w+/-]{18,}"),
    _form("a GitHub token", "_", r"(?<!\w)(?:gh[pousr]_\w{36,}|github_pat_\w{22,})"),
    _form("an npm token", "npm_", r"(?<!\w)npm_[A-Za-z0-9]{36}(?!\w)"),
    _form("a PyPI token", "pypi-", r"pypi-AgE[\w-]{50,}"),
    _form("an AWS key", "akia", r"(?<!\w)AKIA[A-Z0-9]{16}(?!\w)"),
    _form("a Google API key", "aiza", r"(?<!\w)AIza[\w-]{35}"),
    _form("a Slack token", "xox", r"(?<!\w)xox[abeprs]-[\w-]{10,}"),
    _form("a Stripe key", "k_live_", r"(?<!\w)[sr]k_live_\w{16,}"),
    _form("a model provider's key", "sk-", r"(?<![\w-])sk-(?:proj-|ant-)?[\w-]{32,}"),
)


def fingerprint(value: str) -> str:
    return hashlib.sha256(value.encode()).hexdigest()[:16]


def invented(root: Path) -> frozenset[str]:
    """Return the fingerprints of known fake secrets."""
    file = root / INVENTED
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return frozenset(line.split()[0] for line in lines if line and not line.startswith("#"))


def findings(root: Path) -> Iterator[Finding]:
    """Return each secret once, with the commit and file in which it first appeared. Includes uncommitted changes."""
    known = set(invented(root))
    for finding in _in_lines(_lines_of(root)):
        if finding.fingerprint not in known:
            known.add(finding.fingerprint)
            yield finding


def commits(root: Path) -> int:
    return int(_git(root, "rev-list", "--count", "HEAD"))


def lacks_history(root: Path) -> str:
    """Return the reason why the git history is incomplete, or an empty text if the history is complete."""
    if not (root / ".git").exists():
        return "This is not a git clone, so it has no history."
    if _git(root, "rev-parse", "--is-shallow-repository").strip() == "true":
        return "This clone has only the latest history. Run `git fetch --unshallow` to get the rest."
    return ""


def _lines_of(root: Path) -> Iterator[str]:
    """Yield the lines of uncommitted changes, then the lines of the whole history, starting with the first commit."""
    yield f"{_COMMIT}uncommitted"
    yield from _git(root, "diff", "HEAD", *_DIFFERENCES).split("\n")
    yield from _git(root, "log", "--reverse", "--diff-merges=separate", *_DIFFERENCES, "HEAD").split("\n")


def _in_lines(lines: Iterable[str]) -> Iterator[Finding]:
    commit = place = ""
    for line in lines:
        if line.startswith(_COMMIT):
            commit, place = line.split()[1], "its message"
        elif line.startswith(_FILE):
            place = line.removeprefix(_FILE).removeprefix("b/").rstrip("\t")
        elif line.startswith(("+", "    ")):  # git indents commit messages by four spaces
            yield from (Finding(commit, place, form, fingerprint(value)) for form, value in _secrets(line[1:]))


def _secrets(line: str) -> Iterator[tuple[str, str]]:
    lowered = line.lower()
    for form in FORMS:
        if form.mark in lowered:
            yield from ((form.name, found[0]) for found in form.pattern.finditer(line))


def _git(root: Path, *arguments: str) -> str:
    run = subprocess.run(["git", "-C", str(root), *arguments], stdout=subprocess.PIPE, check=True)
    return run.stdout.decode("utf-8", "replace")
