"""Previews that a service cannot finish within one call. The next identical call resumes the preview."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import to_json

from refusal import Refusal

# The maximum age of a started preview that a call can resume.
SECONDS_IT_MAY_TAKE: Final = 900.0
# When an approved change is applied, a preview that took several calls must be at most this many seconds old.
SECONDS_IT_COUNTS: Final = 30.0
# The longest pause between two calls. Must be shorter than SECONDS_IT_COUNTS.
LONGEST_PAUSE: Final = 20.0
_LONGEST_TRAIL: Final = 48 * 1024


class StillLookingError(Refusal):
    """The service is still preparing a preview.

    `trail` identifies the preview at the service, and is not secret. `seconds` is the time to wait before the next
    call.
    """

    def __init__(self, trail: Mapping[str, Any], seconds: float) -> None:
        super().__init__("The preview is still being prepared. Nothing was done. Send the call again in a minute.")
        if len(to_json(trail)) > _LONGEST_TRAIL:
            raise Refusal("The service returned a preview identifier that is too long. Nothing was done.")
        self.trail, self.seconds = trail, seconds
