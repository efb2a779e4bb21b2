"""Reading the JSON of an answer."""

from __future__ import annotations

from typing import Any

from azure.core.exceptions import DecodeError
from azure.core.rest import AsyncHttpResponse


def decoded(response: AsyncHttpResponse) -> Any:
    """Return the JSON that the response holds, and keep it for the next who asks.

    Raises:
        DecodeError: It holds none, or only a part.
    """
    try:
        return response.json()
    except (ValueError, RecursionError) as error:
        raise DecodeError("The answer is not JSON, or only a part of it.", response=response, error=error) from error
