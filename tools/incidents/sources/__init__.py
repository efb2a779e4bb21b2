"""The event sources. Each reads what one of the tools would show the caller."""
