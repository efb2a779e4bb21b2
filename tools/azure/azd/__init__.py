"""The toolset `azd`: templates, environments and their deployments, and azd and az command lines for people to run."""

from __future__ import annotations

from typing import Final

from tools.azure.azd import command_writer, environments, templates, values

parts: Final = (templates.part, environments.part, values.part, command_writer.part)
