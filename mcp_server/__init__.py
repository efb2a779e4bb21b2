"""How tools are offered over the Model Context Protocol. Knows nothing of Azure."""
