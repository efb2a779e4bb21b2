"""Any Resource Manager change by path: checked, previewed as far as Azure can, and sent once."""

from tools.azure.resource_any import any_change

parts = (any_change.part,)
