"""A look that takes a service longer than a call may: nothing is known yet, and the next same call goes on with it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from pydantic_core import to_json

from refusal import Refusal

# For so long a look that was begun is followed.
SECONDS_IT_MAY_TAKE: Final = 900.0
# What was found out after an agreement is applied no later than this after the service was last seen still looking.
SECONDS_IT_COUNTS: Final = 30.0
# So a caller has to come back sooner than that.
LONGEST_PAUSE: Final = 20.0
_LONGEST_TRAIL: Final = 48 * 1024


class StillLookingError(Refusal):
    """A preview raises it: the service is still at it. `trail` is what the next look begins with, and no secret; it is
    worth asking again in so many seconds.
    """

    def __init__(self, trail: Mapping[str, Any], seconds: float) -> None:
        super().__init__("The preview is still being prepared. Nothing was done. Send the call again in a minute.")
        if len(to_json(trail)) > _LONGEST_TRAIL:
            raise Refusal("The service returned an identifier of its preview that is too long. Nothing was done.")
        self.trail, self.seconds = trail, seconds
