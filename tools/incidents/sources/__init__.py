"""Sources of events: each reads what a tool would show the caller."""
