"""Sources of events: each reads what a tool would show its caller."""
