"""What `read_azure` takes, and what it never sends."""

from __future__ import annotations

from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from refusal import Refusal
from tests.mcp_server.caller import Caller
from tests.tools.azure.golden import SUBSCRIPTION, Scripted
from tests.tools.azure.unreadable import GROUP, UNREADABLE
from tools.azure.resource.reading.readable import readable

SITE: Final = f"{GROUP}/providers/Microsoft.Web/sites/till"
DOORS: Final = ("hostruntime", "HOSTRUNTIME", "proxy", "listKeys", "listanything", "publishxml", "keys", "accessKeys")


def test_there_are_many_attacks() -> None:
    assert len(UNREADABLE) >= 60


@pytest.mark.parametrize(("path", "why"), UNREADABLE, ids=lambda text: text.removeprefix(GROUP)[:60])
async def test_what_is_never_read_is_refused_unasked(player: Caller, scripted: Scripted, path: str, why: str) -> None:
    result = await player.call("read_azure", path=path)
    assert result["isError"]
    assert why in result["content"][0]["text"]
    assert scripted.sent == []


@pytest.mark.parametrize(
    "query",
    [
        {"api-version": "2024-11-01"},
        {"API-Version": "2024-11-01"},
        {"$expand": "listKeys"},
        {"includeSecrets": "true"},
        {"showCredentials": "true"},
        {"$filter": "a\r\nHost: evil"},
        {"a&b": "c"},
        {"": "x"},
        {"$filter": "x" * 5000},
        {f"p{number}": "x" for number in range(20)},
    ],
)
async def test_a_parameter_that_cannot_be_one_is_refused_unasked(
    player: Caller, scripted: Scripted, query: dict[str, str]
) -> None:
    result = await player.call("read_azure", path=SITE, query=query)
    assert result["isError"]
    assert scripted.sent == []


@pytest.mark.parametrize(
    "path",
    [
        f"/subscriptions/{SUBSCRIPTION}",
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups",
        f"/subscriptions/{SUBSCRIPTION}/resources",
        f"/subscriptions/{SUBSCRIPTION}/locations",
        GROUP,
        f"{GROUP}/resources/",
        SITE,
        SITE.upper(),
        f"{GROUP}/providers/Microsoft.Compute/virtualMachines/proxy/extensions/admin",
        f"{GROUP}/providers/Microsoft.Web/sites/hostruntime/slots/listKeys",
        f"{GROUP}/providers/Microsoft.KeyVault/vaults/safe/secrets",
        f"{GROUP}/providers/Microsoft.Web/sites/till/config/web",
        f"{SITE}/providers/Microsoft.Insights/diagnosticSettings",
        f"{GROUP}/providers/Microsoft.Authorization/locks/keys",
        "/providers/Microsoft.Management/managementGroups/top",
        f"/subscriptions/{SUBSCRIPTION}/resourceGroups/naïve shop/providers/Microsoft.Web/sites",
    ],
)
def test_a_name_may_be_any_word(path: str) -> None:
    assert readable(path).id.text == path.removesuffix("/")


names = st.from_regex(r"[A-Za-z0-9]([A-Za-z0-9 _.()-]*[A-Za-z0-9_)])?", fullmatch=True)


@given(names=st.lists(names, min_size=1, max_size=4), door=st.sampled_from(DOORS), place=st.integers(0, 3), tail=names)
def test_no_door_is_passed_wherever_it_stands(names: list[str], door: str, place: int, tail: str) -> None:
    words = [word for name in names for word in ("parts", name)]
    words[2 * (place % len(names))] = door
    with pytest.raises(Refusal):
        readable(f"{GROUP}/providers/Microsoft.Web/{'/'.join(words)}")
    with pytest.raises(Refusal):
        readable(f"{SITE}/{door}/{tail}/providers/Microsoft.Insights/metrics")


@given(text=st.text(max_size=200))
def test_any_text_is_a_sound_path_or_is_refused(text: str) -> None:
    try:
        found = readable(f"{SITE}/{text}")
    except Refusal:
        return
    assert found.id.text.startswith(SITE)
    assert not {"", ".", ".."} & set(found.id.segments)
    assert "%" not in found.id.text
    assert found.id.text.isprintable()
