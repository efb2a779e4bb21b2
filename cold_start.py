"""Speeds up cold starts. Import this module first, so that it disables garbage collection during all other imports.

Imports create many objects but hardly any garbage, so garbage collection would waste time.
"""

import gc
import os

gc.disable()
# Without this setting, Pydantic searches the metadata of every installed package for plugins.
os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")


# A large request creates tens of thousands of objects, which need no garbage collection, because reference counting
# frees them. With Python's default thresholds, the collector would scan these objects repeatedly, and block all other
# work.
_OBJECTS_BETWEEN_LOOKS = 3_000
_LOOKS_BEFORE_AN_OLDER_ONE = 5
_LOOKS_BEFORE_A_LOOK_AT_ALL = 100


def finish() -> None:
    """Enable the garbage collector again. Imported objects are excluded, because they live as long as the process."""
    gc.freeze()
    gc.set_threshold(_OBJECTS_BETWEEN_LOOKS, _LOOKS_BEFORE_AN_OLDER_ONE, _LOOKS_BEFORE_A_LOOK_AT_ALL)
    gc.enable()
