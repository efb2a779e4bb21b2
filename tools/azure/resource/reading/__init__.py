"""Reads Azure resource types that have no tool of their own: searches for operations, and reads resources by path."""

from __future__ import annotations

from typing import Final

from tools.azure.resource.reading import finding, reading

parts: Final = (reading.part, finding.part)
