"""Every tool under a lock on subscriptions or groups, whatever it asks for, and whatever it is answered."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final
from urllib.parse import unquote

from aiohttp import web
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.fakes.serving import serving_locally
from tests.fakes.transport import Elsewhere
from tests.sweeps import Sweep, examples, share
from tests.tools.azure.calling import HOSTS, calling
from tests.tools.azure.golden import ADA, SUBSCRIPTION, Case, cases, listed, token
from tools.azure.settings import AzureSettings
from tools.azure.shared.answers import UNTRUSTED

OTHER: Final = "22222222-2222-2222-2222-222222222222"
GRAPH: Final = "/providers/Microsoft.ResourceGraph/resources"
NAMES: Final = {SUBSCRIPTION: "Shop", OTHER: "Lab"}
CASES: Final = [case for case in cases() if case.answer is not None]
FIRST: Final = {case.tool: case for case in reversed(CASES)}
# They tell of subscriptions, types or tenants, whatever a case has answered there.
TENANT_WIDE: Final = ("/subscriptions", "/tenants", "/providers")


@dataclass
class Estate:
    """Answers as a case says, to whoever asks in whatever order; the list of subscriptions to everybody."""

    case: Case
    sent: list[str] = field(default_factory=list)

    async def handle(self, request: web.BaseRequest) -> web.StreamResponse:
        path, content = unquote(request.raw_path.partition("?")[0]), await request.read()
        line = f"{request.method} {request.headers['Host']}{path}"
        self.sent.append(f"{line} {content.decode(errors='replace')}")
        said = next((one for one in self.case.exchanges if one["request"].lower() == line.lower()), None)
        if path == "/subscriptions":
            rows = [{"id": f"/subscriptions/{one}", "subscriptionId": one, "displayName": NAMES[one]} for one in NAMES]
            return web.json_response({"value": rows})
        if path == GRAPH and SUBSCRIPTION not in json.loads(content)["subscriptions"]:
            return web.json_response({"data": [], "count": 0, "totalRecords": 0, "resultTruncated": "false"})
        told = said or listed(self.case.exchanges, line)
        if told is None:
            return web.json_response({"error": {"code": "NotFound", "message": "It is not there."}}, status=404)
        return _reply(told)

    @property
    def strays(self) -> list[str]:
        """What was asked of the subscription that all cases are about, beyond which there are."""
        return [line for line in self.sent if SUBSCRIPTION in line or "management.azure.com" not in line]


def _reply(exchange: Mapping[str, Any]) -> web.Response:
    reply, status, headers = exchange.get("reply"), exchange.get("status", 200), exchange.get("reply_headers", {})
    if isinstance(reply, bytes):
        return web.Response(body=reply, status=status, headers=headers)
    if isinstance(reply, str):
        return web.Response(text=reply, status=status, headers=headers)
    if reply is None:
        return web.Response(status=status, headers=headers)
    return web.json_response(reply, status=status, headers=headers)


async def played(case: Case, subscriptions: str = "", groups: str = "") -> tuple[Estate, dict[str, Any]]:
    estate = Estate(case)
    locks = AzureSettings(
        subscription=SUBSCRIPTION,
        allowed_subscriptions=frozenset(filter(None, subscriptions.split(","))),
        allowed_groups=frozenset(filter(None, groups.split(","))),
    )
    async with serving_locally(estate.handle) as url, calling(Elsewhere(url, *HOSTS), locks, who=token(ADA)) as caller:
        return estate, await caller.call(case.tool, **case.arguments)


async def test_within_a_lock_most_tools_answer_as_ever() -> None:
    others, cases = [], share([*FIRST.values()], every=4)
    for case in cases:
        _, result = await played(case, SUBSCRIPTION)
        if result.get("structuredContent") != {"untrusted": UNTRUSTED, **(case.answer or {})}:
            others.append(case.name)
    # What some cases tell is of several subscriptions, or of the whole tenant.
    assert len(others) <= max(1, len(cases) / 4), others


@Sweep("case", FIRST.values(), ids=lambda case: case.name, every=3)
async def test_out_of_a_lock_a_tool_asks_for_nothing_and_tells_nothing(case: Case) -> None:
    estate, result = await played(case, OTHER)
    assert estate.strays == []
    told = json.dumps(result)
    assert [text for text in _texts(case) if text in told] == []


@settings(max_examples=examples(100), deadline=None, suppress_health_check=list(HealthCheck))
@given(
    tool=st.sampled_from(sorted(FIRST)),
    subscriptions=st.sets(st.sampled_from([OTHER, "Lab", "Nowhere"])),
    groups=st.sets(st.sampled_from(["Lab/web", f"{OTHER}/web", f"{OTHER}/shop-prod"])),
)
async def test_no_request_leaves_a_lock(tool: str, subscriptions: set[str], groups: set[str]) -> None:
    if subscriptions | groups:
        estate, _ = await played(FIRST[tool], ",".join(sorted(subscriptions)), ",".join(sorted(groups)))
        assert estate.strays == []


def _texts(case: Case) -> Iterator[str]:
    """What in the replies of a case nobody could have known."""
    for exchange in case.exchanges:
        path = "/" + exchange["request"].partition("/")[2]
        if SUBSCRIPTION in path or not path.startswith(TENANT_WIDE):
            yield from _long_texts(exchange.get("reply"))


def _long_texts(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from _long_texts(inner)
    elif isinstance(value, list | tuple):
        for entry in value:
            yield from _long_texts(entry)
    elif isinstance(value, str) and len(value) > 5 and " " in value:
        yield value
