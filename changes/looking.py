"""Previews that a service cannot prepare within one call. The next identical call resumes the preview."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import to_json

from refusal import Refusal

# After a preview has started, later calls can resume it for this many seconds.
SECONDS_IT_MAY_TAKE: Final = 900.0
# When an approved change is applied, a preview that took several calls must be at most this many seconds old.
SECONDS_IT_COUNTS: Final = 30.0
# The longest pause in seconds between two calls that continue a preview. The pause must be shorter than
# SECONDS_IT_COUNTS.
LONGEST_PAUSE: Final = 20.0
_LONGEST_TRAIL: Final = 48 * 1024


class StillLookingError(Refusal):
    """The service is still preparing a preview.

    `trail` identifies the preview to the service, and is not secret. `seconds` is how long the caller should wait
    before the next call.
    """

    def __init__(self, trail: Mapping[str, Any], seconds: float) -> None:
        super().__init__("The preview is still being prepared. Nothing was done. Send the call again in a minute.")
        if len(to_json(trail)) > _LONGEST_TRAIL:
            raise Refusal("The service returned a preview identifier that is too long. Nothing was done.")
        self.trail, self.seconds = trail, seconds
