"""Previews that take a service longer than one call: the next identical call resumes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import to_json

from refusal import Refusal

# How long a started preview is followed.
SECONDS_IT_MAY_TAKE: Final = 900.0
# After approval, a preview counts only within this time since the service was last seen working on it.
SECONDS_IT_COUNTS: Final = 30.0
# So a caller must return sooner than that.
LONGEST_PAUSE: Final = 20.0
_LONGEST_TRAIL: Final = 48 * 1024


class StillLookingError(Refusal):
    """Raised by a preview: the service is still working. `trail` resumes it and is not secret; retry in this many
    seconds.
    """

    def __init__(self, trail: Mapping[str, Any], seconds: float) -> None:
        super().__init__("The preview is still being prepared. Nothing was done. Send the call again in a minute.")
        if len(to_json(trail)) > _LONGEST_TRAIL:
            raise Refusal("The service returned an identifier of its preview that is too long. Nothing was done.")
        self.trail, self.seconds = trail, seconds
