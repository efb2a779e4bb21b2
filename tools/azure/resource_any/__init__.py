"""Any change of Resource Manager by its path: judged, previewed as far as Azure tells, and done once."""

from tools.azure.resource_any import any_change

parts = (any_change.part,)
