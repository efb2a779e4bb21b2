"""Ready-made extensions. An operator adds a ready-made extension to this server by listing the extension's name in the
extensions file.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

import yaml

NAME: Final = "ready_made.yaml"


@cache
def ready_made() -> dict[str, yaml.Node]:
    """Return the configuration of each ready-made extension, by name."""
    text = Path(__file__).with_name(NAME).read_text(encoding="utf-8")
    document = yaml.compose(text, Loader=yaml.SafeLoader)
    if not isinstance(document, yaml.MappingNode):
        raise TypeError(f"{NAME} is not a mapping.")
    return {key.value: value for key, value in document.value}
