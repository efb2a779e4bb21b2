"""Makes the first answer come sooner: importing this before everything else stops the garbage collector.

Importing makes a great many objects and hardly any garbage, so a collector that runs meanwhile only costs time.
"""

import gc
import os

gc.disable()
# Pydantic would look for plugins in the metadata of every installed package.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


# A large request is tens of thousands of objects, all of which go by themselves when it is answered. As often as Python
# looks for garbage by itself, it would look through them again and again, and nothing else is done meanwhile.
_OBJECTS_BETWEEN_LOOKS = 3_000
_LOOKS_BEFORE_AN_OLDER_ONE = 5
_LOOKS_BEFORE_A_LOOK_AT_ALL = 100


def finish() -> None:
    """Start the collector again, sparing it everything that was imported: that stays until the process ends."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, _LOOKS_BEFORE_AN_OLDER_ONE, _LOOKS_BEFORE_A_LOOK_AT_ALL)
    gc.enable()
