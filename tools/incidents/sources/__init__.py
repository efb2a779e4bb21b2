"""The event sources. Each source reads what one of the tools would show the caller."""
