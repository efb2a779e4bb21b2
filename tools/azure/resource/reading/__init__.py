"""Any resource type of Azure without a tool of its own: what can be read is found by words, and read by its path."""

from __future__ import annotations

from typing import Final

from tools.azure.resource.reading import finding, reading

parts: Final = (reading.part, finding.part)
