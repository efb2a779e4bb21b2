"""Recorded answers of the real service in the place of the invented ones of golden cases that ask for the same."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from hashlib import sha512
from typing import Any, Final
from urllib.parse import parse_qsl, unquote, urlsplit

from tests.tools.azure.data import FOLDER, recorded
from tests.tools.azure.golden import Case, cases

_MANAGEMENT: Final = "management.azure.com"
_GRAPH: Final = "microsoft.resourcegraph"
# Asks at the address in the answer, which is no request.
_OVER_AMQP: Final = frozenset({"peek_servicebus_messages"})
_VERSION: Final = re.compile(r"[0-9a-f]{32}")
_FAILED: Final = 400
# What many tools ask first.
_OF_ALL: Final = "/subscriptions"
_ALL: Final = 200
_PROVIDERS: Final = "2021-04-01"
# A resource or a list that a provider has in a subscription, which is no key.
_BELOW_PROVIDER: Final = re.compile(r"/subscriptions/[^%]*/providers/(?!.*listquerykeys)[^%]+", re.IGNORECASE)
# Where people write what they like, so that a secret may stand there.
_TEXTS: Final = frozenset(
    ("description", "message", "summary", "comments", "notes", "justification", "commandToExecute")
)
# A secret that no answer may show, in the form that people paste.
SECRET: Final = b64encode(sha512(b"planted").digest()).decode()
_PASTED: Final = f" AccountName=till;AccountKey={SECRET}"


@dataclass(frozen=True)
class Recording:
    place: str
    method: str
    host: str
    path: str
    query: Mapping[str, str]
    status: int
    body: Any

    @property
    def form(self) -> str:
        return form(self.method, self.host, self.path)

    @property
    def has_failed(self) -> bool:
        return self.status >= _FAILED


@dataclass(frozen=True)
class Play:
    """A case in which one answer is a recorded one, and how many entries of it have to be counted, where all are."""

    case: Case
    recording: Recording
    entries: int | None = None

    @property
    def name(self) -> str:
        return f"{self.case.tool}-{self.recording.place}"


def form(method: str, host: str, path: str) -> str:
    """What is asked for, without the names in it: every second word, and where it is asked."""
    whole = unquote(path).lower().strip("/")
    if host != _MANAGEMENT:
        words = [_VERSION.sub("*", word) for word in whole.split("/")]
        kind = words[::2] if "vault" in host else words[-1:]
        return f"{method} {host.partition('.')[2] if 'vault' in host else host} {'/'.join(kind)} {len(words) % 2}"
    above, within, below = whole.rpartition("providers/")
    kinds = below.split("/")[1::2] if within else below.split("/")[::2]
    return f"{method} {below.split('/')[0] if within else ''} {'/'.join(kinds)} {'/'.join(above.split('/')[::2])}"


def form_of(exchange: Mapping[str, Any]) -> str:
    method, _, address = exchange["request"].partition(" ")
    host, _, path = address.partition("/")
    return form(method, host, path)


@cache
def recordings() -> tuple[Recording, ...]:
    index = FOLDER / "fixtures" / "INDEX.json"
    entries = json.loads(index.read_text(encoding="utf-8")) if index.exists() else []
    single = (entry for entry in entries if entry["kind"] == "recording" and not entry["sequence"])
    return tuple(_recording(entry) for entry in single)


def _recording(entry: Mapping[str, Any]) -> Recording:
    place = entry["file"].removesuffix(".json")
    address, body = urlsplit(recorded(place)["request"]["url"]), recorded(place)["response"].get("body")
    query = dict(parse_qsl(address.query))
    path = address.path.rstrip("/")
    return Recording(place, entry["method"], address.hostname or "", path, query, entry["status"], body)


def plays() -> Sequence[Play]:
    """Each recording once for each tool that asks for it, in a case that shows all entries if there is one."""
    found: dict[str, Play] = {}
    for play in _plays():
        if play.name not in found or found[play.name].entries is None:
            found[play.name] = play
    return list(found.values())


def _plays() -> Iterator[Play]:
    known: dict[str, list[Recording]] = {}
    for recording in recordings():
        known.setdefault(recording.form, []).append(recording)
    for case in cases():
        is_played = case.answer is not None and case.tool not in _OVER_AMQP
        for at, exchange in enumerate(case.exchanges if is_played else []):
            for recording in known.get(form_of(exchange), []):
                # Resource Graph answers with the columns that were asked for, so only free queries fit.
                if _GRAPH not in recording.form or case.tool == "query_resource_graph":
                    yield _play(case, at, recording)


def _play(case: Case, at: int, recording: Recording) -> Play:
    exchange = {**case.exchanges[at], "reply": replied(recording), "status": recording.status}
    changed = replace(case, exchanges=[*case.exchanges[:at], exchange, *case.exchanges[at + 1 :]])
    return Play(changed, recording, _entries(recording.body) if _counts_all(case, at) else None)


def replied(recording: Recording) -> Any:
    """What was recorded, without a next page, and with a secret wherever somebody wrote a text."""
    if not isinstance(recording.body, dict):
        return recording.body
    return {name: _planted(value) for name, value in recording.body.items() if name != "nextLink"}


def _planted(value: Any, name: str = "") -> Any:
    if isinstance(value, dict):
        return {key: _planted(one, key) for key, one in value.items()}
    if isinstance(value, list):
        return [_planted(one, name) for one in value]
    return f"{value}{_PASTED}" if isinstance(value, str) and name in _TEXTS else value


def _counts_all(case: Case, at: int) -> bool:
    """Whether the tool shows each entry of this answer, and nothing else."""
    counted, listed = case.answer.get("count") if case.answer else None, _entries(case.exchanges[at].get("reply"))
    others = [one for one in case.exchanges if one is not case.exchanges[at] and not one["request"].endswith(_OF_ALL)]
    return bool(counted) and counted == listed and all(_entries(one.get("reply")) is None for one in others)


def _entries(body: Any) -> int | None:
    entries = body.get("value") if isinstance(body, dict) else None
    return len(entries) if isinstance(entries, list) else None


def readings() -> Iterator[Play]:
    """What was read of Resource Manager, whatever it was, as `read_azure` reads it."""
    for recording in recordings():
        if recording.method == "GET" and _BELOW_PROVIDER.match(recording.path) and "api-version" in recording.query:
            yield Play(_reading(recording), recording, None if recording.has_failed else _entries(recording.body))


def _reading(recording: Recording) -> Case:
    query = {name: value for name, value in recording.query.items() if name != "api-version"}
    asked: dict[str, Any] = {"path": unquote(recording.path), "api_version": recording.query["api-version"]}
    arguments = {**asked, "query": query, "max_results": _ALL}
    exchange = {"request": f"GET {_MANAGEMENT}{unquote(recording.path)}", "query": query}
    version = {"version": recording.query["api-version"], "reply": replied(recording), "status": recording.status}
    return Case(recording.place, "read_azure", arguments, [*_types(recording), {**exchange, **version}], None, None)


def _types(recording: Recording) -> Iterator[dict[str, Any]]:
    """The lists of the providers in a path, which have its types in its version."""
    subscription = "/".join(recording.path.strip("/").split("/")[:2]) + "/"
    above = subscription if subscription.startswith("subscriptions/") else ""
    for part in unquote(recording.path).split("/providers/")[1:] or ["Microsoft.Resources"]:
        namespace, *words = part.split("/")
        kinds = ["/".join(words[0 : at + 1 : 2]) for at in range(0, len(words), 2)]
        offered = [{"resourceType": kind, "apiVersions": [recording.query["api-version"]]} for kind in kinds]
        document = {"namespace": namespace, "resourceTypes": offered}
        request = f"GET {_MANAGEMENT}/{above}providers/{namespace}"
        yield {"request": request, "version": _PROVIDERS, "reply": document}
