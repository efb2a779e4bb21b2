"""The team's own documents: reading them from their sources, keeping them, searching them."""
