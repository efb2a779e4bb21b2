"""The toolset `resource-any`: changes any resource by path. Changes are checked, previewed, and sent once."""

from tools.azure.resource_any import any_change

parts = (any_change.part,)
