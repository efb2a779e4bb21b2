"""Who may call a function that wants a key."""

from __future__ import annotations

import pytest
from aiohttp import ClientSession

from tests.local_host.sample import WriteApp
from tests.warm.app import running

GUARDED = """
@app.route("guarded", auth_level=func.AuthLevel.FUNCTION)
async def guarded(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse("in")

@app.route("masters", auth_level=func.AuthLevel.ADMIN)
async def masters(req: func.HttpRequest) -> func.HttpResponse:
    return func.HttpResponse("in")

@app.timer_trigger("timer", schedule="0 0 0 1 1 *")
async def yearly(timer: func.TimerRequest) -> None:
    pass
"""


async def test_with_keys_in_the_settings_a_key_is_needed(write_app: WriteApp) -> None:
    async with (
        running(write_app(GUARDED), settings={"LOCAL_HOST_KEYS": "first,sécond"}) as url,
        ClientSession(url) as client,
    ):

        async def status(path: str, **headers: str) -> int:
            async with client.get(path, headers=headers) as response:
                return response.status

        assert await status("/api/hello") == 200
        assert [await status(path) for path in ("/api/guarded", "/api/masters")] == [401, 401]
        assert await status("/api/guarded", **{"X-Functions-Key": "first"}) == 200
        assert await status("/api/guarded?code=first") == 200
        assert await status("/api/masters?code=s%C3%A9cond") == 200
        assert await status("/api/guarded?code=first,s%C3%A9cond") == 401
        assert await status("/api/guarded?code=") == 401
        assert await status("/api/guarded?code=first", **{"x-functions-key": "wrong"}) == 401
        for code, answer in (("", 401), ("?code=first", 202)):
            async with client.post(f"/admin/functions/yearly{code}", json={"input": ""}) as response:
                assert response.status == answer


async def test_who_has_no_key_is_told_where_one_goes(write_app: WriteApp) -> None:
    async with (
        running(write_app(GUARDED), settings={"LOCAL_HOST_KEYS": "first"}) as url,
        ClientSession(url) as client,
        client.get("/api/guarded?code=wrong") as response,
    ):
        said = await response.text()
    assert "LOCAL_HOST_KEYS in the x-functions-key header" in said
    assert "wrong" not in said


@pytest.mark.parametrize("path", ["/api/guarded", "/api/masters"])
async def test_without_keys_every_caller_may(write_app: WriteApp, path: str) -> None:
    async with running(write_app(GUARDED)) as url, ClientSession(url) as client, client.get(path) as response:
        assert await response.text() == "in"
