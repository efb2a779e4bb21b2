"""A model at Azure OpenAI is asked, and what goes wrong is told in words of our own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from clients.azure_openai import LONGEST_QUESTION, AzureOpenAI, NoAnswerError
from clients.pool import Pool
from tests.fakes.azure_openai.service import DEPLOYMENT, TOKEN, FakeAzureOpenAI
from tests.fakes.transport import HastyTransport


async def signed() -> str:
    return f"Bearer {TOKEN}"


async def signed_by_another() -> str:
    return "Bearer of-another"


@asynccontextmanager
async def model_of(
    fake: FakeAzureOpenAI, deployment: str = DEPLOYMENT, seconds: float = 5
) -> AsyncIterator[tuple[AzureOpenAI, HastyTransport]]:
    transport = HastyTransport()
    async with fake.serving() as url, Pool(transport=transport) as pool:
        yield AzureOpenAI(pool, url, deployment, signed, seconds=seconds), transport


async def told_by(fake: FakeAzureOpenAI, deployment: str = DEPLOYMENT) -> str:
    """Why there is no answer."""
    async with model_of(fake, deployment) as (model, _):
        with pytest.raises(NoAnswerError) as told:
            await model.answer("Shout.", "once", 50)
    return str(told.value)


async def test_one_question_has_one_answer() -> None:
    fake = FakeAzureOpenAI()
    async with model_of(fake) as (model, _):
        assert await model.answer("Shout.", "once", 50) == "ONCE"
    (asked,) = fake.asked
    assert asked["max_completion_tokens"] == 50
    assert [(message["role"], message["content"]) for message in asked["messages"]] == [
        ("system", "Shout."),
        ("user", "once"),
    ]


@pytest.mark.parametrize(
    ("trouble", "words"),
    [
        ("unknown", "requires the role Cognitive Services OpenAI User"),
        ("denied", "requires the role Cognitive Services OpenAI User"),
        ("closed", "denied access"),
        ("filtered", "content filter rejected the text"),
        ("silenced", "content filter rejected the model's answer"),
        ("cut off", "exceeds the token limit"),
        ("broken", "failed (status 500)"),
        ("away", "failed (status 503)"),
        ("no json", "its response was incomplete"),
        ("empty", "is not a model's answer"),
        ("picture", "is not a model's answer"),
        ("reset", "Cannot reach Azure OpenAI"),
    ],
)
async def test_what_goes_wrong_is_told_and_asked_once(trouble: str, words: str) -> None:
    fake = FakeAzureOpenAI(troubles=[trouble])
    assert words in await told_by(fake)
    assert len(fake.asked) == 1


async def test_it_waits_as_long_as_it_is_told_to() -> None:
    async with model_of(FakeAzureOpenAI(troubles=["busy"])) as (model, transport):
        assert await model.answer("Shout.", "once", 50) == "ONCE"
        assert transport.waits == [7]


async def test_it_does_not_wait_forever() -> None:
    assert "throttling requests" in await told_by(FakeAzureOpenAI(troubles=["busy"] * 9))


async def test_a_model_that_is_silent_for_too_long_is_left() -> None:
    async with model_of(FakeAzureOpenAI(troubles=["slow"]), seconds=0.1) as (model, _):
        with pytest.raises(NoAnswerError, match="too late"):
            await model.answer("Shout.", "once", 50)


async def test_a_deployment_that_is_not_there_is_named() -> None:
    told = await told_by(FakeAzureOpenAI(), "other")
    assert "deployment 'other' not found. Check AZURE_OPENAI_DEPLOYMENT" in told


async def test_who_is_not_known_gets_nothing() -> None:
    async with FakeAzureOpenAI().serving() as url, Pool(transport=HastyTransport()) as pool:
        with pytest.raises(NoAnswerError, match="rejected the sign-in"):
            await AzureOpenAI(pool, url, DEPLOYMENT, signed_by_another).answer("Shout.", "once", 50)


async def test_a_text_that_is_too_long_is_not_sent() -> None:
    fake = FakeAzureOpenAI()
    async with model_of(fake) as (model, _):
        with pytest.raises(NoAnswerError, match="exceeds the limit"):
            await model.answer("Shout.", "x" * LONGEST_QUESTION, 50)
    assert fake.asked == []
