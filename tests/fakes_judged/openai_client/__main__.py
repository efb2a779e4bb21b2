"""Asks the invented Azure OpenAI with OpenAI's own client, and prints what that made of the answers."""

from __future__ import annotations

import json
import sys
from typing import Any

import openai

URL, TOKEN, *MODELS = sys.argv[1:]


def _asked(client: Any, model: str) -> Any:
    messages = [{"role": "system", "content": "Shout."}, {"role": "user", "content": "once"}]
    try:
        told = client.chat.completions.create(model=model, messages=messages, max_completion_tokens=50)
    except openai.APIStatusError as error:
        return [type(error).__name__, error.status_code, error.code, error.response.headers.get("retry-after")]
    choice = told.choices[0]
    return [choice.message.content, choice.finish_reason, told.usage.total_tokens]


def _main() -> None:
    client = openai.OpenAI(base_url=f"{URL}/openai/v1", api_key=TOKEN, max_retries=0)
    print(json.dumps([_asked(client, model) for model in MODELS]))  # noqa: T201


_main()
